"""What a page shows already is noted on the page itself: of two responses that overtake each other, the note is that of
the one that is shown. Each part has its own, which is sent with the part and skipped with it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from typing import Any, NamedTuple

import gradio as gr

_LONGEST = 30.0  # seconds: a page that knows another clock waits no longer
_RUN = os.urandom(16)  # versions begin anew with every run of the program, and a page may stay open meanwhile


def seen_box() -> gr.Textbox:
    """Empty while nothing is shown."""
    return gr.Textbox("", visible="hidden", elem_classes="unseen")


def digest(value: object) -> str:
    """Short, and the same only for what looks the same, within one run of the program."""
    return hashlib.blake2b(repr(value).encode(), digest_size=12, key=_RUN).hexdigest()


class Seen(NamedTuple):
    """The note of a page that is looked at less often the longer a look takes."""

    now: str = ""
    until: float = 0.0  # (monotonic) when the next look is due

    @classmethod
    def of(cls, noted: Any) -> Seen:
        """As the page hands it over; anything else means that nothing was seen."""
        try:
            told = json.loads(noted)
        except (TypeError, ValueError, RecursionError):
            return cls()
        match told:
            case {"now": str(now), "until": int() | float() as until}:
                return cls(now, until)
        return cls()

    @classmethod
    def after(cls, now: str, rest: float) -> Seen:
        """Shown just now; the next look is due after `rest` seconds."""
        return cls(now, time.monotonic() + min(rest, _LONGEST))

    def __str__(self) -> str:
        return json.dumps(self._asdict())

    @property
    def resting(self) -> bool:
        now = time.monotonic()
        return now < self.until <= now + _LONGEST
