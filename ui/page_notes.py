"""What a page shows already is noted on the page itself: of two responses that overtake each other, the note is that of
the one that is shown. Each part has its own, which is sent with the part and skipped with it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple

import gradio as gr

from errors import StoreError

_LONGEST = 30.0  # seconds: a page that knows another clock waits no longer
_RUN = os.urandom(16)  # versions begin anew with every run of the program, and a page may stay open meanwhile


def note_box() -> gr.Textbox:
    """Empty while nothing is shown."""
    return gr.Textbox("", max_lines=1, visible="hidden")  # of one line: the page measures the others at each value


def connect_clock(
    clock: gr.Timer,
    news: Callable[..., Awaitable[bool]],
    look: Callable[..., Awaitable[Sequence[Any]]],
    noted: Any,
    shown: Sequence[Any],
) -> None:
    """Each tick asks `news` whether `look` has anything to show, which takes the same; only then `look` is asked.

    A page copies every output of an event, whole, with each word that it hears of the event: twenty of them every
    second or two would cost it a tenth of a processor while nothing happens.
    """
    asked = note_box()

    @wraps(news)  # Gradio reads from its parameters what to hand over
    async def ask(*values: Any) -> Any:
        try:
            return os.urandom(8).hex() if await news(*values) else gr.skip()  # another one each time, until it is shown
        except StoreError:  # a database that is away: each that asks for it is told, and a clock asks for nothing
            return gr.skip()

    quiet: dict[str, Any] = {"trigger_mode": "once", "show_progress": "hidden", "api_visibility": "private"}
    clock.tick(ask, noted, asked, **quiet)
    asked.change(look, noted, shown, **quiet)


def digest(value: object) -> str:
    """Short, and the same only for what looks the same, within one run of the program."""
    return hashlib.blake2b(repr(value).encode(), digest_size=12, key=_RUN).hexdigest()


class PageNote(NamedTuple):
    """The note of a page that is looked at less often the longer a look takes."""

    now: str = ""
    until: float = 0.0  # (monotonic) when the next look is due

    @classmethod
    def of(cls, noted: Any) -> PageNote:
        """As the page hands it over; anything else means that nothing was seen."""
        try:
            fields = json.loads(noted)
        except (TypeError, ValueError, RecursionError):
            return cls()
        match fields:
            case {"now": str(now), "until": int() | float() as until}:
                return cls(now, until)
        return cls()

    @classmethod
    def after(cls, now: str, rest: float) -> PageNote:
        """Shown just now; the next look is due after `rest` seconds."""
        return cls(now, time.monotonic() + min(rest, _LONGEST))

    def __str__(self) -> str:
        return json.dumps(self._asdict())

    @property
    def resting(self) -> bool:
        now = time.monotonic()
        return now < self.until <= now + _LONGEST
