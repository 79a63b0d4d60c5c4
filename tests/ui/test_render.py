"""What documents say stays text: nothing of it becomes markup, loads an image or closes a fence."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from errors import FileError
from nodes.events import Answered, Evaluated, Failed, PlanMade, Progress, Reset, Token
from schema import Answer, Citation, Hit, Message, Plan, Statement, Support, Verdict
from ui.markup import fenced, literal, safe_markdown
from ui.render import TurnView, describe_error

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
    bad = Support(0.1, False, (Message("数字不符", "another number"),))
    citation = Citation(1, 0, 0, len(text), 3, 4, text, bad)
    return Answer(text + " [1]", (Statement(text, (citation,)),), (hit(text),), 0.5, "en", 0.1, True)


def test_hostile_documents_load_nothing() -> None:
    for text in HOSTILE:
        view = TurnView("zh")
        view.apply(Token(text))
        shown = [message["content"] for message in view.messages()]
        view.apply(Answered(answered(text)))
        shown += [message["content"] for message in view.messages()]
        assert [loads(one) for one in shown] == [[]] * len(shown), shown


@given(st.text(alphabet=st.sampled_from("`~ \n!<>[]()ab/:*_|#$\\-"), max_size=60))
def test_any_text_loads_nothing(text: str) -> None:
    assert loads(fenced(text)) == []
    assert loads(literal(text)) == []
    assert loads(safe_markdown(text)) == []


@given(st.text(alphabet=st.sampled_from("`~ \nab"), max_size=40))
def test_a_fence_holds_its_content(text: str) -> None:
    blocks = [token for token in parse.parse(fenced(text)) if token.type != "inline"]
    assert [token.type for token in blocks] == ["fence"]
    assert blocks[0].content == text + "\n"


def test_code_keeps_its_signs() -> None:
    assert safe_markdown("`a<b` and\n\n```\nif a < b: ![x]\n```") == "`a<b` and\n\n```\nif a < b: ![x]\n```"


def test_an_unsupported_sentence_is_shown_with_its_reason() -> None:
    view = TurnView("en")
    view.apply(Answered(answered("Forty days.")))
    assert "do not support" in view.parts["answer"]["content"]
    assert "another number" in view.parts["answer"]["content"]
    assert "lines 3-4" in view.parts["sources"]["content"]


def test_a_reset_voids_the_text_so_far() -> None:
    view = TurnView("en")
    for event in (Token("wrong"), Reset(Message("断开", "broke")), Token("right")):
        view.apply(event)
    assert view.messages()[0]["content"] == "right"
    assert "broke" in view.parts["reset"]["metadata"]["title"]


def test_both_languages_everywhere() -> None:
    error = FileError(Message("文件太大", "too large"), Message("请拆分", "split it"))
    events = [
        PlanMade(Plan(actions=("save", "retrieve"), question="q"), (Message("注意", "note"),)),
        Progress("a.md", "failed", 1.0, error=error),
        Answered(answered("x")),
        Evaluated(Verdict(support=0.5)),
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
