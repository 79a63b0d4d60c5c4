"""What is safe Markdown for a parser is safe on the page, too, which takes formulas and diagrams out of it first."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.each_row import each_row
from ui.markup import safe_markdown

parse = MarkdownIt("commonmark", {"html": True}).enable("table")
FORMULAS = (r"\$\$[\s\S]+?\$\$", r"\\\([\s\S]+?\\\)")
PARTS = ["$$", "\\(", "\\)", "`", "```", "\n", "    ", "<b>", "![x](y)", "\\", "z"]


def loads(markdown: str) -> list[str]:
    def within(tokens: list[Token]) -> list[str]:
        found = [token.type for token in tokens if token.type in ("image", "html_inline", "html_block")]
        return found + [one for token in tokens for one in within(token.children or [])]

    return within(parse.parse(markdown))


@example("$$ ` $$ <b> `")
@example("\\( ` \\) ![x](y) `")
@example("$$\n```\n$$\n<b>\n```")
@example("$$\n\n    $$ <b>")
@given(st.lists(st.sampled_from(PARTS), max_size=16).map("".join))
def test_nothing_hides_behind_a_formula(text: str) -> None:
    """What was code with the formula's backticks may be none without them."""
    shown = safe_markdown(text)
    assert loads(shown) == []
    for formula in FORMULAS:
        shown = re.sub(formula, "%%%LATEX_BLOCK_0%%%", shown)
        assert loads(shown) == []


def test_a_formula_stays_as_it_is() -> None:
    for text in ("$$\na < b\n$$", "with \\(a < b\\) and `c<d`\n\n```\n$$ <b> $$\n```"):
        assert safe_markdown(text) == text


def test_the_page_draws_no_diagram() -> None:
    """It would make HTML of what stands in one."""
    for text in ("```mermaid\nA[<img src=x>]\n```", "> - ```mermaid\n>   A\n>   ```"):
        assert "```mermaid" not in safe_markdown(text)


@each_row(
    "text",
    [
        "www.a.b/`<b>`", "http://a`![x](y)`", "x@y.z`<b>`", "# x\n    <b>", "***\n    <b>", "    x\n\t<b>",
        "-\n\n      <b>", "[a]: b\n    <b>", "x\r\n\r\n    <b>", "\r    <b>", "~~~<b>", "x\n``` <b>",
    ],
)  # fmt: skip
def test_code_that_the_page_might_see_as_text_is_escaped(text: str) -> None:
    shown = safe_markdown(text)
    assert "<b>" not in shown
    assert "![" not in shown
