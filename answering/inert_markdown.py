"""Markdown of models and documents that does nothing where other programs show it: it loads nothing and leads nowhere.

A picture is asked for as soon as it is shown, with whatever stands in its address; so are those of raw HTML and of
diagrams, and a link's words hide where it leads. All of them are shown as they are written, and so are bare addresses.
Code stays as it is, which no reader makes anything of; so that every reader finds code where it is found here, blocks
of code begin at the margin, and back ticks that nothing closes are text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_open_line = re.compile(r"[ \t]*(?:(```+)([^`\n]*)|(~~~+)([^\n]*))\n?\Z")
_maybe_fence = re.compile(r"[ \t]*(?:`{0,2}\Z|~{0,2}\Z|```|~~~)")
_undecided = re.compile(r"(?<![!\]<:/wW~$])[!\]<:/wW~$]++\Z")  # what the next character may make a sign of
_shown_live = re.compile(r"(?i)html?|xml|svg|mermaid|vega.*|plantuml|dot|graphviz|latex|math|katex")
_cuts_spans = ("|", "$", r"\(", r"\)", r"\[", r"\]")  # tables and formulas, which some readers look for before code
_rules = (
    (re.compile(r"!(?=\[)"), "!\\\\"),
    (re.compile(r"\](?=[(:])"), "]\\\\"),
    (re.compile(r"<(?=[a-zA-Z/!?])"), "&lt;"),
    (re.compile(r":(?=//)"), "\\\\:"),
    (re.compile(r"(?i)(www)(?=\.)"), r"\1\\"),
    (re.compile(r"~(?=~~)"), "\\\\~"),
)


class _Fence(NamedTuple):
    signs: str
    certain: bool  # False: a formula may have swallowed its beginning


def escaped(file: str) -> str:
    """A name is no markup."""
    return re.sub(r"([\\`*\[\]<>|~]|(?<!\w)_|_(?!\w))", r"\\\1", file)


def neutralise_markdown(markdown: str) -> str:
    stream = InertMarkdownStream()
    return stream.feed(markdown) + stream.end()


class InertMarkdownStream:
    """Takes Markdown in any portions; what comes out does not depend on them. Text flows at once, code when it ends."""

    def __init__(self) -> None:
        self._rest = ""  # not decided yet
        self._seen = ""  # formulas' signs so far
        self._begins = True  # a line
        self._fence: _Fence | None = None

    def feed(self, text: str) -> str:
        return self._fed(text, final=False)

    def end(self) -> str:
        """What is left; a block of code is closed, so that what follows the text is not taken for code."""
        left = self._fed("", final=True)
        return f"{left}\n{self._fence.signs}" if self._fence else left

    def _fed(self, text: str, final: bool) -> str:
        self._rest += text.replace("\r\n", "\n").replace("\r", "\n")
        out = []
        while self._rest and (piece := self._next(final)) is not None:
            out.append(piece)
        return "".join(out)

    def _next(self, final: bool) -> str | None:
        rest = self._rest
        if self._fence or (self._begins and _maybe_fence.match(rest)):
            end = rest.find("\n") + 1
            return self._line(end or len(rest)) if end or final else None
        self._begins = rest[0] == "\n"
        if rest[0] in "\n\\":
            size = 2 if rest[0] == "\\" and rest[1:2] != "\n" else 1
            return self._take(size) if len(rest) >= size or final else None
        if rest[0] == "`":
            return self._code(final)
        text = re.match(r"[^\n\\`]+", rest)[0]  # type: ignore[index]  # is not empty here
        if len(text) == len(rest) and not final and (waits := _undecided.search(text)):
            text = text[: waits.start()]
        return _without_markup(self._take(len(text))) if text else None

    def _line(self, size: int) -> str:
        """A whole line that is code, or that begins a block of code."""
        line, fence = self._rest[:size], self._fence
        if fence:
            words = line.strip()
            closes = len(words) >= len(fence.signs) and not words.strip(fence.signs[0])
            self._take(size)
            if closes:
                self._fence, self._begins = None, True
                return words + line[len(line.rstrip("\n")) :]
            return line if fence.certain else _without_markup(line).replace("`", "\\`")
        opens = _open_line.match(line)
        if opens is None:
            self._begins = False
            return ""
        signs = opens[1] or opens[3]
        language = re.match(r"[\w+#.-]*", (opens[2] or opens[4] or "").strip())[0]  # type: ignore[index]  # matches ""
        self._fence = _Fence(signs, not self._in_formula())
        self._take(size)
        return f"{signs}{'text' if _shown_live.fullmatch(language) else language}\n"

    def _code(self, final: bool) -> str | None:
        """A code span in one line; back ticks that nothing closes there are text."""
        rest = self._rest
        ticks = re.match(r"`+", rest)[0]  # type: ignore[index]  # called on a back tick
        line, newline, _ = rest.partition("\n")
        for run in re.finditer(r"`+", line):
            if run.start() and run[0] == ticks and (run.end() < len(line) or newline or final):
                span = self._take(run.end())
                return _without_markup(span) if any(sign in span for sign in _cuts_spans) else span
        if not newline and not final:
            return None
        return "\\`" * len(self._take(len(ticks)))

    def _take(self, size: int) -> str:
        text, self._rest = self._rest[:size], self._rest[size:]
        self._seen += "".join(re.findall(r"\$\$|\\[()\[\]]", text))
        return text

    def _in_formula(self) -> bool:
        before = self._seen
        return before.count("$$") % 2 == 1 or any(
            before.count(a) != before.count(b) for a, b in ((r"\(", r"\)"), (r"\[", r"\]"))
        )


def _without_markup(text: str) -> str:
    for pattern, instead in _rules:
        text = pattern.sub(instead, text)
    return text
