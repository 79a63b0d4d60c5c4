"""Reranking that is asked for in words, where there is no reranker."""

from __future__ import annotations

import pytest

from nodes.events import Answered
from nodes.retrieve import NO_RERANKER
from tests.graph.turn_cases import assistant_of, of, say

RULES = "# 制度\n\n年假有 10 天。加班须事先批准。\n"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("检索结果重排一下，年假有几天？", True),
        ("用混合检索，年假有几天？", False),
        ("用混合检索，年假 10 天和重排有什么关系？", False),  # it is asked about
    ],
)
async def test_it_is_said_that_there_is_none(make_settings, message, said):
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("制度.md", RULES.encode())
        [answered] = of(await say(assistant, message), Answered)
    assert "10 天" in answered.answer.text.replace("**", "")
    assert (NO_RERANKER in answered.answer.notices) == said
