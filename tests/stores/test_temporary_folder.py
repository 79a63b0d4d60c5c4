"""A store without a folder leaves none: not when it is closed, and not for long when it is killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from stores import temporary_folder
from stores.embedded import EmbeddedStore

KILLED = """
import os
from stores.embedded import EmbeddedStore
store = EmbeddedStore()
print(store._folder, flush=True)
os._exit(9)
"""


def age(folder: Path) -> None:
    os.utime(folder, (0, 0))


def test_what_a_killed_process_leaves_is_removed_by_the_next(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, cwd=os.getcwd())
    left = Path(done.stdout.strip())
    assert left.exists(), done.stderr
    temporary_folder.sweep(left.parent)
    assert left.exists()  # it might just be about to be held
    age(left)
    temporary_folder.sweep(left.parent)
    assert not left.exists()


def test_nothing_else_is_removed(tmp_path):
    store = EmbeddedStore()
    others = [tmp_path / name for name in ("citewise-throw-away-no-lock", "citewise-other", "mine")]
    for folder in others:
        folder.mkdir()
    (others[1] / "lock").touch()
    for folder in (store._folder, *others):
        age(folder)
    temporary_folder.sweep(store._folder.parent)
    temporary_folder.sweep(tmp_path)
    assert store._folder.exists()
    assert all(folder.exists() for folder in others)
    folder = store._folder
    store.close()
    assert not folder.exists()


@pytest.mark.parametrize(("free", "in_memory"), [(1 << 30, True), ((1 << 30) - 1, False)])
def test_it_is_in_memory_where_there_is_room(free, in_memory, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(temporary_folder, "_MEMORY", tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(free, 0, free))
    made = temporary_folder.TemporaryFolder()
    assert (made.path.parent == tmp_path) == in_memory
    made.close()
    assert not made.path.exists()


def test_without_such_a_place_it_is_where_temporary_files_are(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary_folder, "_MEMORY", tmp_path / "none")
    monkeypatch.setattr(temporary_folder.tempfile, "tempdir", str(tmp_path))
    made = temporary_folder.TemporaryFolder()
    assert made.path.parent == tmp_path
    made.close()
