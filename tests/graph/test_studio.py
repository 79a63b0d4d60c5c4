"""langgraph.json: what it names can be imported, and a bare message through it has a cited answer."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from library import Library
from settings import Settings
from tests.graph.turn_cases import GUIDE, HANDBOOK

ROOT = Path(__file__).parent.parent.parent
QUESTION = {"zh": "年假有几天？", "en": "What does a rattling noise mean?"}
SAID = {"zh": "十五天", "en": "air in the line"}


@pytest.fixture
async def studio(bare_environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """The module that the file names, imported from its path as LangGraph's tools do, and the factory in it."""
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(tmp_path / "library"))
    async with await Library.open(Settings()) as library:
        await library.add("guide.md", GUIDE.encode())
        await library.add("员工手册.md", HANDBOOK.encode())
    entry = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]["citewise"]
    path, _, name = entry.partition(":")
    spec = importlib.util.spec_from_file_location("studio_under_test", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield (await getattr(module, name)({})).compile(checkpointer=InMemorySaver())
    await module.opened.close()


async def test_a_bare_message_has_a_cited_answer(studio: Any, language: str) -> None:
    thread = {"configurable": {"thread_id": "one"}}
    for content in (QUESTION[language], [{"type": "text", "text": QUESTION[language]}]):
        asked = {"messages": [{"role": "user", "content": content}]}
        told = [part async for part in studio.astream(asked, thread, stream_mode="custom")]
        said = "".join(part.get("token", "") for part in told)
        assert SAID[language] in said
        assert "[1]" in said
        assert {"event": "PlanMade"} in told
        reply = (await studio.aget_state(thread)).values["messages"][-1]
        assert reply.content == said
        assert reply.additional_kwargs["record"]["answer"]["statements"][0]["citations"]


@pytest.mark.parametrize(
    "asked",
    [
        {"messages": []},
        {},
        {"messages": [{"role": "system", "content": "Be brief."}]},
        {"messages": [{"role": "user", "content": "  "}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]},
        {"messages": [{"role": "user", "content": "What is it?"}, {"role": "assistant", "content": "A pump."}]},
    ],
    ids=["empty", "no key", "system", "blank", "picture", "answered"],
)
async def test_what_holds_no_question_has_a_remedy_in_both_languages(studio: Any, asked: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"role 为 user(?s:.)*whose role is user"):
        await studio.ainvoke(asked, {"configurable": {"thread_id": "none"}})


async def test_an_offer_waits_and_can_be_declined(studio: Any) -> None:
    thread = {"configurable": {"thread_id": "two"}}
    asked = {"messages": [{"role": "user", "content": "Who painted the ceiling of the opera?"}]}
    waiting = (await studio.ainvoke(asked, thread))["__interrupt__"]
    assert waiting[0].value["action"] == "fetch_web"
    ended = await studio.ainvoke(Command(resume=False), thread)
    assert "__interrupt__" not in ended
    assert ended["agreed"] is False


async def test_it_can_be_drawn_and_described(studio: Any) -> None:
    assert "messages" in studio.get_input_jsonschema()["properties"]
    assert {"route", "retrieve", "answer"} <= set(studio.get_graph().nodes)
