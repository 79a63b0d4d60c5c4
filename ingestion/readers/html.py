"""Web pages and documents saved as HTML, read into Markdown."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from errors import FileError
from ingestion.readers.base import ReaderResult, decode_text
from ingestion.readers.html_markdown import drop_furniture, furnished, parse, to_markdown
from schema import Message

_LARGEST_PAGE = 2_000_000  # characters: beyond, telling article from furniture costs seconds, and books have none
_COVERED = 0.6  # of the words that are no links
_HEAD, _BEGINNING, _ELEMENTS = 4096, 200_000, 3_000  # characters, and elements, where a page tells of itself
_charset = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*+=\s*+[\"']?\s*+([\w-]{2,20})", re.IGNORECASE
)
_encodings = re.compile(
    r"utf-?8|gb\d+|gbk|big5(?:-hkscs)?|shift[_-]jis|euc-(?:jp|kr)|ks_c_5601-1987|iso-8859-\d+|windows-\d+|koi8-[ru]"
)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "ks_c_5601-1987": "cp949", "euc-kr": "cp949"}
_saved_from = re.compile(r"<!-- saved from url=\(\d+\)(https?://\S+) -->")
_address = re.compile(r"https?://[^\s<>\"]{1,2000}")
_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?")
_between = re.compile(r"[,，、;；]")
_MOST_TAGS = 20
_heading = re.compile(r"^#{1,6} (.*)", re.MULTILINE)
_element = re.compile("<[a-z]", re.IGNORECASE)
_unmarked = re.compile(r"[\W_]+")


def read_html(name: str, data: bytes) -> ReaderResult:
    """Headings, lists and tables stay; menus, scripts, styles and comments go. A page without furniture is all text."""
    text, metadata = decoded(name, data)
    metadata |= _metadata(_beginning(text))
    url = metadata.pop("url", "")
    body = (_article(text) if len(text) <= _LARGEST_PAGE and furnished(parse(text)) else "") or _whole(text)
    if not body.strip():
        raise FileError(
            Message(zh=f"网页“{name}”里没有文字。", en=f'There is no text in the page "{name}".'),
            Message(
                zh="它的内容可能要靠脚本加载：请在浏览器中打开后复制文字，或打印为 PDF。",
                en="Its scripts may load what it shows: open it in a browser and copy the text, or print it as PDF.",
            ),
        )
    return ReaderResult(body, "markdown", "html", metadata, url=url)


def decoded(name: str, data: bytes) -> tuple[str, dict[str, Any]]:
    """As the page says it is encoded, if that holds; else as every other text."""
    declared = _charset.search(data[:_HEAD])
    label = declared[1].decode().lower() if declared else ""
    if _encodings.fullmatch(label) and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        try:
            text = data.decode(_WIDER.get(label, label))
            return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n"), {"encoding": label}
        except (UnicodeDecodeError, LookupError):
            pass
    return decode_text(name, data)


def _article(text: str) -> str:
    """What trafilatura takes for the article; "" when it has lost much of the text or of the headings."""
    from trafilatura import extract
    from trafilatura.settings import use_config

    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "50")  # its floor is made for Latin text: short Chinese pages
    config.set("DEFAULT", "MIN_OUTPUT_SIZE", "5")  # would lose their structure
    options: dict[str, Any] = {"include_comments": False, "favor_recall": True, "config": config}
    found = extract(parse(text), output_format="markdown", **options)
    if not found:
        return ""
    found = "\n".join(line.rstrip() for line in found.split("\n"))
    root = parse(text)
    drop_furniture(root)
    headings = [_bare(heading) for heading in _heading.findall(to_markdown(root))]
    kept = {_bare(heading) for heading in _heading.findall(found)}
    for link in root.iter("a"):
        link.clear(keep_tail=True)
    words = len(_bare(to_markdown(root)))
    lost = sum(heading not in kept for heading in headings if heading)
    return "" if lost * 2 > len(headings) or len(_bare(found)) < _COVERED * words else found.strip() + "\n"


def _whole(text: str) -> str:
    root = parse(text)
    had_furniture = drop_furniture(root)
    return to_markdown(root) or (to_markdown(parse(text)) if had_furniture else "")  # a page that is all menu


def _bare(text: str) -> str:
    return _unmarked.sub("", text)


def _beginning(text: str) -> str:
    """Where a page tells its title, author and date: each element of it is looked at for 15 microseconds."""
    beyond = next(islice(_element.finditer(text, 0, _BEGINNING), _ELEMENTS, None), None)
    return text[: beyond.start() if beyond else _BEGINNING]


def _metadata(beginning: str) -> dict[str, Any]:
    """title, author, date, language, tags, url: those that the page tells where it begins."""
    from trafilatura.metadata import extract_metadata

    root = parse(beginning)
    title = root.find(".//title")
    found = {
        "title": title.text_content() if title is not None else "",
        "author": _content(root, "author"),
        "language": root.get("lang") or "",
        "url": next(iter(root.xpath("//link[@rel='canonical']/@href")), "") or _content(root, "og:url"),
    }
    guessed = extract_metadata(root, extensive=False)  # else any year in the text would be taken for its date
    found |= {
        "title": guessed.title if guessed.title and guessed.title in found["title"] else found["title"],
        "author": found["author"] or guessed.author or "",
        "date": _moment(root, guessed.date or ""),
    }
    if not _address.fullmatch(found["url"]):
        saved = _saved_from.search(beginning[:_HEAD])
        found["url"] = saved[1] if saved else ""
    plain = {key: " ".join(str(value).split())[:500] for key, value in found.items() if key != "url"}
    return {key: value for key, value in (*plain.items(), ("tags", _tags(root)), ("url", found["url"])) if value}


def _moment(root: Any, day: str) -> str:
    """The time of day beside the date, where the page says both."""
    for name in ("article:published_time", "datePublished", "og:published_time"):
        text = _content(root, name).strip()
        if _time.fullmatch(text) and text[:10] == (day or text[:10]):
            return text
    return day


def _tags(root: Any) -> list[str]:
    """Of its author: "article:tag", else what the page calls its keywords."""
    values = root.xpath("//meta[@property='article:tag']/@content") or _between.split(_content(root, "keywords"))
    return list(dict.fromkeys(tag for one in values if (tag := " ".join(str(one).split())[:100])))[:_MOST_TAGS]


def _content(root: Any, name: str) -> str:
    found = root.xpath("//meta[@name=$name or @property=$name]/@content", name=name)
    return str(found[0]) if found else ""
