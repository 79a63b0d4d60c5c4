"""Markers become links where they are text, and nowhere else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from answering.doubts import plain_sentence
from nodes.events import Answered, EvidenceFound, Token, TurnBegun
from schema import Answer, Citation, Evidence, Gloss, Hit, Message, Statement, Support
from tests.each_row import each_row
from ui.markers import linked_markdown
from ui.markup import safe_markdown
from ui.render import TurnView

parse = MarkdownIt("commonmark").enable("table")


def links(markdown: str) -> list[tuple[str, str]]:
    """Where each link leads, with its words."""
    found = []
    for block in parse.parse(markdown):
        children = block.children or []
        for n, token in enumerate(children):
            if token.type == "link_open":
                end = next(m for m in range(n, len(children)) if children[m].type == "link_close")
                found.append((str(token.attrs["href"]), "".join(one.content for one in children[n:end])))
    return found


@each_row(
    ("text", "expected"),
    [
        ("Water [1].", [("#source/t/1", "[1]")]),
        ("水要先加满[1][2]。", [("#source/t/1", "[1]"), ("#source/t/2", "[2]")]),
        ("Wrong [2]⚠ and **right [1]**.", [("#source/t/2", "[2]⚠"), ("#source/t/1", "[1]")]),
        ("- a [1]\n- b [2]\n\n| x | y |\n|---|---|\n| c | d [3] |", [(f"#source/t/{n}", f"[{n}]") for n in (1, 2, 3)]),
        ("`a[1]` and\n\n```\nb[1]\n```\n\n    c[1]\n", []),
        ("`a[1]` holds [1]", [("#source/t/1", "[1]")]),
        ("none such [7], none [0], [x]", []),
        ("[see [1] there](https://example.org)", [("https://example.org", "see [1] there")]),
        ("[1]: http://evil.example\n\nSee [1].", [("#source/t/1", "[1]"), ("#source/t/1", "[1]")]),
        ("[1](javascript:x)", [("#source/t/1", "[1]")]),
        (r"a \[1] b", []),
        ("So![1] Not so!⚠ so", [("#source/t/1", "[1]"), ("#source/t", "⚠")]),
    ],
)
def test_markers_in_text_are_links(text: str, expected: list[tuple[str, str]]) -> None:
    shown = linked_markdown(text, "t", 3)
    assert links(shown) == expected
    assert "\ue000" not in shown
    assert linked_markdown(text, "", 3) == safe_markdown(text)


@given(st.text(alphabet=st.sampled_from("`~ \n!<>[]()12⚠*|#-\ue000\ue001"), max_size=60))
def test_any_answer_stays_safe(text: str) -> None:
    shown = linked_markdown(text, "t", 3)
    kinds = {
        token.type for block in MarkdownIt("commonmark").parse(shown) for token in [block, *(block.children or [])]
    }
    assert not kinds & {"image", "html_inline", "html_block"}
    assert "\ue000" not in shown


def hit(text: str) -> Hit:
    return Hit(1, "a.md", "", text, 0, len(text), 3, 4)


def test_a_sentence_without_a_source_is_marked_where_it_stands() -> None:
    good = Citation(1, 0, 0, 9, 3, 4, "It pumps.", Support(1.0, True))
    statements = (
        Statement("It pumps.", (good,)),
        Statement("It flies."),
        Statement("So:", checkable=False),
        Statement("| it | sings |"),
    )
    text = "It pumps [1]. It flies. So:\n\n| a | b |\n|---|---|\n| it | sings |"
    shown = linked_markdown(text, "t", 1, statements)
    assert "It flies. [⚠](#source/t) So:" in shown
    assert "| it | sings [⚠](#source/t) |" in shown
    assert links(shown) == [("#source/t/1", "[1]"), ("#source/t", "⚠"), ("#source/t", "⚠")]


def test_a_marker_tells_what_the_words_before_it_mean() -> None:
    good = Citation(1, 0, 0, 9, 3, 4, "It pumps.", Support(1.0, True))
    statements = (Statement("It pumps.", (good,), gloss=(Gloss("pumps", '"泵"*'),)), Statement("它在。", (good,)))
    shown = linked_markdown("It pumps [1]. 它在 [1]。", "t", 1, statements, "zh")
    titles = [
        token.attrs.get("title")
        for block in MarkdownIt("commonmark").parse(shown)
        for token in block.children or []
        if token.type == "link_open"
    ]
    assert titles == ['词典逐词对照：pumps = "泵"*', None]


def test_markers_are_links_while_the_answer_streams_and_after() -> None:
    view = TurnView("en")
    for event in (TurnBegun("t"), EvidenceFound(Evidence("q", "default", (hit("It pumps."),))), Token("It flies [1]⚠")):
        view.apply(event)
    assert links(view.messages()[-1]["content"]) == [("#source/t/1", "[1]⚠")]
    bad = Citation(
        1, 0, 0, 9, 3, 4, "It pumps.", Support(0.1, False, (Message(zh="没说飞", en="says nothing of flying"),))
    )
    view.apply(Answered(Answer("It flies [1]⚠.", (Statement("It flies.", (bad,)),), (hit("It pumps."),), 0.1, "en")))
    shown = view.parts["answer"]["content"]
    assert links(shown)[0] == ("#source/t/1", "[1]⚠")
    assert "says nothing of flying" in shown
    assert [href for href, _ in links(shown)][1:] == ["#cited/t/1", "#evaluation/t", "#copy/t", "#again/t", "#keep/t"]


@each_row(
    ("written", "words"),
    [("- the display shows `LOW BAT`.", "the display shows LOW BAT."), ("2. **年假**为十五天。", "年假为十五天。"),
     ("1.5 litres * 2", "1.5 litres * 2"), ("x" * 300, "x" * 240 + " …")],
)  # fmt: skip
def test_a_sentence_by_itself_is_words(written: str, words: str) -> None:
    assert plain_sentence(Statement(written)) == words
