"""The program as a user starts it, cut off from the network."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from benchmarks.model_server import Reply, model_server
from tests.browser import evidence
from tests.forked import ROOT, Forked, offline


@contextmanager
def program(data_dir: Path, **variables: str) -> Iterator[str]:
    """app.py on a free port, reaching nothing but loopback; yields the page's address.

    It is a process of its own, and a fork of one that has loaded all that it needs: see `tests/prepared.py`.
    """
    with _ready(data_dir, {"CITEWISE_INGEST_WORKERS": "0", **variables}) as (arguments, environment, log, said):
        pipe = log.with_suffix(".output")
        os.mkfifo(pipe)
        files = (os.devnull, str(pipe), str(log))
        process = Forked("app.py", *arguments, environment=environment, files=files)
        with pipe.open() as output:
            try:
                yield said(output)
            finally:
                process.terminate()
                status = process.wait()
    assert status == 0, "the program ended before everything was closed"


@contextmanager
def program_of_user(data_dir: Path, **variables: str) -> Iterator[str]:
    """The same by `uv run app.py`, as in the README: with all that a start takes, and workers for what is saved."""
    command = ["uv", "run", "--no-sync", "app.py"] if shutil.which("uv") else [sys.executable, "app.py"]
    with _ready(data_dir, variables) as (arguments, environment, log, said), log.open("w") as errors:
        process = subprocess.Popen(
            [*command, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        assert process.stdout is not None
        try:
            yield said(process.stdout)
        finally:
            process.terminate()
            status = process.wait(timeout=200)
            process.stdout.close()
    assert status == 0, "the program ended before everything was closed"


@contextmanager
def _ready(
    data_dir: Path, variables: dict[str, str]
) -> Iterator[tuple[list[str], dict[str, str], Path, Callable[[TextIO], str]]]:
    """Arguments and environment of a program, a file for its log, and what reads the page's address from its output.
    What is in the log is looked at in the end."""
    port = _port()
    log = Path(tempfile.mkdtemp(prefix="program-", dir=data_dir.parent)) / "log"
    log.touch()

    def said(output: TextIO) -> str:
        ready = any("http://localhost" in line for line in output)
        assert ready, f"the program ended: {log.read_text()}"
        return f"http://localhost:{port}"

    evidence.logs[log] = f"http://localhost:{port}"
    try:
        yield (
            ["--port", str(port), "--no-browser"],
            {**offline(), "CITEWISE_DATA_DIR": str(data_dir), **variables},
            log,
            said,
        )
    finally:
        del evidence.logs[log]
    assert "Traceback" not in log.read_text(), log.read_text()


_ports: list[int] = []  # of the programs that there have been


def _port() -> int:
    """One that is free, and as soon as it can be the one that another program had: what the browser has kept of the
    page at an address, its scripts above all, it need not load and compile again."""
    for port in (*_ports, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the program does it
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                if not port:
                    _ports.append(probe.getsockname()[1])
                return port or _ports[-1]
    raise OSError("no port is free")


@contextmanager
def program_with_model(data_dir: Path, script: Callable[[dict[str, Any]], Reply], **variables: str) -> Iterator[str]:
    """Beside a model that answers as the script says."""
    with model_server(script) as server:
        own = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": server.base_url}
        with program(data_dir, **own, **variables) as url:
            yield url
