"""The terminal: a library is checked, backed up, restored and rebuilt; in both languages, with exit codes."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a library of one document."""
    for name, value in {
        "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_INGEST_WORKERS": "0", "CITEWISE_OLLAMA": "false",
        "LC_ALL": "en_GB.UTF-8", "COLUMNS": "200",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp.md").write_text("# Lamp\n\nThe lamp is trimmed at dusk.\n", encoding="utf-8")
    assert run("ingest", "lamp.md")[0] == 0
    return tmp_path / "library"


def run(*arguments: str, answer: str | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(cli.cli, list(arguments), input=answer)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_a_whole_library_is_said_to_be_whole(data, monkeypatch):
    status, said = run("check")
    assert (status, "1 document, 1 chunk." in said, "damaged" in said) == (0, True, False), said
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "完好：1 个文件，1 个切片。" in run("check", "--folder", str(data))[1]


def test_what_is_damaged_is_said_with_the_command_that_repairs(data, monkeypatch):
    (data / "vectors.faiss").write_bytes(b"noise")
    status, said = run("check")
    assert (status, "❌ damaged" in said, "uv run cli.py rebuild" in said) == (1, True, True), said
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "❌ 损坏" in run("check")[1]
    status, said = run("rebuild")
    assert (status, "重建" in said) == (0, True), said
    assert run("check")[0] == 0


def test_back_to_a_backup(data):
    status, said = run("backup", "b.zip")
    assert (status, "1 document," in said) == (0, True), said
    status, said = run("backup", "b.zip")
    assert (status, "--force" in said) == (1, True), said
    assert run("backup", "b.zip", "--force")[0] == 0
    assert run("delete", "lamp.md", "--yes")[0] == 0
    assert run("restore", "b.zip", answer="n\n")[0] == 1
    assert "lamp.md" not in run("list")[1]
    status, said = run("restore", "b.zip", "--no-keep", answer="y\n")
    assert (status, "NOT kept" in said, "1 document," in said) == (0, True, True), said
    assert "lamp.md" in run("list")[1]
    assert not list(data.glob("replaced-*"))
    assert run("restore", "b.zip", "--yes")[0] == 0
    assert len(list(data.glob("replaced-*.zip"))) == 1


def test_what_cannot_be_is_said_without_a_trace(data, tmp_path, monkeypatch):
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(tmp_path / "nowhere"))
    for command in (["check"], ["rebuild"], ["backup", "c.zip"], ["restore", "none.zip", "--yes"]):
        status, said = run(*command)
        assert status == 1
        assert "none.zip" in said or "no library" in said
    assert not (tmp_path / "nowhere" / "library.db").exists()  # nothing was made for it


def test_a_backup_needs_a_place_and_a_name(data, tmp_path, monkeypatch):
    status, said = run("backup", str(tmp_path / "nowhere" / "b.zip"))
    assert (status, "nowhere/b.zip cannot be written" in said, "folder is there" in said) == (1, True, True), said
    status, said = run("backup", str(tmp_path), "--force")
    assert (status, "is a folder" in said) == (1, True), said
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "是文件夹" in run("backup", str(tmp_path))[1]


def test_a_backup_goes_into_a_new_folder(data, tmp_path):
    assert run("backup", "b.zip")[0] == 0
    status, said = run("restore", "b.zip", "--folder", str(tmp_path / "new"))  # nothing to lose: nothing to ask
    assert (status, "1 document," in said, "kept" in said) == (0, True, False), said
    assert "Whole: 1 document," in run("check", "--folder", str(tmp_path / "new"))[1]


def test_what_is_no_backup_is_refused(data, tmp_path):
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("x.txt", "something else")
    assert run("backup", "b.zip")[0] == 0
    whole = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    for name in ("other.zip", "cut.zip"):
        status, said = run("restore", name, "--yes")
        assert (status, "not a whole backup of Citewise" in said, "not changed" in said) == (1, True, True), said
    assert "lamp.md" in run("list")[1]
