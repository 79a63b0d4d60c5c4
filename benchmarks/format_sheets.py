"""Makes workbooks of the formats that nothing here writes: ods, xls (BIFF8), xlsb."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import date
from xml.sax.saxutils import escape, quoteattr

from benchmarks.compound_file import compound_file
from benchmarks.format_zip import zipped

Cell = str | float | date
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def ods(tables: dict[str, Sequence[Sequence[Cell]]]) -> bytes:
    """Empty rows and cells are written as one that is repeated, as office programs do."""
    sheets = []
    for title, rows in tables.items():
        written = []
        for row in rows:
            cells = "".join(_ods_cell(cell) for cell in row)
            rest = '<table:table-cell table:number-columns-repeated="16000"/>'
            written.append(f"<table:table-row>{cells}{rest}</table:table-row>")
        written.append('<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>')
        sheets.append(f"<table:table table:name={quoteattr(title)}>{''.join(written)}</table:table>")
    spaces = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "text", "table"))
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>{''.join(sheets)}"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    return zipped(("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", content))


def _ods_cell(cell: Cell) -> str:
    if cell == "":
        return "<table:table-cell/>"
    if isinstance(cell, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
    kind, value = ("date", cell.isoformat()) if isinstance(cell, date) else ("float", f"{cell:g}")
    attribute = "date-value" if kind == "date" else "value"
    return (
        f'<table:table-cell office:value-type="{kind}" office:{attribute}="{value}"><text:p>{value}</text:p>'
        "</table:table-cell>"
    )


def xls(tables: dict[str, Sequence[Sequence[Cell]]]) -> bytes:
    def record(kind: int, content: bytes) -> bytes:
        return struct.pack("<HH", kind, len(content)) + content

    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    strings = list(
        dict.fromkeys(cell for rows in tables.values() for row in rows for cell in row if isinstance(cell, str))
    )
    numbers = {text: nth for nth, text in enumerate(strings)}
    bodies = []
    for rows in tables.values():
        cells = b""
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                if isinstance(cell, str):
                    cells += record(0xFD, struct.pack("<HHHI", y, x, 0, numbers[cell])) if cell else b""
                else:
                    value = _serial(cell) if isinstance(cell, date) else float(cell)
                    cells += record(0x203, struct.pack("<HHHd", y, x, int(isinstance(cell, date)), value))
        bodies.append(begin(0x10) + cells + record(0x0A, b""))
    shared = [b""]
    for text in strings:
        written = struct.pack("<HB", len(text.encode("utf-16-le")) // 2, 1) + text.encode("utf-16-le")
        if len(shared[-1]) + len(written) > 8000:
            shared.append(b"")
        shared[-1] += written
    sst = record(0xFC, struct.pack("<II", len(strings), len(strings)) + shared[0])
    sst += b"".join(record(0x3C, part) for part in shared[1:])
    formats = b"".join(record(0xE0, struct.pack("<HHH", 0, form, 0) + bytes(14)) for form in (0, 14))
    titles = [title.encode("utf-16-le") for title in tables]
    head = begin(5) + record(0x42, struct.pack("<H", 1200)) + formats
    at = len(head) + sum(4 + 8 + len(title) for title in titles) + len(sst) + 4
    sheets = b""
    for title, body in zip(titles, bodies, strict=True):
        sheets += record(0x85, struct.pack("<IHBB", at, 0, len(title) // 2, 1) + title)
        at += len(body)
    stream = head + sheets + sst + record(0x0A, b"") + b"".join(bodies)
    return compound_file({"Workbook": stream.ljust(4096, b"\0")})


def _serial(day: date) -> float:
    return float((day - date(1899, 12, 30)).days)


def xlsb(tables: dict[str, Sequence[Sequence[Cell]]]) -> bytes:
    """The second cell of two neighbours is written short, as some programs do."""

    def record(kind: int, content: bytes = b"") -> bytes:
        sizes, size = b"", len(content)
        while size > 0x7F:
            sizes, size = sizes + bytes([size & 0x7F | 0x80]), size >> 7
        number = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
        return number + sizes + bytes([size]) + content

    def text(value: str) -> bytes:
        return struct.pack("<I", len(value.encode("utf-16-le")) // 2) + value.encode("utf-16-le")

    book, relations, parts = b"", "", []
    for nth, (title, rows) in enumerate(tables.items(), 1):
        book += record(156, struct.pack("<II", 0, nth) + text(f"r{nth}") + text(title))
        relations += f'<Relationship Id="r{nth}" Type="{_RELATIONS}/worksheet" Target="worksheets/s{nth}.bin"/>'
        body = b""
        for y, row in enumerate(rows):
            if any(cell != "" for cell in row):
                body += record(0, struct.pack("<IIHHB", y, 0, 300, 0, 0) + bytes(4))
            before = -2
            for x, cell in ((x, cell) for x, cell in enumerate(row) if cell != ""):
                short = x == before + 1
                style = (1 if isinstance(cell, date) else 0).to_bytes(4, "little")
                place = style if short else struct.pack("<I", x) + style
                if isinstance(cell, str):
                    body += record(17 if short else 6, place + text(cell))
                else:
                    value = _serial(cell) if isinstance(cell, date) else float(cell)
                    body += record(16 if short else 5, place + struct.pack("<d", value))
                before = x
        parts.append((f"xl/worksheets/s{nth}.bin", record(129) + record(145) + body + record(146) + record(130)))
    formats = b"".join(record(47, struct.pack("<HH", 0, form) + bytes(12)) for form in (0, 14))
    return zipped(
        ("[Content_Types].xml", "<Types/>"),
        ("xl/workbook.bin", record(131) + record(143) + book + record(144) + record(132)),
        ("xl/_rels/workbook.bin.rels", f"<Relationships>{relations}</Relationships>"),
        ("xl/styles.bin", record(617) + formats + record(618)),
        *parts,
    )
