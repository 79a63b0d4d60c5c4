"""A program at a terminal: keys go in, words come out."""

from __future__ import annotations

import codecs
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from tests.forked import Forked

_PATIENCE = 300  # seconds, however slow this machine is


class Terminal:
    """Python at a terminal of its own, whose words are read as they come; `ignoring` Ctrl-C from the beginning, or
    `forked` from a process that has loaded what it needs."""

    def __init__(self, *arguments: str, ignoring: bool = False, forked: bool = False) -> None:
        import pty

        self._ours, theirs = pty.openpty()
        self._held: int | None = theirs if forked else None  # until it has opened the terminal itself
        self.process: subprocess.Popen[bytes] | Forked
        if forked:
            path = os.ttyname(theirs)
            self.process = Forked(*arguments, folder=Path.cwd(), files=(path, path, path), terminal=True)
        else:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                preexec_fn=_owned_ignoring if ignoring else _owned,
            )  # fmt: skip
            os.close(theirs)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.said = ""

    def read_until(self, words: str) -> None:
        while words not in self.said:
            assert self._hears(), f"{words!r} was not said: {self.said}"

    def answer(self, words: str) -> None:
        os.write(self._ours, words.encode())

    def ended(self) -> int:
        while self._hears():
            pass
        os.close(self._ours)
        return self.process.wait(timeout=_PATIENCE)

    def _hears(self) -> bool:
        """Whether something more was said."""
        if not select.select([self._ours], [], [], _PATIENCE)[0]:
            self.process.kill()
            raise AssertionError(f"silent: {self.said}")
        try:
            piece = os.read(self._ours, 65_536)
        except OSError:  # whoever spoke has gone
            return False
        if self._held is not None:
            os.close(self._held)
            self._held = None
        self.said += self._decoder.decode(piece)
        return bool(piece)


def _owned() -> None:
    """The terminal on its standard input is the one that Ctrl-C is pressed at."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _owned_ignoring() -> None:
    _owned()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
