"""How everything is doing: models, embedding space, store, web, versions. Rows of a name, a word and a note."""

from __future__ import annotations

import asyncio
import os
import platform
import tomllib
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from doors.feedback import ADDRESS
from graph.turns import Assistant
from library import LibraryStats
from schema import EmbeddingState, Language, Message
from stores.feedback import Counts
from stores.safety.backup import last_backup
from ui.documents import human_size
from ui.texts import text
from web.search import sources

Row = dict[str, Any]
_PACKAGES = ("gradio", "langgraph", "langchain-core", "openai", "faiss-cpu", "tantivy", "numpy")
_ON = ("true", "1", "yes", "on")


async def sections(assistant: Assistant, language: Language) -> list[dict[str, Any]]:
    """In the order in which they are shown."""
    library = assistant.library
    stats, state, thumbs = await asyncio.gather(
        asyncio.to_thread(library.stats), library.embedding_state(), asyncio.to_thread(assistant.feedback.counts)
    )
    made = {
        "models": _models(assistant, language),
        "finding": _finding(assistant, state, stats, language),
        "library": _stored(assistant, stats, language),
        "web": _web(assistant, language),
        "y_feedback": _feedback(thumbs, language),
        "monitoring": _monitoring(assistant, language),
        "versions": [_row(name, number) for name, number in versions().items()],
    }
    return [{"title": text(key, language), "rows": rows} for key, rows in made.items()]


def _row(name: str, value: str, note: str = "", state: str = "") -> Row:
    return {"name": name, "value": value, "note": note, "state": state}


def _models(assistant: Assistant, language: Language) -> list[Row]:
    rows = []
    for one in assistant.chain.health():
        latency = f" · {one.latency:.2f} s" if one.latency is not None else ""
        name = f"{one.provider} · {one.model}" if one.model else one.provider
        note = one.error.to(language) if one.error else ""
        rows.append(_row(name, f"{text(f'h_{one.state}', language)}{latency}", note, one.state))
    return rows or [_row(text("models", language), "–", text("no_model", language), "unknown")]


def _finding(assistant: Assistant, state: EmbeddingState, stats: LibraryStats, language: Language) -> list[Row]:
    """Embedding space, calibration, vector index, reranker, strategy."""
    space, own = state.space, assistant.settings
    rows = []
    if space is None:
        rows.append(_row(text("y_space", language), text("no_space", language)))
    else:
        name = space.provider if space.provider in ("tfidf", "hashing") else f"{space.provider}: {space.model}"
        size = f"{space.dimensions} {text('dimensions', language)}"
        problem = state.problem.to(language) if state.problem else ""
        rows.append(_row(text("y_space", language), f"{name} · {size}", problem, "failing" if problem else "ok"))
        rows.append(_row(text("y_calibration", language), calibration(space.calibration or {}, language)))
    if state.coming:
        done, total = state.coming
        rows.append(_row(text("coming_space", language), ": ".join(state.wanted), f"{done:,} / {total:,}"))
    if state.missing:
        rows.append(_row(text("y_vectors", language), text("missing_vectors", language).format(state.missing)))
    if index := stats.vector_index:
        value = f"{index.kind} · {index.vectors:,} · {text('y_recall', language)} {index.recall:.3f}"
        rows.append(_row(text("y_index", language), value))
    rows.append(_row(text("y_reranker", language), assistant.library.reranker or text("y_none", language)))
    rows.append(_row(text("strategy", language), text(f"s_{own.strategy}", language)))
    return rows


def calibration(learned: dict[str, Any], language: Language) -> str:
    """What the vectors weigh beside the keywords, by language."""
    names = {"zh": Message(zh="中文", en="Chinese"), "en": Message(zh="英文", en="English")}
    weights = [
        f"{name.to(language)} {learned[of]['vector_weight']:.0%}"
        for of, name in names.items()
        if learned.get(of, {}).get("vector_weight") is not None
    ]
    return " · ".join(weights) or text("y_uncalibrated", language)


def _stored(assistant: Assistant, stats: LibraryStats, language: Language) -> list[Row]:
    library = assistant.library
    rows = [
        _row(text("y_documents", language), f"{stats.documents:,}"),
        _row(text("y_chunks", language), f"{stats.chunks:,}"),
        _row(text("y_size", language), human_size(stats.bytes)),
        _row(text("y_generation", language), str(library.generation())),
        _row(text("y_waiting", language), f"{stats.waiting:,}"),
        _backed_up(last_backup(Path(assistant.settings.data_dir)), language),
    ]
    if stats.failed:
        rows.append(_row(text("st_failed", language), f"{stats.failed:,}", state="failing"))
    problems = [*([library.problem] if library.problem else []), *library.notices]
    return [*rows, *(_row(text("y_notice", language), "", notice.to(language), "failing") for notice in problems)]


def _backed_up(at: datetime | None, language: Language) -> Row:
    """By the clock of this machine."""
    name = text("y_backup", language)
    return _row(name, f"{at.astimezone():%Y-%m-%d %H:%M}") if at else _row(name, "–", text("y_no_backup", language))


def _web(assistant: Assistant, language: Language) -> list[Row]:
    settings = assistant.settings
    rows = [_row(text("y_policy", language), text(f"policy_{settings.web}", language))]
    if settings.web != "never":
        names = ", ".join(source.name for source in sources(settings, []))
        rows.append(_row(text("web_by", language), names or text("web_nobody", language)))
    return rows


def _feedback(thumbs: Counts, language: Language) -> list[Row]:
    """How many thumbs there are, and where to have them with their words."""
    if thumbs.share is None:
        return [_row(text("y_thumbs", language), text("y_no_thumbs", language))]
    link = {"href": ADDRESS, "words": text("y_export", language)}
    return [
        _row(text("y_thumbs", language), f"👍 {thumbs.up:,} · 👎 {thumbs.down:,}"),
        {**_row(text("y_score", language), f"{thumbs.share:.0%}"), "link": link},
    ]


def _monitoring(assistant: Assistant, language: Language) -> list[Row]:
    """What is told to others, and where this program's own figures are."""
    tracing = (os.environ.get(name, "").lower() for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"))
    langsmith, otel = any(value in _ON for value in tracing), getattr(assistant.settings, "otel", False)
    return [
        _row("Prometheus", "/metrics"),
        _row("LangSmith", text("y_on" if langsmith else "y_off", language)),
        _row("OpenTelemetry", text("y_on" if otel else "y_off", language)),
    ]


@cache
def versions() -> dict[str, str]:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {"Citewise": project["version"], "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # none of them is needed to say so
            found[name] = "–"
    return found
