"""The library as nodes and page use it: with a real worker process, a folder, and everything at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchmarks.model_server import Reply, model_server
from errors import CitewiseError, FileError, StoreError
from library import Library
from providers.llm import Chain
from schema import Chunking, IncomingFile, Scope
from settings import Settings

HANDBOOK = "# 员工手册\n\n## 考勤\n\n员工每天九点上班。\n\n## 年假\n\n员工每年有十天年假。\n"
GUIDE = "# Guide\n\n## Start\n\nPress the green button.\n\n## Stop\n\nPull the red lever gently.\n"


def settings_for(folder: Path, **values: str) -> Settings:
    return Settings.from_mapping({"CITEWISE_DATA_DIR": str(folder), **values})


@pytest.fixture(scope="module")
async def library(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Library]:
    async with await Library.open(settings_for(tmp_path_factory.mktemp("library"))) as library:
        yield library


@pytest.fixture(autouse=True)
async def empty(library: Library) -> None:
    await library.cancel([task.id for task in library.tasks()])
    for info in library.documents():
        await library.delete(info.name, info.doc_set)


async def test_from_upload_to_list(library):
    stages: list[tuple[str, float]] = []
    before = library.version
    stored = await library.add("手册.md", HANDBOOK.encode(), progress=lambda *stage: stages.append(stage))
    assert stored.outcome == "added"
    assert [stage for stage, _ in stages] == ["read", "chunk", "embed", "store"]
    assert library.version > before
    assert library.documents() == [stored.document]
    await library.add("guide.md", GUIDE.encode(), chunking=Chunking(strategy="fixed", size=60), doc_set="manuals")
    assert library.names() == ["guide.md", "手册.md"]
    assert library.doc_sets() == ["manuals"]
    assert library.document("手册.md").text == HANDBOOK
    assert library.stats().documents == 2
    assert [info.name for info in library.documents(Scope(doc_sets=("manuals",)))] == ["guide.md"]
    assert (await library.opening(Scope(documents=("手册.md",)), 1))[0].start_line == 1


async def test_versions_rise_with_changes_only(library):
    await library.add("a.md", GUIDE.encode())
    version, generation = library.version, library.generation()
    assert not await library.delete("none.md")
    assert library.version == version
    assert (await library.add("a.md", GUIDE.encode())).outcome == "unchanged"
    assert library.version > version  # a file was on its way
    assert library.generation() == generation
    version = library.version
    assert (await library.rechunk("a.md", Chunking(strategy="fixed", size=50))).outcome == "replaced"
    assert library.version > version
    assert library.generation() > generation
    version = library.version
    assert await library.delete("a.md")
    assert library.version > version
    assert library.names() == []


async def test_one_bad_file_does_not_stop_the_others(library):
    outcomes = await asyncio.gather(
        library.add("good.md", GUIDE.encode()),
        library.add("empty.md", b""),
        library.add("手册.md", HANDBOOK.encode()),
        return_exceptions=True,
    )
    assert [type(outcome).__name__ for outcome in outcomes] == ["StoreOutcome", "FileError", "StoreOutcome"]
    assert isinstance(outcomes[1], FileError)
    assert set(library.names()) == {"good.md", "手册.md"}
    with pytest.raises(CitewiseError):
        await library.rechunk("empty.md", Chunking(size=100))


async def test_many_uploads_at_once(library):
    uploads = [library.add(f"{n}.md", f"# Number {n}\n\nThe word of {n} is secret{n}.\n".encode()) for n in range(12)]
    stored = await asyncio.gather(*uploads)
    assert {outcome.document.name for outcome in stored} == set(library.names()) == {f"{n}.md" for n in range(12)}


async def test_processing_a_set_hurries_and_awaits_that_set_alone(library):
    with library._pool.borrow():  # nothing can be read meanwhile
        tasks = await library.submit([IncomingFile(f"{name}.md", b"# A\n\nText.", doc_set=name) for name in ("a", "b")])
        processing = asyncio.create_task(library.process("a"))
        while len({task.priority for task in library.tasks()}) < 2:  # noqa: ASYNC110  # it has no event for this
            await asyncio.sleep(0)
        assert [task.doc_set for task in library.tasks()] == ["a", "b"]
    assert set(await processing) == {tasks[0].id}
    assert set(await library.finished([task.id for task in tasks])) == {task.id for task in tasks}


async def test_a_cancelled_upload_is_whole_or_absent(library):
    reached: dict[str, asyncio.Event] = {stage: asyncio.Event() for stage in ("read", "chunk", "embed", "store")}
    for stage, event in reached.items():
        name = f"{stage}.md"
        upload = asyncio.create_task(library.add(name, GUIDE.encode() * 50, progress=lambda now, _: reached[now].set()))
        await event.wait()
        upload.cancel()
        with pytest.raises(asyncio.CancelledError):
            await upload
        await library.add("after.md", stage.encode())  # the library works on
        for info in library.documents(Scope(documents=(name,))):
            assert len(await library.opening(Scope(documents=(name,)), 999)) == info.chunks
        for other in reached.values():
            other.clear()


async def test_the_space_follows_what_is_stored(library):
    await library.add("手册.md", HANDBOOK.encode())
    await library.add("guide.md", GUIDE.encode())
    await library.settle()
    assert library.store.space().fitted_on == library.stats().chunks
    question, lever, holiday = await library.embed(["red lever", "Pull the red lever gently.", "员工每年有十天年假。"])
    assert question @ lever > question @ holiday
    assert (library.embed_sync(["red lever"])[0] == question).all()
    hits = await library.opening(Scope(documents=("guide.md",)), 9)
    assert library.vectors([hit.chunk_id for hit in hits]).shape == (len(hits), len(question))


async def test_questions_find_their_lines(library):
    await library.add("手册.md", HANDBOOK.encode())
    await library.add("guide.md", GUIDE.encode(), doc_set="manuals")
    for settled in (False, True):
        for strategy in (None, "keyword", "vector", "hybrid") if settled else (None, "keyword"):
            evidence = await library.search("How do I stop it with the lever?", strategy=strategy)
            assert evidence.hits, (strategy, settled)
            assert "lever" in evidence.hits[0].text
            scoped = await library.search("lever", strategy=strategy, scope=Scope(documents=("手册.md",)))
            assert {hit.document for hit in scoped.hits} <= {"手册.md"}
        evidence = await library.search("年假有几天？", top_k=1)
        assert [hit.document for hit in evidence.hits] == ["手册.md"]
        await library.settle()
    await library.delete("guide.md", "manuals")
    assert not (await library.search("lever")).hits


async def test_a_search_goes_on_while_the_space_is_swapped(library):
    await library.add("guide.md", GUIDE.encode())

    async def swap() -> None:
        for n in range(5):
            await library.add(f"{n}.md", f"# Number {n}\n\nAnother text {n} of a lever.\n".encode())
            await library.settle()

    swapping = asyncio.create_task(swap())
    while not swapping.done():
        evidence = await library.search("red lever", strategy="hybrid")
        assert "red lever" in evidence.hits[0].text
        assert not evidence.notices
    await swapping


async def test_closing_and_opening_again(tmp_path):
    settings = settings_for(tmp_path / "library")
    async with await Library.open(settings) as library:
        stored = await library.add("手册.md", HANDBOOK.encode())
        with pytest.raises(StoreError, match="in use"):
            await Library.open(settings)
        reading = asyncio.Event()
        late = asyncio.create_task(
            library.add("late.md", GUIDE.encode() * 2000, progress=lambda *_: reading.set()),
        )
        await reading.wait()
    with pytest.raises(StoreError, match="being closed"):
        await late
    async with await Library.open(settings) as library:
        await library.process()  # it goes on by itself
        assert library.documents()[-1] == stored.document
        assert set(library.names()) == {"late.md", "手册.md"}
        assert library.tasks() == []
        await library.settle()
        assert (await library.embed(["年假"])).any()


async def test_a_library_that_could_not_be_opened_can_be_tried_again(tmp_path):
    (tmp_path / "incoming").write_bytes(b"in the way")
    for _ in range(2):
        with pytest.raises(StoreError, match="cannot be written"):
            await Library.open(Settings(data_dir=tmp_path))
    (tmp_path / "incoming").unlink()
    async with await Library.open(Settings(data_dir=tmp_path)) as library:
        assert library.documents() == []


async def test_a_new_library_embeds_nothing(tmp_path):
    async with await Library.open(settings_for(tmp_path / "library", CITEWISE_INGEST_WORKERS="0")) as library:
        assert (await library.embed(["x"])).shape == (1, 0)
        assert library.names() == []
        assert library.version == 0


async def test_a_reranker_that_cannot_be_used_is_a_notice_and_the_search_goes_on(make_settings):
    settings = make_settings(RERANKER_NAME_OR_PATH="nobody/has-this-model", CITEWISE_RERANKER="onnx")
    async with await Library.open(settings) as library:
        await library.add("guide.md", GUIDE.encode())
        evidence = await library.search("What does the red lever do?")
        assert "red lever" in evidence.hits[0].text
        assert [step.name for step in evidence.steps] == ["search", "rerank"]
        [notice] = evidence.notices
        assert "nobody/has-this-model" in notice.en or "uv sync --extra local" in notice.en


async def test_a_model_that_imagines_an_answer_is_asked_through_the_library(make_settings):
    passage = "Pull the red lever gently to stop."
    with model_server(lambda _: Reply(passage)) as server:
        settings = make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url)
        chain = Chain(settings)
        async with await Library.open(settings) as library:
            await library.add("guide.md", GUIDE.encode())
            evidence = await library.search("How is the machine halted?", strategy="hyde", model=chain.model())
        await chain.close()
    assert (evidence.strategy, evidence.hypothetical) == ("hyde", passage)
    assert "red lever" in evidence.hits[0].text
    assert len(server.requests) == 1
