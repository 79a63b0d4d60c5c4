"""Programs of this repository as forks of a process that has loaded what they need, cut off from the network: each is a
process of its own that costs a quarter of one that Python starts. That they start so, too, is tested where they are
started as a user does it."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.program import Program, free_port, surroundings

ROOT = Path(__file__).parent.parent
_asking = threading.Lock()


class Forked:
    """What `subprocess.Popen` would be of the command behind `python`."""

    def __init__(
        self, *command: str, environment: dict[str, str] | None = None, folder: Path = ROOT,
        files: tuple[str, str, str] = (os.devnull, os.devnull, os.devnull), terminal: bool = False,
    ) -> None:  # fmt: skip
        """`files` are its input, its output and its errors; a `terminal` among them is its own."""
        self.returncode: int | None = None
        self.pid = _ask({
            "command": command, "environment": dict(os.environ) if environment is None else environment,
            "folder": str(folder), "files": files, "terminal": terminal,
        })  # fmt: skip

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = _ask({"ended": self.pid})
        return self.returncode

    def wait(self, timeout: float = 200) -> int:
        """Raises TimeoutExpired."""
        end = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.01)
        return status

    def terminate(self) -> None:
        self._tell(signal.SIGTERM)

    def kill(self) -> None:
        self._tell(signal.SIGKILL)

    def _tell(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


@contextmanager
def forked_at(port: int, script: str, *arguments: str, uv: bool = True, **variables: str) -> Iterator[Program]:
    """In place of `started_at` of the benchmarks; `uv` makes no difference."""
    begun = time.monotonic()
    process: Any = Forked(script, *arguments, "--port", str(port), environment=surroundings(variables))
    try:
        yield Program(f"http://127.0.0.1:{port}", process, begun)
    finally:
        process.terminate()
        process.wait(timeout=60)


@contextmanager
def forked(script: str, *arguments: str, uv: bool = True, **variables: str) -> Iterator[Program]:
    """In place of `started` of the benchmarks."""
    with forked_at(free_port(), script, *arguments, uv=uv, **variables) as program:
        yield program


def offline() -> dict[str, str]:
    """The environment without any key, address or model of this machine."""
    secrets = ("_API_KEY", "_BASE_URL", "_MODEL")
    return {
        **{key: value for key, value in os.environ.items() if not key.endswith(secrets)},
        "PYTHONPATH": str(ROOT / "tests" / "offline"),
        "UV_OFFLINE": "1",
        "CITEWISE_OLLAMA": "false",  # whatever runs on this machine
        "GRADIO_ANALYTICS_ENABLED": "False",
    }


@functools.cache
def _prepared() -> subprocess.Popen[str]:
    """Ends with this process, when nobody can write to it any more."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.prepared"],
        cwd=ROOT, env=offline(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def _ask(order: dict[str, Any]) -> Any:
    with _asking:
        prepared = _prepared()
        assert prepared.stdin is not None
        assert prepared.stdout is not None
        prepared.stdin.write(json.dumps(order) + "\n")
        prepared.stdin.flush()
        return json.loads(prepared.stdout.readline())
