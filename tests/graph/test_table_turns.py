"""Whole turns that compute over the rows of a table: the answer, its rows, its query changed and run again."""

from __future__ import annotations

from pathlib import Path

import pytest
from turn_cases import HANDBOOK, Script, assistant_of, of, purposes, say, talking, upload

from graph.request import Request
from nodes.events import Answered, Evaluated, PlanMade, Traced
from nodes.state import Record
from schema import Answer
from tests.conftest import MakeSettings

PAY = "姓名,部门,月薪（元）\n张三,研发部,12000\n李四,市场部,9000\n王五,研发部,15000\n合计,,36000\n"


async def test_a_question_over_rows_is_computed_and_its_marker_opens_them(
    make_settings: MakeSettings, tmp_path: Path
) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        events = await say(assistant, "研发部的平均工资是多少？", upload(tmp_path, "工资.csv", PAY))
        events = await say(assistant, "研发部的平均工资是多少？")
        [answered], plan = of(events, Answered), of(events, PlanMade)[0].plan
        answer: Answer = answered.answer
        assert answer.text.startswith("“部门”为“研发部”的“月薪”平均值：13,500 元[1]。")
        assert "读取 3 行，用到 2 行" in answer.text
        assert plan.table is not None
        assert plan.table.sql in answer.text
        document = assistant.library.document("工资.csv", "")
        assert document is not None
        rows = [document.text[c.start : c.end] for c in answer.statements[0].citations]
        assert [next(name for name in ("张三", "李四", "王五") if name in row) for row in rows] == ["张三", "王五"]
        assert of(events, Evaluated)[-1].verdict.support == 1
        assert [notice.en for notice in answer.notices] == ["1 row of totals was left out."]
        assert "compute" in [step.name for step in of(events, Traced)[-1].trace.steps]
        [*_, last] = await assistant.turns("t")
        assert last.record is not None
        assert Record.model_validate_json(last.record.model_dump_json()).answer == answer

        greatest = plan.table.model_copy(update={"sql": 'SELECT MAX("月薪（元）") FROM "工资.csv"'})
        changed = plan.model_copy(update={"table": greatest})
        request = Request("t", "研发部的平均工资是多少？", plan=changed)
        events = [event async for event in assistant.run_turn(request)]
        assert "15,000" in of(events, Answered)[0].answer.text


async def test_a_file_is_computed_with_in_the_turn_that_brings_it(make_settings: MakeSettings, tmp_path: Path) -> None:
    async with assistant_of(make_settings()) as assistant:
        pay = PAY.replace("部门", "<b>部门").replace("研发部", "*研发部*")
        events = await say(
            assistant, "Save this. What is the total 月薪 of *研发部*?", upload(tmp_path, "工资.csv", pay)
        )
        [answered] = of(events, Answered)
        assert "27,000" in answered.answer.text
        told = answered.answer.text.splitlines()[0]
        assert r"\<b\>部门" in told  # names and values of a table are no markup
        assert r"\*研发部\*" in told


async def test_what_cannot_be_computed_is_said_and_answered_from_the_text(make_settings: MakeSettings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("工资.csv", PAY.encode())
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        events = await say(assistant, "员工每年有几天年假？")
        assert of(events, Answered)[0].answer.table is None
        assert "十五天" in of(events, Answered)[0].answer.text
        plan = of(await say(assistant, "平均工资是多少？"), PlanMade)[0].plan
        broken = plan.model_copy(update={"table": plan.table.model_copy(update={"sql": "DROP TABLE x"})})
        events = [event async for event in assistant.run_turn(Request("t", "平均工资是多少？", plan=broken))]
        answer = of(events, Answered)[0].answer
        assert answer.table is None
        assert any("cannot be run" in notice.en for notice in answer.notices)


async def test_no_model_is_asked_for_what_rules_compute(make_settings: MakeSettings) -> None:
    async with talking(make_settings, Script()) as (assistant, server):
        await assistant.library.add("工资.csv", PAY.encode())
        events = await say(assistant, "谁的工资最高？")
        assert "王五" in of(events, Answered)[0].answer.text
        assert server.requests == []


ABOVE = "What would the average 月薪 be, rounded to thousands?"


@pytest.mark.parametrize(
    ("sql", "computed"),
    [
        ('SELECT ROUND(AVG("月薪（元）") / 1000) FROM "工资.csv"', True),
        ('SELECT AVG("奖金") FROM "工资.csv"', False),  # a column that is not there
        ("SELECT name FROM sqlite_master", False),
        ("SELECT 'twelve'", False),
    ],
)
async def test_a_model_proposes_the_query_that_rules_do_not_read(
    make_settings: MakeSettings, sql: str, computed: bool
) -> None:
    script = Script(query={"reason": "It is twelve.", "table": 1, "sql": sql})
    async with talking(make_settings, script) as (assistant, server):
        await assistant.library.add("工资.csv", PAY.encode())
        [answered] = of(await say(assistant, ABOVE), Answered)
        assert "query" in purposes(server)
        assert (answered.answer.table is not None) == computed
        assert "It is twelve" not in answered.answer.text
        if computed:
            assert answered.answer.table.query.by == "model"
            assert answered.answer.text.startswith("A query proposed by the model, using “月薪（元）”: 12 [1].")
            assert sql in answered.answer.text
            assert "answer" not in purposes(server)


async def test_no_query_is_asked_for_where_nothing_is_computed(make_settings: MakeSettings) -> None:
    async with talking(make_settings, Script()) as (assistant, server):
        await assistant.library.add("工资.csv", PAY.encode())
        await say(assistant, "How is the pump primed before the first start?")
        assert "query" not in purposes(server)


STOCK = "品名,库存,单价\n雨伞,0,30\n台灯,12,49\n"
LEADERS = "Name,Joined,Section leader\nAda Low,2016,yes\nBen Ray,2019,no\nCy Orr,2020,yes\n"


async def test_words_that_a_table_explains_name_no_file(make_settings: MakeSettings) -> None:
    async with assistant_of(make_settings()) as assistant:
        for name, content in (("库存.csv", STOCK), ("members.csv", LEADERS), ("员工手册.md", HANDBOOK)):
            await assistant.library.add(name, content.encode())
        for question, told in (
            ("What is out of stock?", "雨伞 · 0"),  # as 库存.csv is called in English
            ("Which members are not section leaders?", "Ben Ray"),  # and members.csv is not left out
        ):
            answer = of(await say(assistant, question), Answered)[0].answer
            assert answer.table is not None
            assert told in answer.text
        elsewhere = of(await say(assistant, "In 员工手册.md, what is out of stock?"), Answered)[0].answer
        assert elsewhere.table is None
