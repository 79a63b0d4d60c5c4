"""Questions that a model makes: those that pass the four tests are kept, and why the others are not is counted."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks.model_server import Reply, filled
from errors import CitewiseError
from evaluation.lab.cases import SELF_MADE
from evaluation.lab.choosing import FEWEST, refuse_unfit
from evaluation.lab.model_questions import MODEL_MADE
from graph.lab.laboratory import Laboratory
from tests.graph.turn_cases import GUIDE, HANDBOOK, assistant_of, talking

MADE = {  # by the document: question, answer, quote
    "guide.md": ("How long is the pause at the beginning?", "ninety seconds", "Wait for ninety seconds."),
    "手册.md": ("一年可以休多少天？", "十五天", "员工每年有十五天带薪年假。"),
    "literal.md": ("What colour has the harbour lantern frame?", "green", "The harbour lantern frame is green."),
    "invented.md": ("Who paints the fence?", "Ann", "Ann paints the fence."),
    "unsupported.md": ("When does the ferry sail?", "at noon", "The ferry sails on Monday."),
    "same-1.md": ("Which metal is it made of?", "zinc", "The bell of the pier is cast in zinc."),
}
OTHERS = {
    "literal.md": "The harbour lantern frame is green.", "invented.md": "The fence is long.",
    "unsupported.md": "The ferry sails on Monday.", "same-1.md": "The bell of the pier is cast in zinc.",
    "same-2.md": "Which metal it is made of is known: zinc.", "silent.md": "Nothing to be asked here.",
}  # fmt: skip


def script(request: dict[str, Any]) -> Reply:
    name = re.search(r"[\w-]+\.md", "\n".join(str(one["content"]) for one in request["messages"]))
    if name and name[0] == "silent.md":
        return Reply("no form at all")
    question, answer, quote = MADE.get(name[0] if name else "", ("", "", ""))
    return filled(request, {"question": question, "answer": answer, "quote": quote})


async def test_four_tests_decide_what_is_kept(make_settings) -> None:
    async with talking(make_settings, script) as (assistant, _):
        for name, text in {"guide.md": GUIDE, "手册.md": HANDBOOK, **OTHERS}.items():
            await assistant.library.add(name, text.encode())
        laboratory = Laboratory(assistant)
        cost = await laboratory.making_cost(20)
        assert cost is not None
        assert (cost.calls, cost.tokens > 20 * 1_200) == (20, True)
        told: list[int] = []
        made = await laboratory.make_with_model(20, on_progress=told.append)
        assert {case.evidence[0].document for case in made.cases} == {"guide.md", "手册.md"}
        assert all({SELF_MADE, MODEL_MADE} < set(case.tags) for case in made.cases)
        assert made.dropped == {
            "literal": 1, "no_quote": 1, "not_supported": 1, "answered_elsewhere": 1, "no_question": 1, "failed": 1,
        }  # fmt: skip
        assert told == list(range(1, len(MADE) + 3))  # and those of which nothing is asked, or nothing comes
        done = await laboratory.run("a", "made", made.cases)
        assert not any(row.stale or row.failure for row in done.results)
        refuse_unfit(made.cases * FEWEST)  # they can tell strategies apart


async def test_without_a_model_it_is_said(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        with pytest.raises(CitewiseError, match="no model"):
            await Laboratory(assistant).make_with_model(5)
