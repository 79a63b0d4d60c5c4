"""The terminal: folders go in, what is unchanged stays, problems are said at the end, Ctrl-C loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from stores.embedded import EmbeddedStore

_PATIENCE = 250  # seconds, however busy the machine is


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_INGEST_WORKERS": "0",
        "LC_ALL": "en_GB.UTF-8", "COLUMNS": "200",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "lamp.md").write_text("# Lamp\n\nThe lamp is trimmed at dusk.", encoding="utf-8")
    (docs / "deep" / "钟.md").write_text("# 雾钟\n\n雾钟每两分钟敲响一次。", encoding="utf-8")
    return docs


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(cli.cli, ["ingest", *map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def stored(folder: Path) -> dict[tuple[str, str], int]:
    store = EmbeddedStore(folder.parent / "library")
    try:
        assert store.without_vectors() == []
        assert all(task.status == "failed" for task in store.tasks())
        return {(info.doc_set, info.name): info.chunking.size or 0 for info in store.documents()}
    finally:
        store.close()


def test_a_folder_goes_in_and_again_nothing_changes(folder):
    status, said = run(folder, "--set", "house", "--chunker", "fixed", "--size", "300", "--overlap", "0")
    assert status == 0, said
    assert "2 added" in said
    assert stored(folder) == {("house", "lamp.md"): 300, ("house", "deep/钟.md"): 300}
    status, said = run(folder, "--set", "house")
    assert (status, "0 added, 2 unchanged" in said) == (0, True), said
    (folder / "lamp.md").write_text("# Lamp\n\nThe lamp is trimmed at dawn as well.", encoding="utf-8")
    status, said = run(folder, "--set", "house")
    assert (status, "1 replaced, 1 unchanged" in said) == (0, True), said


def test_what_fails_is_said_with_its_remedy(folder, monkeypatch):
    (folder / "bad.md").write_bytes(bytes(range(256)) * 9)
    (folder / "film.mp4").write_bytes(b"....")
    status, said = run(folder)
    assert status == 1
    assert "2 added, 1 failed" in said
    assert "✗ bad.md" in said
    assert "film.mp4" in said
    assert set(stored(folder)) == {("", "lamp.md"), ("", "deep/钟.md")}
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    status, said = run(folder)
    assert status == 1
    assert "2 个没有变化" in said
    assert "请" in said
    (folder / "bad.md").write_text("good now", encoding="utf-8")
    assert run(folder)[0] == 0
    assert len(stored(folder)) == 3


def test_what_cannot_be_is_refused_at_once(folder):
    status, said = run(folder / "nowhere")
    assert status == 1
    assert "nowhere" in said
    status, said = run(folder, "--chunker", "unheard")
    assert status == 2
    held = EmbeddedStore(folder.parent / "library")
    try:
        status, said = run(folder)
    finally:
        held.close()
    assert status == 1
    assert "Traceback" not in said
    assert str(folder.parent / "library") in said


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_interrupted_it_ends_in_order_and_goes_on_from_there(folder):
    for n in range(40):
        (folder / f"{n}.md").write_text(f"# Part {n}\n\n" + f"The wheel{n} turns. " * 400, encoding="utf-8")
    command = [sys.executable, str(Path(cli.__file__)), "ingest", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        database = folder.parent / "library" / "library.db"
        give_up = time.monotonic() + _PATIENCE
        while not (database.exists() and _has_tasks(database)) and process.poll() is None:
            assert time.monotonic() < give_up
            time.sleep(0.02)  # what waits takes no processor from what works
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=_PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130, said
    assert "again" in said
    assert "Traceback" not in said
    status, said = run(folder)
    assert status == 0, said
    assert len(stored(folder)) == 42


def _has_tasks(database: Path) -> bool:
    import sqlite3

    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return bool(connection.execute("SELECT count(*) FROM tasks").fetchone()[0])
    except sqlite3.OperationalError:
        return False


def test_the_terminal_needs_no_page():
    code = "import sys, cli; print(sorted({'gradio', 'langgraph', 'faiss', 'numpy.linalg'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "gradio" not in done.stdout
    assert "langgraph" not in done.stdout
    assert "faiss" not in done.stdout
