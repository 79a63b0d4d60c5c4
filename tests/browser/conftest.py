"""A real Chromium, and the program as a user starts it, cut off from the network."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

ROOT = Path(__file__).parent.parent.parent
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

NewPage = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("CITEWISE_CHROMIUM") or next((p for name in NAMES if (p := shutil.which(name))), None)
    with sync_playwright() as playwright:
        if path is None and not Path(playwright.chromium.executable_path).exists():
            if os.environ.get("CI"):
                pytest.fail("no Chromium: in CI a browser test that does not run is a failure")
            pytest.skip("no Chromium on this machine")
        running = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield running
        running.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def program(data_dir: Path, **variables: str) -> Iterator[str]:
    """`uv run app.py` as in the README, on a free port, reaching nothing but loopback; yields the page's address."""
    command = ["uv", "run", "--no-sync", "app.py"] if shutil.which("uv") else [sys.executable, "app.py"]
    port = free_port()
    environment = {
        **{key: value for key, value in os.environ.items() if not key.endswith(("_API_KEY", "_BASE_URL"))},
        "CITEWISE_DATA_DIR": str(data_dir),
        "PYTHONPATH": str(ROOT / "tests" / "offline"),
        "UV_OFFLINE": "1",
        **variables,
    }
    log = data_dir.parent / f"program-{port}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port), "--no-browser"],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=output, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if "http://localhost" in line:
                    break
            else:
                pytest.fail(f"the program ended: {log.read_text()}")
            yield f"http://localhost:{port}"
        finally:
            process.terminate()
            process.wait(timeout=30)
            process.stdout.close()
    assert "Traceback" not in log.read_text(), log.read_text()
