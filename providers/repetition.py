"""A model that turns in circles says the same words over and over, to the last token that it may write."""

from __future__ import annotations

LEAST = 800  # characters that only repeat what stands before them: no table or list has so many
TIMES = 4  # the same words stand at least so often behind the first time
FARTHEST = 2_000  # characters of what is repeated
_STEP = 32  # characters that are looked at together
_SIGNS = (64, 8)  # characters that came once before: whether what follows comes again is seen from here


class Repetition:
    """Keeps back what may be the beginning of a circle, and lets it out as soon as something new comes.

    It has found one when `endless` is set: the rest of the text is nothing that anybody wants.
    """

    def __init__(self) -> None:
        self.endless = False
        self._recent = ""  # the end of all that came, as far as it is compared
        self._distance = 0  # characters back to where the same stands; 0: it is new
        self._held = ""

    def feed(self, text: str) -> str:
        """What of the text so far is no repetition."""
        return "".join(self._step(text[start : start + _STEP]) for start in range(0, len(text), _STEP))

    def finish(self) -> str:
        """What was held back until the end: too little for a circle."""
        rest, self._held = self._held, ""
        return rest

    def _step(self, text: str) -> str:
        if self.endless:
            return ""
        self._recent = (self._recent + text)[-2 * FARTHEST :]
        if self._distance and self._comes_again(len(text)):
            self._held += text
            self.endless = len(self._held) >= max(LEAST, TIMES * self._distance)
            if self.endless:
                self._held = ""
            return ""
        out, self._held = self._held + text, ""
        self._distance = next(filter(None, map(self._back_to, _SIGNS)), 0)
        return out

    def _comes_again(self, size: int) -> bool:
        earlier = len(self._recent) - size - self._distance
        return earlier >= 0 and self._recent.endswith(self._recent[earlier : earlier + size])

    def _back_to(self, size: int) -> int:
        """Characters back to where the last so many stand already."""
        end = len(self._recent)
        found = self._recent.rfind(self._recent[-size:], max(0, end - size - FARTHEST), end - 1) if end > size else -1
        return end - size - found if found >= 0 else 0


def without_repetition(text: str) -> str:
    """A whole text up to where it begins to turn in circles."""
    repetition = Repetition()
    return repetition.feed(text) + repetition.finish()
