"""Text of a document as nodes that reader.js may draw: a name of its list, attributes, children. Never HTML.

A node is a string, or `[tag, attributes, *children]`; what is marked is `["mark", {"class": "good"}, text]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from answering.places import link_target

Node = str | list[Any]
Kind = Literal["good", "weak"]
# They stand in the text for where a mark begins and ends while it is parsed: punctuation, as what else may stand
# before and behind words without making anything else of them, of scripts that nobody writes.
_PENS = {"\U0001bc9f": "good", "\U00016fe2": "weak", "\U00011fff": ""}
_GOOD, _WEAK, _END = _PENS
_pen = re.compile(f"([{''.join(_PENS)}])")
_opening = re.compile(  # what a block begins with
    r"(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|(?:`{3,}+|~{3,}+)[^\n]*+\n|\|[ \t:|-]{1,300}+\n|\||\n))*"
    r"[ \t]*"
)  # of the line below a table's head so much is looked at as is ever written
_PLAIN = {"p", "strong", "em", "s", "ul", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "hr", "br"}


class Span(NamedTuple):
    """A marked passage, by its offsets in the document; spans are in order and do not overlap."""

    start: int
    end: int
    kind: Kind


def marked_text(text: str, start: int, end: int, spans: Sequence[Span]) -> list[Node]:
    """Plain text with its marks."""
    parts: list[Node] = []
    at = start
    for span in spans:
        first, last = max(span.start, at), min(span.end, end)
        if first < last:
            parts += [text[at:first], ["mark", {"class": span.kind}, text[first:last]]]
            at = last
    return [part for part in (*parts, text[at:end]) if part]


def nodes_of(text: str, start: int, end: int, spans: Sequence[Span], line: int) -> list[dict[str, Any]]:
    """Markdown as blocks, each with the number of its first line; 0: none is told."""
    part = _pen.sub("\ufffd", text[start:end])
    marks = [Span(max(0, s.start - start), min(len(part), s.end - start), s.kind) for s in spans]
    marks = [mark for mark in marks if mark.start < mark.end]
    plain = _parser().parse(part)
    inked = _parser().parse(_inked(part, marks)) if marks else plain
    exact = _shape(inked) == _shape(plain)
    pen = _Pen() if exact else _Pen([_lines_of(part, mark) for mark in marks])
    return [
        {"line": line + node.map[0] if line and node.map else 0, "node": drawn}
        for node in SyntaxTreeNode(inked if exact else plain).children
        for drawn in _render_node(node, pen)
    ]


def _inked(part: str, marks: Sequence[Span]) -> str:
    """With signs where each mark begins and ends, moved off what makes a block of its line."""
    text, at = "", 0
    for start, end, kind in marks:
        if not part[part.rfind("\n", 0, start) + 1 : start].strip():
            start = _opening.match(part, start).end()  # type: ignore[union-attr]  # it matches nothing as well
        end = start + _without_closing(part[start:end]) if start < end else start
        if start < end:
            text += f"{part[at:start]}{_GOOD if kind == 'good' else _WEAK}{part[start:end]}{_END}"
            at = end
    return text + part[at:]


def _lines_of(part: str, mark: Span) -> tuple[int, int, Kind]:
    return part.count("\n", 0, mark.start), part.count("\n", 0, mark.end - 1), mark.kind


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _shape(tokens: Sequence[Token]) -> tuple[list[tuple[str, str]], str]:
    """What the tokens make of the text, and its words."""
    flat = [token for block in tokens for token in (block.children if block.type == "inline" else [block]) or []]
    made = [(token.type, token.tag) for token in flat if token.type != "text"]
    return made, _pen.sub("", "".join(token.content for token in flat))


class _Pen:
    """Which mark the text is under, from one node to the next.

    Where signs in the text would make something else of it, what is marked are whole paragraphs, by their `lines`.
    """

    def __init__(self, lines: Sequence[tuple[int, int, Kind]] = ()) -> None:
        self.kind, self._lines = "", lines

    def put_down(self, node: SyntaxTreeNode) -> None:
        """On the next paragraph."""
        if self._lines and node.map:
            begun, ended = node.map
            self.kind = next((kind for first, last, kind in self._lines if first < ended and begun <= last), "")

    def written(self, content: str) -> list[Node]:
        parts: list[Node] = []
        for part in _pen.split(content):
            if part in _PENS:
                self.kind = _PENS[part]
            elif part:
                parts.append(["mark", {"class": self.kind}, part] if self.kind and part.strip() else part)
        return parts


def _render_node(node: SyntaxTreeNode, pen: _Pen) -> list[Node]:
    kind = node.type
    if kind in ("inline", "fence", "code_block"):
        pen.put_down(node)
    if kind == "inline":
        return list(_children(node, pen))
    if kind == "text":
        return pen.written(node.content)
    if kind == "softbreak":
        return ["\n"]
    if kind == "code_inline":
        return [["code", {}, *pen.written(node.content)]]
    if kind in ("fence", "code_block"):
        return [["pre", {}, *pen.written(node.content.rstrip("\n"))]]
    if kind == "image":  # nothing is loaded
        return [["span", {"class": "image"}, "🖼 ", *_children(node, pen)]]
    if kind == "heading":
        return [[f"h{min(6, int(node.tag[1]) + 2)}", {}, *_children(node, pen)]]
    if kind == "ordered_list":
        return [["ol", {"start": int(node.attrs.get("start", 1))}, *_children(node, pen)]]
    if kind == "link":
        address = link_target(_pen.sub("", str(node.attrs.get("href", ""))))
        return [["a", {"href": address}, *_children(node, pen)]] if address else list(_children(node, pen))
    if kind == "paragraph" and node.hidden:  # of a tight list
        return list(_children(node, pen))
    tag = node.tag if node.tag in _PLAIN else "div"
    return [[tag, {}, *_children(node, pen)]]


def _children(node: SyntaxTreeNode, pen: _Pen) -> Iterator[Node]:
    for child in node.children:
        yield from _render_node(child, pen)


def _without_closing(text: str) -> int:
    """Where the white space, bars and fences that end a block begin."""
    end = len(text)
    while True:
        while end and (text[end - 1].isspace() or text[end - 1] == "|"):
            end -= 1
        fence = end
        while fence and text[fence - 1] == text[end - 1] and text[fence - 1] in "`~":
            fence -= 1
        line = fence
        while line and text[line - 1] in " \t":
            line -= 1
        if end - fence < 3 or not line or text[line - 1] != "\n":
            return end
        end = line
