"""Shared fixtures: settings and an environment that read nothing of this machine, and the documents of `tests/data`."""

from __future__ import annotations

import functools
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
import typer.main
import typer.testing

import ui  # noqa: F401 - before any test loads Gradio, as in the program
from settings import Settings

pytest_plugins = ["tests.suite_options"]

# A shell without job control begins what it puts in the background with Ctrl-C ignored, which every process that a test
# starts would inherit. They shall begin as a person's do, however the suite was started.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says more of the machine than of what is tested.
hypothesis.settings.register_profile("citewise", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("citewise")

DATA = Path(__file__).parent / "data"

MakeSettings = Callable[..., Settings]


@pytest.fixture(scope="session", autouse=True)
def postgres_stops() -> Iterator[None]:
    """The server of PostgreSQL, where a test has asked for it."""
    yield
    if used := sys.modules.get("tests.stores.postgres_server"):
        used.stop_server()


@pytest.fixture(scope="session", autouse=True)
def commands_are_made_once() -> Iterator[None]:
    """Of the terminal: to make all of them out of their functions takes longer than what most of them do, and Typer
    would do it for each call that a test makes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", functools.cache(typer.main.get_command))
        yield


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


@pytest.fixture
def ingested_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a benchmark stores is read in its own process: to start another for a handful of texts costs more than all
    else. That libraries have such processes is tested in `tests/ingestion`."""
    ingest_here(monkeypatch)


def ingest_here(patch: pytest.MonkeyPatch) -> None:
    made = Settings.from_mapping
    patch.setattr(Settings, "from_mapping", lambda values: made({"CITEWISE_INGEST_WORKERS": "0", **values}))


@pytest.fixture(params=["zh", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For what reads the environment of the process itself: no key, no model, no .env, a folder of its own."""
    for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "CITEWISE_LLM_MODEL", "CITEWISE_WEB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CITEWISE_OLLAMA", "false")
    monkeypatch.setenv("CITEWISE_INGEST_WORKERS", "0")
    monkeypatch.chdir(tmp_path)
