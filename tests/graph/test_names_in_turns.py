"""A Chinese question about somebody whose name an English document has in Latin letters."""

from __future__ import annotations

import pytest

from nodes.events import Answered
from tests.graph.turn_cases import assistant_of, of, say

TEAM = """# Team

Dai Mingyuan leads quality and signs off every release. Han Yutong writes the load tests.

Zou Wenjing answers complaints; her extension is 2207. Li Na keeps the minutes.

The office closes at seven. Parking costs 4 euros a day.
"""


@pytest.mark.parametrize(
    ("question", "said", "told"),
    [
        ("戴明远负责什么？", "Dai Mingyuan leads quality", "戴明远 = Dai Mingyuan"),
        ("邹文静的分机是多少？", "her extension is 2207", "邹文静 = Zou Wenjing"),
    ],
)
async def test_the_person_is_found(make_settings, question, said, told):
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("team.md", TEAM.encode())
        [answered] = of(await say(assistant, question), Answered)
    answer = answered.answer
    assert said in answer.statements[0].text.replace("**", "")
    assert answer.found_by is not None
    assert told in answer.found_by.zh
    assert not [one for one in answer.notices if one.zh.startswith(("知识库里没有提到", "上面的内容没有给出"))]


async def test_somebody_else_is_not(make_settings):
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("team.md", TEAM.encode())
        [answered] = of(await say(assistant, "陈小明负责什么？"), Answered)
    assert "Dai Mingyuan" not in answered.answer.text
