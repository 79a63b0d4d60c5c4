"""Commits that a damaged log has taken back are noticed, named and told until they are made up for; nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from store_cases import batch, serve, task

from stores.embedded import EmbeddedStore
from stores.safety import journal
from stores.safety.health import check_library

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library whose process was killed; the last five changes are in the log of its database alone."""
    code = """if True:
        import os, sys
        from pathlib import Path
        sys.path.insert(0, "tests/stores")
        from store_cases import batch, serve, task
        from stores.embedded import EmbeddedStore
        store = EmbeddedStore(Path(sys.argv[1]))
        serve(store)
        for name in ("kept.md", "old.md", "gone.md"):
            store.put(batch(name, ["text"], "set"))
        assert store._database.checkpoint()
        store.put(batch("new.md", ["text"]))
        store.put(batch("old.md", ["changed"], "set"))
        store.delete("gone.md", "set")
        store.add_tasks([task("late.md")])
        store.rename_doc_set("set", "other")
        os._exit(9)
    """
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "library")], cwd=ROOT, check=False)
    assert done.returncode == 9
    return tmp_path / "library"


def lose(folder: Path) -> None:
    """As after a damage of the log's first bytes: SQLite opens without any of it."""
    log = folder / "library.db-wal"
    assert log.stat().st_size
    log.write_bytes(b"\x00" * log.stat().st_size)
    (folder / "library.db-shm").unlink(missing_ok=True)


def opened(folder: Path) -> list[str]:
    store = EmbeddedStore(folder)
    try:
        for notice in store.notices:
            assert all(name in notice.zh for name in ("new.md",) if name in notice.en)
        return [notice.en for notice in store.notices]
    finally:
        store.close()


def test_a_kill_is_no_loss(folder):
    assert opened(folder) == []
    assert {one.kind for one in check_library(folder)} == {"ok"}


def test_a_loss_is_named(folder):
    lose(folder)
    [said] = opened(folder)
    assert "Upload again: new.md, set/old.md, late.md." in said
    assert "Delete again: set/gone.md." in said
    assert "Rename again: other/set." in said


def test_it_is_told_until_it_is_made_up_for(folder):
    lose(folder)
    store = EmbeddedStore(folder)
    last = max(entry.generation for entry in journal.read(folder / journal.JOURNAL))
    assert store.generation() > last  # no id comes to mean something else
    store.put(batch("new.md", ["text"]))
    store.put(batch("old.md", ["changed"], "set"))
    assert ["Upload again: late.md." in notice.en for notice in store.notices] == [True]
    store.close()
    [finding] = [one for one in check_library(folder) if one.kind == "loss"]
    assert "Upload again: late.md." in finding.message.en
    assert "请重新上传：late.md。" in finding.message.zh
    store = EmbeddedStore(folder)
    store.add_tasks([task("late.md")])
    store.delete("gone.md", "set")
    store.rename_doc_set("set", "other")
    store.close()
    assert opened(folder) == []


def test_rebuilding_dismisses_it(folder):
    lose(folder)
    store = EmbeddedStore(folder)
    store.rebuild()
    assert store.notices == []
    store.close()
    assert opened(folder) == []


def test_what_was_taken_away_on_purpose_is_no_loss(folder, tmp_path):
    for path in folder.glob("library.db*"):
        path.unlink()
    assert opened(folder) == []
    shutil.rmtree(folder)
    assert opened(folder) == []


def test_nor_is_what_a_restore_takes_back(tmp_path):
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    store.backup(tmp_path / "b.zip")
    store.put(batch("a.md", ["text"]))
    store.restore(tmp_path / "b.zip")
    store.close()
    assert opened(tmp_path / "library") == []


def test_half_a_line_is_passed_over(folder):
    with (folder / journal.JOURNAL).open("ab") as file:
        file.write(b'{"generation": 99999999999999999')
    assert opened(folder) == []


def test_a_clock_that_was_put_back_is_no_loss(folder, monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: 1_000)
    store = EmbeddedStore(folder)
    store.put(batch("b.md", ["text"]))
    store.close()
    assert opened(folder) == []


def test_it_stays_short(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "_ROOM", 1_000)
    store = EmbeddedStore(tmp_path / "library")
    sizes = []
    for number in range(60):
        store.add_doc_set(f"set{number}")
        store.add_tasks([task(f"{number}.md")])
        sizes.append((tmp_path / "library" / journal.JOURNAL).stat().st_size)
    store.close()
    assert max(sizes) < 2_000
    assert sorted(sizes) != sizes


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs another user")
def test_a_folder_that_cannot_be_written_says_so_and_is_checked_all_the_same(folder):
    EmbeddedStore(folder).close()
    code = """if True:
        import os, sys
        from pathlib import Path
        from errors import StoreError
        from stores.safety.health import check_library
        from stores.embedded import EmbeddedStore
        os.setgid(65534), os.setuid(65534)
        try:
            EmbeddedStore(Path(sys.argv[1]))
        except StoreError as error:
            print(error, [one.en for one in error.suggestions])
        print({one.kind for one in check_library(Path(sys.argv[1]))})
    """
    with tempfile.TemporaryDirectory() as elsewhere:  # pytest's own folders are closed to others
        done = _as_nobody(code, shutil.copytree(folder, Path(elsewhere) / "library"))
    assert "cannot be written" in done.stdout, done.stderr
    assert "permissions" in done.stdout
    assert "{'ok'}" in done.stdout, done.stdout + done.stderr


def _as_nobody(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.parent.chmod(0o755)
    return subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, capture_output=True, text=True)
