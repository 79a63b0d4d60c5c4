"""What a reasoning model thinks aloud does not belong to its answer."""

from __future__ import annotations

_ENDS = {f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought")}


def without_thoughts(text: str) -> str:
    """A whole answer without its thoughts."""
    thoughts = ThoughtFilter()
    return (thoughts.feed(text) + thoughts.finish()).strip()


class ThoughtFilter:
    """Keeps `<think>...</think>` back from a stream whose pieces may split the tags; lets nothing out too early.

    Tags count at the beginning of a line only, so that an answer about them keeps them. Some templates open the block
    themselves: then only its end comes, and all that was let out before it is `void`.
    """

    def __init__(self) -> None:
        self.void = False  # set when it happens; whoever has seen it clears it
        self._held = ""
        self._end: str | None = None  # the tag that ends the block we are in
        self._line_start = True
        self._silent = True  # nothing visible was let out
        self._opened = False

    def feed(self, piece: str) -> str:
        """What of the text so far is certain to be the answer."""
        self._held += piece
        out: list[str] = []
        while self._held and self._step(out):
            pass
        return self._visible("".join(out))

    def finish(self) -> str:
        """What was held back until the end."""
        rest, self._held = ("" if self._end else self._held), ""
        return self._visible(rest)

    def _step(self, out: list[str]) -> bool:
        """Move on by one unit of the held text; False when more of it must come first."""
        if self._end:
            _, tag, after = self._held.partition(self._end)
            self._held = after if tag else self._held[-len(self._end) :]
            self._end, self._line_start = (None, True) if tag else (self._end, False)
            return bool(tag)
        if self._held[0] != "<":
            plain, angle, rest = self._held.partition("<")
            out.append(plain)
            _, newline, line = plain.rpartition("\n")
            self._line_start = not line.strip(" \t") and (bool(newline) or self._line_start)
            self._held = angle + rest
            return bool(angle)
        return self._tag(out)

    def _tag(self, out: list[str]) -> bool:
        """The held text begins with "<"."""
        if self._line_start:
            for opening, end in _ENDS.items():
                if self._held.startswith(opening):
                    self._held, self._end, self._opened = self._held[len(opening) :], end, True
                    return True
                if not self._opened and self._held.startswith(end):
                    self._held, self._opened = self._held[len(end) :], True
                    self.void, self._silent = self.void or not self._silent, True
                    out.clear()
                    return True
            if any(tag.startswith(self._held) for tag in (*_ENDS, *_ENDS.values())):
                return False
        out.append("<")
        self._held, self._line_start = self._held[1:], False
        return True

    def _visible(self, text: str) -> str:
        text = text.lstrip() if self._silent else text
        self._silent = self._silent and not text
        return text
