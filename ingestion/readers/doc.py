"""Word 97 to 2003 (doc): the text of the main story, its tables as lines, notes and text boxes. No headings: the
styles that would tell them are not read ([MS-DOC])."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from ingestion.readers.base import ReaderResult, damaged, untrusted
from ingestion.readers.compound import compound_metadata, open_compound, stream_of
from ingestion.readers.office import cell_text, table
from ingestion.readers.sniffing import protected, unsupported

_MAGIC, _WORD_97 = 0xA5EC, 0xC1
_ENCRYPTED, _SECOND_TABLE = 0x100, 0x200
_PIECES = 33  # which pair of offset and length is that of the pieces
_MAIN, _NOTES, _ENDNOTES, _BOXES = 0, 1, 5, 6  # stories in the order of the file
_blanks = re.compile(r"[ \t\xa0]+")
_unseen = re.compile(r"[\x00-\x06\x08\x0e-\x12\x16-\x1d\ufffc]")


@untrusted
def read_doc(name: str, data: bytes) -> ReaderResult:
    with open_compound(data) as compound:
        word = stream_of(compound, "WordDocument")
        magic, version = struct.unpack_from("<HH", word)
        flags = struct.unpack_from("<H", word, 10)[0]
        if magic != _MAGIC:
            raise damaged(name)
        if flags & _ENCRYPTED:
            raise protected(name)
        if version < _WORD_97:
            raise unsupported(name, "Word 6/95", ".docx")
        pieces = stream_of(compound, "1Table" if flags & _SECOND_TABLE else "0Table")
        metadata, modified = compound_metadata(compound)
    stories = list(_stories(name, word, pieces))
    blocks = [block for nth in (_MAIN, _BOXES, _NOTES, _ENDNOTES) for block in _blocks(stories[nth])]
    return ReaderResult("\n\n".join(blocks), "markdown", "doc", metadata, timestamp=modified)


def _stories(name: str, word: bytes, table_stream: bytes) -> Iterator[str]:
    shorts = struct.unpack_from("<H", word, 32)[0]
    longs = 34 + 2 * shorts
    count = struct.unpack_from("<H", word, longs)[0]
    if count < 11:
        raise damaged(name)
    lengths = struct.unpack_from("<8I", word, longs + 2 + 4 * 3)
    at, size = struct.unpack_from("<II", word, longs + 2 + 4 * count + 2 + 8 * _PIECES)
    text = _text(name, word, table_stream[at : at + size])
    start = 0
    for length in lengths:
        yield text[start : start + length]
        start += length


def _text(name: str, word: bytes, pieces: bytes) -> str:
    """All stories after one another. Its length is in UTF-16 units."""
    at = 0
    while pieces[at] == 1:  # formatting
        at += 3 + struct.unpack_from("<H", pieces, at + 1)[0]
    size = struct.unpack_from("<I", pieces, at + 1)[0]
    count = (size - 4) // 12
    if pieces[at] != 2 or count < 1 or at + 5 + size > len(pieces):
        raise damaged(name)
    bounds = struct.unpack_from(f"<{count + 1}I", pieces, at + 5)
    parts: list[str] = []
    total = 0
    for nth in range(count):
        place = struct.unpack_from("<I", pieces, at + 5 + 4 * (count + 1) + 8 * nth + 2)[0]
        length = bounds[nth + 1] - bounds[nth]
        total += length
        if length < 0 or total > len(word):  # pieces that share their bytes would make more text than there is
            raise damaged(name)
        if place & 0x40000000:
            start = (place & 0x3FFFFFFF) // 2
            parts.append(word[start : start + length].decode("cp1252", "replace"))
        else:  # by unit, so that lengths hold: halves of pairs are joined at the end
            raw = word[place : place + 2 * length]
            parts.append("".join(map(chr, struct.unpack(f"<{len(raw) // 2}H", raw[: len(raw) // 2 * 2]))))
    return "".join(parts)


def _blocks(story: str) -> Iterator[str]:
    """Paragraphs, and rows of tables put together."""
    text = _without_fields(story).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    rows: list[list[str]] = []
    for paragraph in text.replace("\x0c", "\r").split("\r"):
        *cells, rest = paragraph.split("\x07")
        row: list[str] = []
        for cell in cells:  # an empty cell is also what ends a row
            words = _clean(cell)
            if words:
                row.append(words)
            elif row:
                rows.append(row)
                row = []
        rows += [row] if row else []
        if words := _clean(rest):
            yield from _table(rows)
            rows = []
            yield "\\" + words if words.startswith("#") else words
    yield from _table(rows)


def _table(rows: list[list[str]]) -> Iterator[str]:
    if text := table(rows):
        yield text


def _clean(text: str) -> str:
    lines = _unseen.sub("", text.replace("\x1e", "-").replace("\x1f", "")).replace("\x0b", "\n").split("\n")
    return "\n".join(filter(None, (_blanks.sub(" ", cell_text(line)).strip() for line in lines)))


def _without_fields(text: str) -> str:
    """A field is its instruction between \\x13 and \\x14, and what it shows up to \\x15."""
    if "\x13" not in text:
        return text
    kept: list[str] = []
    instructions: list[bool] = []  # of each open field, whether its instruction goes on
    hidden = 0
    for part in re.split("([\x13-\x15])", text):
        if part == "\x13":
            instructions.append(True)
            hidden += 1
        elif part == "\x14" and instructions:
            hidden -= instructions[-1]
            instructions[-1] = False
        elif part == "\x15" and instructions:
            hidden -= instructions.pop()
        elif not hidden and part not in "\x13\x14\x15":
            kept.append(part)
    return "".join(kept)
