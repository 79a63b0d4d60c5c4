"""The program as a user starts it, cut off from the network."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.model_server import Reply, model_server

ROOT = Path(__file__).parent.parent.parent


@contextmanager
def program(data_dir: Path, **variables: str) -> Iterator[str]:
    """`uv run app.py` as in the README, on a free port, reaching nothing but loopback; yields the page's address."""
    command = ["uv", "run", "--no-sync", "app.py"] if shutil.which("uv") else [sys.executable, "app.py"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    secrets = ("_API_KEY", "_BASE_URL", "_MODEL")
    environment = {
        **{key: value for key, value in os.environ.items() if not key.endswith(secrets)},
        "CITEWISE_DATA_DIR": str(data_dir),
        "PYTHONPATH": str(ROOT / "tests" / "offline"),
        "UV_OFFLINE": "1",
        "CITEWISE_OLLAMA": "false",  # whatever runs on this machine
        **variables,
    }
    log = data_dir.parent / f"program-{port}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port), "--no-browser"],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=output, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            ready = any("http://localhost" in line for line in process.stdout)
            assert ready, f"the program ended: {log.read_text()}"
            yield f"http://localhost:{port}"
        finally:
            process.terminate()
            status = process.wait(timeout=200)
            process.stdout.close()
    assert status == 0, "the program ended before everything was closed"
    assert "Traceback" not in log.read_text(), log.read_text()


@contextmanager
def program_with_model(data_dir: Path, script: Callable[[dict[str, Any]], Reply], **variables: str) -> Iterator[str]:
    """Beside a model that answers as the script says."""
    with model_server(script) as server:
        own = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": server.base_url}
        with program(data_dir, **own, **variables) as url:
            yield url
