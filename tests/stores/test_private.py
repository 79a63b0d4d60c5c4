"""What is in a data folder is its owner's alone, whatever the umask, also where it was not so before."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.request import Request
from graph.turns import Assistant
from stores.folder import keep_private
from tests.conftest import MakeSettings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


@pytest.fixture(autouse=True)
def open_to_all() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Of what others may do something with."""
    found = {str(path.relative_to(folder)): path.lstat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
    return {name: mode for name, mode in found.items() if mode & 0o077}


async def test_nobody_else_can_read_what_is_written(make_settings: MakeSettings) -> None:
    settings = make_settings()
    folder = Path(settings.data_dir)
    assistant = await Assistant.open(settings)
    try:
        await assistant.library.add("a.md", b"# Pump\n\nPrime the pump before the first start.")
        events = [event async for event in assistant.run_turn(Request("t", "What about the pump?", listed=True))]
        assert events
        written = modes(folder)
        assert "." not in written
        assert {name for name in written if not name.startswith("terms/")} == set()  # tantivy's own, in a closed folder
        assert (folder / "library.db-wal").exists()
    finally:
        await assistant.close()
    assert modes(folder) == {}


def test_an_open_folder_is_closed_but_never_what_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, other = tmp_path / "library", tmp_path / "other"
    (folder / "terms").mkdir(parents=True)
    other.write_text("x")
    (folder / "terms" / "meta.json").write_text("{}")
    (folder / "script").write_text("x")
    (folder / "script").chmod(0o755)
    (folder / "link").symlink_to(other)
    keep_private(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [name for name in modes(folder) if name != "link"] == []
    assert stat.S_IMODE((folder / "script").stat().st_mode) == 0o700
    assert stat.S_IMODE(other.stat().st_mode) == 0o666
    home = tmp_path / "home"
    (home / "below").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home / "below"))
    keep_private(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o777
