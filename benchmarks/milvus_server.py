"""The Milvus server of a benchmark."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 60.0  # seconds for it to start


@contextmanager
def milvus_server() -> Iterator[str]:
    """The address in CITEWISE_MILVUS_URL, or milvus-lite as a process of its own for the run."""
    if url := os.environ.get("CITEWISE_MILVUS_URL"):
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="citewise-milvus-") as folder, socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
        found.close()
        server = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "milvus_lite", "server", "--data-dir", f"{folder}/data",
             "--host", "127.0.0.1", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _await(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def _await(port: int) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
