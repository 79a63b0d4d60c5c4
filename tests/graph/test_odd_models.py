"""Models that say nothing, or do not come to an end."""

from __future__ import annotations

import pytest

from benchmarks.model_server import STALL, Reply, model_server, wanted_form
from graph.request import Request
from graph.turns import Assistant
from nodes import answer as node
from nodes.events import Answered, Evaluated, Reset, Token
from schema import Language
from tests.graph.turn_cases import assistant_of, of, say


async def ask(make_settings, text: str, question: str = "When do I prime the pump?", **how) -> list:
    with model_server(lambda request: Reply(status=400) if wanted_form(request) else Reply(text, **how)) as server:
        settings = make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url)
        assistant = await Assistant.open(settings)
        try:
            await assistant.library.add("guide.md", b"# Guide\n\nPrime the pump before the first start.\n")
            await assistant.library.add("水泵.md", "# 水泵\n\n首次启动前先给水泵灌水。\n".encode())
            return [event async for event in assistant.run_turn(Request("t", question))]
        finally:
            await assistant.close()


@pytest.mark.parametrize("silence", ["", " \n "])
async def test_silence_is_not_signed_by_the_model(make_settings, silence: str) -> None:
    events = await ask(make_settings, silence)
    answer = next(event.answer for event in events if isinstance(event, Answered))
    assert (answer.answered_by, answer.fallback_used) == ("extractive", True)
    assert "before the first start" in answer.text
    assert any("said nothing" in notice.en for notice in answer.notices)
    after_reset = events[[isinstance(event, Reset) for event in events].index(True) :]
    assert "".join(event.text for event in after_reset if isinstance(event, Token)) == answer.text


async def test_an_answer_without_end_is_cut_and_says_so(make_settings, monkeypatch) -> None:
    monkeypatch.setattr(node, "LONGEST", 100)
    events = await ask(make_settings, " ".join(f"Prime pump {n} before the first start [1]." for n in range(50)))
    answer = next(event.answer for event in events if isinstance(event, Answered))
    assert 80 < len(answer.text.replace("⚠", "").removesuffix(" …")) <= 100  # these marks are ours
    assert answer.text.endswith(" …")
    assert node.TOO_LONG in answer.notices
    assert (answer.answered_by, answer.cut_short) == ("m", True)


SOUND = {"en": "Prime the pump before the first start [1].", "zh": "首次启动前先给水泵灌水[1]。"}
ASKED = {"en": "When do I prime the pump?", "zh": "什么时候给水泵灌水？"}
CIRCLES = {"en": " The city is a river." * 400, "zh": "的一是了" * 2000}


async def test_circles_are_cut_away_from_an_answer_that_holds(make_settings, language: Language) -> None:
    events = await ask(make_settings, SOUND[language] + CIRCLES[language], ASKED[language], piece=40)
    answer = next(event.answer for event in events if isinstance(event, Answered))
    assert answer.text.startswith(SOUND[language])
    assert answer.text.endswith({"en": " …", "zh": "……"}[language])
    assert len(answer.text) < 200
    assert (answer.answered_by, answer.cut_short) == ("m", True)
    said = {
        "en": "said the same words over and over. The answer breaks off here",
        "zh": "一再重复同样的话。回答在此中断",
    }
    assert [said[language] in notice.to(language) for notice in answer.notices] == [True]
    assert "".join(event.text for event in events if isinstance(event, Token)) == answer.text


async def test_circles_alone_are_no_answer(make_settings, language: Language) -> None:
    events = await ask(make_settings, CIRCLES[language], ASKED[language], piece=40)
    answer = next(event.answer for event in events if isinstance(event, Answered))
    assert (answer.answered_by, answer.cut_short) == ("extractive", False)
    assert {"en": "before the first start", "zh": "首次启动前"}[language] in answer.text
    assert any("over and over" in notice.en for notice in answer.notices)
    assert [event.reason.zh for event in events if isinstance(event, Reset)] == [answer.notices[0].zh]


GARBLED = {"en": "The city is a river of music.", "zh": "城市的河里有音乐。"}


async def test_beneath_an_answer_without_a_source_stands_what_the_sources_say(
    make_settings, language: Language
) -> None:
    events = await ask(make_settings, GARBLED[language], ASKED[language])
    answer = next(event.answer for event in events if isinstance(event, Answered))
    model, lead, sources = answer.text.split("\n\n", 2)
    assert model == f"{GARBLED[language]}⚠"
    assert lead == node.THEY_SAY.to(language)
    assert {"en": "before the first start", "zh": "首次启动前"}[language] in sources
    assert [one.supported for one in answer.statements] == [False, True]
    assert (answer.answered_by, answer.confidence) == ("m", 0)
    assert "".join(event.text for event in events if isinstance(event, Token)) == answer.text


@pytest.mark.parametrize(("said", "beneath"), [
    ("Yes.", True), ("city the river:", True), ("The sources do not say when to prime the pump.", False),
    ("Prime the pump before the first start [1]. The city is a river of music.", False),
])  # fmt: skip
async def test_only_an_answer_that_rests_on_nothing_is_followed_by_the_sources(make_settings, said, beneath) -> None:
    events = await ask(make_settings, said)
    answer = next(event.answer for event in events if isinstance(event, Answered))
    assert (node.THEY_SAY.en in answer.text, bool(answer.quoted)) == (beneath, beneath)
    verdict = [event.verdict for event in events if isinstance(event, Evaluated)][-1]
    assert not (beneath and verdict.support)


async def test_a_server_that_is_stuck_keeps_no_question_waiting(make_settings, language: Language) -> None:
    """One with a single thread may go on writing for a reader who has left, and answers nobody meanwhile."""
    stuck = []

    def script(request: dict) -> Reply:
        if stuck:
            return Reply(first_delay=STALL)
        if wanted_form(request):
            return Reply(status=400)
        stuck.append(request)
        return Reply(SOUND[language], stall_after=1)

    with model_server(script) as server:
        settings = make_settings(
            CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url, CITEWISE_LLM_TIMEOUT="0.3"
        )
        async with assistant_of(settings) as assistant:
            await assistant.library.add("guide.md", b"# Guide\n\nPrime the pump before the first start.\n")
            await assistant.library.add("水泵.md", "# 水泵\n\n首次启动前先给水泵灌水。\n".encode())
            asked = []
            for _ in range(4):
                (answered,) = of(await say(assistant, ASKED[language]), Answered)
                assert answered.answer.answered_by == "extractive"
                assert {"en": "before the first start", "zh": "首次启动前"}[language] in answered.answer.text
                asked.append(len(server.requests))
            assert assistant.chain.health()[0].state == "open"
    assert asked[-1] == asked[-2]  # it rests: nobody waits for it
