"""PowerPoint 97 to 2003 (ppt): the text of each slide, by the record types of [MS-PPT]."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from ingestion.readers.base import ReaderResult, damaged, untrusted
from ingestion.readers.compound import compound_metadata, open_compound, stream_of
from ingestion.readers.office import cell_text
from ingestion.readers.sniffing import protected
from schema import Place
from text import language_of

_DOCUMENT, _SLIDE, _SLIDE_LIST, _PERSIST_ATOM, _EDIT, _DIRECTORY = 1000, 1006, 4080, 1011, 4085, 6002
_TEXT_HEADER, _UTF16, _BYTES = 3999, 4000, 4008
_TITLES = (0, 6)  # of a text header: a title, a centred one
_LOCKED = 0xF3D1C4DF
_MOST_DEPTH, _MOST_RECORDS, _MOST_EDITS = 40, 500_000, 1_000


class _Record(NamedTuple):
    kind: int
    instance: int
    start: int  # of its content
    end: int
    container: bool


@untrusted
def read_ppt(name: str, data: bytes) -> ReaderResult:
    """A section for each slide; `places` are the slides. Notes and masters are left out."""
    with open_compound(data) as compound:
        stream, user = stream_of(compound, "PowerPoint Document"), stream_of(compound, "Current User")
        metadata, modified = compound_metadata(compound)
    if len(user) >= 20 and struct.unpack_from("<I", user, 12)[0] == _LOCKED:
        raise protected(name)
    deck = _Deck(name, stream)
    edit = struct.unpack_from("<I", user, 16)[0] if len(user) >= 20 else -1
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    for number, texts in enumerate(deck.slides(edit), start=1):
        if text := "\n\n".join(_slide(number, texts)):
            places.append(Place(length, "slide", number))
            parts.append(text)
            length += len(text) + 2
    return ReaderResult("\n\n".join(parts), "markdown", "ppt", metadata, places=places, timestamp=modified)


def _slide(number: int, texts: list[tuple[bool, str]]) -> list[str]:
    title = next((cell_text(text) for is_title, text in texts if is_title), "")
    body = [text for is_title, text in texts if cell_text(text) and not (is_title and cell_text(text) == title)]
    if not (title or body):
        return []
    chinese = language_of(" ".join([title, *body])) == "zh"
    blocks = [f"## {title or (f'第 {number} 张' if chinese else f'Slide {number}')}"]
    for text in body:
        lines = [cell_text(line) for line in text.replace("\x0b", "\r").split("\r") if line.strip()]
        blocks.append("\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0])
    return blocks


class _Deck:
    def __init__(self, name: str, stream: bytes) -> None:
        self._name, self._stream, self._count = name, stream, 0

    def slides(self, edit: int) -> Iterator[list[tuple[bool, str]]]:
        """The texts of each slide in order, each with whether it is a title."""
        offsets = self._offsets(edit)
        lists = [
            record
            for top in self._records(0, len(self._stream))
            if top.kind == _DOCUMENT
            for record in self._records(top.start, top.end)
            if record.kind == _SLIDE_LIST and record.instance == 0
        ]
        if not offsets or not lists:  # what says their order is missing: as they come
            for top in self._records(0, len(self._stream)):
                if top.kind == _SLIDE:
                    yield list(self._texts(top.start, top.end))
            return
        outline: list[tuple[int, list[_Record]]] = []  # reference, the records of its text
        for record in self._records(lists[-1].start, lists[-1].end):  # of the last state that was saved
            if record.kind == _PERSIST_ATOM:
                outline.append((struct.unpack_from("<I", self._stream, record.start)[0], []))
            elif outline:
                outline[-1][1].append(record)
        for reference, records in outline:
            texts = list(self._worded(records))
            said = {text for _, text in texts}
            slide = self._record(offsets.get(reference, -1))
            if slide is not None and slide.kind == _SLIDE:
                texts += [one for one in self._texts(slide.start, slide.end) if one[1] not in said]
            yield texts

    def _offsets(self, edit: int) -> dict[int, int]:
        """Where each object stands that is referred to, in its newest form."""
        found: dict[int, int] = {}
        for _ in range(_MOST_EDITS):
            record = self._record(edit)
            if record is None or record.kind != _EDIT:
                return found
            before, directory = struct.unpack_from("<II", self._stream, record.start + 8)
            listed = self._record(directory)
            if listed is not None and listed.kind == _DIRECTORY:
                at = listed.start
                while at + 4 <= listed.end:
                    packed = struct.unpack_from("<I", self._stream, at)[0]
                    first, count = packed & 0xFFFFF, packed >> 20
                    at += 4
                    for nth in range(min(count, (listed.end - at) // 4)):
                        found.setdefault(first + nth, struct.unpack_from("<I", self._stream, at + 4 * nth)[0])
                    at += 4 * count
            edit = before or -1
        return found

    def _texts(self, start: int, end: int, depth: int = 0) -> Iterator[tuple[bool, str]]:
        records = list(self._records(start, end))
        yield from self._worded(records)
        for record in records:
            if record.container and depth < _MOST_DEPTH:
                yield from self._texts(record.start, record.end, depth + 1)

    def _worded(self, records: list[_Record]) -> Iterator[tuple[bool, str]]:
        is_title = False
        for record in records:
            content = self._stream[record.start : record.end]
            if record.kind == _TEXT_HEADER:
                is_title = int.from_bytes(content[:4], "little") in _TITLES
            elif record.kind in (_UTF16, _BYTES):
                text = content.decode("utf-16-le" if record.kind == _UTF16 else "latin-1", "replace")
                if text.strip() and text.strip() != "*":  # the number of the slide
                    yield is_title, text

    def _records(self, start: int, end: int) -> Iterator[_Record]:
        at = start
        while at + 8 <= end and (record := self._record(at)) is not None:
            if record.end > end:
                raise damaged(self._name)
            yield record
            at = record.end

    def _record(self, at: int) -> _Record | None:
        if not 0 <= at <= len(self._stream) - 8:
            return None
        self._count += 1
        if self._count > _MOST_RECORDS:
            raise damaged(self._name)
        version, kind, length = struct.unpack_from("<HHI", self._stream, at)
        if at + 8 + length > len(self._stream):
            raise damaged(self._name)
        return _Record(kind, version >> 4, at + 8, at + 8 + length, version & 0xF == 0xF)
