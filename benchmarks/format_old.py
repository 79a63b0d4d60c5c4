"""Makes files of Word and PowerPoint of before 2007."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from benchmarks.compound_file import compound_file


def doc(texts: Sequence[str], variant: int) -> bytes:
    """In pieces of both kinds that stand in the file in another order; with a field whose instruction is not shown."""
    story = "".join(f"{text}\r" for text in texts) + "\x13 PAGE \x141\x15\r"
    units = struct.unpack(f"<{len(story.encode('utf-16-le')) // 2}H", story.encode("utf-16-le"))
    step = 200 + 57 * variant
    runs = [units[at : at + step] for at in range(0, len(units), step)]
    word, places = bytearray(2048), [0] * len(runs)
    for nth in reversed(range(len(runs))):
        narrow = all(unit < 0x80 for unit in runs[nth])
        word += bytes(len(word) % 2)
        places[nth] = len(word) * 2 | 0x40000000 if narrow else len(word)
        word += bytes(runs[nth]) if narrow else struct.pack(f"<{len(runs[nth])}H", *runs[nth])
    bounds = [step * nth for nth in range(len(runs))] + [len(units)]
    pieces = struct.pack(f"<{len(bounds)}I", *bounds)
    pieces += b"".join(struct.pack("<HIH", 0, place, 0) for place in places)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<HH", word, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", word, 10, 0x200)
    struct.pack_into("<H", word, 32, 14)
    struct.pack_into("<H", word, 62, 22)
    struct.pack_into("<8I", word, 64 + 12, len(units), *[0] * 7)
    struct.pack_into("<H", word, 64 + 88, 93)
    struct.pack_into("<II", word, 64 + 90 + 8 * 33, 0, len(table))
    return compound_file({"WordDocument": bytes(word), "1Table": table})


def _record(kind: int, content: bytes, version: int = 0, instance: int = 0) -> bytes:
    return struct.pack("<HHI", version | instance << 4, kind, len(content)) + content


def ppt(slides: Sequence[tuple[str, Sequence[str]]]) -> bytes:
    """The slides stand in the file last to first; titles in the outline, texts in the slides."""
    stream, offsets = b"", {}
    for nth, (_, texts) in reversed(list(enumerate(slides))):
        boxes = b"".join(_record(0xF00D, _text_atoms(text, 1), 15) for text in texts)
        offsets[nth + 2] = len(stream)
        stream += _record(1006, _record(1036, boxes, 15), 15)
    outline = b"".join(
        _record(1011, struct.pack("<IIiII", nth + 2, 0, 0, 256 + nth, 0)) + _text_atoms(title, 0)
        for nth, (title, _) in enumerate(slides)
    )
    offsets[1] = len(stream)
    stream += _record(1000, _record(4080, outline, 15), 15)
    ordered = [offsets[nth] for nth in sorted(offsets)]
    directory = len(stream)
    stream += _record(6002, struct.pack(f"<I{len(ordered)}I", 1 | len(ordered) << 20, *ordered))
    edit = len(stream)
    stream += _record(4085, struct.pack("<IIIIIII", 0, 0, 0, directory, 1, len(ordered), 0))
    user = struct.pack("<HHI", 0, 4086, 20) + struct.pack("<III", 20, 0xE391C05F, edit) + bytes(8)
    return compound_file({"PowerPoint Document": stream, "Current User": user})


def _text_atoms(text: str, kind: int) -> bytes:
    narrow = all(ord(mark) < 0x100 for mark in text)
    content = text.encode("latin-1") if narrow else text.encode("utf-16-le")
    return _record(3999, struct.pack("<I", kind)) + _record(4008 if narrow else 4000, content)
