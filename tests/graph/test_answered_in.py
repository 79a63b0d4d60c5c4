"""A turn whose words or control ask for an answer in another language than the question's."""

from __future__ import annotations

from nodes.answer import AS_WRITTEN
from nodes.events import Answered, PlanMade
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
