"""From documents to chunks. A chunker is one function in one file, registered here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from errors import CitewiseError
from ingestion.chunking import code, fixed, markdown, recursive, semantic
from ingestion.chunking.ruler import CHARACTERS, RULERS, Ruler
from schema import Chunk, ChunkerName, Chunking, Document, Language, Message, SizeUnit, Vectors
from settings import Settings

SMALLEST: dict[SizeUnit, int] = {"characters": 50, "tokens": 20, "words": 20}  # of a chunk
LARGEST: dict[SizeUnit, int] = {"characters": 20_000, "tokens": 6_000, "words": 4_000}
_PER: dict[SizeUnit, dict[Language, float]] = {  # characters, about
    "characters": {"zh": 1, "en": 1}, "tokens": {"zh": 1, "en": 3.5}, "words": {"zh": 1, "en": 6},
}  # fmt: skip
_NAMES: dict[SizeUnit, Message] = {
    "characters": Message(zh="个字符", en="characters"),
    "tokens": Message(zh="个词元", en="tokens"),
    "words": Message(zh="个词", en="words"),
}


class Chunker(Protocol):
    """Cut a document into chunks of at most `size` that repeat up to `overlap` of the one before, by the ruler.

    Every chunk is literal text of the document with its lines and heading path; together they hold all of the body.
    `embed` turns texts into vectors, for a chunker that needs them.
    """

    def __call__(
        self,
        document: Document,
        size: int,
        overlap: int,
        embed: Callable[[Sequence[str]], Vectors],
        ruler: Ruler = CHARACTERS,
    ) -> list[Chunk]: ...


CHUNKERS: dict[ChunkerName, Chunker] = {
    "recursive": recursive.chunk,
    "fixed": fixed.chunk,
    "markdown": markdown.chunk,
    "semantic": semantic.chunk,
    "code": code.chunk,
}


def chunk_document(
    document: Document, wish: Chunking, settings: Settings, embed: Callable[[Sequence[str]], Vectors]
) -> tuple[Chunking, list[Chunk]]:
    """Cut as wished, as the settings say where nothing was wished; returns what was decided and the chunks.

    Raises CitewiseError for a size or overlap that cannot be.
    """
    unit = wish.unit or settings.chunk_unit
    strategy, size, overlap = _resolve(document, wish, settings, unit)
    chunks = CHUNKERS[strategy](document, size, overlap, embed, RULERS[unit](document.text))
    unsaid = unit == settings.chunk_unit == "characters"
    return Chunking(strategy=strategy, size=size, overlap=overlap, unit=None if unsaid else unit), chunks


def _resolve(document: Document, wish: Chunking, settings: Settings, unit: SizeUnit) -> tuple[ChunkerName, int, int]:
    """Strategy, size and overlap: what was wished, else by the kind of document, else by the settings.

    The settings' sizes are in their own unit; in another one they are about as long.
    """
    strategy = wish.strategy or ("code" if document.kind == "code" else settings.chunker)
    if strategy == "code":
        size, overlap = settings.code_chunk_size, settings.code_chunk_overlap
    else:
        size, overlap = settings.text_chunk_size, settings.text_chunk_overlap
        if document.language == "zh":
            size, overlap = min(size, settings.chinese_chunk_size), min(overlap, settings.chinese_chunk_overlap)
    if unit != settings.chunk_unit:
        ratio = _PER[settings.chunk_unit][document.language] / _PER[unit][document.language]
        size, overlap = max(SMALLEST[unit], round(size * ratio)), round(overlap * ratio)
    size = size if wish.size is None else wish.size
    least, most, name = SMALLEST[unit], LARGEST[unit], _NAMES[unit]
    if not least <= size <= most:
        raise _refused(
            Message(
                zh=f"切片大小应在 {least} 到 {most} {name.zh}之间，而不是 {size}。",
                en=f"A chunk size must lie between {least} and {most} {name.en}; {size} does not.",
            ),
            Message(zh="例如：“每片 500 字”。", en='For example: "chunks of 500 characters".'),
        )
    overlap = min(overlap, size // 3) if wish.overlap is None else wish.overlap
    if not 0 <= overlap <= size // 2:
        raise _refused(
            Message(
                zh=f"切片重叠应在 0 到切片大小的一半（{size // 2}）之间，而不是 {overlap}。",
                en=f"A chunk overlap must lie between 0 and half of the chunk size ({size // 2}); {overlap} does not.",
            ),
            Message(zh="请减小重叠，或增大切片。", en="Ask for a smaller overlap or larger chunks."),
        )
    return strategy, size, overlap


def _refused(message: Message, suggestion: Message) -> CitewiseError:
    return CitewiseError("settings", message, suggestion)
