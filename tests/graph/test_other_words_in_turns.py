"""A turn whose question says in other words what a document says."""

from __future__ import annotations

import pytest

from nodes.events import Answered
from tests.graph.turn_cases import assistant_of, of, say

HOUSE = """Cars stand in front of the house. Bicycles stand in the yard. The tenant pays the electricity.

空调坏了请打物业电话。电梯坏了请打服务台电话。承租人负责电费。
"""


@pytest.mark.parametrize(
    ("question", "said", "told"),
    [
        ("Where does the bike stand?", "Bicycles stand in the yard", "“bicycles”, which the documents say for “bike”"),
        ("升降机坏了打什么电话？", "电梯坏了请打服务台电话", "“升降机”在资料中作“电梯”"),
    ],
)
async def test_a_word_that_means_the_same_is_answered_and_not_called_missing(make_settings, question, said, told):
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("house.md", HOUSE.encode())
        [answered] = of(await say(assistant, question), Answered)
    answer = answered.answer
    assert said in answer.statements[0].text.replace("**", "")
    assert answer.found_by in answer.notices
    assert told in answer.found_by.en + answer.found_by.zh
    assert not [one for one in answer.notices if one.en.startswith("No document mentions")]


@pytest.mark.parametrize(
    ("question", "near", "missing"),
    [
        ("What does the landlord pay?", "“tenant” (the documents do not say “landlord”)", "“landlord”"),
        ("房东负责什么费用？", "“承租人”（资料中没有“房东”）", "“房东”"),
    ],
)
async def test_a_word_that_is_only_related_is_still_missing(make_settings, question, near, missing):
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("house.md", HOUSE.encode())
        [answered] = of(await say(assistant, question), Answered)
    answer = answered.answer
    assert near in answer.found_by.en + answer.found_by.zh
    assert answer.confidence <= 0.5
    assert any(missing in one.en and one.en.startswith("No document mentions") for one in answer.notices)
