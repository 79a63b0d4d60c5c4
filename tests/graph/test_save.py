"""Files that come with a message: waited for a moment, then stored behind the conversation's back."""

from __future__ import annotations

import os
import threading
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

import pytest
from turn_cases import GUIDE, HANDBOOK, assistant_of, of, say, upload

from errors import CitewiseError
from graph.request import Request
from ingestion.pipeline import Pipeline
from library import Library, Outcomes
from nodes.events import Answered, Event, Progress, Replied
from nodes.save import TaskWatch
from nodes.save_reply import reply
from nodes.state import Record, Upload
from schema import Message, Scope, Task

LONG = 20.0  # seconds after which a test that hangs fails


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Closed, no file gets any further."""
    gate, process = threading.Event(), Pipeline.process
    gate.set()

    def gated(self: Pipeline, tasks: Any, report: Any, **rest: Any) -> Any:
        assert gate.wait(LONG)
        return process(self, tasks, report, **rest)

    monkeypatch.setattr(Pipeline, "process", gated)
    yield gate
    gate.set()


async def test_nobody_waits_longer_than_the_patience(make_settings, tmp_path, gate) -> None:
    async with assistant_of(make_settings(CITEWISE_SAVE_PATIENCE="0")) as assistant:
        gate.clear()
        files = [upload(tmp_path, f"{n}.md", GUIDE) for n in range(3)]
        events = await say(assistant, "save these", *files)
        [replied] = of(events, Replied)
        assert "3 files are being processed in the background: go on asking" in replied.text
        assert "正在后台处理，可以继续提问" in of(await say(assistant, "保存", *files[:1]), Replied)[0].text
        assert sorted(assistant.library.waiting()) == ["0.md", "1.md", "2.md"]
        for file in files:
            os.unlink(file.path)  # a browser's upload does not stay
        gate.set()
        await assistant.library.process()
        assert sorted(assistant.library.names()) == ["0.md", "1.md", "2.md"]


async def test_a_question_is_answered_from_what_is_there(make_settings, tmp_path, gate) -> None:
    async with assistant_of(make_settings(CITEWISE_SAVE_QUESTION_PATIENCE="0")) as assistant:
        await say(assistant, "保存", upload(tmp_path, "员工手册.md", HANDBOOK))
        gate.clear()
        events = await say(assistant, "保存这个文件，然后告诉我年假有几天", upload(tmp_path, "guide.md", GUIDE))
        assert "仍在后台处理：guide.md" in of(events, Replied)[0].text
        assert "十五天" in of(events, Answered)[0].answer.text
        gate.set()
        await assistant.library.process()


async def test_files_of_a_question_go_before_all_others(make_settings, tmp_path, gate) -> None:
    async with assistant_of(
        make_settings(CITEWISE_SAVE_PATIENCE="0", CITEWISE_SAVE_QUESTION_PATIENCE="0")
    ) as assistant:
        gate.clear()
        await say(assistant, "save these", *(upload(tmp_path, f"{n}.md", GUIDE) for n in range(9)))
        await say(assistant, "save it, then tell me what the noise is", upload(tmp_path, "late.md", GUIDE))
        assert assistant.library.tasks()[0].name == "late.md"
        gate.set()
        await assistant.library.process()


async def test_hundreds_of_files_are_few_events_and_a_short_reply(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        files = [upload(tmp_path, f"{n}.md", f"{GUIDE}\nNumber {n}.\n") for n in range(300)]
        events = await say(assistant, "save", *files, upload(tmp_path, "empty.md", ""))
        told = of(events, Progress)
        assert len(told) < 2 * len(files)
        assert [event.file for event in told if event.stage == "failed"] == ["empty.md"]
        lines = of(events, Replied)[0].text.split("\n")
        assert len(lines) <= 7
        assert lines[0].startswith("- ❌ **empty.md**")
        assert "296 more are saved" in lines[-1]
        assert len(assistant.library.documents()) == 300


async def test_two_files_of_one_name(make_settings, tmp_path) -> None:
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
    files = [
        upload(tmp_path / "a", "x.md", GUIDE),
        upload(tmp_path / "b", "x.md", HANDBOOK),
        upload(tmp_path / "c", "x.md", GUIDE),
        upload(tmp_path, "x (2).md", "# Another\n\nThis one was named so.\n"),
    ]
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save", *files)
        assert sorted(assistant.library.names()) == ["x (2).md", "x (3).md", "x.md"]
        assert assistant.library.document("x.md").text == GUIDE
        assert assistant.library.document("x (3).md").text == HANDBOOK


async def test_a_zip_is_asked_about_like_its_files(make_settings, tmp_path) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("guide.md", GUIDE)
        archive.writestr("zh/员工手册.md", HANDBOOK)
        archive.writestr("tool.exe", b"MZ\x90\x00" * 9)
    (tmp_path / "notes.zip").write_bytes(packed.getvalue())
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "other.md", "# Other\n\nA rattling noise is music.\n"))
        file = Upload(name="notes.zip", path=str(tmp_path / "notes.zip"))
        events = await say(assistant, "save notes.zip, then tell me what a rattling noise means", file)
        text = of(events, Replied)[0].text
        assert "✅ **notes/guide.md**" in text
        assert "✅ **notes/zh/员工手册.md**" in text
        assert "⏭️ **notes/tool.exe**" in text
        last = {told.file: told for told in of(events, Progress)}
        assert last["notes.zip"].stage == "done"  # its files stand in its place: it is not on its way for ever
        assert (of(events, Progress)[-1].done, of(events, Progress)[-1].total) == (3, 3)
        answer = of(events, Answered)[0].answer
        assert {hit.document for hit in answer.sources} == {"notes/guide.md"}
        assert "air in the line" in answer.text


async def test_a_stopped_turn_leaves_its_files_in_the_queue_and_says_so(make_settings, tmp_path, gate) -> None:
    async with assistant_of(make_settings()) as assistant:
        gate.clear()
        events = assistant.run_turn(Request("t", "保存这个文件", (upload(tmp_path, "guide.md", GUIDE),)))
        async for event in events:
            if isinstance(event, Progress):
                break
        await events.aclose()
        assert "文件仍在后台保存" in (await assistant.history("t"))[-1].content
        gate.set()
        await assistant.library.process()
        assert assistant.library.names() == ["guide.md"]


async def test_files_go_into_the_set_of_the_page_and_are_cut_again_where_they_are(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE), doc_set="pumps")
        events = await say(assistant, "保存", upload(tmp_path, "guide.md", GUIDE))
        assert {info.doc_set for info in assistant.library.documents()} == {"pumps", ""}
        await say(assistant, "Re-index everything with fixed chunks of 100")
        chunkings = {info.doc_set: info.chunking for info in assistant.library.documents()}
        assert {chunking.strategy for chunking in chunkings.values()} == {"fixed"}
        assert [i.name for i in assistant.library.documents(Scope(doc_sets=("pumps",)))] == ["guide.md"]
        record = Record.of((await assistant.history("t"))[-1])
        assert record.plan.every_file
        assert of(events, Replied)


def test_what_is_on_its_way_is_told_in_both_languages() -> None:
    waiting = [(f"{n}.md", None) for n in range(7)]
    assert reply(waiting, True, "en") == (
        "- ⏳ still being processed: 0.md, 1.md, 2.md, 3.md, 4.md and 2 more. "
        "The answer below comes from what is saved by now"
    )
    assert "等 7 个文件" in reply(waiting, True, "zh")
    assert reply(waiting[:1], False, "en").startswith("- ⏳ 1 file is being processed in the background")


class _Forgotten(Library):
    """In which what was in an archive has failed, and is no longer among the tasks."""

    def __init__(self, problem: CitewiseError) -> None:
        self._problem = problem

    def tasks(self) -> list[Task]:
        return []

    async def finished(self, task_ids: Sequence[int], timeout: float | None = None) -> Outcomes:  # noqa: ASYNC109
        return {9: self._problem}


async def test_what_failed_and_is_forgotten_is_told_without_its_name() -> None:
    problem, told = CitewiseError("file", Message(zh="这个文件读不了。", en="This file cannot be read.")), list[Event]()
    watch = TaskWatch(_Forgotten(problem), told.append, [])
    watch.outcomes = {1: None}
    await watch.wait(LONG)
    assert watch.results() == [("?", problem)]
    assert told == [Progress("?", "failed", 1.0, error=problem, done=1, total=1)]
