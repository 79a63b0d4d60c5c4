"""The evaluation of an answer as the panel tells it, and what people say of it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from page_values import LABEL

from graph.conversations import Turn
from nodes.state import Record
from schema import Answer, Citation, Finding, Hit, Message, Plan, Statement, Support, Verdict
from stores.feedback import Feedback, FeedbackStore
from ui.evaluation_panel import EvaluationPanel, evaluation_value
from ui.feedback import FeedbackHandlers, thumbs_of

SOURCE = Hit(7, "a.md", "", "Prime the pump.", 0, 15, 1, 1)


def citing(score: float, *reasons: Message) -> Citation:
    return Citation(1, 0, 0, 15, 1, 1, "Prime the pump.", Support(score, score > 0.5, reasons))


ANSWER = Answer(
    "Prime it [1]. Wait forty days [1].",
    statements=(
        Statement("Prime it.", (citing(0.9),)),
        Statement("Wait forty days.", (citing(0.2, Message(zh="数字不同", en="numbers differ")),)),
        Statement("Yes.", checkable=False),
        Statement("So be it."),
    ),
    sources=(SOURCE,),
)
JUDGED = Verdict(
    mean_similarity=0.4, max_similarity=0.6, diversity=0.3, support=0.55, faithfulness=3, relevance=5, completeness=4,
    reasons=("made up", "to the point", "all there"), judged_by="m",
    findings=(Finding(0, True, 0), Finding(1, False, None, "forty days")),
)  # fmt: skip


def turn(number: int, verdict: Verdict | None = JUDGED, **other: Any) -> Turn:
    record = Record(plan=Plan(strategy="hyde"), answer=ANSWER, verdict=verdict)
    return Turn(f"id-{number}", "How?", reply=ANSWER.text, record=record, **other)


def section(shown: dict[str, Any], kind: str, place: int = 0) -> dict[str, Any]:
    found: list[dict[str, Any]] = [one for one in shown["sections"] if one["kind"] == kind]
    return found[place]


def test_figures_come_with_what_they_mean_and_the_judges_reasons() -> None:
    shown = evaluation_value(turn(1), [turn(1)], "en")
    judged, measured = section(shown, "figures"), section(shown, "figures", 1)
    assert shown["lead"] == "judged by m"
    assert [(row["name"], row["said"], row["why"]) for row in judged["rows"]] == [
        ("Faithfulness", "3 / 5", "made up"),
        ("Relevance", "5 / 5", "to the point"),
        ("Completeness", "4 / 5", "all there"),
    ]
    assert [row["share"] for row in judged["rows"]] == [0.5, 1.0, 0.75]
    assert [row["said"] for row in measured["rows"]] == ["0.55", "0.40", "0.60", "0.30"]
    assert all(row["is"] for row in [*judged["rows"], *measured["rows"]])


def test_sentences_tell_the_judges_finding_and_how_far_citations_hold() -> None:
    rows = section(evaluation_value(turn(1), [], "en"), "sentences")["rows"]
    assert [(row["state"], row["more"]) for row in rows] == [
        ("yes", "cites [1] 0.90"),
        ("no", "no source says: forty days; cites [1] 0.20; numbers differ"),
        ("no", "cites nothing"),
    ]
    offline = section(evaluation_value(turn(1, replace(JUDGED, findings=())), [], "zh"), "sentences")["rows"]
    assert [row["label"] for row in offline] == ["有依据", "没有依据", "没有依据"]
    assert offline[1]["more"] == "引用 [1] 0.20；数字不同"


def test_what_is_not_there_yet_is_awaited_and_what_is_not_judged_says_why() -> None:
    waiting = evaluation_value(turn(1, None, running=True), [], "zh")
    assert (waiting["pending"], waiting["lead"]) == (True, "正在评估，结果会出现在这里……")
    measured = evaluation_value(turn(1, Verdict(support=0.5), running=True), [], "zh")
    assert [row["name"] for row in section(measured, "figures")["rows"]] == ["引用支持度"]
    unjudged = evaluation_value(turn(1, Verdict(unjudged=Message(zh="坏了。", en="It broke."))), [], "en")
    assert (unjudged["pending"], unjudged["lead"]) == (False, "Not judged by a model: It broke.")
    assert "no model is set up" in evaluation_value(turn(1, Verdict()), [], "en")["lead"]
    assert evaluation_value(Turn("id", "hello", reply="hi"), [], "en")["sections"] == []
    assert evaluation_value(None, [], "en")["empty"]


def test_the_history_is_drawn_from_two_turns_on() -> None:
    first, second, third = turn(1, replace(JUDGED, faithfulness=None, judged_by=None)), Turn("x", "save"), turn(3)
    assert not [one for one in evaluation_value(third, [third], "en")["sections"] if one["kind"] == "history"]
    history = section(evaluation_value(third, [first, second, third], "en"), "history")
    assert history["labels"] == ["1", "3"]
    judged, measured = history["plots"]
    assert [line["values"] for line in judged["lines"]] == [[None, 3], [5, 5], [4, 4]]
    assert [line["name"] for line in measured["lines"]] == ["Citation support", "Mean similarity"]
    assert history["rows"][0]["cells"] == ["1", "–", "5", "4", "0.55", "0.40"]
    assert history["rows"][1]["cells"][0] == "3 (this one)"
    running = section(evaluation_value(turn(4, running=True), [first, third], "en"), "history")
    assert running["labels"] == ["1", "2", "3"]


# --- thumbs ------------------------------------------------------------------------------------------------------


@pytest.fixture
def talked(tmp_path: Any) -> Any:
    """An assistant with a conversation of two turns, and the handlers of a page that shows it."""
    turns = [Turn("id-0", "hello", reply="hi"), turn(1, thread="t"), turn(2, thread="t")]

    class Assistant:
        feedback = FeedbackStore.in_file(tmp_path / "feedback.sqlite")

        async def turns(self, thread: str) -> list[Turn]:
            return turns if thread == "t" else []

        def live_turn(self, thread: str) -> None:
            return None

        async def turn(self, thread: str, which: str) -> Turn | None:
            return next((one for one in await self.turns(thread) if one.id == which), None)

    assistant: Any = Assistant()
    with gr.Blocks():
        panel = EvaluationPanel(LABEL, assistant)
    yield SimpleNamespace(assistant=assistant, handlers=FeedbackHandlers(panel, assistant), panel=panel)
    assistant.feedback.close()


REQUEST: Any = SimpleNamespace(headers={"accept-language": "en"}, username=None)


def liked(which: str, value: Any) -> Any:
    said = [[{"type": "text", "text": f"An answer. [Trace](#trace/{which})"}]]
    return gr.LikeData(None, {"index": 3, "value": said, "liked": value})


def test_a_thumb_with_a_word_is_kept_and_pressed_again_taken_back(talked: Any) -> None:
    async def talk() -> None:
        store, handlers = talked.assistant.feedback, talked.handlers
        shown = await handlers.down("id-1", "", "t", REQUEST)
        assert shown[2]["variant"] == "primary"
        assert shown[3]["visible"]
        assert shown[-1]["feedback_value"] == [None, "Dislike", None]
        await handlers.word("id-1", "wrong number", "t", REQUEST)
        kept = store.of("t")["id-1"]
        assert (kept.value, kept.word, kept.question, kept.strategy) == (-1, "wrong number", "How?", "hyde")
        shown = await handlers.down("id-1", "wrong number", "t", REQUEST)
        assert store.of("t") == {}
        assert (shown[1]["variant"], shown[3]["visible"], shown[5]) == ("secondary", False, "Taken back.")
        assert shown[-1]["feedback_value"] == [None, None, None]

    asyncio.run(talk())


def test_a_thumb_below_the_answer_is_that_of_its_turn(talked: Any) -> None:
    async def talk() -> None:
        store, handlers = talked.assistant.feedback, talked.handlers
        shown = await handlers.liked("t", "id-1", liked("id-2", True), REQUEST)
        assert {key: one.value for key, one in store.of("t").items()} == {"id-2": 1}
        assert shown[0] == gr.skip()  # another turn's evaluation stands open
        assert shown[-1]["feedback_value"] == [None, None, "Like"]
        shown = await handlers.liked("t", "id-2", liked("id-2", False), REQUEST)
        assert shown[2]["variant"] == "primary"
        await handlers.liked("t", "id-2", liked("id-2", ""), REQUEST)
        assert store.of("t") == {}

    asyncio.run(talk())


def test_nobody_rates_what_is_not_theirs(talked: Any) -> None:
    async def talk() -> None:
        store, handlers = talked.assistant.feedback, talked.handlers
        await handlers.liked("other", "", liked("id-1", True), REQUEST)
        await handlers.up("id-1", "", "other", REQUEST)
        await handlers.up("id-0", "", "t", REQUEST)  # no answer
        assert store.counts() == (0, 0)

    asyncio.run(talk())


def test_a_word_is_shown_as_text_and_a_file_that_cannot_be_used_is_told(talked: Any, tmp_path: Any) -> None:
    async def talk() -> None:
        talked.assistant.feedback.close()
        (tmp_path / "feedback.sqlite").write_bytes(b"no database" * 500)
        shown = await talked.handlers.up("id-1", "", "t", REQUEST)
        assert "cannot be used" in shown[5]
        assert not re.search(r"(?<!\\)[<\[]", shown[5])

    asyncio.run(talk())


def test_thumbs_stand_by_the_turns_that_were_replied_to() -> None:
    turns = [Turn("0", "stopped"), turn(1), Turn("2", "hello", reply="hi"), turn(3)]
    given = {"id-1": Feedback("id-1", 1), "id-3": Feedback("id-3", -1)}
    assert thumbs_of(turns, given) == ["Like", None, "Dislike"]
