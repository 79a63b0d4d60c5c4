"""What the log shows, and what it says at the start."""

from __future__ import annotations

import logging
import os

from dotenv import dotenv_values

from setting_names import names_of, older_names
from settings import Settings

log = logging.getLogger("citewise")

_NOISY = ("httpx", "httpx2", "httpcore", "httpcore2", "aiosqlite", "asyncio", "faiss.loader", "markdown_it")


def begin_logging(level: str | int, form: str = "%(levelname)s %(name)s: %(message)s") -> None:
    """Show what is at least of this level; libraries that tell of every request, warnings alone. At the level INFO the
    names are told that settings go by though they are not their own: who set one by chance sees why it holds."""
    logging.basicConfig(format=form)
    logging.getLogger().setLevel(level)
    for noisy in _NOISY:
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLogger().level))
    if log.isEnabledFor(logging.INFO):
        sources = (os.environ, dotenv_values(".env", encoding="utf-8"))
        for field_name, name in older_names(sources, Settings.model_fields).items():
            own = names_of(field_name)[0]
            log.info("%s is set by %s (its own name: %s) / 由 %s 设置", field_name, name, own, name)
