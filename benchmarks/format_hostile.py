"""Hostile files of the formats that people have besides the usual ones: what must become of each."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.compound_file import compound_file
from benchmarks.format_files import Section, of_sections
from benchmarks.format_sheets import ods, xls, xlsb
from benchmarks.format_zip import zipped
from errors import FileError
from ingestion.readers import read_document

WORDS = "The red harbour opens at nine."
_LARGEST = 20_000_000
_UNSEEN = "must-not-be-read"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"


class HostileFile(NamedTuple):
    """`refused` is in the reason in English; "" for a file whose words are read and nothing else of it."""

    label: str
    name: str
    data: bytes
    refused: str = ""

    def verdict(self) -> str:
        """What went wrong; "" where nothing did."""
        try:
            text = read_document(self.name, self.data, max_bytes=_LARGEST).text
        except FileError as error:
            said = error.in_full
            return "" if self.refused and self.refused in said.en and said.zh != said.en else said.en
        if self.refused:
            return "was read"
        return "" if WORDS in text and _UNSEEN not in text else "was misread"


def hostile_files() -> Iterator[HostileFile]:
    yield from _packed()
    yield from _books()
    yield from _open_texts()
    yield from _open_sheets()
    yield from _texts()
    yield from _mails()
    yield from _compounds()


def _laughs(inner: str = "ha") -> str:
    steps = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE x [<!ENTITY e0 "{inner}">{steps}]>'


def _odt(body: str, *more: tuple[str, str | bytes], doctype: str = "", kind: str = "text") -> bytes:
    spaces = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "text", "table"))
    content = (
        f"{doctype}<office:document-content {spaces}><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>"
    )
    return zipped(("mimetype", f"application/vnd.oasis.opendocument.{kind}"), ("content.xml", content), *more)


def _epub(page: str, *more: tuple[str, str | bytes], container: str = "", spine: str = '<itemref idref="a"/>') -> bytes:
    item = '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    opf = f"<package><manifest>{item}</manifest><spine>{spine}</spine></package>"
    return zipped(
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container or '<c><rootfile full-path="b.opf"/></c>'),
        ("b.opf", opf),
        ("a.xhtml", page),
        *more,
    )


_PAGE = f"<html><body><p>{WORDS}</p></body></html>"
_TEXT = f"<text:p>{WORDS}</text:p>"


def _packed() -> Iterator[HostileFile]:
    bomb = ("Pictures/a.bin", bytes(60_000_000))
    for kind, data in (
        ("epub", _epub(_PAGE, bomb)),
        ("odt", _odt(_TEXT, bomb)),
        ("ods", _odt(_TEXT, bomb, kind="spreadsheet")),
    ):
        yield HostileFile(f"{kind}: bomb", f"a.{kind}", data, "far too much")
    for kind, data in (("epub", _epub(_PAGE)), ("odt", _odt(_TEXT)), ("xlsb", xlsb({"S": [["x"]]}))):
        yield HostileFile(f"{kind}: half", f"a.{kind}", data[:-60], "damaged")


def _books() -> Iterator[HostileFile]:
    locked = "<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.w3.org/2001/04/xmlenc#aes128-cbc'/></EncryptedData></encryption>"
    yield HostileFile(
        "epub: laughs in a chapter", "a.epub", _epub(f"{_laughs()}<html><p>&e9;</p><p>{WORDS}</p></html>")
    )
    yield HostileFile("epub: laughs in its contents", "a.epub", _epub(_PAGE, ("x.ncx", f"{_laughs()}<ncx>&e9;</ncx>")))
    yield HostileFile("epub: scripts", "a.epub", _epub(f"<html><script>{_UNSEEN}</script><p>{WORDS}</p></html>"))
    yield HostileFile("epub: behind DRM", "a.epub", _epub(_PAGE, ("META-INF/encryption.xml", locked)), "DRM")
    yield HostileFile(
        "epub: out of the book",
        "a.epub",
        _epub(_PAGE, container='<c><rootfile full-path="../../etc/passwd"/></c>'),
        "damaged",
    )
    yield HostileFile("epub: without a chapter", "a.epub", _epub(_PAGE, spine='<itemref idref="zzz"/>'), "is empty")
    yield HostileFile(
        "epub: one chapter 6,000 times", "a.epub", _epub(_PAGE, spine='<itemref idref="a"/>' * 6000), "damaged"
    )
    yield HostileFile("epub: 20,000 elements deep", "a.epub", _epub("<html>" + "<div>" * 20_000 + WORDS))


def _open_texts() -> Iterator[HostileFile]:
    manifest = ("META-INF/manifest.xml", "<m><file-entry><encryption-data/></file-entry></m>")
    yield HostileFile("odt: laughs", "a.odt", _odt(f"<text:p>&e9;</text:p>{_TEXT}", doctype=_laughs()), "damaged")
    fetch = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    yield HostileFile("odt: fetches a file", "a.odt", _odt(f"<text:p>&e;</text:p>{_TEXT}", doctype=fetch), "damaged")
    yield HostileFile("odt: password", "a.odt", _odt(_TEXT, manifest), "password")
    yield HostileFile(
        "odt: 5,000 elements deep", "a.odt", _odt("<text:section>" * 5000 + _TEXT + "</text:section>" * 5000), "damaged"
    )
    yield HostileFile(
        "odt: a blank a billion times", "a.odt", _odt(f'<text:p>x<text:s text:c="1000000000"/></text:p>{_TEXT}')
    )
    cell = '<table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell>'
    yield HostileFile(
        "odt: a cell a billion times",
        "a.odt",
        _odt(f"<table:table><table:table-row>{cell}</table:table-row></table:table>{_TEXT}"),
    )
    yield HostileFile(
        "odt: hidden and deleted",
        "a.odt",
        _odt(
            f"<text:tracked-changes>{_UNSEEN}</text:tracked-changes><text:p><text:hidden-text>{_UNSEEN}</text:hidden-text></text:p>{_TEXT}"
        ),
    )


def _open_sheets() -> Iterator[HostileFile]:
    row = '<table:table-row table:number-rows-repeated="{}">{}</table:table-row>'
    wide = '<table:table-cell table:number-columns-repeated="{}"><text:p>x</text:p></table:table-cell>'
    for label, rows, cells in (("rows", 10**9, 1), ("cells", 1, 10**9)):
        sheet = f'<table:table table:name="S">{row.format(rows, wide.format(cells))}</table:table>'
        yield HostileFile(f"ods: a billion {label}", "a.ods", _odt(sheet, kind="spreadsheet"), "more than")
    empty = row.format(10**12, "<table:table-cell/>")
    sheet = (
        f'<table:table table:name="S">{empty}{row.format(1, wide.format(1).replace(">x<", f">{WORDS}<"))}</table:table>'
    )
    yield HostileFile("ods: a trillion empty rows", "a.ods", _odt(sheet, kind="spreadsheet"))
    yield HostileFile("ods: as a text", "a.odt", ods({"S": [[WORDS]]}))
    yield HostileFile("xlsb: far cells", "a.xlsb", _far_xlsb(), "more than")
    yield HostileFile("xlsb: a record beyond its end", "a.xlsb", _damaged_xlsb(), "damaged")
    yield HostileFile(
        "an OpenDocument drawing",
        "a.odg",
        zipped(("mimetype", "application/vnd.oasis.opendocument.graphics")),
        "not supported",
    )


def _far_xlsb() -> bytes:
    return xlsb({"S": [[*[""] * 16_000, "x"] for _ in range(200)]})


def _damaged_xlsb() -> bytes:
    relations = '<Relationships><Relationship Id="r1" Target="worksheets/s1.bin"/></Relationships>'
    return zipped(
        ("[Content_Types].xml", "<x/>"),
        ("xl/_rels/workbook.bin.rels", relations),
        ("xl/workbook.bin", b"\x83\x01\xff\xff\x7f"),
    )


def _texts() -> Iterator[HostileFile]:
    yield HostileFile("rtf: 100,000 groups deep", "a.rtf", b"{\\rtf1 " + b"{" * 100_000, "damaged")
    yield HostileFile(
        "rtf: hidden", "a.rtf", f"{{\\rtf1 {{\\v {_UNSEEN}}}{{\\*\\unknown {_UNSEEN}}}{WORDS}\\par}}".encode()
    )
    yield HostileFile(
        "rtf: an object", "a.rtf", f"{{\\rtf1 {{\\object{{\\*\\objdata {_UNSEEN}}}}}{WORDS}\\par}}".encode()
    )
    yield HostileFile(
        "rtf: a field that runs",
        "a.rtf",
        f"{{\\rtf1 {{\\field{{\\*\\fldinst DDEAUTO {_UNSEEN}}}{{\\fldrslt {WORDS}}}}}\\par}}".encode(),
    )
    yield HostileFile(
        "rtf: binary without an end", "a.rtf", f"{{\\rtf1 {WORDS}\\par \\bin2147483647 {_UNSEEN}}}".encode()
    )
    yield HostileFile("rtf: too many closing braces", "a.rtf", b"{\\rtf1 " + WORDS.encode() + b"\\par" + b"}" * 10_000)
    yield HostileFile("rtf: half a pair of surrogates", "a.rtf", f"{{\\rtf1 \\u-10179?{WORDS}\\par}}".encode())
    yield HostileFile(
        "rtf: an encoding that there is not", "a.rtf", f"{{\\rtf1\\ansicpg99999 {WORDS}\\'e9\\par}}".encode()
    )
    yield HostileFile("rtf: 60,000 paragraphs", "a.rtf", b"{\\rtf1 " + b"x\\par " * 60_000 + WORDS.encode() + b"}")
    yield HostileFile("rtf: nothing", "a.rtf", b"{\\rtf1 }", "is empty")
    yield HostileFile(
        "svg: laughs", "a.svg", f"{_laughs()}<svg><text>&e9;</text><text>{WORDS}</text></svg>".encode(), "damaged"
    )
    fetch = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    yield HostileFile(
        "svg: fetches a file", "a.svg", f"{fetch}<svg><text>&e;</text><text>{WORDS}</text></svg>".encode()
    )
    yield HostileFile("svg: scripts", "a.svg", f"<svg><script>{_UNSEEN}</script><text>{WORDS}</text></svg>".encode())
    yield HostileFile("svg: outlines", "a.svg", b'<svg><path d="M0 0"/></svg>', "no text in the drawing")
    yield HostileFile("svg: 10,000 elements deep", "a.svg", b"<svg>" + b"<g>" * 10_000, "damaged")


def _mails() -> Iterator[HostileFile]:
    head = "From: a@b.test\r\nSubject: x\r\n"
    plain = f"{head}\r\n{WORDS}\r\n"
    yield HostileFile("eml: a date that is none", "a.eml", f"Date: Fri, 99 Foo 99999\r\n{plain}".encode())
    yield HostileFile(
        "eml: a charset that there is not",
        "a.eml",
        f"{head}Content-Type: text/plain; charset=x-none\r\n\r\n{WORDS}".encode(),
    )
    yield HostileFile("eml: bytes in a header", "a.eml", b"Subject: \xd6\xd0\xce\xc4\r\n" + plain.encode())
    yield HostileFile(
        "eml: a broken encoded word", "a.eml", f"X: =?utf-8?b?////?=\r\nTo: =?x?q?=ZZ?=\r\n{plain}".encode()
    )
    deep = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\r\n\r\n--{n}\r\n' for n in range(5_000))
    yield HostileFile("eml: 5,000 parts deep", "a.eml", f"{head}{deep}{WORDS}".encode(), "nested too deeply")
    scripts = f"{head}Content-Type: text/html\r\n\r\n<script>{_UNSEEN}</script><p>{WORDS}</p>"
    yield HostileFile("eml: scripts", "a.eml", scripts.encode())

    def attached(name: str, data: bytes) -> bytes:
        body = base64.b64encode(data).decode()
        return (
            f'{head}Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\n{WORDS}\r\n--b\r\n'
            f'Content-Disposition: attachment; filename="{name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
            f"{body}\r\n--b--\r\n"
        ).encode()

    yield HostileFile(
        "eml: a bomb attached",
        "a.eml",
        attached("a.docx", zipped(("[Content_Types].xml", "x"), ("word/a", bytes(60_000_000)))),
    )
    yield HostileFile("eml: an attachment out of its folder", "a.eml", attached("../../../etc/x.md", b"words"))
    yield HostileFile("eml: a program attached", "a.eml", attached("a.exe", b"MZ" + _UNSEEN.encode()))
    inner = plain.encode()
    for _ in range(8):
        inner = attached("m.eml", inner)
    yield HostileFile("eml: messages in messages", "a.eml", inner)
    yield HostileFile(
        "eml: base64 that is none", "a.eml", attached("a.md", b"x").replace(b"\r\n--b--", b"\r\n!!!\xff\r\n--b--")
    )
    yield HostileFile("eml: noise", "a.eml", bytes((n * 7919 + n * n) % 256 for n in range(20_000)), "a.eml")
    box = b"From a@b Fri May  3 10:00:00 2024\n" + plain.encode() + b"\n"
    yield HostileFile("mbox: 20,001 messages", "a.mbox", b"From a\n\nx\n\n" * 20_001, "20000 is the limit")
    yield HostileFile("mbox: an empty message", "a.mbox", b"From a\n\n\n" + box)
    yield HostileFile("mbox: one message without its line", "a.mbox", plain.encode())
    yield HostileFile("mhtml: no page", "a.mhtml", plain.encode(), "no page")
    yield HostileFile("mhtml: scripts", "a.mht", scripts.encode())


def _compounds() -> Iterator[HostileFile]:
    made = {file.name.rpartition(".")[2]: file.data for file in of_sections([Section("a", (WORDS,))] * 2, 0)}
    made["xls"] = xls({"S": [[WORDS, "a"]]})
    for kind in ("doc", "ppt", "msg", "xls"):
        yield HostileFile(f"{kind}: half", f"a.{kind}", made[kind][: len(made[kind]) // 2], "damaged")
        yield HostileFile(f"{kind}: under another name", "a.docx", made[kind])
    yield HostileFile("doc: password", "a.doc", _locked_doc(), "password")
    yield HostileFile(
        "doc: Word 6",
        "a.doc",
        compound_file({"WordDocument": struct.pack("<HH", 0xA5EC, 0x65) + bytes(2000)}),
        "Word 6/95",
    )
    yield HostileFile("doc: pieces of a gigabyte", "a.doc", _large_doc(), "damaged")
    loop = struct.pack("<HHI", 0xF, 1000, 8) + struct.pack("<HHI", 0xF, 4080, 0xFFFFFFF0)
    yield HostileFile("ppt: a record beyond its end", "a.ppt", compound_file({"PowerPoint Document": loop}), "damaged")
    deep = b""
    for _ in range(2_000):
        deep = struct.pack("<HHI", 0xF, 1006, len(deep)) + deep
    yield HostileFile("ppt: 2,000 records deep", "a.ppt", compound_file({"PowerPoint Document": deep}), "is empty")
    user = struct.pack("<HHIII", 0, 4086, 20, 20, 0xF3D1C4DF) + bytes(8)
    yield HostileFile(
        "ppt: password", "a.ppt", compound_file({"PowerPoint Document": deep, "Current User": user}), "password"
    )
    locked = struct.pack("<HH", 0x809, 0) + struct.pack("<HH", 0x2F, 0)
    yield HostileFile("xls: password", "a.xls", compound_file({"Workbook": locked}), "password")
    yield HostileFile("xls: a far cell", "a.xls", _far_xls(), "more than")
    yield HostileFile("an OLE file of another kind", "a.doc", compound_file({"Other": b"x"}), "not supported")
    yield HostileFile("an OLE file that holds itself", "a.msg", _looped(made["msg"]), "not supported")


def _locked_doc() -> bytes:
    return compound_file({"WordDocument": struct.pack("<HHHHHH", 0xA5EC, 0xC1, 0, 0, 0, 0x300) + bytes(2000)})


def _large_doc() -> bytes:
    word = bytearray(2048)
    struct.pack_into("<HH", word, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", word, 10, 0x200)
    struct.pack_into("<H", word, 32, 14)
    struct.pack_into("<H", word, 62, 22)
    struct.pack_into("<8I", word, 76, 1 << 30, *[0] * 7)
    struct.pack_into("<H", word, 152, 93)
    pieces = struct.pack("<II", 0, 1 << 30) + struct.pack("<HIH", 0, 0, 0)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", word, 154 + 8 * 33, 0, len(table))
    return compound_file({"WordDocument": bytes(word), "1Table": table})


def _far_xls() -> bytes:
    cell = struct.pack("<HHHHHd", 0x203, 14, 65_535, 65_000, 0, 1.0)
    begin = struct.pack("<HHHHHHII", 0x809, 16, 0x600, 5, 0, 0, 0, 0)
    return compound_file({"Workbook": begin + begin + cell + struct.pack("<HH", 0x0A, 0)})


def _looped(data: bytes) -> bytes:
    """Its table of sectors leads in a circle."""
    return data[:48] + struct.pack("<I", 0) + data[52:512] + data[512:].replace(b"\xfe\xff\xff\xff", b"\0\0\0\0")
