"""What every instance of one library must know, beside the library itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from stores.attempts import Attempts, AttemptsInMemory
from stores.feedback import FEEDBACK, FeedbackStore
from stores.lab import LAB, LabStore
from stores.logouts import LogoutFile, Logouts
from stores.pages import PAGES, PageFile, PageStore
from stores.unanswered import UNANSWERED, UnansweredStore

SecretName = Literal["login-secret", "browser-secret"]


@dataclass(frozen=True)
class SharedStores:
    """Thumbs, unanswered questions, the lab, fetched pages, who may come in. Nothing is opened before it is used."""

    feedback: FeedbackStore
    unanswered: UnansweredStore
    lab: LabStore
    pages: PageStore
    logouts: Logouts
    attempts: Attempts
    secret: Callable[[SecretName], str]  # made once and kept, so that it outlives a restart
    check: Callable[[], None] = lambda: None  # raises StoreError where the tables cannot be used by this program

    def close(self) -> None:
        self.feedback.close()
        self.unanswered.close()
        self.lab.close()
        self.pages.close()


def stores_in_folder(folder: Path, page_limit_mb: float) -> SharedStores:
    """Of the one program that has the folder."""
    return SharedStores(
        FeedbackStore.in_file(folder / FEEDBACK), UnansweredStore.in_file(folder / UNANSWERED),
        LabStore.in_file(folder / LAB),
        PageFile(folder / PAGES, page_limit_mb), LogoutFile(folder / "logged-out"), AttemptsInMemory(),
        partial(_secret_in, folder),
    )  # fmt: skip


def new_secret() -> str:
    return hashlib.sha256(os.urandom(32)).hexdigest()


def _secret_in(folder: Path, name: SecretName) -> str:
    path = folder / name
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(new_secret())
    except FileExistsError:
        pass
    return path.read_text()
