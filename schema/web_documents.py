"""What the web yields: search results, and pages with the record of everything that was done with them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from schema.common import DocType, Status


@dataclass(frozen=True, slots=True)
class WebSearchHit:
    """A search result."""

    url: str
    title: str = ""
    snippet: str = ""
    engine: str = ""


class StructuredSummary(BaseModel):
    """What a page is about."""

    title: str = ""
    keywords: list[str] = []
    entities: list[str] = []
    topics: list[str] = []
    made_by: Literal["model", "statistics"] = "statistics"


class WebMetadata(BaseModel):
    url: str = ""
    title: str = ""
    author: str = ""
    published_at: datetime | None = None
    fetched_at: datetime | None = None
    source_plugin: str = ""  # the search source that found it; "address" where a person gave it
    language: str = ""
    tags: list[str] = []
    custom: dict[str, Any] = {}


class WebChunk(BaseModel):
    id: str
    content: str
    index: int
    embedding: list[float] | None = None
    metadata: dict[str, Any] = {}


class HistoryEntry(BaseModel):
    """One stage that a page went through."""

    plugin: str
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC))
    details: dict[str, Any] = {}


class WebDocument(BaseModel):
    """A page with all that is known of it, from the search to its chunks (the document model of seed 000)."""

    id: str = Field(default_factory=lambda: str(uuid.uuid4()))
    content: str = ""  # as it was fetched
    clean_content: str | None = None  # as it is stored in the library
    doc_type: DocType = "html"
    status: Status = "pending"
    meta: WebMetadata = Field(default_factory=WebMetadata)
    chunks: list[WebChunk] = []
    processing_history: list[HistoryEntry] = []
    parent_id: str | None = None
    structured: StructuredSummary | None = None

    @property
    def embeddings(self) -> list[list[float]]:
        """Those of the chunks that have one."""
        return [chunk.embedding for chunk in self.chunks if chunk.embedding is not None]

    def note(self, plugin: str, **details: Any) -> None:
        """One more stage in its history."""
        self.processing_history.append(HistoryEntry(plugin=plugin, details=details))

    def to_json(self, include_embeddings: bool = True) -> dict[str, Any]:
        """Nothing is cut short; times are ISO 8601. `from_json` gives the same document back."""
        written = self.model_dump(mode="json", exclude={"meta"})
        if not include_embeddings:
            for chunk in written["chunks"]:
                del chunk["embedding"]
        return {**written, "metadata": self.meta.model_dump(mode="json"), "chunks_count": len(self.chunks)}

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> WebDocument:
        return cls.model_validate({**written, "meta": written["metadata"]})
