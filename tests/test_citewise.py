"""The Python face: with and without asyncio, from threads, inside a running loop, several libraries at once."""

from __future__ import annotations

import asyncio
import inspect
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

import citewise
from benchmarks.model_server import model_server
from graph.management import ProcessReport
from tests.graph.turn_cases import GUIDE, HANDBOOK, PLAN, Script, purposes

ROOT = Path(__file__).parent.parent
NOTHING = ProcessReport([], {})


@pytest.fixture(autouse=True)
def nothing_of_this_machine(monkeypatch, tmp_path) -> None:
    for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "CITEWISE_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CITEWISE_OLLAMA", "false")
    monkeypatch.setenv("CITEWISE_INGEST_WORKERS", "0")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def docs(tmp_path) -> Path:
    folder = tmp_path / "docs"
    (folder / "en").mkdir(parents=True)
    (folder / "员工手册.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "en" / "guide.md").write_text(GUIDE, encoding="utf-8")
    return folder


def test_a_search_says_how_it_was_done(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library", embedding="hashing") as library:
        library.add(docs)
        found = library.search("rattling noise", strategy="hyde", top_k=1)
        assert ([hit.document for hit in found], len(found), found[0].document) == (["en/guide.md"], 1, "en/guide.md")
        assert (found.strategy, found.confidence > 0) == ("rm3", True)
        assert ["RM3" in notice.en for notice in found.notices] == [True]
        assert library.search("rattling noise", strategy="keyword").notices == ()


def test_as_retriever_leaves_it_to_the_settings_how_many(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library", top_k=1) as library:
        library.add(docs)
        assert len(library.as_retriever().invoke("年假 rattling noise")) == 1
        assert len(library.as_retriever(k=2).invoke("年假 rattling noise")) == 2


def test_add_ask_search_list_delete(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library") as library:
        added = library.add(docs, doc_set="handbook")
        assert [stored.outcome for stored in added.stored] == ["added", "added"]
        assert (added.failed, added.skipped) == ({}, [])
        assert {info.name for info in library.list()} == {"员工手册.md", "en/guide.md"}
        assert library.doc_sets() == ["handbook"]

        answer = library.ask("年假有几天？")
        assert "十五天" in str(answer)
        citation = answer.statements[0].citations[0]
        assert citation.support.supported
        assert answer.sources[citation.source].document == "员工手册.md"
        assert answer.verdict.support > 0.5
        assert answer.plan.actions == ("retrieve",)
        assert answer.fallback_used

        hit, *_ = library.search("rattling noise", top_k=2)
        assert (hit.document, hit.metadata["docset_name"]) == ("en/guide.md", "handbook")
        assert [stored.outcome for stored in library.add(docs, doc_set="handbook").stored] == ["unchanged"] * 2
        assert (library.stats().documents, library.delete("en/guide.md"), library.delete("en/guide.md")) == (2, 1, 0)
        assert [info.name for info in library.list("handbook")] == ["员工手册.md"]
    with citewise.open(tmp_path / "library") as library:
        assert library.stats().documents == 1


async def test_the_same_with_asyncio(docs, tmp_path) -> None:
    async with citewise.aopen(tmp_path / "library") as library:
        await library.add(docs / "en" / "guide.md")
        await library.add_content("rules.md", "# Rules\n\nNo smoking in the archive.\n", doc_set="house")
        await library.add_content("规定.txt", "档案室内禁止饮食。".encode("gb18030"), doc_set="house")
        answer = await library.ask("How long do I wait after priming the pump?")
        assert "ninety seconds" in answer.text.replace("**", "")
        assert (await library.search("档案室", doc_sets="house"))[0].document == "规定.txt"
        assert {hit.document for hit in await library.search("archive pump", documents=["rules.md"])} == {"rules.md"}
        tokens = [event.text async for event in library.stream("pump noise?") if isinstance(event, citewise.Token)]
        assert "rattling" in "".join(tokens)


def test_sets_chunks_and_files_are_managed(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library") as library:
        library.add(docs)
        library.add_doc_set("house")
        assert library.move(["员工手册.md", "en/guide.md"], "house") == 2
        library.rename_doc_set("house", "home")
        assert {info.name: info.documents for info in library.doc_set_infos()} == {"home": 2}
        cut = citewise.Chunking(strategy="fixed", size=50, overlap=0)
        decided, chunks = library.preview("员工手册.md", cut)
        assert (decided.size, len(chunks) > 1) == (50, True)
        assert [one.outcome for one in library.rechunk("员工手册.md", cut).stored] == ["replaced"]
        assert [hit.text for hit in library.chunks("员工手册.md", first=1, k=1)] == [chunks[1].text]
        assert (library.process(), library.retry(), library.cancel(), library.tasks()) == (NOTHING, NOTHING, 0, [])
        for wrong in (
            lambda: library.add_doc_set("home"),
            lambda: library.rename_doc_set("nowhere", "x"),
            lambda: library.delete_doc_set("nowhere"),
            lambda: library.move("nowhere.md", "home"),
            lambda: library.chunks("员工手册.md", doc_set="nowhere"),
            lambda: library.retry("员工手册.md"),
            lambda: library.process("nowhere"),
        ):
            with pytest.raises(citewise.CitewiseError):
                wrong()
        assert library.add_to_glossary(("Polaris", "北极星"), ("青鸟", "Blue Bird")) == 2
        assert [pair.english for pair in library.glossary()] == ["Polaris", "Blue Bird"]
        assert library.remove_from_glossary(("北极星", "Polaris")) == 1
        (tmp_path / "terms.csv").write_text("北极星,North Star\n", encoding="utf-8")
        assert library.import_glossary(tmp_path / "terms.csv") == 1
        with pytest.raises(citewise.CitewiseError, match="no pair of terms"):
            library.import_glossary(docs / "en" / "guide.md")
        assert library.delete_doc_set("home") == 2
        assert library.stats().documents == 0


async def test_who_stops_waiting_stops_the_work(docs, tmp_path) -> None:
    async with citewise.aopen(tmp_path / "library") as library:
        with library.library._pool.borrow():  # nothing can be read meanwhile
            adding = asyncio.create_task(library.add(docs))
            while len(library.library.tasks()) < 2:  # noqa: ASYNC110  # it has no event for this
                await asyncio.sleep(0)
            adding.cancel()
            while library.library.tasks():  # noqa: ASYNC110
                await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert await library.list() == []


async def test_inside_a_running_loop_as_in_a_notebook(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library") as library:
        library.add(docs)
        assert "十五天" in library.ask("年假有几天？").text
        assert asyncio.get_running_loop().is_running()


def test_threads_and_two_libraries_at_once(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "a") as chinese, citewise.open(tmp_path / "b") as english:
        chinese.add(docs / "员工手册.md")
        english.add(docs / "en")
        jobs = [partial(chinese.ask, "年假有几天？"), partial(english.ask, "How long do I wait for the pump?")] * 3
        with ThreadPoolExecutor(6) as threads:
            texts = [answer.text for answer in threads.map(lambda job: job(), jobs)]
        assert all("十五天" in text for text in texts[::2])
        assert all("ninety" in text for text in texts[1::2])
        assert [info.name for info in english.list()] == ["guide.md"]


def test_only_where_the_metadata_say_so(tmp_path) -> None:
    with citewise.open(tmp_path / "library") as library:
        for name, author, days in (("a.md", "Li", "fifteen"), ("b.md", "Wu", "twenty")):
            library.add_content(name, f"---\nauthor: {author}\n---\nThe annual leave is {days} days.\n")
        how = {"kinds": "markdown", "where": {"author": "Wu"}}
        assert "twenty" in str(library.ask("How long is the annual leave?", **how))
        assert [hit.document for hit in library.search("annual leave", **how)] == ["b.md"]
        for wrong in ({"kinds": "films"}, {"where": {"author": "Xu"}}):
            with pytest.raises(citewise.CitewiseError, match=r"films|Xu"):
                library.search("annual leave", **wrong)


def test_only_of_documents_that_are_about_it(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library") as library:
        library.add(docs)
        found = library.ask("?", where={"topics": "Noise"})
        assert {hit.document for hit in found.sources} <= {"en/guide.md"}
        about = library.structured("en/guide.md")
        assert about
        assert (about.title, "Noise" in about.topics) == ("Pump guide", True)
        with pytest.raises(citewise.CitewiseError, match="keywords=films"):
            library.ask("?", where={"keywords": "films"})


def test_a_stream_may_be_left(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library") as library:
        library.add(docs)
        events = library.stream("年假有几天？", doc_sets=[])
        assert isinstance(next(events), citewise.TurnBegun)
        assert isinstance(next(events), citewise.PlanMade)
        events.close()
        kinds = [type(event) for event in library.stream("年假有几天？")]
        assert kinds[:2] == [citewise.TurnBegun, citewise.PlanMade]
        assert {citewise.Token, citewise.Answered, citewise.Evaluated} <= set(kinds)


def test_a_conversation_goes_on_until_it_is_forgotten(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library") as library:
        library.add(docs)
        library.ask("年假有几天？", conversation="c")
        assert "两周" in library.ask("那要提前多久申请？", conversation="c").text
        library.ask("年假有几天？")
    assert kept(tmp_path / "library") == {"c"}
    with citewise.open(tmp_path / "library") as library:
        library.forget("c")
    assert kept(tmp_path / "library") == set()


def kept(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / "conversations.sqlite")) as connection:
        return {thread for (thread,) in connection.execute("select distinct thread_id from checkpoints")}


def test_with_a_model_and_without_its_judgement(docs, tmp_path) -> None:
    script = Script(plan=PLAN, answer="Wait for ninety seconds [1].")
    with model_server(script) as server:
        settings = {"llm_model": "m", "llm_base_url": server.base_url, "strategy": "keyword"}
        with citewise.open(tmp_path / "library", **settings) as library:
            library.add(docs / "en" / "guide.md")
            answer = library.ask("How long do I wait?", evaluate=False)
            assert answer.text == "Wait for ninety seconds [1]."
            assert (answer.verdict.judged_by, answer.verdict.support > 0.5) == (None, True)
            assert "judge" not in purposes(server)
            assert library.ask("How long must the pump wait?").verdict.faithfulness == 5
            assert "judge" in purposes(server)


def test_settings_come_from_the_environment_and_keywords_win(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(tmp_path / "from environment"))
    monkeypatch.setenv("CITEWISE_TOP_K", "7")
    with citewise.open() as library:
        assert (library.settings.top_k, library.settings.data_dir.name) == (7, "from environment")
    with citewise.open(tmp_path / "here", top_k=3) as library:
        assert (library.settings.top_k, library.settings.data_dir.name) == (3, "here")


def test_errors_are_what_a_person_can_act_on(docs, tmp_path) -> None:
    for wrong in ({"topk": 3}, {"top_k": 0}):
        with pytest.raises(citewise.CitewiseError) as caught:
            citewise.open(tmp_path / "library", **wrong)
        assert caught.value.kind == "settings"
        assert next(iter(wrong)) in caught.value.message.en
    (tmp_path / "empty.md").write_text(" \n")
    with citewise.open(tmp_path / "library") as library:
        with pytest.raises(citewise.CitewiseError, match="nowhere"):
            library.add(tmp_path / "nowhere")
        with pytest.raises(citewise.CitewiseError) as caught:
            library.add(tmp_path / "empty.md")
        assert caught.value.kind == "file"
        added = library.add(tmp_path / "empty.md", docs)
        assert list(added.failed) == ["empty.md"]
        assert len(added.stored) == 2
        for where in ({"doc_sets": ["HR"]}, {"documents": "HR"}):
            with pytest.raises(citewise.CitewiseError, match="HR") as caught:
                library.ask("?", **where)
            assert caught.value.kind == "not_found"
        with pytest.raises(citewise.CitewiseError, match="strategy"):
            library.search("年假", strategy="best")
        with pytest.raises(citewise.CitewiseError, match="20000"):
            library.ask("x" * 20_001)
        assert library.ask("你好").sources == ()
    with pytest.raises(citewise.CitewiseError, match="not open"):
        library.ask("年假有几天？")


# --- for LangChain -----------------------------------------------------------------------------------------------


def test_for_langchain(docs, tmp_path) -> None:
    with citewise.open(tmp_path / "library", embedding="hashing") as library:  # no space that is fitted meanwhile
        store = library.as_vector_store()
        assert store.similarity_search("anything") == []
        assert store.add_texts(["年假十五天。", "The belt rattles."], [{"by": "HR"}, {}], ids=["leave", "belt"]) == [
            "leave",
            "belt",
        ]
        library.add(docs, doc_set="handbook")
        assert store.similarity_search("年假", filter={"by": "HR"})[0].metadata == {"by": "HR"}
        assert {info.name for info in library.list()} == {"leave", "belt", "员工手册.md", "en/guide.md"}
        retriever = library.as_retriever(strategy="hybrid", k=3)
        found = retriever.invoke("rattling noise of the belt")
        assert {"belt"} < {document.id for document in found}
        assert any(document.metadata["docset_name"] == "handbook" for document in found)
        assert asyncio.run(retriever.ainvoke("rattling noise of the belt")) == found
        inside = library.as_vector_store(doc_set="handbook")
        assert inside.similarity_search("rattling noise", k=1)[0].metadata["document_name"] == "en/guide.md"
    with pytest.raises(citewise.CitewiseError, match="not open"):
        retriever.invoke("年假")


async def test_for_langchain_with_asyncio(tmp_path) -> None:
    async with citewise.aopen(tmp_path / "library", embedding="hashing") as library:
        store = library.as_vector_store()
        await store.aadd_texts(["年假十五天。"], ids=["leave"])
        retriever = library.as_retriever()
        [document] = await retriever.ainvoke("年假有几天？")
        assert document.id == "leave"
        assert await asyncio.to_thread(retriever.invoke, "年假有几天？") == [document]
        with pytest.raises(citewise.CitewiseError, match="running event loop"):
            retriever.invoke("年假有几天？")


def test_the_two_faces_are_the_same() -> None:
    for name, method in inspect.getmembers(citewise.AsyncCitewise, inspect.isfunction):
        if not name.startswith("_") and name != "start":
            twin = getattr(citewise.Citewise, name)
            assert twin.__doc__ == method.__doc__
            if name != "close":
                assert inspect.signature(twin) == inspect.signature(method)


def test_a_script_that_closes_nothing_ends(docs, tmp_path) -> None:
    script = (
        "import citewise\n"
        f"library = citewise.open({str(tmp_path / 'library')!r})\n"
        f"library.add({str(docs)!r})\n"
        "print(library.ask('年假有几天？'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=250, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "十五天" in done.stdout


def test_to_import_it_loads_neither_the_library_nor_the_graph() -> None:
    """Scripts, and the first word of the terminal, wait for what is imported."""
    heavy = "{'langgraph', 'library', 'faiss', 'gradio'}"
    script = f"import sys, citewise; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
