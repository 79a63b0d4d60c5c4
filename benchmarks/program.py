"""A program of this repository as a process of its own, started as a user starts it, on a free port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
_PATIENCE = 120.0  # seconds until a program that is not there counts as hanging
_STILL = 2.0  # seconds with hardly any work, after which a program counts as resting
_MODELS = ("_API_KEY", "_BASE_URL", "_MODEL")  # of the environment: whatever this machine has is not measured


@dataclass(frozen=True)
class Program:
    url: str
    process: subprocess.Popen[bytes]
    begun: float  # monotonic seconds

    def wait(self) -> None:
        """Until somebody listens. Raises RuntimeError where that does not come about."""
        address = ("127.0.0.1", int(self.url.rpartition(":")[2]))
        while True:
            with suppress(OSError), socket.create_connection(address, timeout=1):
                return
            if time.monotonic() - self.begun > _PATIENCE or self.process.poll() is not None:
                raise RuntimeError("the program did not start; what it said is above")
            time.sleep(0.01)

    def rest(self) -> None:
        """Until it has nothing left to do: what it warms up in the background is done. At most a minute."""
        end, before = time.monotonic() + 60, self.cpu()
        while time.monotonic() < end:
            time.sleep(_STILL)
            now = self.cpu()
            if now - before < _STILL / 20:
                return
            before = now

    def cpu(self) -> float:
        """Seconds of processor that it and all it started have taken; 0 where the machine does not tell."""
        return cpu_of(self.process.pid)

    def memory(self) -> int:
        """Bytes of it and all it started that are in memory; 0 where the machine does not tell."""
        return sum(_resident(pid) for pid in _family(self.process.pid))


@contextmanager
def started(script: str, *arguments: str, uv: bool = True, **variables: str) -> Iterator[Program]:
    """`uv run SCRIPT`, or without uv the same by this Python, until the block ends."""
    with started_at(free_port(), script, *arguments, uv=uv, **variables) as program:
        yield program


@contextmanager
def started_at(port: int, script: str, *arguments: str, uv: bool = True, **variables: str) -> Iterator[Program]:
    path = shutil.which("uv") if uv else None
    # --no-sync: an install is not part of a second start, and it would put up what stands beside it here
    command = [path, "run", "--no-sync", script] if path else [sys.executable, script]
    begun = time.monotonic()
    process = subprocess.Popen(
        [*command, *arguments, "--port", str(port)],
        cwd=ROOT, env=surroundings(variables), stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield Program(f"http://127.0.0.1:{port}", process, begun)
    finally:
        process.terminate()
        process.wait(timeout=60)


def surroundings(variables: dict[str, str]) -> dict[str, str]:
    """The environment of a program that is measured."""
    environment = {key: value for key, value in os.environ.items() if not key.endswith(_MODELS)}
    own = {"CITEWISE_OLLAMA": "false", "GRADIO_ANALYTICS_ENABLED": "False", "CITEWISE_LOG_LEVEL": "WARNING"}
    return {**environment, **own, **variables}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_of(pid: int) -> float:
    """Seconds of processor that a process and all it started have taken; 0 where the machine does not tell."""
    return sum(_times(one) for one in _family(pid)) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> int:
    """Bytes of a process and all it started, where what they share counts once; 0 where the machine does not tell."""
    return sum(_field(one, "smaps_rollup", "Pss:") for one in _family(pid))


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    parents = {int(path.name): _stat(int(path.name)) for path in Path("/proc").glob("[0-9]*")}
    family = [pid]
    for one in family:
        family += [child for child, stat in parents.items() if stat and int(stat[1]) == one]
    return family


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; none for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _times(pid: int) -> int:
    """Ticks of processor: its own, and those of its children that have ended."""
    return sum(map(int, _stat(pid)[11:15]))


def _resident(pid: int) -> int:
    return _field(pid, "status", "VmRSS:")


def _field(pid: int, name: str, field: str) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/{name}").read_text().splitlines():
            if line.startswith(field):
                return 1024 * int(line.split()[1])
    return 0
