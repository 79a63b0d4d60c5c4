"""The searches of a turn, of which one may begin before it is known whether it is wanted."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from library import Library
from providers.llm import Model
from question_words import question_terms
from retrieval.earlier_searches import EarlierSearches
from retrieval.hyde import HypotheticalRequest
from schema import Evidence, SearchRequest
from settings import Settings


class TurnSearches:
    """One on the message as typed, with its model calls, may start beside the plan call.

    It is held here and not in a parallel node because LangGraph's steps are barriers: a slow search that nobody needs
    would hold up the turn. What the model has imagined for it, and what it has found, serves a later search for the
    same question as well.
    """

    def __init__(self, library: Library, model: Model | None, settings: Settings) -> None:
        self._library, self._model, self._settings = library, model, settings
        self.earlier, self._hypothetical = EarlierSearches(), HypotheticalRequest()
        self._wanted: SearchRequest | None = None
        self._task: asyncio.Task[Evidence] | None = None

    def start(self, wanted: SearchRequest) -> None:
        self._wanted, self._task = wanted, asyncio.create_task(self._search(wanted))

    async def take(self, wanted: SearchRequest) -> Evidence:
        """The evidence: of the search that was started if it is the one that is wanted, else of another one."""
        if self._wanted is None or not _finds_the_same(wanted, self._wanted):
            self._cancel_search()
            self.start(wanted)
        assert self._task is not None
        try:
            return await self._task
        finally:
            self._cancel_search()

    def forget(self) -> None:
        """What was found: the library has changed since."""
        self._cancel_search()
        self._wanted = None

    def cancel(self) -> None:
        """Also in the middle of a call to the model."""
        self._cancel_search()
        self._hypothetical.cancel()

    def _cancel_search(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _search(self, wanted: SearchRequest) -> Evidence:
        return await self._library.evidence_for(
            wanted,
            model=self._model,
            hypothetical=self._hypothetical,
            earlier=self.earlier,
            settings=self._settings,
        )


def _finds_the_same(one: SearchRequest, other: SearchRequest) -> bool:
    """Whether they differ in words at most that no search looks at."""
    same = one == replace(other, question=one.question)
    return same and question_terms(one.question) == question_terms(other.question)
