"""Turns whose question found nothing are noted, others are not; a door hands the list out, the System tab shows it."""

from __future__ import annotations

import csv
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from turn_cases import GUIDE, HANDBOOK, assistant_of, say

import citewise
from doors.unanswered import unanswered_door
from graph.conversations import thread_of
from stores.unanswered import UNANSWERED, UnansweredQuestion, UnansweredStore
from ui.system import system_value

MOON = {"zh": "月球车的电池电压是多少？", "en": "Which battery voltage does the moon rover need?"}
LEAVE = {"zh": "员工每年有几天年假？", "en": "How long do I wait after priming the pump?"}


async def test_a_question_that_the_library_does_not_cover_is_noted(make_settings: Any, language: Any) -> None:
    async with assistant_of(make_settings(CITEWISE_WEB="never")) as assistant:
        await assistant.library.add("a.md", f"{GUIDE}\n{HANDBOOK}".encode(), doc_set="x")
        thread = thread_of("anna", "t")
        for question in ("hello", LEAVE[language]):
            await say(assistant, question, thread=thread)
        assert assistant.unanswered.count() == 0
        await say(assistant, MOON[language], thread=thread, scope={"doc_sets": ["x"]})
        [found] = assistant.unanswered.last("anna")
        assert (found.question, found.language, found.doc_sets) == (MOON[language], language, ("x",))
        assert found.reason in ("nothing", "not_covered")
        assert 0 <= found.score < 0.5
        await say(assistant, MOON[language], thread="once-1")
        await assistant.forget("once-1")  # as programs end: what they asked stays
        await say(assistant, MOON[language], thread="compare-1")
        assert (assistant.unanswered.count(), assistant.unanswered.count("")) == (2, 1)

        shown = (await system_value(assistant, language, "anna"))["unanswered"]
        assert [row["question"] for row in shown["rows"]] == [MOON[language]]
        assert shown["rows"][0]["cells"][-1] == "x"
        assert len((await system_value(assistant, language))["unanswered"]["rows"]) == 2
        await assistant.forget(thread)
        assert assistant.unanswered.count("anna") == 0


async def test_an_answer_below_the_minimum_of_confidence_is_noted(make_settings: Any, language: Any) -> None:
    async with assistant_of(make_settings(CITEWISE_MIN_CONFIDENCE="1", CITEWISE_WEB="never")) as assistant:
        await assistant.library.add("a.md", f"{GUIDE}\n{HANDBOOK}".encode())
        await say(assistant, LEAVE[language].rstrip("?？") + {"zh": "，怎么报销？", "en": ", and why?"}[language])
        assert [one.reason for one in assistant.unanswered.last()] in (["unsure"], ["not_covered"])


@pytest.mark.parametrize(("user", "asked"), [("", ["q", "p"]), ("anna", ["p"])])
def test_the_door_gives_a_user_their_own(tmp_path: Any, user: str, asked: list[str]) -> None:
    store = UnansweredStore.in_file(tmp_path / UNANSWERED)
    store.put("anna", "", UnansweredQuestion("p", "nothing", 0.0, "en"))
    store.put("", "", UnansweredQuestion("q", "nothing", 0.0, "en"))
    site = FastAPI()
    assistant: Any = SimpleNamespace(unanswered=store)
    site.include_router(unanswered_door(assistant))

    async def logged_in(scope: Any, receive: Any, send: Any) -> None:
        await site({**scope, "user": user} if user else scope, receive, send)

    client = TestClient(logged_in)
    rows = list(csv.reader(client.get("/unanswered.csv").content.decode("utf-8-sig").splitlines()))
    assert [row[1] for row in rows[1:]] == asked
    assert len(client.get("/unanswered.jsonl").text.splitlines()) == len(asked)
    store.close()


def test_python_lists_and_clears_it(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "CITEWISE_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CITEWISE_OLLAMA", "false")
    monkeypatch.setenv("CITEWISE_INGEST_WORKERS", "0")
    monkeypatch.chdir(tmp_path)
    with citewise.open(tmp_path / "library", web="never", embedding="hashing") as library:
        library.add_content("guide.md", GUIDE)
        library.ask(MOON["en"])
        assert [one.question for one in library.unanswered()] == [MOON["en"]]
        assert (library.clear_unanswered(), library.unanswered()) == (1, [])
