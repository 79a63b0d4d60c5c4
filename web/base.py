"""What the rooms of the web share: a page as it came, who finds pages, who says what they are about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from errors import CitewiseError
from schema import Language, Message, StructuredSummary, WebSearchHit


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it came over the wire, unpacked."""

    url: str  # asked for
    final_url: str  # after redirects
    media_type: str  # "text/html", without parameters
    data: bytes
    fetched_at: datetime
    charset: str = ""
    etag: str = ""
    last_modified: str = ""
    not_modified: bool = False  # the server says that it is what its ETag or Last-Modified named; no data
    seconds: float = 0.0


class WebError(CitewiseError):
    """A page or a search that did not come, and why."""

    def __init__(self, message: Message, *suggestions: Message) -> None:
        super().__init__("web", message, *suggestions)


class SearchSource(Protocol):
    name: str

    @property
    def missing(self) -> Message | None:
        """What it needs and does not have, such as a key; None: it can be asked."""

    async def search(self, query: str, count: int, language: Language) -> list[WebSearchHit]:
        """At most `count` pages, best first; none is no error. Raises WebError."""


class Extractor(Protocol):
    name: str

    async def extract(self, title: str, text: str, language: Language) -> StructuredSummary:
        """What a page is about. Raises CitewiseError; whoever calls then takes the next extractor."""
