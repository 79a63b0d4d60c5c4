"""The library in figures."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

from library import Library, LibraryStats
from schema import EmbeddingState, Language, Message, Status
from ui.documents import SIGNS, human_size
from ui.markup import literal
from ui.texts import text

_TOLD: tuple[Status, ...] = ("pending", "processing", "failed", "skipped")


async def totals(library: Library, language: Language) -> str:
    stats, state = await asyncio.gather(asyncio.to_thread(library.stats), library.embedding_state())
    sets = await asyncio.to_thread(library.doc_sets)
    counts = Counter(task.status for task in library.tasks())
    return totals_markdown(stats, len(sets), state, counts, library.problem, language)


def totals_markdown(
    stats: LibraryStats,
    sets: int,
    state: EmbeddingState,
    counts: Mapping[Status, int],
    problem: Message | None,
    language: Language,
) -> str:
    """Documents, sets, chunks, tokens, bytes, the embedding space, what still waits or has failed."""
    zh, space = language == "zh", state.space
    facts = [
        (f"{stats.documents:,}", "个文档" if zh else "documents"),
        (f"{sets:,}", "个文档集" if zh else "sets"),
        (f"{stats.chunks:,}", "个切片" if zh else "chunks"),
        (f"{stats.tokens:,}", "词元" if zh else "tokens"),
        (human_size(stats.bytes), "占用磁盘" if zh else "on disk"),
    ]
    if space is not None:
        name = space.provider if space.provider in ("tfidf", "hashing") else f"{space.provider}: {space.model}"
        facts.append((literal(name), f"{space.dimensions} {text('dimensions', language)}"))
    if index := stats.vector_index:
        facts.append((index.kind, f"{text('vector_index', language)} {index.recall:.3f}"))
    if state.missing:
        facts.append((f"{state.missing:,}", "个切片还没有向量" if zh else "chunks without vectors"))
    parts = [f"**{figure}** {of}" for figure, of in facts]
    parts += [
        f"{SIGNS[status]} **{counts[status]:,}** {text(f'st_{status}', language)}"
        for status in _TOLD
        if counts.get(status)
    ]
    return "  \n".join([" · ".join(parts), *([f"⚠ {literal(problem.to(language))}"] if problem else [])])
