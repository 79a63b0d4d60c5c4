"""What is kept only to be faster, as the System tab lists it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from schema import Language
from stores.caches import ABOUT, CacheName, CacheRegistry, CacheSize
from ui.documents import human_size
from ui.texts import text

_HOLDS = 30.0  # seconds that sizes are shown before they are looked at again: files are counted through for them


class CacheSizes:
    """Of all pages together."""

    def __init__(self, caches: CacheRegistry) -> None:
        self._caches = caches
        self._looked = (-_HOLDS, dict[CacheName, CacheSize]())

    def now(self) -> dict[CacheName, CacheSize]:
        """Reads files."""
        if time.monotonic() > self._looked[0] + _HOLDS:
            self._looked = time.monotonic(), self._caches.sizes()
        return self._looked[1]

    def clear(self, *names: str) -> None:
        """Raises CitewiseError."""
        try:
            self._caches.clear(*names)
        finally:
            self._looked = (-_HOLDS, {})


def caches_table(sizes: Mapping[CacheName, CacheSize], language: Language) -> dict[str, Any]:
    """What system.js draws."""
    return {
        "title": text("caches", language),
        "about": text("c_about", language),
        "head": [text(key, language) for key in ("c_name", "c_entries", "c_size")] + [""],
        "rows": [
            {
                "key": name,
                "name": ABOUT[name].to(language),
                "cells": [f"{size.entries:,}", human_size(size.bytes)],
                "empty": not size.entries,
            }
            for name, size in sizes.items()
        ],
        "clear": text("c_clear", language),
        "clear_all": text("c_clear_all", language),
        "sure": text("c_sure", language),
    }
