"""From documents to chunks. A chunker is one function in one file, registered here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from errors import CitewiseError
from ingestion.chunking import code, fixed, markdown, recursive, semantic
from schema import Chunk, ChunkerName, Chunking, Document, Message, Vectors
from settings import Settings

SMALLEST, LARGEST = 50, 20_000  # characters of a chunk


class Chunker(Protocol):
    """Cut a document into chunks of at most `size` characters that repeat up to `overlap` of the one before.

    Every chunk is literal text of the document with its lines and heading path; together they hold all of the body.
    `embed` turns texts into vectors, for a chunker that needs them.
    """

    def __call__(
        self, document: Document, size: int, overlap: int, embed: Callable[[Sequence[str]], Vectors]
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
    strategy, size, overlap = _resolve(document, wish, settings)
    chunks = CHUNKERS[strategy](document, size, overlap, embed)
    return Chunking(strategy=strategy, size=size, overlap=overlap), chunks


def _resolve(document: Document, wish: Chunking, settings: Settings) -> tuple[ChunkerName, int, int]:
    """Strategy, size and overlap: what was wished, else by the kind of document, else by the settings."""
    strategy = wish.strategy or ("code" if document.kind == "code" else settings.chunker)
    if strategy == "code":
        size, overlap = settings.code_chunk_size, settings.code_chunk_overlap
    else:
        size, overlap = settings.text_chunk_size, settings.text_chunk_overlap
        if document.language == "zh":
            size, overlap = min(size, settings.chinese_chunk_size), min(overlap, settings.chinese_chunk_overlap)
    size = size if wish.size is None else wish.size
    if not SMALLEST <= size <= LARGEST:
        raise _refused(
            Message(
                f"切片大小应在 {SMALLEST} 到 {LARGEST} 个字符之间，而不是 {size}。",
                f"A chunk size must lie between {SMALLEST} and {LARGEST} characters; {size} does not.",
            ),
            Message("例如：“每片 500 字”。", 'For example: "chunks of 500 characters".'),
        )
    overlap = min(overlap, size // 3) if wish.overlap is None else wish.overlap
    if not 0 <= overlap <= size // 2:
        raise _refused(
            Message(
                f"切片重叠应在 0 到切片大小的一半（{size // 2}）之间，而不是 {overlap}。",
                f"A chunk overlap must lie between 0 and half of the chunk size ({size // 2}); {overlap} does not.",
            ),
            Message("请减小重叠，或增大切片。", "Ask for a smaller overlap or larger chunks."),
        )
    return strategy, size, overlap


def _refused(message: Message, suggestion: Message) -> CitewiseError:
    return CitewiseError("settings", message, [suggestion])
