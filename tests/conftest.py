"""Shared fixtures: settings that read nothing of this machine, and the documents of `tests/data`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from settings import Settings

DATA = Path(__file__).parent / "data"

MakeSettings = Callable[..., Settings]


@pytest.fixture
def make_settings(tmp_path: Path) -> MakeSettings:
    """Settings with a library of their own; keyword arguments are variables of the environment."""

    def make(**variables: str) -> Settings:
        defaults = {
            "CITEWISE_DATA_DIR": str(tmp_path / "library"),
            "CITEWISE_INGEST_WORKERS": "0",
            "CITEWISE_OLLAMA": "false",  # whatever runs on this machine
            "CITEWISE_SAVE_PATIENCE": "600",  # however slow this machine is
            "CITEWISE_SAVE_QUESTION_PATIENCE": "600",
        }
        return Settings.from_mapping({**defaults, **variables})

    return make
