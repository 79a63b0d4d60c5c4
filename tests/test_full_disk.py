"""A disk that is really full: what is asked is answered, and what is stored can be deleted, which makes room."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.crash_disk import NoSmallDisk, full_but_for, small_disk
from graph.request import Request
from graph.turns import Assistant
from nodes.events import Answered, Failed, Unsaved
from settings import Settings
from stores.reserve import RESERVE, ROOM, Reserve

DISK = 32 << 20  # bytes
DOCUMENTS = 4


async def on_a_full_disk(disk: Path) -> dict[str, object]:
    """What happens there, for a process of its own."""
    variables = {"CITEWISE_DATA_DIR": str(disk / "library"), "CITEWISE_INGEST_WORKERS": "0", "CITEWISE_OLLAMA": "false"}
    assistant = await Assistant.open(Settings.from_mapping(variables), warm=False)

    async def asked(thread: str) -> list[str]:
        events = [event async for event in assistant.run_turn(Request(thread, "How many days of leave?"))]
        return [type(event).__name__ for event in events if isinstance(event, Answered | Failed | Unsaved)]

    found: dict[str, object] = {}
    try:
        for number in range(DOCUMENTS):
            text = f"# Leave {number}\n\nAnnual leave is ten days.\n\n" + f"The number is {number}. " * 2_000
            await assistant.library.add(f"{number}.md", text.encode())
        await asked("t")
        with full_but_for(disk, 0):
            found["once"] = await asked("once-" + 32 * "0")
            found["kept"] = await asked("t")
            found["deleted"] = [await assistant.library.delete(f"{number}.md") for number in range(DOCUMENTS)]
            await assistant.forget("t")
            found["turns"] = len(await assistant.turns("t"))
            found["left"] = [one.name for one in assistant.library.documents()]
            found["incoming"] = len(list((disk / "library" / "incoming").iterdir()))
        await assistant.library.add("new.md", b"# New\n\nThere is room again.")
    finally:
        await assistant.close()
    return found


def test_on_a_full_disk_questions_are_answered_and_documents_deleted(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_full_disk", str(tmp_path)],
        cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "NoSmallDisk" in done.stderr:
        pytest.skip("this process may mount no disk")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "once": ["Answered"], "kept": ["Answered", "Unsaved"], "deleted": [True] * DOCUMENTS, "turns": 0, "left": [],
        "incoming": 0,
    }  # fmt: skip


def test_room_is_held_back_unless_the_disk_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Reserve(tmp_path)
    assert (tmp_path / RESERVE).stat().st_size == ROOM
    assert kept.let_go()
    assert not kept.let_go()
    monkeypatch.setattr("stores.reserve.free_bytes", lambda folder: 2 * ROOM - 1)
    kept.hold()
    assert not (tmp_path / RESERVE).exists()
    monkeypatch.setattr("stores.reserve.free_bytes", lambda folder: 2 * ROOM)
    kept.hold()
    assert (tmp_path / RESERVE).exists()
    assert not Reserve(None).let_go()


if __name__ == "__main__":
    try:
        small_disk(Path(sys.argv[1]), DISK)
    except NoSmallDisk:
        sys.exit("NoSmallDisk")
    print(json.dumps(asyncio.run(on_a_full_disk(Path(sys.argv[1])))))
