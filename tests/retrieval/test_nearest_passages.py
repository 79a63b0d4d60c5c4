"""Where no word of a question is said in the file that it names, its passages are told apart by meaning."""

import pytest

from answering.closest import nearest_sentences
from nodes.events import Answered
from nodes.retrieve import NEAREST, OTHER_LANGUAGE
from schema import Hit, Scope
from tests.graph.turn_cases import assistant_of, of, say

LETTER = """Dear parents,

Travel
The coach leaves the car park at half past eight on Monday.

What to bring
Clothes that may be ruined, a waterproof coat, a torch and a sleeping bag.

Medicines
Any medicine, even travel tablets, must be handed to Mrs Khan on the day.
"""
RULES = """一、开放时间
游泳池每天早上六点半开门，晚上十点关门。

二、储物柜
贵重物品请存放在前台的保险箱里。
"""


def in_hits(text):
    return [Hit(1, "letter.txt", "", text, 0, len(text), 1, text.count("\n") + 1)]


def test_a_title_stands_over_the_sentence_below_it():
    listed = nearest_sentences("要带什么东西？", in_hits(LETTER)).splitlines()
    assert listed[0] == (
        "- **What to bring**: Clothes that may be ruined, a waterproof coat, a torch and a sleeping bag [1]."
    )


@pytest.mark.parametrize("question", ["who won the world cup in 1998", "恐龙什么时候灭绝的", ""])
def test_what_is_about_something_else_lists_nothing(question):
    assert nearest_sentences(question, in_hits(LETTER)) == ""


def test_of_no_hits_nothing_is_listed():
    assert nearest_sentences("那封信说要带什么？", []) == ""


@pytest.mark.parametrize(
    ("name", "text", "question", "says", "notice"),
    [
        ("letter.txt", LETTER, "letter.txt 里，要带什么东西？", "torch", NEAREST),
        ("letter.txt", LETTER, "letter.txt 里，晕车药交给谁？", "Mrs Khan", NEAREST),
        ("letter.txt", LETTER, "letter.txt 里说区块链是什么？", "Dear parents", OTHER_LANGUAGE),
        ("rules.txt", RULES, "rules.txt: who won the 1998 world cup?", "游泳池", OTHER_LANGUAGE),
    ],
)
async def test_a_turn_in_a_named_file(make_settings, name, text, question, says, notice):
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add(name, text.encode())
        [answered] = of(await say(assistant, question), Answered)
    assert says in answered.answer.text
    assert notice in answered.answer.notices
    assert all(one.supported for one in answered.answer.statements if one.checkable)


async def test_of_two_named_files_both_are_read(make_settings):
    async with assistant_of(make_settings()) as assistant:
        long = "\n\n".join(f"Pipe {number} is made of copper and painted green. " * 12 for number in range(80))
        await assistant.library.add("a-pipes.txt", long.encode())
        await assistant.library.add("letter.txt", LETTER.encode())
        scope = Scope(documents=("a-pipes.txt", "letter.txt"))
        assert len(await assistant.library.opening(scope, 100)) > 60
        nearest = await assistant.library.nearest_passages("晕车药交给谁？", scope, 3)
    assert nearest[0].document == "letter.txt"
