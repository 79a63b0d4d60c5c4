"""Strategies side by side on the page: columns that fill, figures, overlap, and what is no markup."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from page_values import LABEL

from graph.comparison import Comparison, ComparisonColumn
from graph.turns import Assistant
from schema import Answer, Call, Citation, Evidence, Hit, Message, Plan, Statement, Support, Trace, Verdict
from ui.comparison_markdown import alone_markdown, column_markdown, figures_markdown, overlap_markdown
from ui.strategies import _PARTS, StrategiesHandlers, build_strategies, component_values

EVIL = "<img src=x onerror=alert(1)>"
REQUEST: Any = SimpleNamespace(headers={"accept-language": "en-US"}, session_hash="page", username=None)


def hit(chunk: int, document: str, words: str = "The pump is primed first.") -> Hit:
    return Hit(chunk, document, "", words, 0, len(words), 3, 4)


def compared(strategy: Any, *chunks: int, document: str = "guide.md", **more: Any) -> ComparisonColumn:
    hits = tuple(hit(chunk, document) for chunk in chunks)
    cited = Citation(1, 0, 0, 8, 3, 3, "The pump", Support(0.9, True))
    answer = Answer("Prime it [1].", (Statement("Prime it.", (cited,)),), hits, 0.8, "en", 0.5, answered_by="m")
    trace = Trace((Call("answer", "p", "m", 1.0, 0.2, 1000, 234),))
    verdict = Verdict(mean_similarity=0.41, support=0.87, faithfulness=5)
    own = {
        "evidence": Evidence("q", strategy, hits), "answer": answer, "text": answer.text, "trace": trace,
        "verdict": verdict, "first_word": 0.25, "seconds": 1.5, "begun": True, "over": True,
    }  # fmt: skip
    return ComparisonColumn(strategy, **{**own, **more})


DONE = Comparison(Plan(), (compared("keyword", 1, 2), compared("vector", 2, 3, 4)))


def test_figures_stand_in_a_row_for_each(language: Any) -> None:
    rows = figures_markdown(DONE, language).split("\n")
    assert rows[0].count("|") == 4
    cells = {row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:4]] for row in rows[2:]}
    zh = language == "zh"
    assert cells["回答完成" if zh else "Answer complete"] == ["1.50 s", "1.50 s"]
    assert cells["首字" if zh else "First word"] == ["0.25 s", "0.25 s"]
    assert cells["置信度" if zh else "Confidence"] == ["80%", "80%"]
    assert cells["忠实度" if zh else "Faithfulness"] == ["5 / 5", "5 / 5"]
    assert cells["找到的片段" if zh else "Passages found"] == ["2", "3"]
    assert cells["词元" if zh else "Tokens"] == ["1,234", "1,234"]
    assert ("相关性" if zh else "Relevance") not in cells  # nobody has judged it


def test_the_overlap_is_a_matrix(language: Any) -> None:
    rows = [row.split("|")[2:4] for row in overlap_markdown(DONE, language).split("\n")[2:]]
    assert [[cell.strip() for cell in row] for row in rows] == [["–", "25% (1 · 1)"], ["25% (1 · 1)", "–"]]
    alone = alone_markdown(DONE, language)
    assert alone.count("guide.md") == 3
    assert ("行 3-4" if language == "zh" else "lines 3-4") in alone
    same = Comparison(Plan(), (compared("keyword", 1), compared("vector", 1)))
    assert alone_markdown(same, language).count("没有" if language == "zh" else "none") == 2


def test_of_many_passages_found_alone_some_are_named() -> None:
    many = Comparison(Plan(), (compared("keyword", *range(12)), compared("vector", 99)))
    assert alone_markdown(many, "en").count("guide.md") == 5 + 1
    assert "… +7" in alone_markdown(many, "en")


@pytest.mark.parametrize(
    ("fields", "zh", "en"),
    [
        pytest.param({"begun": False}, "等待", "waiting", id="waiting"),
        pytest.param({"begun": True}, "正在检索", "searching", id="searching"),
        pytest.param({"begun": True, "evidence": Evidence("q", "vector")}, "正在回答", "answering", id="answering"),
        pytest.param(
            {"begun": True, "evidence": Evidence("q", "vector"), "answer": Answer("x")},
            "正在评估", "evaluating", id="judging",
        ),
    ],
)  # fmt: skip
def test_a_column_tells_how_far_it_is(fields: dict[str, Any], zh: str, en: str) -> None:
    one = ComparisonColumn("vector", **fields)
    assert zh in column_markdown(one, "zh")
    assert en in column_markdown(one, "en")
    assert ("已停止" in column_markdown(one, "zh", stopped=True)) == (one.answer is None or not one.over)


def test_a_strategy_that_another_stood_in_for_says_so(language: Any) -> None:
    said = column_markdown(compared("hyde", 1, evidence=Evidence("q", "hybrid")), language)
    assert ("实际用的是混合检索" if language == "zh" else "what ran is hybrid") in said


def test_words_of_documents_and_models_are_no_markup(language: Any) -> None:
    hits = (hit(1, f"{EVIL}.md", EVIL),)
    cited = Citation(1, 0, 0, 8, 3, 3, EVIL, Support(0.9, True))
    notices = (Message(zh=EVIL, en=EVIL),)
    answer = Answer(f"{EVIL} ![x](http://a.example/x.png) [1]", (Statement(EVIL, (cited,)),), hits, notices=notices)
    one = compared("keyword", answer=answer, text=answer.text, evidence=Evidence("q", "keyword", hits))
    state = Comparison(Plan(), (one, compared("vector", 2)))
    for markdown in (column_markdown(one, language), alone_markdown(state, language)):
        assert EVIL not in markdown.replace("\\<", "")
        assert "![x]" not in markdown.replace("\\!", "")


def test_columns_that_are_not_used_stay_away() -> None:
    values = component_values(DONE, "en")
    assert len(values) == _PARTS
    assert [value["visible"] for value in values[:4]] == [True, True, False, False]
    assert values[-1] == ["keyword", "vector"]
    with gr.Blocks():
        assert len(build_strategies(LABEL).outputs) == _PARTS


@pytest.fixture
async def assistant(make_settings: Any) -> AsyncIterator[Assistant]:
    assistant = await Assistant.open(make_settings())
    await assistant.library.add("guide.md", b"# Guide\n\nPrime the pump before the first start.\n", doc_set="manuals")
    yield assistant
    await assistant.close()


async def test_the_columns_fill_as_they_come(assistant: Assistant) -> None:
    handlers = StrategiesHandlers(assistant)
    asked = handlers.run("How is the pump started?", ["keyword", "hybrid"], ["manuals"], [], True, REQUEST)
    updates = [update async for update in asked]
    assert updates[0][1]["visible"] is True
    answers = updates[-1][6:8]
    assert all("Prime the pump" in one and "guide.md" in one for one in answers)
    assert [value["visible"] for value in updates[-1][10:14]] == [True, True, False, False]


@pytest.mark.parametrize(
    ("question", "chosen", "files", "said"),
    [
        pytest.param("", ["keyword", "vector"], [], "Write the question", id="no question"),
        pytest.param(None, ["keyword", "vector"], [], "Write the question", id="nothing"),
        pytest.param("How?", ["keyword"], [], "two to four", id="one strategy"),
        pytest.param("How?", None, [], "two to four", id="no strategy"),
        pytest.param("How?", ["keyword", "vector"], ["gone.md"], "There is no document gone.md", id="file gone"),
    ],
)
async def test_what_cannot_be_compared_is_a_word_on_the_page(
    assistant: Assistant, question: Any, chosen: Any, files: Any, said: str
) -> None:
    with pytest.raises(gr.Error, match=said):
        [update async for update in StrategiesHandlers(assistant).run(question, chosen, None, files, True, REQUEST)]


async def test_who_stops_keeps_what_there_is(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = asyncio.Event()

    async def half_done(*_: Any) -> AsyncIterator[Comparison]:
        try:
            yield Comparison(Plan(), (compared("keyword", 1), ComparisonColumn("vector", begun=True)))
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr("ui.strategies.compare", half_done)
    handlers = StrategiesHandlers(assistant)
    asked = handlers.run("How?", ["keyword", "vector"], [], [], True, REQUEST)
    updates = [await anext(asked), await anext(asked)]
    assert "searching" in updates[1][7]
    assert await handlers.stop(REQUEST) == [gr.update(interactive=True), gr.update(visible=False)]
    assert ended.is_set()
    updates += [update async for update in asked]
    assert "Prime it" in updates[-1][6]
    assert "stopped" in updates[-1][7]


async def test_who_leaves_stops_it(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = asyncio.Event()

    async def endless(*_: Any) -> AsyncIterator[Comparison]:
        try:
            yield Comparison(Plan(), (ComparisonColumn("keyword"), ComparisonColumn("vector")))
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr("ui.strategies.compare", endless)
    asked = StrategiesHandlers(assistant).run("How?", ["keyword", "vector"], [], [], True, REQUEST)
    await anext(asked)
    await anext(asked)
    await asked.aclose()
    assert ended.is_set()


def test_what_there_is_to_choose_from(assistant: Assistant) -> None:
    sets, files, judge = StrategiesHandlers(assistant).places(REQUEST)
    assert [value for _, value in sets["choices"]] == ["manuals"]
    assert files["choices"] == ["guide.md"]
    assert judge["visible"] is False  # nobody could judge
