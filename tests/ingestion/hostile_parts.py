"""How a hostile file is put together, byte by byte where no library would write it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from functools import cache
from typing import NamedTuple

EN, ZH = "The red harbour opens at nine.", "红色港口每天九点开门。"


class Case(NamedTuple):
    """`finds` stands in line `line` of what is stored under `stored`; or it is refused for the reason `refused`."""

    label: str
    name: str
    data: bytes
    finds: str = EN
    line: int = 0  # 0: wherever
    refused: str = ""  # of the message in English
    stored: str = ""  # the name in the library, "" for the same
    place: tuple[str, int] | None = None


def refused(label: str, name: str, data: bytes, why: str) -> Case:
    return Case(label, name, data, refused=why)


def text(*before: str, needle: str = EN) -> bytes:
    """The needle in the line after these."""
    return "\n".join([*before, needle, ""]).encode()


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes | str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return packed.getvalue()


def raw_zip(*files: tuple[bytes, bytes], flags: int = 0, told: int | None = None) -> bytes:
    """Stored members with names of any bytes; `told` is the size that the headers claim."""
    body, table = b"", b""
    for name, data in files:
        size = len(data) if told is None else told
        fields = struct.pack("<HHHHIIIHH", flags, 0, 0, 33, zlib.crc32(data), len(data), size, len(name), 0)
        table += b"PK\1\2" + struct.pack("<HH", 20, 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += b"PK\3\4" + struct.pack("<H", 20) + fields + name + data
    return body + table + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(table), len(body), 0)


def overlapping_zip() -> bytes:
    whole = raw_zip((b"a.txt", b"x" * 1000))
    at, end = whole.index(b"PK\1\2"), whole.index(b"PK\5\6")
    entry = whole[at:end]
    return whole[:at] + entry * 99 + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 99, 99, 99 * len(entry), at, 0)


PAGE = f"BT /F1 12 Tf 72 700 Td ({EN}) Tj ET"


def pdf(content: str = PAGE, *objects: str, catalog: str = "", trailer: str = "") -> bytes:
    parts = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *objects,
    ]
    data, offsets = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{part}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"trailer\n<< /Size {len(parts) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="bin" ContentType="application/bin"/>'
    '<Override PartName="/{part}" ContentType="application/vnd.{kind}.main+xml"/></Types>'
)
_RELS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATION}/officeDocument" Target="{{part}}"/></Relationships>'
)
_WORD = "openxmlformats-officedocument.wordprocessingml.document"


def docx(
    body: str = f"<w:p><w:r><w:t>{EN}</w:t></w:r></w:p>",
    *files: tuple[str, bytes | str],
    doctype: str = "",
    kind: str = _WORD,
) -> bytes:
    part = "word/document.xml"
    return zipped(
        ("[Content_Types].xml", _TYPES.format(part=part, kind=kind)),
        ("_rels/.rels", _RELS.format(part=part)),
        (part, f'<?xml version="1.0"?>{doctype}<w:document {_W}><w:body>{body}</w:body></w:document>'),
        *files,
    )


@cache
def word_bomb() -> bytes:
    """Of 400 MB, written a little at a time, and packed so badly that its size alone tells."""
    packed, deflated = io.BytesIO(docx()), zipfile.ZIP_DEFLATED
    with (
        zipfile.ZipFile(packed, "a", deflated, compresslevel=1) as archive,
        archive.open("word/media/a.bin", "w") as file,
    ):
        for _ in range(400):
            file.write(bytes(1_000_000))
    return packed.getvalue()


def laughs(inner: str) -> str:
    steps = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE x [<!ENTITY e0 "{inner}">{steps}]>'


def xlsx(cells: str, dimension: str = "A1:B2") -> bytes:
    part, kind = "xl/workbook.xml", "openxmlformats-officedocument.spreadsheetml.sheet"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return zipped(
        ("[Content_Types].xml", _TYPES.format(part=part, kind=kind).replace(
            "</Types>", '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.spreadsheetml.worksheet+xml"/></Types>')),
        ("_rels/.rels", _RELS.format(part=part)),
        (part, f'<workbook xmlns="{main}" xmlns:r="{_RELATION}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/>'
         "</sheets></workbook>"),
        ("xl/_rels/workbook.xml.rels", _RELS.format(part="worksheets/sheet1.xml").replace(
            "relationships/officeDocument", "relationships/worksheet")),
        ("xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><dimension ref="{dimension}"/><sheetData>{cells}'
         "</sheetData></worksheet>"),
    )  # fmt: skip
