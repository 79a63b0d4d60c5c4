"""Answers to repeated questions: found again while the library, the plan and the settings are the same."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pydantic import ValidationError

from library import Library
from nodes.state import Record
from schema import Plan, SearchRequest
from settings import Settings
from stores.answers import AnswerStore

log = logging.getLogger(__name__)


class Memory:
    """One turn's look at the remembered answers. Only complete answers of a model go in, since others cost nothing."""

    def __init__(
        self, store: AnswerStore | None, library: Library, models: Sequence[tuple[str, str]], settings: Settings
    ) -> None:
        """An answer depends on the models that may give it and on all settings; without a store nothing is remembered.

        `models` are providers and names, in their order."""
        self._store, self._library, self._models, self._settings = store, library, models, settings
        self._key: str | None = None
        self._as_of = (0, 0)

    async def find(self, plan: Plan, wanted: SearchRequest) -> Record | None:
        """What was answered, unless a new answer is asked for. Follow-ups count as the question they were restated to:
        terms of the conversation before are part of the key."""
        if self._store is None:
            return None
        self._as_of = self._now()
        settings = hashlib.sha256(self._settings.model_dump_json().encode()).hexdigest()  # keys are masked
        conditions = json.dumps([self._models, settings])
        parts = (conditions, self._library.store.space_key(), plan.language, _same(wanted.question))
        where = (wanted.strategy, wanted.scope.model_dump(), wanted.terms)
        self._key = hashlib.sha256(json.dumps([*parts, *where], sort_keys=True).encode()).hexdigest()
        if plan.anew:
            return None
        content = await asyncio.to_thread(self._store.find, self._key, self._as_of[0])
        try:
            return Record.model_validate_json(content) if content else None
        except ValidationError as error:  # of another version
            log.info("a remembered answer could not be read: %s", error)
            return None

    async def keep(self, record: Record) -> None:
        """Remember it, unless the library has changed since the question was asked."""
        if self._store is None or self._key is None or record.answer is None or self._as_of != self._now():
            return
        given = replace(record.answer, remembered=datetime.now(UTC).isoformat(timespec="seconds"))
        content = record.model_copy(update={"answer": given, "trace": None}).model_dump_json()
        await asyncio.to_thread(self._store.put, self._key, self._as_of[0], content)

    def _now(self) -> tuple[int, int]:
        """The version as well: it rises when a change that the generation counts can be found by a search."""
        return self._library.generation(), self._library.version


def _same(question: str) -> str:
    """One form for a question however it is spaced and ended."""
    return re.sub(r"\s+", " ", question).lstrip().rstrip(" ?？。.!！")
