"""Text of documents, models and file names stays text: fenced or escaped, never HTML, never an image."""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_address = re.compile(r"(?i)(?:https?|ftp)(?=://)|www(?=\.)|(?<=\S)(?=@\w)")  # that a page would make a link of


def fenced(content: str) -> str:
    """A code block that the content cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{content}\n{fence}"


def literal(content: str) -> str:
    """One line of plain text: nothing in it is markup, and no address in it becomes a link."""
    escaped = re.sub(r"([\\`*_{}\[\]<>#|!~$&])", r"\\\1", " ".join(content.split()))
    return unlinked(escaped)


def unlinked(content: str) -> str:
    """Markdown whose bare addresses are text: a page would make links of them, of the Chinese words behind them too."""
    return _address.sub(r"\g<0>\\", content)


def safe_markdown(content: str) -> str:
    """Markdown without HTML and without images: a page that shows it loads nothing from anywhere.

    A parser says which lines hold any, and only there "<" and "![" are escaped: code keeps its "<".
    """
    return safe_parsed(content)[0]


def safe_parsed(content: str) -> tuple[str, list[Token]]:
    """Markdown that is safe to show, with its tokens."""
    lines = content.split("\n")
    for _ in range(3):  # an escape may open what was hidden behind it; then its lines are escaped as well
        tokens = _parser().parse("\n".join(lines))
        found = [token.map for token in tokens if _loads(token) and token.map]
        if not found:
            return "\n".join(lines), tokens
        for first, end in found:
            lines[first:end] = [_escaped(line) for line in lines[first:end]]
    return _escaped(content), _parser().parse(_escaped(content))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def _loads(token: Token) -> bool:
    return token.type in ("image", "html_inline", "html_block") or any(map(_loads, token.children or []))


def _escaped(markdown: str) -> str:
    return re.sub(r"!(?=\[)", r"\\!", markdown).replace("<", "&lt;")
