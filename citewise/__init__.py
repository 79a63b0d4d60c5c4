"""Citewise from Python: a library of documents, and answers from it with checked citations.

    import citewise

    with citewise.open("my_library") as library:
        library.add("docs/", doc_set="handbook")
        answer = library.ask("年假有几天？")
        print(answer, answer.sources, answer.verdict)

    async with citewise.aopen("my_library") as library:
        answer = await library.ask("How long is the notice period?", doc_sets=["handbook"])

Both are the same: the first waits on one background event loop that all libraries share, so it works in scripts, in
threads and in notebooks. Settings come from the environment, .env and config.yaml, as for the page; keywords win.
What a person can act on is a `CitewiseError`; nothing else is raised but for wrong use.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from citewise.asynchronous import AsyncCitewise
from citewise.results import Added, Answer, Hits
from citewise.synchronous import Citewise
from errors import CitewiseError
from graph.query_result import QueryResult
from nodes.events import (
    Answered,
    Evaluated,
    Event,
    EvidenceFound,
    Failed,
    Offer,
    PlanMade,
    Replied,
    Reset,
    Token,
    Traced,
    TurnBegun,
)
from schema import Chunking, Message, Source
from web.sources import SourceProgress
from web.visit import Gathered

if TYPE_CHECKING:
    from settings import Settings

__all__ = [
    "Added", "Answer", "Answered", "AsyncCitewise", "Chunking", "Citewise", "CitewiseError", "Evaluated", "Event",
    "EvidenceFound", "Failed", "Gathered", "Hits", "Offer", "PlanMade", "QueryResult", "Replied", "Reset",
    "Source", "SourceProgress", "Token", "Traced", "TurnBegun", "aopen", "open",
]  # fmt: skip


def open(data_dir: str | Path | None = None, **settings: Any) -> Citewise:
    """A library in a folder, made where there is none; raises CitewiseError when it cannot be opened.

    `settings` are fields of `settings.Settings`: `citewise.open("lib", llm_model="qwen3", top_k=8)`.
    """
    return Citewise(_settings(data_dir, settings))


def aopen(data_dir: str | Path | None = None, **settings: Any) -> AsyncCitewise:
    """The same for `async with citewise.aopen(...) as library`; it is opened on entering."""
    return AsyncCitewise(_settings(data_dir, settings))


def _settings(data_dir: str | Path | None, given: dict[str, Any]) -> Settings:
    """Raises CitewiseError for what is no setting, and for values that do not fit."""
    from pydantic import ValidationError

    from settings import Settings
    from validation import validation_error

    if unknown := given.keys() - Settings.model_fields:
        raise CitewiseError(
            "settings",
            Message(
                zh=f"没有这个设置：{'、'.join(sorted(unknown))}。", en=f"No setting: {', '.join(sorted(unknown))}."
            ),
            Message(zh="可用的设置见 settings.py。", en="settings.py lists the settings."),
        )
    try:
        return Settings(**given if data_dir is None else {**given, "data_dir": data_dir})
    except ValidationError as error:
        raise validation_error(error) from error
