"""What documents say stays text: nothing of it becomes markup, loads an image or closes a fence."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from markdown_it import MarkdownIt

from errors import FileError
from graph.conversations import turns_of
from graph.turn_result import TurnResult
from nodes.events import Answered, Evaluated, Failed, PlanMade, Progress, Replied, Reset, Token, Traced
from planning.new_answer import read_new_answer_wish
from schema import (
    UNTOLD,
    Answer,
    Call,
    Citation,
    Hit,
    Language,
    Message,
    Place,
    Plan,
    Scope,
    Statement,
    Step,
    Support,
    Trace,
    Verdict,
)
from ui.answer_message import answer_message
from ui.ask_bar import notices_markdown
from ui.history import render_history
from ui.markup import fenced_content, literal, safe_markdown
from ui.render import TurnView, describe_error
from ui.texts import text

HOSTILE = [
    "![x](http://evil.example/p.png)",
    "<img src=http://evil.example/p.png>",
    "![x][ref]\n\n[ref]: http://evil.example/p.png",
    "```\n</code><script>alert(1)</script>",
    "<iframe src='//evil.example'></iframe>",
]
parse = MarkdownIt("commonmark", {"html": True})


def loads(markdown: str) -> list[str]:
    """What a page showing this would load or run."""
    return [
        token.type
        for block in parse.parse(markdown)
        for token in [block, *(block.children or [])]
        if token.type in ("image", "html_inline", "html_block")
    ]


def hit(text: str) -> Hit:
    return Hit(1, "a.md", "", text, 0, len(text), 3, 4, ("T",))


def answered(text: str) -> Answer:
    bad = Support(0.1, False, (Message(zh="数字不符", en="another number"),))
    citation = Citation(1, 0, 0, len(text), 3, 4, text, bad)
    return Answer(text + " [1]", (Statement(text, (citation,)),), (hit(text),), 0.5, "en", 0.1, True)


def test_hostile_documents_load_nothing() -> None:
    for hostile in HOSTILE:
        view = TurnView("zh")
        view.apply(Token(hostile))
        shown = [message["content"] for message in view.messages()]
        view.apply(Answered(answered(hostile)))
        shown += [message["content"] for message in view.messages()]
        assert [loads(one) for one in shown] == [[]] * len(shown), shown


@given(st.text(alphabet=st.sampled_from("`~ \n!<>[]()ab/:*_|#$\\-"), max_size=60))
def test_any_text_loads_nothing(text: str) -> None:
    assert loads(fenced_content(text)) == []
    assert loads(literal(text)) == []
    assert loads(safe_markdown(text)) == []


@given(st.text(alphabet=st.sampled_from("`~ \nab"), max_size=40))
def test_a_fence_holds_its_content(text: str) -> None:
    blocks = [token for token in parse.parse(fenced_content(text)) if token.type != "inline"]
    assert [token.type for token in blocks] == ["fence"]
    assert blocks[0].content == text + "\n"


def test_code_keeps_its_signs() -> None:
    assert safe_markdown("`a<b` and\n\n```\nif a < b: ![x]\n```") == "`a<b` and\n\n```\nif a < b: ![x]\n```"


def test_an_unsupported_sentence_is_shown_with_its_reason() -> None:
    view = TurnView("en")
    view.apply(Answered(answered("Forty days.")))
    assert "do not support" in view.parts["answer"]["content"]
    assert "another number" in view.parts["answer"]["content"]
    assert "a.md · lines 3-4" in view.parts["answer"]["content"]
    assert "0 of 1 sentence checked ⚠" in view.parts["answer"]["content"]


def test_a_reset_voids_the_text_so_far() -> None:
    view = TurnView("en")
    for event in (Token("wrong"), Reset(Message(zh="断开", en="broke")), Token("right")):
        view.apply(event)
    reset, answer = view.messages()
    assert "broke" in reset["metadata"]["title"]
    assert answer["content"] == "right"


def test_who_stepped_in_stays_above_the_answer() -> None:
    view = TurnView("en")
    for name in ("one", "two"):
        view.apply(Token("wrong"))
        view.apply(Reset(Message(zh=f"{name} 断开", en=f"{name} broke")))
    view.apply(Answered(replace(answered("right"), fallback_used=False, answered_by="three")))
    titles = [message.get("metadata", {}).get("title", message["content"][:5]) for message in view.messages()]
    assert titles[:3] == ["one broke", "two broke", "right"]


def test_who_stepped_in_is_said_in_the_answer_in_the_end_and_when_it_is_reread() -> None:
    broke = Message(zh="one 断开。", en="one broke.")
    calls = tuple(Call("answer", name, name, 0.1, error=broke if name == "one" else None) for name in ("one", "two"))
    answer = replace(answered("right"), fallback_used=False, answered_by="two")
    view = TurnView("zh")
    for event in (Token("wrong"), Reset(broke), Answered(answer), Traced(Trace(calls))):
        view.apply(event)
    assert "one 断开。改由 two 回答。" in view.messages()[0]["content"]
    assert view.parts["answer"] == answer_message(answer, "zh", Trace(calls))
    assert not any("断开" in message.get("metadata", {}).get("title", "") for message in view.messages())
    plan = Trace((Call("plan", "one", "one", 0.1, error=broke),))
    assert "断开" not in answer_message(answer, "zh", plan)["content"]


def test_why_no_model_answered_is_said_once() -> None:
    broke = Message(zh="one 断开。", en="one broke.")
    view = TurnView("en")
    view.apply(Reset(broke))
    view.apply(Answered(replace(answered("right"), notices=(broke,))))
    view.apply(Traced(Trace((Call("answer", "one", "one", 0.1, error=broke),))))
    said = [message["content"] + message.get("metadata", {}).get("title", "") for message in view.messages()]
    assert sum("one broke" in one for one in said) == 1


def test_a_remembered_answer_says_since_when_and_offers_another() -> None:
    old = replace(answered("x"), remembered="2026-01-02T03:04:05+00:00")
    view = TurnView("en")
    view.apply(Answered(old))
    assert "2026-01-02 03:04 UTC" in view.parts["answer"]["content"]
    view.apply(Traced(Trace((Call("plan", "one", "m", 0.1),))))
    *before, last = view.messages()
    [button] = last["options"]  # of the last message: no other shows it
    assert not any("options" in message for message in before)
    assert read_new_answer_wish(button["value"]) == (True, "")
    assert read_new_answer_wish(text("again", "zh")) == (True, "")
    view = TurnView("en")
    view.apply(Answered(answered("x")))
    assert not any("options" in message for message in view.messages())


def test_the_line_below_an_answer_tells_how_it_was_checked_and_judged() -> None:
    good = Citation(1, 0, 0, 1, 3, 4, "x", Support(1.0, True))
    checked = (Statement("x", (good,)), Statement("y", (good,)), Statement("So:", checkable=False))
    answer = Answer("x [1] y [1] So:", checked, (hit("x"),), 0.76, "en", 0.12, fallback_used=True)
    view = TurnView("en", result=TurnResult(turn="abc"))
    view.apply(Answered(answer))
    line = "[2 of 2 sentences checked · extracted, no model · confidence 76% · 0.1 s](#evaluation/abc)"
    assert view.parts["answer"]["content"].splitlines()[-1].startswith(line)
    view.apply(Evaluated(Verdict(faithfulness=4, judged_by="m")))
    assert "confidence 76% · Faithfulness 4/5 · 0.1 s" in view.parts["answer"]["content"]
    assert len(view.messages()) == 1


def test_where_nothing_is_cited_the_closest_passages_are_named() -> None:
    answer = Answer("The sources do not say.", (), tuple(hit(str(n)) for n in range(9)), 0.1, "en")
    shown = answer_message(answer, "en", turn="abc")["content"]
    assert "Closest passages: [\\[1\\] a.md · lines 3-4](#cited/abc/1) " in shown
    assert shown.count("#cited/") == 5


def test_failed_calls_are_told_where_no_answer_tells_them() -> None:
    view = TurnView("en", result=TurnResult(turn="abc"))
    calls = (
        Call("plan", "openai", "a|b", 0.5, error=Message(zh="太多请求", en="too many requests (429)")),
        Call("plan", "deepseek", "v3", 1.25, 0.4, 900, 120),
    )
    view.apply(Replied("Hello."))
    view.apply(Traced(Trace(calls, (Step("search", 0.012),))))
    assert view.messages()[-1]["content"] == "[⚠ 1 of 2 model calls failed](#trace/abc)"
    silent = TurnView("en")
    silent.apply(Traced(Trace((Call("plan", "deepseek", "v3", 1.25),), (Step("plan", 0.1),))))
    assert silent.messages() == []  # nothing to tell


def test_a_plain_question_has_no_line_for_its_plan_and_anything_else_one() -> None:
    def line(plan: Plan, *notices: Message) -> str:
        view = TurnView("en", result=TurnResult(turn="abc"))
        view.apply(PlanMade(plan, notices))
        return view.messages()[0]["content"] if view.messages() else ""

    plain = Plan(actions=("retrieve",), question="q", strategy="default")
    assert line(plain) == line(Plan()) == ""
    assert line(plain.model_copy(update={"strategy": "keyword"})) == "[search and answer · keyword (BM25)](#plan/abc)"
    only = plain.model_copy(update={"scope": Scope(documents=("a_b.md",)), "answer_language": "zh"})
    assert line(only) == "[search and answer · in Chinese · only in a\\_b.md](#plan/abc)"
    assert line(plain, Message(zh="注意", en="note")) == "[search and answer](#plan/abc)\n\n> ⚠ note"


def test_an_answer_across_languages_does_not_claim_to_be_checked() -> None:
    foreign = Support(0.1, False, (Message(zh="另一种语言", en="another language"),), comparable=False, across="agree")
    citation = Citation(1, 0, 0, 1, 3, 4, "x", foreign)
    unknown = replace(citation, support=replace(foreign, across=None))
    answer = Answer("x [1]", (Statement("x", (citation,)),), (hit("x"),), 0.5, "en", 0.1, answered_by="m")
    shown = answer_message(answer, "en")["content"]
    assert "compared across languages: numbers and names agree in 1" in shown
    assert (
        "cannot be checked"
        in answer_message(replace(answer, statements=(Statement("x", (unknown,)),)), "en")["content"]
    )
    assert "do not support" not in shown


def test_what_was_lost_is_told_beside_the_library() -> None:
    lost = [Message(zh="“a_b_.md”丢失了。", en="a_b_.md is lost."), Message(zh="请重新上传。", en="Upload it again.")]
    assert notices_markdown(lost, "zh") == "⚠ “a\\_b\\_.md”丢失了。\n\n⚠ 请重新上传。"
    assert notices_markdown(lost[1:], "en") == "⚠ Upload it again."
    assert notices_markdown([], "en") == ""


def test_both_languages_everywhere() -> None:
    error = FileError(Message(zh="文件太大", en="too large"), Message(zh="请拆分", en="split it"))
    events = [
        PlanMade(Plan(actions=("save", "retrieve"), question="q"), (Message(zh="注意", en="note"),)),
        Progress("a.md", "failed", 1.0, error=error),
        Answered(answered("x")),
        Evaluated(Verdict(support=0.5)),
        Evaluated(Verdict(unjudged=Message(zh="太忙", en="busy"))),
        Traced(Trace((Call("answer", "one", "m", 1.0, error=Message(zh="太忙", en="busy")),), (Step("search", 0.1),))),
        Failed(error),
    ]
    for event in events:
        zh, en = TurnView("zh"), TurnView("en")
        zh.apply(event)
        en.apply(event)
        for chinese, english in zip(zh.messages(), en.messages(), strict=True):
            both = [m["content"] + m.get("metadata", {}).get("title", "") for m in (chinese, english)]
            assert re.search("[一-鿿]", both[0]), both[0]
            assert not re.search("[一-鿿]", both[1]), both[1]
    assert describe_error(error).en.count("\n\n") == 1


def test_a_chip_says_the_source_and_its_place_and_opens_it() -> None:
    good = Citation(1, 0, 0, 21, 3, 4, "The pump needs water.", Support(1.0, True))
    source = replace(hit("The pump needs water."), doc_set="HR")
    answer = Answer("Water [1].", (Statement("Water.", (good,)),), (source,), 0.9, "en")
    assert "[\\[1\\] a.md · lines 3-4](#cited/abc/1)" in answer_message(answer, "en", turn="abc")["content"]
    paged = replace(source, origin=UNTOLD, places=(Place(0, "page", 3),))
    statement = Statement("Water.", (replace(good, places=paged.places),))
    answer = replace(answer, sources=(paged,), statements=(statement,))
    assert "a.md · page 3" in answer_message(answer, "en")["content"]
    assert "a.md · 第 3 页" in answer_message(answer, "zh")["content"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_of_hundreds_of_files_those_that_failed_or_move_are_shown(language: Language) -> None:
    view = TurnView(language)
    for n in range(200):
        view.apply(Progress(f"{n}.md", "done", 1.0, done=n, total=300))
    view.apply(Progress("bad.pdf", "failed", 1.0, done=201, total=300))
    view.apply(Progress("big.md", "embed", 0.5, done=201, total=300))
    [said] = view.messages()
    assert "201/300" in said["metadata"]["title"]
    assert said["metadata"]["status"] == "pending"
    lines = said["content"].splitlines()
    assert len(lines) <= 12
    assert "bad.pdf" in lines[0]
    assert "big.md" in lines[1]
    assert "290" in lines[-1]
    view.apply(Replied("later"))
    assert view.messages()[0]["metadata"]["status"] == "done"  # nobody waits for them any more


def test_a_message_with_hundreds_of_files_stays_short() -> None:
    human = HumanMessage("save these", additional_kwargs={"files": [f"{n}.md" for n in range(200)]})
    [said] = render_history(turns_of([human]), "en")
    assert len(said["content"]) < 300
    assert "📎 200 files" in said["content"]
    assert "save these" in said["content"]


def test_an_address_in_a_reply_does_not_make_a_link_of_the_words_behind_it() -> None:
    said = "❌ “http://example.org/img”不是可以阅读的文档。 **www.example.org** ✅"
    view = TurnView("zh")
    view.apply(Replied(said))
    [live] = [message["content"] for message in view.messages() if "example" in message["content"]]
    reread = render_history(turns_of([HumanMessage("q"), AIMessage(said)]), "zh")[-1]["content"]
    assert live == reread == said.replace("http:", "http\\:").replace("www.", "www\\.")
