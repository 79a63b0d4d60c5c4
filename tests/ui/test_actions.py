"""What the buttons of the library page do, with a real library."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from library import Library
from schema import EmbeddingReport, IncomingFile, Message, StoreOutcome
from settings import Settings
from stores.problems import UnusableStoreError
from ui.actions import NOT_KEPT, ActionHandlers, embedding_report
from ui.doc_sets import _refused
from ui.documents import RowKey

REQUEST: Any = SimpleNamespace(headers={"accept-language": "en-US"})


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    async with await Library.open(
        Settings(data_dir=tmp_path / "library", embedding="hashing", ingest_workers=0)
    ) as opened:
        yield opened


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the page says in a corner: there is no page here."""
    said: list[str] = []
    monkeypatch.setattr(gr, "Info", said.append)
    monkeypatch.setattr(gr, "Warning", said.append)
    return said


def keys(*named: tuple[str, str]) -> list[str]:
    return [str(RowKey(*one)) for one in named]


def written(folder: Path, files: dict[str, str | bytes]) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = [folder / name.replace("_", ".") for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


async def uploaded(library: Library, folder: Path, into: str = "", **files: str | bytes) -> None:
    """Hand files over as the page does, sweep them away, and wait until the library is done with them."""
    paths = written(folder, files)
    await ActionHandlers(library).upload([str(path) for path in paths], into, "", 0, 0, "", REQUEST)
    shutil.rmtree(folder)
    await library.finished([task.id for task in library.tasks()])


async def test_uploads_are_stored_in_their_set_also_when_the_page_has_swept_them_away(
    library: Library, tmp_path: Path
) -> None:
    await uploaded(library, tmp_path / "up", " Manuals ", a_md="# A\n\nText.", b_txt="More text.")
    assert {(one.name, one.doc_set) for one in library.documents()} == {("a.md", "Manuals"), ("b.txt", "Manuals")}


async def test_chosen_files_are_cut_again_moved_and_deleted(library: Library, tmp_path: Path, told: list[str]) -> None:
    text = "\n\n".join(f"Paragraph {n} of some length, so that it can be cut." for n in range(40))
    await uploaded(library, tmp_path / "up", a_txt=text, b_txt=text + " Not the same.")
    actions = ActionHandlers(library)
    await actions.rechunk(keys(("", "a.txt")), "fixed", 100, 0, "words", REQUEST)
    await library.finished([task.id for task in library.tasks()])
    await actions.reread(keys(("", "a.txt"), ("", "none.txt")), REQUEST)
    await library.finished([task.id for task in library.tasks()])
    assert told.pop() == NOT_KEPT.en
    chunking = {one.name: one.chunking for one in library.documents()}
    assert (chunking["a.txt"].strategy, chunking["a.txt"].size, chunking["a.txt"].unit) == ("fixed", 100, "words")
    assert chunking["b.txt"].size != 100

    await actions.move(keys(("", "a.txt")), "New set", REQUEST)
    assert library.document("a.txt", "New set") is not None
    await uploaded(library, tmp_path / "up", a_txt="another one")
    await actions.move(keys(("", "a.txt")), "New set", REQUEST)  # there is one of this name
    assert library.document("a.txt") is not None
    assert len(told) == 1

    await actions.delete(None, REQUEST)  # asked back, and not confirmed
    assert len(library.documents()) == 3
    await actions.delete(keys(("", "a.txt"), ("", "b.txt")), REQUEST)
    assert [(one.name, one.doc_set) for one in library.documents()] == [("a.txt", "New set")]


async def test_names_in_a_refusal_are_words_and_never_markup(library: Library, told: list[str]) -> None:
    name = "<a href=evil>b.txt"
    for doc_set in ("", "New set"):
        task = await library.submit([IncomingFile(name, b"Some text.", doc_set=doc_set)])
        await library.finished([one.id for one in task])
    await ActionHandlers(library).move(keys(("", name)), "New set", REQUEST)
    assert len(told) == 1
    assert "&lt;a href=evil&gt;b.txt" in told[0]
    assert "<" not in told[0]
    assert str(_refused(Message(zh=name, en=name), REQUEST).message) == "&lt;a href=evil&gt;b.txt"


async def test_whatever_the_library_refuses_is_a_word_on_the_page(
    library: Library, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    actions, chosen = ActionHandlers(library), keys(("", "a.txt"))
    await library.add("a.txt", b"Some text.")

    def full(*_: object) -> None:
        raise UnusableStoreError(Message(zh="磁盘已满。", en="The disk is full."))

    for change in ("add_tasks", "delete_all", "move", "drop_tasks", "note_tasks"):
        monkeypatch.setattr(library.store, change, full)
    await actions.rechunk(chosen, "fixed", 100, 0, "words", REQUEST)
    await actions.move(chosen, "New set", REQUEST)
    await actions.delete(chosen, REQUEST)
    assert told == ["The disk is full."] * 3
    assert library.document("a.txt") is not None


async def test_what_failed_is_retried_and_can_be_deleted(library: Library, tmp_path: Path, told: list[str]) -> None:
    await uploaded(library, tmp_path / "up", picture_png=b"\x89PNG\r\n\x1a\n" + bytes(99), good_txt="Good.")
    [failed] = library.tasks()
    assert failed.status == "failed"
    actions = ActionHandlers(library)
    await actions.retry(keys(("", "good.txt")), REQUEST)
    assert told == ["None of the chosen files has failed."]
    await actions.retry(keys(("", "picture.png")), REQUEST)
    await library.finished([task.id for task in library.tasks()])
    assert [task.status for task in library.tasks()] == ["failed"]  # it is still a picture
    await actions.delete(keys(("", "picture.png")), REQUEST)
    assert library.tasks() == []


async def test_nothing_chosen_is_said(library: Library, told: list[str]) -> None:
    actions = ActionHandlers(library)
    await actions.rechunk([], "", 0, 0, "", REQUEST)
    await actions.move([], "x", REQUEST)
    await actions.retry([], REQUEST)
    await actions.cancel([], REQUEST)
    await actions.delete([], REQUEST)
    assert told == ["Choose files in the table first."] * 5


async def test_embedding_by_hand_says_what_came_of_it(library: Library, tmp_path: Path) -> None:
    await library.add("a.md", b"# A\n\nSome text.")
    await uploaded(library, tmp_path / "up", picture_png=b"\x89PNG\r\n\x1a\n" + bytes(99))
    shown = [update["value"] async for update in ActionHandlers(library).embed(REQUEST)]
    assert shown[0].startswith("Embedding …")
    assert shown[1].startswith("✅ Every document has its vectors")
    assert "1 file failed: choose them in the table and press Retry." in shown[1]
    chinese: Any = SimpleNamespace(headers={"accept-language": "zh-CN"})
    *_, last = [update["value"] async for update in ActionHandlers(library).embed(chinese)]
    assert last.startswith("✅ 所有文档都已有向量")
    assert "1 个文件处理失败" in last


def test_a_report_of_embedding_in_both_languages() -> None:
    problem = Message(zh="地址没有应答。", en="The address does not answer.")
    told = embedding_report(EmbeddingReport(2, 30, 1, 4, problem), waiting=1, failed=0)
    assert told.zh == (
        "✅ 已为 2 个文档的 30 个切片生成向量。🟡 还有 1 个文档的 4 个切片没有向量，目前只能按关键词找到。"
        "❌ 地址没有应答。⏳ 另有 1 个文件正在处理，完成后自动嵌入。"
    )
    assert told.en == (
        "✅ Embedded: 30 chunks of 2 documents. 🟡 Left: 4 chunks of 1 document without vectors, found by keywords "
        "alone. ❌ The address does not answer. ⏳ 1 file on the way, embedded when read."
    )
    assert "nothing to embed" not in embedding_report(EmbeddingReport(0, 0, 1, 4, problem), 0, 0).en


async def test_all_that_waits_is_cancelled_once_that_is_confirmed(library: Library) -> None:
    actions, files = ActionHandlers(library), [IncomingFile(f"{n}.txt", f"Text {n}.".encode()) for n in range(40)]
    tasks = await library.submit(files)
    await actions.cancel_all(None)
    outcomes = await library.finished([task.id for task in tasks])
    assert all(isinstance(outcome, StoreOutcome) for outcome in outcomes.values())
    tasks = await library.submit([IncomingFile(f"new {one.name}", one.data) for one in files])
    await actions.cancel_all([])
    outcomes = await library.finished([task.id for task in tasks])
    assert library.tasks() == []
    stored = sum(isinstance(outcome, StoreOutcome) for outcome in outcomes.values())
    assert len(library.documents()) == len(files) + stored
