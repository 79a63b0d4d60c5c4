"""Backup, restore and rebuilding beside a program that holds the library."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_cases import batch, serve

from errors import StoreError
from stores.embedded import EmbeddedStore
from stores.safety import repair, requests
from stores.safety.backup import write_backup
from tests.stores.safety_cases import ROOT, TEXTS, kinds


class Holder:
    """Another process that has the library open."""

    def __init__(self, folder: Path) -> None:
        code = """if True:
            import sys
            from pathlib import Path
            from stores.embedded import EmbeddedStore
            store = EmbeddedStore(Path(sys.argv[1]))
            print("open", flush=True)
            for line in sys.stdin:
                print(len(store.search_terms([line.strip()], 100)), store.stats().documents, flush=True)
            store.close()
        """
        command = [sys.executable, "-c", code, str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self._line() == "open"

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def search(self, term: str) -> tuple[int, int]:
        """How many chunks it finds, and has documents."""
        assert self.process.stdin
        print(term, file=self.process.stdin, flush=True)
        chunks, documents = map(int, self._line().split())
        return chunks, documents

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(60) == 0


@pytest.fixture
def holder(folder: Path) -> Iterator[Holder]:
    """Of `folder`."""
    holder = Holder(folder)
    yield holder
    holder.close()


def test_a_new_library_in_use_is_whole(tmp_path):
    store = EmbeddedStore(tmp_path / "library")
    try:
        assert kinds(tmp_path / "library") == {"ok"}
        serve(store)
        assert kinds(tmp_path / "library") == {"ok"}
        store.put(batch("a.md", TEXTS))
        assert kinds(tmp_path / "library") == {"ok"}
    finally:
        store.close()


def test_a_library_in_use_is_backed_up_restored_and_rebuilt(folder, holder, tmp_path):
    write_backup(folder, tmp_path / "b.zip")
    assert kinds(folder) == {"ok"}
    empty = EmbeddedStore(tmp_path / "other")
    empty.backup(tmp_path / "empty.zip")
    empty.close()
    [kept, said] = repair.restore_library(folder, tmp_path / "empty.zip")
    assert "0 documents" in said.en
    assert holder.search("common") == (0, 0)
    repair.restore_library(folder, tmp_path / "b.zip", keep=False)
    assert holder.search("only7") == (1, 20)
    assert len(repair.rebuild_library(folder)) == 1
    assert holder.search("only7") == (1, 20)
    [replaced] = folder.glob("replaced-*.zip")
    assert str(replaced) in kept.zh
    assert kinds(folder) == {"ok"}


def test_the_holder_tells_its_errors(folder, holder, tmp_path):
    (tmp_path / "b.zip").write_bytes(b"no zip")
    with pytest.raises(StoreError) as refused:
        repair.restore_library(folder, tmp_path / "b.zip")
    assert "not a whole backup" in refused.value.message.en
    assert "不是完整的 Citewise 备份" in refused.value.message.zh
    assert holder.search("only7") == (1, 20)


def test_a_second_program_is_told_who_holds_it(folder, holder):
    with pytest.raises(StoreError) as refused:
        EmbeddedStore(folder)
    assert f"pid {holder.process.pid}" in refused.value.message.en
    assert f"pid {holder.process.pid}" in refused.value.message.zh
    assert "check" in refused.value.in_full.en


def test_who_asks_does_it_when_the_holder_dies(folder, monkeypatch):
    store = EmbeddedStore(folder)
    assert store._attendant
    store._attendant.close()  # it will never answer
    monkeypatch.setattr(requests, "_ALIVE", 0.0)
    asked = threading.Thread(target=repair.rebuild_library, args=[folder])
    asked.start()
    while not list((folder / "requests").glob("*.json")):
        assert asked.is_alive()
    store.close()
    asked.join(60)
    assert not asked.is_alive()
    assert list((folder / "requests").iterdir()) == []
    assert kinds(folder) == {"ok"}


def test_a_request_of_before_is_not_met(folder):
    (folder / "requests").mkdir()
    (folder / "requests" / "old.json").write_text('{"job": "rebuild"}')
    store = EmbeddedStore(folder)
    store.close()
    assert list((folder / "requests").iterdir()) == []
