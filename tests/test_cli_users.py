"""The terminal where each user has a library: whose it is is said, and what keeps libraries safe goes through all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from stores.user_libraries import folder_name


@pytest.fixture
def terminal(tmp_path: Path, bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    keys = ",".join(f"{user}:key-of-{user}-1234567890" for user in ("anna", "ben"))
    for name, value in {
        "CITEWISE_LIBRARIES": "private", "CITEWISE_API_KEYS": keys, "LC_ALL": "en_GB.UTF-8", "COLUMNS": "200",
        "CITEWISE_AS_USER": "",  # taken back after the test: --user sets it
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (tmp_path / "lamp.md").write_text("# Lamp\n\nThe lamp is trimmed at dusk.\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    monkeypatch.setenv("CITEWISE_AS_USER", "")
    done = CliRunner().invoke(cli.cli, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_commands_work_for_the_user_who_is_named(terminal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        return run(*arguments, monkeypatch=monkeypatch)

    status, refused = said("ingest", "lamp.md")
    assert status == 1
    assert "--user NAME" in refused
    assert "anna, ben" in refused
    assert not (terminal / "saved_files").exists()
    assert "No user has a library yet" in said("check")[1]
    assert said("--user", "ana", "list")[0] == 1
    assert said("--user", "anna", "ingest", "lamp.md")[0] == 0
    assert "lamp.md" in said("--user", "anna", "list")[1]
    assert "lamp.md" not in said("--user", "ben", "list")[1]

    status, checked = said("check")
    assert status == 0
    assert re.findall(r"Library of (\w+):", checked) == ["anna", "ben"]
    assert said("rebuild")[0] == 0
    assert said("backup", "all.zip")[0] == 0
    assert {one.name for one in terminal.glob("all*")} == {f"all.{folder_name(user)}.zip" for user in ("anna", "ben")}
    assert said("--user", "anna", "backup", "anna.zip")[0] == 0
    assert said("restore", "anna.zip", "--yes")[0] == 1  # whose?
    assert said("--user", "ben", "restore", "anna.zip", "--yes")[0] == 0
    assert "lamp.md" in said("--user", "ben", "list")[1]
