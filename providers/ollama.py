"""An Ollama that may be there: looked for in the background, so that nobody waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import Any

from schema import Message

log = logging.getLogger(__name__)

INTERVAL = 20.0  # seconds between two looks
PATIENCE = 2.0  # seconds that a look may take
_embeds = re.compile(r"embed|bert|minilm|rerank|(?:^|/)(?:bge|e5|gte)-", re.IGNORECASE)


class OllamaWatch:
    """Which model the Ollama at an address would answer with; None while there is none. Of one event loop."""

    def __init__(self, base_url: str, wanted: str, changed: Callable[[str], None]) -> None:
        self._root = base_url.removesuffix("/v1")
        self._wanted, self._changed = wanted, changed
        self.model: str | None = None
        self.problem: Message | None = None  # why there is none, if it answers
        self._soon = asyncio.Event()
        self._task = asyncio.create_task(self._watch())

    def poke(self) -> None:
        """Something has happened there: look again now."""
        self._soon.set()

    async def close(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def look(self) -> None:
        """Once, and wait for what is seen."""
        names = await asyncio.to_thread(_models, self._root)
        before = self.model
        model, self.problem = _chosen(names, self._wanted)
        if model and model != before:
            self._changed(model)
        self.model = model
        if self.model != before:
            log.info("Ollama at %s: %s", self._root, self.model or "not there")

    async def _watch(self) -> None:
        while True:
            await self.look()
            self._soon.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(INTERVAL):
                    await self._soon.wait()


def _models(root: str) -> list[str] | None:
    """Names of the models that can chat; None when no Ollama answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is near: no proxy stands between
    try:
        with opener.open(f"{root}/api/tags", timeout=PATIENCE) as answer:
            found: Any = json.load(answer)
        return [
            model["name"]
            for model in found["models"]
            if not _embeds.search(f"{model['name']} {(model.get('details') or {}).get('family') or ''}")
        ]
    except (OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError):
        return None


def _chosen(names: list[str] | None, wanted: str) -> tuple[str | None, Message | None]:
    """The wanted one if it has been pulled, else the first; nothing wanted means any."""
    if names is None:
        return None, None
    if not wanted:
        none = Message(zh="Ollama 还没有可以对话的模型。", en="Ollama has no model to chat with yet.")
        return (names[0], None) if names else (None, none)
    if wanted in names or f"{wanted}:latest" in names:
        return wanted, None
    return None, Message(
        zh=f"Ollama 没有模型 {wanted}，请运行：ollama pull {wanted}",
        en=f"Ollama has no model {wanted}. Run: ollama pull {wanted}",
    )
