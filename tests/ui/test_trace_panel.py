"""The trace of an answer as the panel tells it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nodes.state import Record
from schema import Answer, Call, ConsideredPassage, Coverage, Hit, Message, Plan, Step, Trace
from ui.call_costs import cost_of
from ui.trace_panel import fate_of, number_of, trace_value

SOURCE = Hit(7, "a.md", "", "One line.\nTwo lines.", 0, 20, 3, 6, scores={"bm25": 1.0})
ANSWER = Answer("Yes [1].", sources=(SOURCE,), answered_by="m", seconds=2.5)
PLAN = Plan(actions=("retrieve",), question="Is it?", language="en")
ASKED = Call("answer", "office", "m", 1.5, 0.4, 1200, 50, None, 0.0007, "USD")


def seen(rank: int, fate: Any = "kept", **other: Any) -> ConsideredPassage:
    given: dict[str, Any] = {"begins": f"text {rank}", "scores": {"bm25": 1.0 / max(1, rank)}, **other}
    return ConsideredPassage(
        rank, given.pop("document", "a.md"), "", *given.pop("lines", (3, 4)), rank=rank, fate=fate, **given
    )


def told(record: Record | None, kind: str, language: Any = "en") -> dict[str, Any]:
    one: dict[str, Any]
    [one] = [one for one in trace_value(record, language)["sections"] if one.get("name", one["kind"]) == kind]
    return one


def texts(section: dict[str, Any]) -> list[list[str]]:
    return [[cell["text"] for cell in row["cells"]] for row in section["rows"]]


def test_each_candidate_says_its_scores_and_what_became_of_it() -> None:
    considered = (
        seen(1, place=1),
        seen(2, "duplicate", of=1),
        seen(3, "joined", of=1, lines=(5, 6)),
        seen(4, place=2, document="b.md"),
        seen(5, "limit", scores={"bm25": 12.345, "rerank": 0.5}),
        seen(0, "below", scores={"cosine": -0.1}),
    )
    section = told(Record(plan=PLAN, answer=ANSWER, trace=Trace(considered=considered)), "candidates")
    assert [head["label"] for head in section["heads"]] == ["Rank", "Passage", "Outcome", "BM25", "Vector", "Rerank"]
    assert [row[0] for row in texts(section)] == ["1", "2", "3", "4", "5", "–"]
    assert [row[2] for row in texts(section)] == [
        "kept, source [1]", "repeats rank 1", "read as part of rank 1", "no room in the context",
        "over the number of passages", "below the similarity floor",
    ]  # fmt: skip
    assert texts(section)[4][3:] == ["12.35", "–", "0.500"]
    assert texts(section)[5][3:] == ["–", "-0.100", "–"]
    assert [row["kept"] for row in section["rows"]] == [True, False, True, False, False, False]
    assert section["note"].startswith("6 candidates, 2 used")


def test_a_search_without_an_answer_counts_what_it_kept() -> None:
    section = told(Record(plan=PLAN, trace=Trace(considered=(seen(1), seen(2), seen(3, "limit")))), "candidates")
    assert section["note"].startswith("3 candidates, 2 used")


def test_each_part_of_the_question_has_its_own_candidates() -> None:
    considered = (seen(1, place=1), *(replace(seen(2, place=2), part=part) for part in ("TCP", "UDP")))
    value = trace_value(Record(plan=PLAN, answer=ANSWER, trace=Trace(considered=considered)), "en")
    tables = [one for one in value["sections"] if one.get("name") == "candidates"]
    assert [(one["title"], len(one["rows"])) for one in tables] == [
        ("Candidates of the search", 1), ("Candidates for one part: TCP", 1), ("Candidates for one part: UDP", 1)
    ]  # fmt: skip


def test_a_candidate_is_found_in_the_source_that_holds_its_lines() -> None:
    other = replace(SOURCE, document="b.md", start_line=1, end_line=9)
    assert number_of(seen(1, lines=(5, 6)), [other, SOURCE]) == 2
    assert number_of(seen(1, lines=(7, 8)), [other, SOURCE]) == 0
    assert number_of(seen(1, "duplicate"), [other, SOURCE]) == 0
    assert fate_of(seen(1), 0, replace(ANSWER, sources=()), "zh") == "相关度太低，没有采用"
    assert fate_of(seen(1), 0, None, "zh") == "采用"


def test_bars_are_shares_of_the_longest_step_with_their_calls() -> None:
    steps = (Step("search", 0.5), Step("answer", 2.0, Message(zh="注", en="note")), Step("judge", 0.0))
    calls = (ASKED, replace(ASKED, purpose="refine"), replace(ASKED, purpose="judge", output_tokens=None))
    [search, answer, judge] = told(Record(plan=PLAN, answer=ANSWER, trace=Trace(calls, steps)), "bars", "zh")["bars"]
    assert [one["share"] for one in (search, answer, judge)] == [0.25, 1.0, 0.0]
    assert (answer["label"], answer["said"], answer["note"]) == ("回答", "2.00 s", "注")
    assert answer["calls"] == "2 次调用 · 2,400 → 100 词元"
    assert (search["calls"], judge["calls"]) == ("", "1 次调用")


def test_the_prompt_is_told_with_its_passages_and_their_size() -> None:
    section = told(Record(plan=PLAN, answer=ANSWER, trace=Trace((ASKED,))), "prompt")
    assert [row[0] for row in texts(section)] == ["[1]"]
    assert "One line.\nTwo lines." in section["folded"]["text"]
    assert "Is it?" in section["folded"]["text"]
    assert int(section["foot"][2].replace(",", "")) > int(texts(section)[0][2])
    in_parts = Trace((replace(ASKED, purpose="refine"), replace(ASKED, purpose="refine"), ASKED))
    section = told(Record(plan=PLAN, answer=ANSWER, trace=in_parts), "prompt")
    assert section["folded"] is None
    assert section["note"].startswith("Too long for one call: 2 calls")
    section = told(Record(plan=PLAN, answer=replace(ANSWER, fallback_used=True), trace=Trace()), "prompt")
    assert section["folded"] is None
    assert "sentences" in section["note"]


def test_calls_say_who_failed_and_what_it_cost() -> None:
    failed = Call("answer", "first", "x", 0.1, error=Message(zh="坏了。", en="It broke."))
    section = told(Record(plan=PLAN, answer=ANSWER, trace=Trace((failed, ASKED))), "calls")
    assert [head["label"] for head in section["heads"]][-2:] == ["Cost", "Result"]
    assert texts(section)[0][2:] == ["0.10 s", "–", "–", "–", "failed"]
    assert section["rows"][0]["said"] == "It broke."
    assert texts(section)[1][1:] == ["m", "1.50 s", "0.40 s", "1,200 → 50", "USD 0.0007", "answered"]
    free = told(Record(plan=PLAN, answer=ANSWER, trace=Trace((replace(ASKED, cost=None),))), "calls")
    assert "Cost" not in [head["label"] for head in free["heads"]]


def test_a_sum_says_where_a_price_is_missing() -> None:
    assert cost_of([ASKED, replace(ASKED, cost=1.5, currency="CNY")], "en") == "USD 0.0007 + CNY 1.50"
    assert cost_of([ASKED, replace(ASKED, cost=None)], "en") == "at least USD 0.0007"
    assert cost_of([ASKED, replace(ASKED, cost=None)], "zh") == "至少 USD 0.0007"
    assert cost_of([replace(ASKED, cost=None)], "zh") == ""
    assert cost_of([replace(ASKED, cost=0.0000034)], "en") == "USD 0.0000034"
    assert cost_of([replace(ASKED, cost=0.0)], "en") == "USD 0.00"


def test_without_a_trace_it_says_so() -> None:
    assert trace_value(None, "zh") == {"empty": "这条消息没有过程记录。", "sections": []}
    remembered = replace(ANSWER, remembered="2026-01-02T03:04:05+00:00")
    shown = trace_value(Record(plan=PLAN, answer=remembered, trace=Trace(steps=(Step("plan", 0.1),))), "en")
    assert shown["lead"].startswith("The same question had this answer before")
    assert [one["kind"] for one in shown["sections"]] == ["bars"]


def test_the_first_line_sums_up_and_notices_end_it() -> None:
    record = Record(
        plan=PLAN, answer=replace(ANSWER, notices=(Message(zh="注意", en="Mind"),)), trace=Trace((ASKED,)),
        coverage=Coverage(0.9, 0.5, True),
    )  # fmt: skip
    assert trace_value(record, "zh")["lead"] == "由 m 回答 · 2.50 s · 1 次模型调用 · 1,200 → 50 词元 · USD 0.0007"
    assert told(record, "list")["items"] == ["Mind", "coverage: 90% (threshold 50%)"]
