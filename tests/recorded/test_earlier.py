"""Files of an earlier version open: conversations, answers with their citations, documents, sets, thumbs, a backup.

How renamed modules are bridged. A checkpoint names classes by module and name, in LangGraph's msgpack. Of ours it names
one: `schema.answers.Plan` (what stands in it is plain). Messages are LangChain's; an answer with its citations and its
evaluation is plain JSON in its message, which `Record` validates; an offer that waits is LangGraph's `Interrupt` around
plain JSON. Where the module cannot be imported, or is not among the types that `graph/conversations.py` allows,
LangGraph gives a mapping in place of the class and raises nothing. So whoever renames `schema/answers.py` or `Plan`
leaves the former name importable and allowed (`FORMER_MODULES` of `graph/checkpoints.py`); or rewrites the name in
the stored checkpoints, where `bring_up_to_date` of `graph/titles.py` already brings conversations up to date.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from schema import Plan, Scope
from tests.graph.turn_cases import GUIDE, HANDBOOK
from tests.recorded.normal import events_of
from tests.recorded.product import opened, request_of, run_turn, settings_of, stored_turns
from tests.recorded.scenes import ASKED

HERE = Path(__file__).parent / "earlier"
NAMES = sorted(path.stem for path in HERE.glob("*.zip"))
ROOT = Path(__file__).parents[2]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def library_of(name: str, folder: Path) -> AsyncIterator[Any]:
    with tarfile.open(HERE / f"{name}.tar.gz") as packed:
        packed.extractall(folder, filter="data")
    async with opened(settings_of(folder / "library", CITEWISE_ANSWER_CACHE_DAYS="36500")) as assistant:
        yield assistant


@asynccontextmanager
async def restored(name: str, folder: Path) -> AsyncIterator[Any]:
    command = [sys.executable, "cli.py", "restore", str(HERE / f"{name}.zip"), "--folder", str(folder), "--yes"]
    await asyncio.to_thread(subprocess.run, command, cwd=ROOT, check=True, capture_output=True)
    async with opened(settings_of(folder)) as assistant:
        yield assistant


both = pytest.mark.parametrize("how", [library_of, restored])


@both
async def test_everything_in_an_earlier_library_is_found(name: str, how: Any, tmp_path: Path) -> None:
    async with how(name, tmp_path) as assistant:
        library = assistant.library
        held = {(info.name, info.doc_set): info for info in library.documents()}
        assert library.document("员工手册.md", "规章").text == HANDBOOK
        assert library.document("guide.md").text == GUIDE
        assert {doc_set for _, doc_set in held} == {"", "规章", "news"}
        assert all(info.chunks and not info.missing for info in held.values())
        [source] = library.store.sources()
        assert (source.doc_set, source.pages) == ("news", 1)
        assert assistant.feedback.counts() == (2, 0)
        for strategy in ("keyword", "vector"):
            hits = (await library.search("年假有几天", strategy=strategy)).hits
            assert (hits[0].document, hits[0].doc_set) == ("员工手册.md", "规章")
        assert (await library.search("rattling noise", scope=Scope(doc_sets=("规章",)))).hits == ()


@both
async def test_old_conversations_are_listed_and_shown(name: str, how: Any, tmp_path: Path) -> None:
    async with how(name, tmp_path) as assistant:
        titles = {one.name: one.title for one in await assistant.conversations()}
        assert set(titles) == {"zh", "en", "offered"}
        assert [one.name for one in await assistant.conversations(find="年假")] == ["zh"]
        for thread, text, document in (("zh", HANDBOOK, "员工手册.md"), ("en", GUIDE, "guide.md")):
            saved, asked = await stored_turns(assistant, thread)
            assert (saved.files, asked.question) == ((document,), ASKED[thread][0])
            answer, verdict = asked.record.answer, asked.record.verdict
            assert (answer.text, answer.answered_by) == (asked.reply, "m")
            [statement] = answer.statements
            [citation] = statement.citations
            assert answer.sources[citation.source].document == document
            assert citation.quote == text[citation.start : citation.end]
            assert (statement.supported, verdict.faithfulness, verdict.judged_by) == (True, 5, "m")
            assert asked.record.trace.considered[0].document == document
            assert assistant.feedback.of(thread)[asked.id].value == 1


@both
async def test_old_conversations_go_on(name: str, how: Any, tmp_path: Path) -> None:
    async with how(name, tmp_path) as assistant:
        assert (await assistant.offer("offered")).question == ASKED["en"][3]
        assert await run_turn(assistant, request_of("offered", "", agree=False)) == []
        assert await assistant.offer("offered") is None
        for thread, document in (("zh", "员工手册.md"), ("en", "guide.md")):
            events = events_of(await run_turn(assistant, request_of(thread, ASKED[thread][1])), {})
            [answer] = [event["answer"] for event in events if event["event"] == "Answered"]
            assert answer["sources"][0]["document"] == document
            assert len(await stored_turns(assistant, thread)) == 3


async def test_the_plan_in_an_old_checkpoint_is_still_a_plan(name: str, tmp_path: Path) -> None:
    """Were its class not found under its old name, LangGraph would give a mapping, or nothing, and no error."""
    async with library_of(name, tmp_path) as assistant:
        saver = assistant._conversations._saver
        for thread in ("zh", "en", "offered"):
            held = await saver.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
            plan = held.checkpoint["channel_values"]["plan"]
            assert isinstance(plan, Plan)
            assert plan.question == ASKED["en" if thread == "offered" else thread][3 if thread == "offered" else 0]


def test_a_class_whose_module_is_gone_comes_back_as_a_mapping() -> None:
    """Why the old name has to stay known."""
    serde = JsonPlusSerializer(allowed_msgpack_modules=[(Plan.__module__, "Plan")])
    kind, stored = serde.dumps_typed({"plan": Plan(question="Why?")})
    assert isinstance(serde.loads_typed((kind, stored))["plan"], Plan)
    name = Plan.__module__.encode()
    gone = serde.loads_typed((kind, stored.replace(name, b"schema.gone"[: len(name)].ljust(len(name), b"_"))))
    assert (type(gone["plan"]), gone["plan"]["question"]) == (dict, "Why?")


async def test_what_is_kept_beside_a_library_opens(name: str, tmp_path: Path) -> None:
    async with library_of(name, tmp_path) as assistant:
        sizes = {kind: size.entries for kind, size in assistant.caches.sizes().items()}
        assert sizes["answers"] >= 2
        assert sizes["pages"] >= 1
        assert assistant.unanswered.count() >= 1
