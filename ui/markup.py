"""Text of documents, models and file names stays text: fenced or escaped, never HTML, never an image."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

_gap = "\ue002"  # of private use: a line that the page sees no end of
_MATH = (("$$", "$$"), (r"\(", r"\)"))  # in the order of the chat's delimiters
_markup = re.compile(r"<[a-zA-Z/!?]|!\[")
_swallows = re.compile(r"(?i)(?<!\S)(?>\S*?(?::/|www\.|@))\S*`")
_address = re.compile(r"(?i)(?:https?|ftp)(?=://)|www(?=\.)|(?<=\S)(?=@\w)")  # that a page would make a link of


def fenced_content(content: str) -> str:
    """A code block that the content cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{content}\n{fence}"


def literal(content: str) -> str:
    """One line of plain text: nothing in it is markup, and no address in it becomes a link.

    Among the words of a link the page takes "\\[x\\](y)" for one of its own.
    """
    escaped = re.sub(r"([\\`*_{}\[\]<>#|!~$&])", r"\\\1", " ".join(content.split()))
    return unlinked(escaped.replace(r"\](", r"\]&#40;"))


def unlinked(content: str) -> str:
    """Markdown whose bare addresses are text: a page would make links of them, of the Chinese words behind them too."""
    return _address.sub(r"\g<0>\\", content)


def safe_markdown(content: str) -> str:
    """Markdown without HTML and without images: a page that shows it loads nothing from anywhere.

    A parser says which lines hold any, and only there "<" and "![" are escaped: code keeps its "<".
    """
    return safe_parsed(content)[0]


def safe_parsed(content: str) -> tuple[str, list[Token]]:
    """Markdown that is safe to show, with its tokens. Of a diagram the text is shown: the page makes HTML of others."""
    content = content.replace(_gap, "").replace("\r\n", "\n").replace("\r", "\n")
    lines = content.replace("```mermaid", "``` mermaid").split("\n")
    for _ in range(3):  # an escape may open what was hidden behind it; then its lines are escaped as well
        text = "\n".join(lines)
        tokens = _parser().parse(text)
        found = [token.map for token in tokens if _loads(token) and token.map]
        found += [loading for view in _without_math(text) for loading in _lines_that_load(view)]
        if not found:
            return text, tokens
        for first, end in found:
            lines[first:end] = [_escaped(line) for line in lines[first:end]]
    safe = _escaped("\n".join(lines))
    return safe, _parser().parse(safe)


def _without_math(text: str) -> Iterator[str]:
    """What the page parses: it takes formulas out first, and with them the backticks and line ends within."""
    for left, right in _MATH:
        parts, at = [], 0
        while (start := text.find(left, at)) >= 0 and (end := text.find(right, start + len(left) + 1)) >= 0:
            ends = sum(text.count(sign, start, end) for sign in ("\n", _gap))
            parts += [text[at:start], "%LATEX%", _gap * ends]
            at = end + len(right)
        if parts:
            text = "".join([*parts, text[at:]])
            yield text


def _lines_that_load(view: str) -> Iterator[list[int]]:
    """Of the text itself, from where to where."""
    begins = list(accumulate((1 + line.count(_gap) for line in view.split("\n")), initial=0))
    for token in _parser().parse(view):
        if token.map and _loads(token):
            yield [begins[line] for line in token.map]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def _loads(token: Token) -> bool:
    """Or would where the page sees no code: it does not always agree what is indented, and an address swallows "`"."""
    if token.type in ("code_block", "fence"):
        return _markup.search(token.content if token.type == "code_block" else token.info) is not None
    if token.type == "inline" and _swallows.search(token.content):
        return any(_loads(one) or _markup.search(one.content) for one in token.children or [])
    return token.type in ("image", "html_inline", "html_block") or any(map(_loads, token.children or []))


def _escaped(markdown: str) -> str:
    return re.sub(r"(?<!\\)\\*+!(?=\[)", "&#33;", markdown).replace("<", "&lt;")
