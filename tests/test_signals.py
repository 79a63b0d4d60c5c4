"""Ctrl-C where it is ignored from the beginning, as in the background of a script: work goes on, a question ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

import app
import cli
from settings import Settings
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")

WORKS = """
import signal
from commands.terminal import read_line
signal.raise_signal(signal.SIGINT)
print("worked on;", read_line("first? "), "was said")
signal.raise_signal(signal.SIGINT)
try:
    read_line("second? ")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_command_that_ignores_control_c_heeds_it_at_a_question_alone() -> None:
    terminal = Terminal("-c", WORKS, ignoring=True)
    terminal.read_until("first? ")
    terminal.answer("yes\n")
    terminal.read_until("second? ")
    assert "worked on; yes was said" in terminal.said
    terminal.answer("\x03")
    terminal.read_until("interrupted")
    assert terminal.ended() == 0


def test_a_password_can_be_interrupted_as_well() -> None:
    terminal = Terminal(str(Path(cli.__file__)), "user", "ann", ignoring=True)
    terminal.read_until(": ")
    terminal.answer("\x03")
    assert terminal.ended() == 130
    assert "Traceback" not in terminal.said


@pytest.fixture(params=[signal.default_int_handler, signal.SIG_IGN], ids=["in front", "in the background"])
def inherited(request: pytest.FixtureRequest) -> Iterator[object]:
    """How the program found Ctrl-C."""
    before = signal.signal(signal.SIGINT, request.param)
    yield request.param
    signal.signal(signal.SIGINT, before)


def test_the_server_ends_by_control_c_unless_it_was_ignored_and_always_by_sigterm(inherited: object) -> None:
    server = SimpleNamespace(should_exit=False, force_exit=False)
    with app._ended_by_signals(server):
        signal.raise_signal(signal.SIGINT)
        assert server.should_exit is (inherited is not signal.SIG_IGN)
        signal.raise_signal(signal.SIGTERM)
        assert server.should_exit
    assert signal.getsignal(signal.SIGINT) is inherited


async def test_where_others_go_on_sigterm_lets_running_turns_end_first(monkeypatch: pytest.MonkeyPatch) -> None:
    running, drained = asyncio.Event(), list[float]()

    class Busy:
        async def drain(self, patience: float) -> None:
            drained.append(patience)
            await running.wait()

    server = SimpleNamespace(should_exit=False, force_exit=False)
    with app._ended_by_signals(server, app.Draining(Busy(), server)):  # type: ignore[arg-type]
        for _ in range(2):  # `uv run` passes it on as well
            signal.raise_signal(signal.SIGTERM)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert (drained, server.should_exit) == ([app.DRAIN], False)
        running.set()
        while not server.should_exit:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0)
        server.should_exit = False
        monkeypatch.setattr(app.time, "monotonic", lambda: float("inf"))
        signal.raise_signal(signal.SIGTERM)  # a second one does not wait
        assert server.force_exit
        assert server.should_exit


async def test_a_signal_while_everything_is_closed_leaves_the_closing_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closing:
        whole = False

        async def close(self) -> None:
            signal.raise_signal(signal.SIGTERM)  # by default the end of the process
            self.whole = True

    async def opened(*_: object, **__: object) -> Closing:
        return assistant

    async def serve(**_: object) -> None:
        pass

    assistant = Closing()
    monkeypatch.setattr("graph.turns.Assistant.open", opened)
    server = SimpleNamespace(should_exit=False, force_exit=False, serve=serve)
    page = SimpleNamespace(_queue=SimpleNamespace(stopped=False, _asyncio_tasks=[]))
    monkeypatch.setattr(app, "_server", lambda _: (server, SimpleNamespace(serving=nullcontext), page))
    before = signal.getsignal(signal.SIGTERM)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await app._serve_on(listener, Settings.from_mapping({"CITEWISE_OPEN_BROWSER": "false"}))
    assert assistant.whole
    assert page._queue.stopped
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_a_test_starts_begins_with_control_c_as_it_is_by_default() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
