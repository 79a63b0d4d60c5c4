"""Makes files of many formats by hand, each with its texts and the places where these stand."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from email.message import EmailMessage
from html import escape
from typing import NamedTuple

from benchmarks.compound_file import compound_file
from benchmarks.format_old import doc, ppt
from benchmarks.format_sheets import ods, xls, xlsb
from benchmarks.format_zip import zipped


class Section(NamedTuple):
    title: str
    paragraphs: tuple[str, ...]


class Text(NamedTuple):
    """What a file says, and where; `kind` "" is a format without places."""

    text: str
    kind: str = ""
    number: int = 0
    part: str = ""


class MadeFile(NamedTuple):
    name: str
    data: bytes
    texts: list[Text]


Table = Sequence[Sequence[str | float | date]]
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_SPACES = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "text", "table", "presentation", "style"))
_SPACES += f' xmlns:draw="{_ODF}:drawing:1.0" xmlns:svg="{_ODF}:svg-compatible:1.0"'


def of_sections(sections: Sequence[Section], variant: int) -> Iterator[MadeFile]:
    """The same texts in each format; the variant changes encodings and the like."""
    for make in (_epub, _odt, _odp, _rtf, _eml, _mbox, _mhtml, _msg, _svg, _doc, _ppt):
        yield make(sections, variant)


def of_tables(tables: dict[str, Table], variant: int) -> Iterator[MadeFile]:
    """Sheets by their titles; rows count from 1."""
    texts = [
        Text(
            cell if isinstance(cell, str) else str(cell) if isinstance(cell, date) else f"{cell:g}",
            "row",
            number,
            title,
        )
        for title, rows in tables.items()
        for number, row in enumerate(rows, 1)
        for cell in row
        if cell != ""
    ]
    makers: dict[str, Callable[[dict[str, Table]], bytes]] = {"ods": ods, "xls": xls, "xlsb": xlsb}
    for kind, make in makers.items():
        yield MadeFile(f"{variant}.{kind}", make(tables), texts)


def _flat(sections: Sequence[Section]) -> list[Text]:
    return [Text(text) for section in sections for text in (section.title, *section.paragraphs)]


def _numbered(sections: Sequence[Section], kind: str, titled: bool = False) -> list[Text]:
    return [
        Text(text, kind, number, section.title if titled else "")
        for number, section in enumerate(sections, 1)
        for text in (section.title, *section.paragraphs)
    ]


# --- zip and XML --------------------------------------------------------------------------------------------------


def _epub(sections: Sequence[Section], variant: int) -> MadeFile:
    """A cover outside of the reading order, contents of the second or the third version of the format."""
    pages = {
        f"OEBPS/text/part {nth}.xhtml": '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>'
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><h2>{escape(one.title)}</h2>'
        + "".join(f"<p>{escape(text)}</p>" for text in one.paragraphs)
        + "</body></html>"
        for nth, one in enumerate(sections, 1)
    }
    links = [f"text/part%20{nth}.xhtml" for nth in range(1, len(sections) + 1)]
    items = "".join(
        f'<item id="p{nth}" href="{link}" media-type="application/xhtml+xml"/>' for nth, link in enumerate(links)
    )
    if variant % 2:
        nav = "".join(
            f'<li><a href="{link}">{escape(one.title)}</a></li>' for link, one in zip(links, sections, strict=True)
        )
        contents = "OEBPS/nav.xhtml", f"<html><body><nav><ol>{nav}</ol></nav></body></html>"
        items += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    else:
        points = "".join(
            f"<navPoint><navLabel><text>{escape(one.title)}</text></navLabel><content src='{link}'/></navPoint>"
            for link, one in zip(links, sections, strict=True)
        )
        contents = "OEBPS/toc.ncx", f"<!DOCTYPE ncx><ncx><navMap>{points}</navMap></ncx>"
        items += '<item id="nav" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    spine = "".join(f'<itemref idref="p{nth}"/>' for nth in range(len(links)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
        f'<item id="c" href="cover.xhtml" media-type="application/xhtml+xml"/>{items}</manifest>'
        f'<spine><itemref idref="c" linear="no"/><itemref idref="nav"/>{spine}</spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    data = zipped(
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("OEBPS/book.opf", opf),
        ("OEBPS/cover.xhtml", "<html><body><p>cover</p></body></html>"),
        contents,
        *pages.items(),
    )
    return MadeFile(f"{variant}.epub", data, _numbered(sections, "chapter", titled=True))


def _opened(kind: str, body: str, styles: str = "") -> bytes:
    content = (
        f'<?xml version="1.0"?><office:document-content {_SPACES}><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    )
    return zipped(("mimetype", f"application/vnd.oasis.opendocument.{kind}"), ("content.xml", content))


def _odt(sections: Sequence[Section], variant: int) -> MadeFile:
    """With deleted, hidden and annotated words that must not be read."""
    parts = ["<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"]
    for section in sections:
        parts.append(f'<text:h text:outline-level="{variant % 3 + 1}">{escape(section.title)}</text:h>')
        for text in section.paragraphs:
            first, space, rest = escape(text).partition(" ")
            blank = "<text:s/>" if space else ""
            parts.append(f"<text:p><text:span>{first}</text:span>{blank}{rest}<office:annotation><text:p>no</text:p>"
                         "</office:annotation></text:p>")  # fmt: skip
    return MadeFile(f"{variant}.odt", _opened("text", f"<office:text>{''.join(parts)}</office:text>"), _flat(sections))


def _odp(sections: Sequence[Section], variant: int) -> MadeFile:
    """The shapes stand in the file in another order than on the slide."""
    slides = "".join(
        "<draw:page>"
        + "".join(
            f'<draw:frame svg:x="1cm" svg:y="{nth + 3}cm"><draw:text-box><text:p>{escape(text)}</text:p>'
            "</draw:text-box></draw:frame>"
            for nth, text in reversed(list(enumerate(section.paragraphs)))
        )
        + '<draw:frame svg:x="1cm" svg:y="1cm" presentation:class="title"><draw:text-box>'
        f"<text:p>{escape(section.title)}</text:p></draw:text-box></draw:frame></draw:page>"
        for section in sections
    )
    data = _opened("presentation", f"<office:presentation>{slides}</office:presentation>")
    return MadeFile(f"{variant}.odp", data, _numbered(sections, "slide"))


def _svg(sections: Sequence[Section], variant: int) -> MadeFile:
    words = "".join(
        f'<text y="{nth}"><tspan>{escape(one.text)}</tspan></text>' for nth, one in enumerate(_flat(sections))
    )
    data = f'<svg xmlns="http://www.w3.org/2000/svg"><script>no</script>{words}</svg>'.encode()
    return MadeFile(f"{variant}.svg", data, _flat(sections))


# --- text of its own kind -----------------------------------------------------------------------------------------


def _rtf(sections: Sequence[Section], variant: int) -> MadeFile:
    """Unicode, or bytes of a Chinese code page by document or by font; with hidden words and a picture."""

    def written(text: str) -> str:
        out = []
        for mark in text:
            if mark in "\\{}":
                out.append("\\" + mark)
            elif mark.isascii():
                out.append(mark)
            elif variant % 3 == 0 or not _in_page(mark):
                raw = mark.encode("utf-16-le")
                units = struct.unpack(f"<{len(raw) // 2}h", raw)
                out.append("".join(f"\\u{unit}?" for unit in units))
            else:
                out.append("".join(f"\\'{byte:02x}" for byte in mark.encode("gbk")))
        return "".join(out)

    head = ("{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset134 B;}}", "{\\fonttbl{\\f1 B;}}")[variant % 2]
    page = "936" if variant % 2 else "1252"
    body = "".join(
        f"\\pard\\s1\\f1 {written(one.title)}\\par\n"
        + "".join(f"\\pard\\plain\\f1 {written(text)}{{\\v hidden}}\\par\n" for text in one.paragraphs)
        for one in sections
    )
    data = f"{{\\rtf1\\ansi\\ansicpg{page}\\uc1{head}{{\\stylesheet{{\\s1 heading 1;}}}}{{\\pict 00ff}}\n{body}}}"
    return MadeFile(f"{variant}.rtf", data.encode("ascii"), _flat(sections))


def _in_page(mark: str) -> bool:
    try:
        return len(mark.encode("gbk")) == 2
    except UnicodeEncodeError:
        return False


def _message(section: Section, variant: int, attached: Section | None = None) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Date"] = "Ann <a@b.test>", "c@d.test", "Fri, 03 May 2024 10:00:00 +0800"
    message["Subject"] = section.title
    body = "\n\n".join(section.paragraphs)
    charset = ("utf-8", "gb18030", "utf-8")[variant % 3]
    message.set_content(body, charset=charset, cte=("base64", "quoted-printable")[variant % 2])
    if variant % 3 == 2:
        message.add_alternative("".join(f"<p>{escape(text)}</p>" for text in section.paragraphs), subtype="html")
    if attached:
        text = f"# {attached.title}\n\n" + "\n\n".join(attached.paragraphs)
        message.add_attachment(text.encode(), maintype="text", subtype="markdown", filename="附件.md")
    return message


def _eml(sections: Sequence[Section], variant: int) -> MadeFile:
    texts = [Text(text, "message", 1) for text in (sections[0].title, *sections[0].paragraphs)]
    texts += [Text(text, "message", 1, "附件.md") for text in (sections[1].title, *sections[1].paragraphs)]
    return MadeFile(f"{variant}.eml", _message(sections[0], variant, sections[1]).as_bytes(), texts)


def _mbox(sections: Sequence[Section], variant: int) -> MadeFile:
    raw = b""
    for section in sections:
        message = _message(section, variant).as_bytes().replace(b"\nFrom ", b"\n>From ")
        raw += b"From a@b.test Fri May  3 10:00:00 2024\n" + message + b"\n\n"
    return MadeFile(f"{variant}.mbox", raw, _numbered(sections, "message"))


def _mhtml(sections: Sequence[Section], variant: int) -> MadeFile:
    body = "".join(f"<h2>{escape(one.title)}</h2>" + "".join(f"<p>{escape(text)}</p>" for text in one.paragraphs)
                   for one in sections)  # fmt: skip
    message = EmailMessage()
    charset = ("utf-8", "gb18030")[variant % 2]
    message.set_content(f"<html><body>{body}</body></html>", subtype="html", charset=charset, cte="quoted-printable")
    message.add_related(b"\x89PNG", "image", "png", cid="<a>")
    return MadeFile(f"{variant}.mhtml", message.as_bytes(), _flat(sections))


# --- compound files -----------------------------------------------------------------------------------------------


def _msg(sections: Sequence[Section], variant: int) -> MadeFile:
    first, second = sections[:2]
    attached = f"# {second.title}\n\n" + "\n\n".join(second.paragraphs)
    folder = "__attach_version1.0_#00000000/__substg1.0_"
    streams = {
        "__properties_version1.0": bytes(32),
        "__substg1.0_0037001F": first.title.encode("utf-16-le"),
        "__substg1.0_0C1A001F": "Ann".encode("utf-16-le"),
        f"{folder}3707001F": "附件.md".encode("utf-16-le"),
        f"{folder}37010102": attached.encode(),
    }
    if variant % 2:
        html = "".join(f"<p>{escape(text)}</p>" for text in first.paragraphs)
        streams["__substg1.0_10130102"] = f"<meta charset=utf-8>{html}".encode()
    else:
        streams["__substg1.0_1000001F"] = "\r\n\r\n".join(first.paragraphs).encode("utf-16-le")
    texts = [Text(text, "message", 1) for text in (first.title, *first.paragraphs)]
    texts += [Text(text, "message", 1, "附件.md") for text in (second.title, *second.paragraphs)]
    return MadeFile(f"{variant}.msg", compound_file(streams), texts)


def _doc(sections: Sequence[Section], variant: int) -> MadeFile:
    texts = _flat(sections)
    return MadeFile(f"{variant}.doc", doc([one.text for one in texts], variant), texts)


def _ppt(sections: Sequence[Section], variant: int) -> MadeFile:
    return MadeFile(f"{variant}.ppt", ppt(sections), _numbered(sections, "slide"))
