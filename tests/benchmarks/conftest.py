"""Benchmarks at their smallest."""

from __future__ import annotations

from typing import Any

import pytest

from settings import Settings


@pytest.fixture
def ingested_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a benchmark stores is read in its own process: to start another for a handful of texts costs more than all
    else. That libraries have such processes is tested in `tests/ingestion`."""
    made = Settings.from_mapping

    def here(values: dict[str, Any]) -> Settings:
        return made({"CITEWISE_INGEST_WORKERS": "0", **values})

    monkeypatch.setattr(Settings, "from_mapping", here)
