"""The startup benchmark: its clock, and what it makes of what it has seen."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from benchmarks.program import started
from benchmarks.startup import _CHROMIUM, MOST, Start, _browser, _report, _typed
from tests.benchmarks.benchmark_commands import measured

# A page whose box is there late, and that throws away what was written into it before it was ready.
PAGE = """<div id=box></div><script>setTimeout(() => {
    document.querySelector('#box').innerHTML = '<textarea></textarea>';
    setTimeout(() => { document.querySelector('textarea').value = '' }, 200);
}, 100)</script>"""
SERVER = f"""
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write({PAGE.encode()!r})

HTTPServer(("127.0.0.1", int(sys.argv[-1])), Handler).serve_forever()
"""


def test_the_ratio_is_that_of_the_medians() -> None:
    starts = {
        "bare": [Start(2.0, 1.0, 1.0), Start(9.0, 1.0, 1.0), Start(1.0, 1.0, 1.0)],
        "empty": [Start(3.0, 0.5, 2.0)] * 3,
        "small": [Start(4.0, 0.5, 3.0)] * 3,
    }
    report = _report(starts)
    bars = [(bar.value, bar.bar, bar.ok) for bar in report.bars.values()]
    assert bars == [(1.5, MOST, True), (2.0, MOST, False)]
    assert report.metrics["small / bare"] == {"wall": 2.0, "cpu": 3.0}
    assert report.metrics["bare"] == {"wall": 2.0, "listens": 1.0, "cpu": 1.0}


def test_a_program_that_ends_is_said_to_have_ended(tmp_path: Path) -> None:
    script = tmp_path / "ends.py"
    script.write_text("raise SystemExit(3)")
    with started(str(script), uv=False) as program, pytest.raises(RuntimeError, match="did not start"):
        program.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="only there the machine tells")
def test_what_a_program_takes_is_seen(tmp_path: Path) -> None:
    script = tmp_path / "serves.py"
    script.write_text(f"ballast = b'x' * 30_000_000\n{SERVER}")
    with started(str(script), uv=False) as program:
        program.wait()
        assert program.memory() > 30_000_000
        assert program.cpu() >= 0


def test_the_command_starts_what_it_is_asked_for() -> None:
    _needs_chromium()
    report = measured("startup", "--rounds", "0", "--case", "bare")
    assert report.metrics.keys() == {"bare"}
    assert 0 < report.metrics["bare"]["listens"] < report.metrics["bare"]["wall"]
    assert not report.bars


def _needs_chromium() -> None:
    if not (os.environ.get("CITEWISE_CHROMIUM") or any(map(shutil.which, _CHROMIUM)) or os.environ.get("CI")):
        pytest.skip("no Chromium on this machine")


def test_the_clock_stops_when_the_words_stay(tmp_path: Path) -> None:
    _needs_chromium()
    from playwright.sync_api import sync_playwright

    script = tmp_path / "serves.py"
    script.write_text(SERVER)
    with sync_playwright() as playwright, _browser(playwright) as browser, started(str(script), uv=False) as program:
        start = _typed(browser, program)
    assert start.wall > start.listens + 0.2  # the words that came before the page was ready do not count
