"""A turn whose words or control ask for an answer in another language than the question's."""

from __future__ import annotations

import re

from answering.confidence import UNCERTAIN
from nodes.answer import AS_WRITTEN, SILENT
from nodes.events import Answered, PlanMade
from nodes.retrieve import NEAREST, NO_MATCH, OPENING, OTHER_LANGUAGE
from tests.graph.turn_cases import GUIDE, HANDBOOK, Script, assistant_of, of, purpose, say, talking

ASKED = "年假须提前多久申请？"


async def test_the_words_are_cut_from_the_question_and_change_nothing_else(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("手册.md", HANDBOOK.encode())
        [plain] = of(await say(assistant, ASKED, thread="plain"), Answered)
        events = await say(assistant, f"{ASKED}请用英文回答", thread="asked")
    [planned], [answered] = of(events, PlanMade), of(events, Answered)
    assert (planned.plan.question, planned.plan.answer_language) == (ASKED, "en")
    assert answered.answer.text == plain.answer.text
    assert abs(answered.answer.confidence - plain.answer.confidence) < 1e-6
    assert answered.answer.language == "en"
    assert AS_WRITTEN in answered.answer.notices
    assert AS_WRITTEN not in plain.answer.notices


async def test_alone_the_words_ask_the_last_question_again(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("手册.md", HANDBOOK.encode())
        await say(assistant, ASKED)
        [planned] = of(await say(assistant, "In English please"), PlanMade)
    assert (planned.plan.question, planned.plan.answer_language) == (ASKED, "en")


async def test_a_control_beats_the_words(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        message = "How long is the wait? Answer in English."
        [answered] = of(await say(assistant, message, overrides={"language": "Chinese"}), Answered)
    assert answered.answer.language == "zh"


async def test_a_model_is_told_the_language_and_asked_the_bare_question(make_settings) -> None:
    script = Script(answer="泵须先注水再等九十秒 [1]。")
    async with talking(make_settings, script) as (assistant, server):
        await say(assistant, "How long is the wait before the first start? Answer in Chinese.")
    [asked] = [one for one in server.requests if purpose(one) == "answer"]
    system, user = (str(one["content"]) for one in (asked["messages"][0], asked["messages"][-1]))
    assert "中文" in system
    assert "How long is the wait before the first start?" in user
    assert all("Answer in Chinese" not in str(one) for one in server.requests)


async def test_of_two_passages_that_say_the_same_the_one_in_the_asked_language_is_quoted(make_settings) -> None:
    question = "CW-20 750 pump power 功率？"
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("pump.md", b"# CW-20\n\nThe CW-20 needs 750 watts of power.\n")
        await assistant.library.add("泵.md", "# CW-20\n\nCW-20 的功率是 750 瓦。\n".encode())
        for words, said in (("请用英文回答", "watts"), (" Answer in Chinese", "功率是")):
            [answered] = of(await say(assistant, f"{question}{words}", thread=f"t{words}"), Answered)
            assert said in answered.answer.text.split("[")[0]
            assert AS_WRITTEN not in answered.answer.notices


def test_a_notice_says_the_same_above_and_below_the_answer() -> None:
    for notice in (AS_WRITTEN, UNCERTAIN, SILENT, OPENING, OTHER_LANGUAGE, NO_MATCH, NEAREST):
        assert not re.search("以[上下]|此前|[上下]面|下列", notice.zh)
        assert not re.search(r"\b(?:above|below|following)\b", notice.en)
