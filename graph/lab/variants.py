"""The settings that runs are made with: those of the library, with some of them in another way."""

from __future__ import annotations

import logging
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from errors import StoreError, strategy_named
from nodes.overrides import Overrides
from schema import ChunkerName, Chunking, EmbeddingName, StrategyName
from settings import Settings
from stores.selection import open_shared
from validation import validation_error

log = logging.getLogger(__name__)

# What figures depend on, beside the library itself.
_TOLD = (
    "strategy", "top_k", "reranker", "reranker_model", "rerank_top_k", "min_similarity", "min_confidence",
    "min_score_threshold", "max_context_length", "parent_sections", "chunker", "embedding", "embedding_model",
    "llm_model",
)  # fmt: skip


class Variant(BaseModel):
    """A strategy and overrides; all empty: the library as it is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: StrategyName | None = None
    overrides: Overrides = Overrides()
    chunker: ChunkerName | None = None  # of documents, which are cut again for it
    embedding: EmbeddingName | None = None  # of documents, which are embedded again, at the next start of the program

    @classmethod
    def of(cls, strategy: str | None = None, **overrides: Any) -> Variant:
        """Raises CitewiseError for what is no strategy, and for values that do not fit."""
        given = {name: value for name, value in overrides.items() if value is not None}
        try:
            return cls(strategy=strategy_named(strategy) if strategy else None, overrides=Overrides(**given))
        except ValidationError as error:
            raise validation_error(error, Overrides) from error

    def over(self, settings: Settings) -> Settings:
        given = {"strategy": self.strategy, "chunker": self.chunker, "embedding": self.embedding}
        update: dict[str, Any] = {key: one for key, one in given.items() if one}
        if self.embedding:
            update["embedding_model"] = None  # it is another one's
        return self.overrides.over(settings).model_copy(update=update)

    @property
    def label(self) -> str:
        """In a word: "hybrid, top_k 8"."""
        given = self.overrides.model_dump(exclude_none=True)
        given |= {key: one for key in ("chunker", "embedding") if (one := getattr(self, key))}
        return ", ".join([*([self.strategy] if self.strategy else []), *(f"{key} {given[key]}" for key in given)])


AS_IS = Variant()


class AppliedChoice(BaseModel):
    """What was chosen, as it is kept, with what undoes it."""

    model_config = ConfigDict(frozen=True)

    variant: Variant
    chunkings: tuple[tuple[str, str, Chunking], ...] = ()  # of documents that were cut again: name, set, as they were


def with_choice(settings: Settings) -> Settings:
    """The settings as the last choice has them; one that cannot be read is a line in the log. Raises CitewiseError as
    `open_shared`."""
    shared = open_shared(settings)
    try:
        chosen = shared.lab.chosen()
        return AppliedChoice.model_validate_json(chosen).variant.over(settings) if chosen else settings
    except (StoreError, ValidationError) as error:
        log.warning("the choice of settings cannot be read: %s", error)
        return settings
    finally:
        shared.close()


def told_settings(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in _TOLD}
