"""What the log shows: as CITEWISE_LOG_LEVEL says, in the terminal as on the page; by which names settings were set."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from commands.terminal import read_settings
from errors import CitewiseError
from logs import begin_logging


@pytest.fixture(autouse=True)
def _levels_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    before = {name: logging.getLogger(name).level for name in ("", "httpx")}
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize(
    ("variables", "level"),
    [({}, "WARNING"), ({"CITEWISE_LOG_LEVEL": "DEBUG"}, "DEBUG"), ({"LOG_LEVEL": "ERROR"}, "WARNING")],
)
def test_the_terminal_logs_as_it_is_told_and_warnings_else(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], level: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    read_settings()
    assert logging.getLevelName(logging.getLogger().level) == level
    assert logging.getLogger("httpx").level >= logging.WARNING


def test_a_name_that_is_not_the_settings_own_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RAG_DEFAULT_TOP_K", "7")
    monkeypatch.setenv("CITEWISE_PORT", "7861")
    Path(".env").write_text("DASH_MODEL_NAME=qwen-plus\nDASHSCOPE_MODEL=\n", encoding="utf-8")
    begin_logging("WARNING")
    assert not caplog.records
    begin_logging("INFO")
    told = [record.message for record in caplog.records if record.name == "citewise"]
    assert {line.split(" / ")[0] for line in told} == {
        "top_k is set by RAG_DEFAULT_TOP_K (its own name: CITEWISE_TOP_K)",
        "dashscope_model is set by DASH_MODEL_NAME (its own name: DASHSCOPE_MODEL)",
    }


def test_the_terminal_names_a_wrong_setting_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_DEFAULT_TOP_K", "many")
    with pytest.raises(CitewiseError) as caught:
        read_settings()
    assert "CITEWISE_TOP_K: 须为整数" in caught.value.message.zh
    assert "CITEWISE_TOP_K: must be a whole number" in caught.value.message.en
    assert caught.value.suggestions


COMMANDS = (["check"], ["rebuild"], ["backup", "b.zip"], ["restore", "b.zip", "--yes"], ["feedback"], ["unanswered"])


@pytest.mark.parametrize("command", COMMANDS, ids=[command[0] for command in COMMANDS])
def test_commands_on_a_folder_log_as_they_are_told_whatever_the_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    monkeypatch.setenv("CITEWISE_LOG_LEVEL", "DEBUG")
    on_folder = [*command, "--folder", str(tmp_path)]
    CliRunner().invoke(cli.cli, on_folder)
    assert logging.getLevelName(logging.getLogger().level) == "DEBUG"
    CliRunner().invoke(cli.cli, ["--log-level", "ERROR", *on_folder])
    assert logging.getLevelName(logging.getLogger().level) == "ERROR"
    monkeypatch.setenv("CITEWISE_TOP_K", "many")  # what is broken is not made whole by it
    found = CliRunner().invoke(cli.cli, on_folder)
    assert "CITEWISE_TOP_K" not in found.output
    assert found.exit_code == 1  # there is nothing in that folder, and nobody says that all is well
