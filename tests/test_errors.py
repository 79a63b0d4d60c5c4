"""Errors name a remedy that exists."""

from __future__ import annotations

import pickle
import tomllib
from pathlib import Path

import pytest

from errors import missing_extra
from tests.each_row import each_row

EXTRAS = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


@each_row("extra", EXTRAS)
def test_an_absent_extra_names_its_command(extra: str) -> None:
    error = pickle.loads(pickle.dumps(missing_extra(extra)))  # it may come from a worker process

    assert error.kind == "missing_extra"
    for text in (error.suggestions[0].zh, error.suggestions[0].en):
        assert f"uv sync --extra {extra}" in text


def test_an_extra_that_does_not_exist_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        missing_extra("everything")
