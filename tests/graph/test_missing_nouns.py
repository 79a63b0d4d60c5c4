"""A turn whose question speaks of a thing that no document mentions, as it was searched for, or asks for a place."""

from __future__ import annotations

import pytest

from answering.missing_words import not_shown, nowhere_said
from answering.unnamed import NO_PLACE
from nodes.events import Answered
from tests.graph.turn_cases import assistant_of, of, say

OFFICE = """The reception desk closes at six. The machine rinses itself after each cup.
软件由信息部统一安装。出租车费用凭票报销。
"""


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Does the machine make tea?", "tea"),
        ("When does the recepion close?", ""),  # searched for as reception
        ("When does the reception close?", ""),
        ("软件的司机由谁安装？", "司机"),
        ("軟體由誰安裝？", ""),  # searched for as 软件
        ("計程車費用怎麼報銷？", ""),
    ],
)
async def test_it_is_named_and_the_answer_half_sure_at_most(make_settings, question: str, missing: str) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("office.md", OFFICE.encode())
        [answered] = of(await say(assistant, question), Answered)
    assert answered.answer.statements
    said = [one for one in answered.answer.notices if one.en.startswith("No document mentions")]
    assert said == ([nowhere_said([missing])] if missing else [])
    assert not missing or answered.answer.confidence <= 0.5


@pytest.mark.parametrize("question", ["Where is the reception desk?", "软件在哪里？"])
async def test_so_it_is_where_no_place_is_named(make_settings, question: str) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("office.md", OFFICE.encode())
        [answered] = of(await say(assistant, question), Answered)
    assert NO_PLACE in answered.answer.notices
    assert answered.answer.confidence <= 0.5


async def test_what_the_glossary_has_is_not_missing(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("office.md", OFFICE.encode())
        noticed = []
        for _ in range(2):
            [answered] = of(await say(assistant, "When does the Zephyr close?"), Answered)
            noticed.append(nowhere_said(["Zephyr"]) in answered.answer.notices)
            await assistant.library.change_glossary([("轻羽", "Zephyr")])
        assert noticed == [True, False]


async def test_only_what_is_cited_counts_as_shown(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add(
            "营地.md", "# 营地\n\n营地附近没有餐厅，小卖部卖泡面。营地附近有电信信号。".encode()
        )
        await assistant.library.add("实验室.md", "# 实验室\n\n割伤先压迫止血，再到校医院处理。".encode())
        [answered] = of(await say(assistant, "营地附近有医院吗？"), Answered)
        assert {citation.source for one in answered.answer.statements for citation in one.citations} == {0}
        assert "实验室.md" in [hit.document for hit in answered.answer.sources]
        assert not_shown(["医院"]) in answered.answer.notices
        [answered] = of(await say(assistant, "营地附近有餐厅吗？"), Answered)
        assert not any(one.en.startswith("Nothing shown") for one in answered.answer.notices)
