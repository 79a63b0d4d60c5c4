"""The plan as a form: what it shows of a turn, the plan that it makes, and what stands against it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from page_values import LABEL, PageValues

from errors import CitewiseError
from graph.conversations import Turn
from graph.request import Request
from graph.turns import Assistant
from nodes.state import Controls, Record, Upload
from schema import Chunking, FileChunking, Message, Plan, Scope, TableQuery
from settings import Settings
from ui.plan_form import PlanForm, changed_plan, form_of, move_files
from ui.plan_panel import PlanPanel

REQUEST: Any = SimpleNamespace(headers={"accept-language": "en-US"}, username=None)
HANDBOOK = "# 员工手册\n\n## 休假\n\n员工每年有十五天带薪年假。年假须提前两周申请。\n"
GUIDE = "# Pump guide\n\nPrime the pump before the first start. Annual leave is fifteen days.\n"
ASKED = Plan(actions=("retrieve",), question="年假有几天？", translated="How long is annual leave?", language="zh")


@pytest.fixture
async def assistant(make_settings: Any) -> AsyncIterator[Assistant]:
    assistant = await Assistant.open(make_settings())
    await assistant.library.add("员工手册.md", HANDBOOK.encode(), doc_set="人事")
    await assistant.library.add("guide.md", GUIDE.encode())
    yield assistant
    await assistant.close()


def turn_of(plan: Plan, *files: str) -> Turn:
    return Turn("1", "年假有几天？", files, "", Record(plan=plan))


def made(assistant: Assistant, plan: Plan, *files: str, settings: Settings | None = None, **changes: Any) -> Plan:
    """The plan of a form in which a few fields were changed."""
    turn = turn_of(plan, *files)
    form = replace(form_of(turn, plan, assistant.library), **changes)
    return changed_plan(turn, plan, form, assistant.library, settings or assistant.settings)


def test_an_unchanged_form_makes_the_same_plan(assistant: Assistant) -> None:
    scope = Scope(documents=("guide.md",), metadata=(("doc_type", "markdown"),))
    for plan in (ASKED, ASKED.model_copy(update={"scope": scope, "strategy": "rm3", "anew": True})):
        assert made(assistant, plan) == plan.model_copy(update={"origin": "controls"})
    urls = ASKED.model_copy(update={"urls": ("https://a.example/b",), "question": "What is it? https://a.example/b"})
    assert form_of(turn_of(urls), urls, assistant.library).question == "What is it?"
    assert made(assistant, urls).question == urls.question


def test_each_part_can_be_changed(assistant: Assistant) -> None:
    plan = ASKED.model_copy(update={"missing_files": ("old.md",), "missing_sets": ("旧",)})
    changed = made(
        assistant, plan, strategy="keyword", documents=["员工手册.md"], doc_sets=["人事"], language="en", anew=True
    )
    assert (changed.strategy, changed.language, changed.anew) == ("keyword", "en", True)
    assert changed.scope == Scope(documents=("员工手册.md",), doc_sets=("人事",))
    assert (changed.missing_files, changed.missing_sets, changed.origin) == ((), (), "controls")
    assert made(assistant, plan).missing_files == ("old.md",)
    assert made(assistant, ASKED, question="病假呢？").translated == ""  # it was that of another question
    assert made(assistant, ASKED, question="病假呢？", translated="And sick leave?").translated == "And sick leave?"
    both = made(assistant, ASKED, actions=["retrieve", "save"], documents=["guide.md"], chunker="fixed", size=200)
    assert both.actions == ("save", "retrieve")
    assert both.chunking == Chunking(strategy="fixed", size=200)
    assert made(assistant, both, unit="tokens").chunking == Chunking(strategy="fixed", size=200, unit="tokens")


def test_the_query_over_a_table_can_be_written_anew_or_left_out(assistant: Assistant) -> None:
    query = TableQuery(
        document="工资.csv", sql='SELECT COUNT(*) FROM "工资.csv"', words=Message("行数", "number of rows")
    )
    plan = ASKED.model_copy(update={"table": query})
    assert made(assistant, plan).table == query
    changed = made(assistant, plan, sql=' SELECT MAX("月薪") FROM "工资.csv" ').table
    assert changed is not None
    assert (changed.sql, changed.by, changed.words.en) == ('SELECT MAX("月薪") FROM "工资.csv"', "person", "")
    assert made(assistant, plan, sql="").table is None
    assert made(assistant, plan, question="病假呢？").table is None
    assert made(assistant, ASKED, sql="SELECT 1").table is None


def test_what_is_not_understood_can_be_made_a_question(assistant: Assistant) -> None:
    plan = Plan(unclear="noise", language="zh")
    changed = made(assistant, plan, actions=["retrieve"])
    assert (changed.actions, changed.question, changed.unclear) == (("retrieve",), "年假有几天？", None)


def test_a_chunking_for_all_goes_over_that_of_single_files(assistant: Assistant) -> None:
    own = FileChunking(file="guide.md", chunking=Chunking(strategy="markdown", size=300))
    plan = Plan(actions=("save",), per_file=(own,), chunking=Chunking(strategy="recursive"), language="en")
    assert made(assistant, plan, "guide.md").per_file == (own,)
    changed = made(assistant, plan, "guide.md", chunker="", size=500)
    assert changed.per_file[0].chunking == Chunking(strategy="markdown", size=500)


def test_a_plan_that_saved_uploads_names_them_where_they_are_by_now(assistant: Assistant) -> None:
    plan = Plan(actions=("save", "retrieve"), question="年假有几天？", language="zh")
    assert form_of(turn_of(plan, "员工手册.md"), plan, assistant.library).documents == ("员工手册.md",)
    assert made(assistant, plan, "员工手册.md", "gone.md").scope.documents == ("员工手册.md",)
    assert form_of(turn_of(plan, "guide.zip"), plan, assistant.library).documents == ()
    every = plan.model_copy(update={"every_file": True})
    assert made(assistant, every).every_file
    assert not made(assistant, every, documents=["guide.md"]).every_file


@pytest.mark.parametrize(
    ("changes", "zh", "en"),
    [
        pytest.param({"actions": []}, "至少选择一个动作", "at least one action", id="no action"),
        pytest.param({"question": " "}, "请写出问题", "Write the question", id="no question"),
        pytest.param({"documents": ["x.md"]}, "已经没有文件“x.md”", "no file x.md any more", id="file gone"),
        pytest.param({"doc_sets": ["旧"]}, "已经没有文档集“旧”", "no document set 旧 any more", id="set gone"),
        pytest.param({"documents": ["guide.md"], "doc_sets": ["人事"]}, "都不在", "None of these", id="apart"),
        pytest.param({"actions": ["save"]}, "请在“文件”里选择", "choose them under “Files”", id="nothing to save"),
        pytest.param(
            {"actions": ["save"], "documents": ["guide.md"], "size": 100, "overlap": 100},
            "必须小于", "less than", id="overlap",
        ),
        pytest.param({"strategy": "magic"}, "值不合适", "does not fit", id="strategy"),
        pytest.param({"chunker": "magic"}, "值不合适", "does not fit", id="chunker"),
    ],
)  # fmt: skip
def test_what_stands_against_it_is_said_in_both_languages(
    assistant: Assistant, changes: dict[str, Any], zh: str, en: str
) -> None:
    with pytest.raises(CitewiseError) as refused:
        made(assistant, ASKED, **changes)
    assert zh in refused.value.in_full.zh
    assert en in refused.value.in_full.en


def test_uploads_that_are_gone_are_named(assistant: Assistant) -> None:
    plan = Plan(actions=("save",), language="zh")
    with pytest.raises(CitewiseError) as refused:
        made(assistant, plan, "gone.md")
    assert "gone.md" in refused.value.in_full.zh
    assert "Upload again" in refused.value.in_full.en


def test_the_web_is_refused_where_it_is_switched_off(assistant: Assistant, make_settings: Any) -> None:
    off = make_settings(CITEWISE_WEB="never")
    with pytest.raises(CitewiseError, match="switched off"):
        made(assistant, ASKED, settings=off, actions=["fetch_web", "retrieve"])
    assert made(assistant, ASKED, actions=["fetch_web", "retrieve"]).actions == ("fetch_web", "retrieve")


async def test_files_go_to_the_set_that_the_form_names(assistant: Assistant) -> None:
    plan = Plan(actions=("save",), doc_set="人事", scope=Scope(doc_sets=("人事",)), language="zh")
    changed = made(assistant, plan, documents=["员工手册.md"], into="规章")
    changed = await move_files(plan, changed, assistant.library)
    assert {one.name: one.doc_set for one in assistant.library.documents()}["员工手册.md"] == "规章"
    assert changed.scope == Scope(documents=("员工手册.md",), doc_sets=("规章",))


async def test_a_turn_that_saved_is_cut_again_and_still_names_its_files(assistant: Assistant, tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n\n" + "The valve is made of brass. " * 60, encoding="utf-8")
    sent = Request("t", "save, then tell me what the valve is made of", (Upload(name="notes.md", path=str(path)),))
    assert [event async for event in assistant.run_turn(sent)]
    [turn] = await assistant.turns("t")
    assert turn.record is not None
    plan = turn.record.plan
    form = replace(form_of(turn, plan, assistant.library), chunker="fixed", size=300)
    changed = changed_plan(turn, plan, form, assistant.library, assistant.settings)
    again = Request("t", turn.question, replaces=turn.id, plan=changed, files=turn.files)
    assert [event async for event in assistant.run_turn(again)]
    [turn] = await assistant.turns("t")
    assert turn.files == ("notes.md",)
    assert "brass" in turn.reply
    [cut] = assistant.library.documents(Scope(documents=("notes.md",)))
    assert (cut.chunking.strategy, cut.chunking.size) == ("fixed", 300)


async def test_another_language_is_that_of_what_the_program_says(assistant: Assistant) -> None:
    sent = Request("t", "蓝鲸吃什么？", controls=Controls(scope=Scope(documents=("guide.md",)), strategy="keyword"))
    assert [event async for event in assistant.run_turn(sent)]
    [turn] = await assistant.turns("t")
    assert turn.record is not None
    plan = turn.record.plan
    for language in ("en", "zh"):
        form = replace(
            form_of(turn, plan, assistant.library), language=language, documents=["员工手册.md"], doc_sets=()
        )
        changed = changed_plan(turn, plan, form, assistant.library, assistant.settings)
        assert [
            event async for event in assistant.run_turn(Request("t", turn.question, replaces=turn.id, plan=changed))
        ]
        [turn] = await assistant.turns("t")
        assert turn.record is not None
        assert turn.record.answer is not None
        assert turn.record.answer.language == language


# --- the panel -----------------------------------------------------------------------------------------------------


@pytest.fixture
def panel(assistant: Assistant) -> PlanPanel:
    with gr.Blocks():
        return PlanPanel(LABEL, assistant)


async def test_the_form_shows_the_turn(panel: PlanPanel, language: Any) -> None:
    plan = ASKED.model_copy(
        update={"origin": "model", "missing_files": ("old.md",), "scope": Scope(doc_sets=("人事",))}
    )
    at = PageValues(*panel.parts)
    at.arrives(at.made(panel.parts, await panel.show(turn_of(plan), 0, language)))
    actions, question, translated, strategy, sets, files, answered_in, *_ = panel.fields
    assert at.values[panel.turn] == "1"
    assert at.values[actions] == ["retrieve"]
    assert (at.values[question], at.values[translated]) == ("年假有几天？", "How long is annual leave?")
    assert (at.values[strategy], at.values[sets], at.values[answered_in]) == ("default", ["人事"], "zh")
    assert {"guide.md", "员工手册.md"} <= set(at.choices[files])
    assert ("模型" if language == "zh" else "the model") in at.values[panel.said]
    assert "old.md" in at.values[panel.said]


async def test_a_turn_without_a_plan_has_no_form(panel: PlanPanel, language: Any) -> None:
    shown = await panel.show(Turn("1", "hello"), 0, language)
    assert len(shown) == len(panel.parts)
    assert shown[0] == ""
    assert shown[1]
    assert shown[2]["visible"] is False
    assert len(await panel.show(None, 0, language)) == len(panel.parts)


async def test_names_of_files_are_no_markup(panel: PlanPanel) -> None:
    plan = ASKED.model_copy(update={"missing_files": ("<img src=x onerror=alert(1)>.md",)})
    shown = await panel.show(turn_of(plan), 0, "en")
    assert "<img" not in shown[1].replace("\\<img", "")


async def test_what_cannot_be_run_is_a_word_on_the_page(panel: PlanPanel, assistant: Assistant) -> None:
    idle: Any = SimpleNamespace(runs=lambda name, request: False)
    busy: Any = SimpleNamespace(runs=lambda name, request: True)
    values = list(vars(form_of(turn_of(ASKED), ASKED, assistant.library)).values())
    with pytest.raises(gr.Error, match="no longer in the conversation"):
        await panel._changed_plan("gone", "t", REQUEST, idle, values)
    assert [event async for event in assistant.run_turn(Request("t", "年假有几天？"))]
    [turn] = await assistant.turns("t")
    with pytest.raises(gr.Error, match="on its way"):
        await panel._changed_plan(turn.id, "t", REQUEST, busy, values)
    with pytest.raises(gr.Error, match="at least one action"):
        await panel._changed_plan(turn.id, "t", REQUEST, idle, [[], *values[1:]])
    before, changed = await panel._changed_plan(turn.id, "t", REQUEST, idle, values)
    assert (before.origin, changed.origin) == ("rules", "controls")


def test_an_emptied_field_says_nothing() -> None:
    form = PlanForm(None, None, None, "default", None, None, "zh", False, None, None, None, None)  # type: ignore[arg-type]
    assert (form.actions, form.question, form.documents, form.into, form.size) == ((), "", (), "", None)
