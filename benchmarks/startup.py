"""Seconds from `uv run app.py` to a page that can be typed into, beside a bare Gradio chat started in the same way.

The bare chat (benchmarks/startup_bare.py), the program with an empty library and the program with a small one take
turns. Each time a browser that has never been there opens the page as soon as somebody listens, and the clock stops
when words that were typed into the message box stay there. The first round, which reads everything from the disk, is
not counted. CPU is that of the started processes at this moment, without the browser's.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.manuals import manuals
from benchmarks.program import Program, started
from benchmarks.report import Bar, Report, progress
from library import Library
from schema import IncomingFile
from settings import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

MOST = 1.6  # times the bare chat's seconds
CASES = ("bare", "empty", "small")
WORDS = "hello 你好"
_STAY = 0.5  # seconds that the words must stay for
_CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


class Start(NamedTuple):
    """Seconds until the page could be typed into."""

    wall: float
    listens: float  # of it until somebody listened
    cpu: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "starts of each that are counted (7; 0: only the first one, which reads from the disk)"
    parser.add_argument("--rounds", type=int, default=7, help=help_)
    parser.add_argument("--case", action="append", choices=CASES, help="only this one; may be given again")
    parser.add_argument("--documents", type=int, default=20, help="of the small library (20)")


def run(options: argparse.Namespace) -> Report:
    from playwright.sync_api import sync_playwright

    starts: dict[str, list[Start]] = {case: [] for case in options.case or CASES}
    with tempfile.TemporaryDirectory(prefix="citewise-startup-") as folder:
        if "small" in starts:
            asyncio.run(_fill(Path(folder) / "small", options.documents))
        with sync_playwright() as playwright, _browser(playwright) as browser:
            for number in progress(range(options.rounds + 1), "startup"):
                for name, seen in starts.items():
                    data = Path(folder) / (name if name == "small" else f"{name}-{number}")  # empty: a first start
                    begun = _bare(browser) if name == "bare" else _ours(browser, data)
                    if number or not options.rounds:
                        seen.append(begun)
    return _report(starts)


def _report(starts: dict[str, list[Start]]) -> Report:
    middle = {name: Start(*(median(part) for part in zip(*seen, strict=True))) for name, seen in starts.items()}
    report = Report({name: start._asdict() for name, start in middle.items()})
    if bare := middle.pop("bare", None):
        for name, ours in middle.items():
            report.metrics[f"{name} / bare"] = {"wall": ours.wall / bare.wall, "cpu": ours.cpu / (bare.cpu or 1)}
            report.bars[f"{name} library: seconds / bare"] = Bar(ours.wall / bare.wall, MOST, most=True)
    spread = (f"{name} {min(walls):.2f}-{max(walls):.2f} s" for name, walls in _walls(starts).items())
    report.notes.append(f"medians; fastest and slowest: {', '.join(spread)}")
    return report


def _walls(starts: dict[str, list[Start]]) -> dict[str, list[float]]:
    return {name: [start.wall for start in seen] for name, seen in starts.items()}


async def _fill(folder: Path, documents: int) -> None:
    async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": str(folder)})) as library:
        tasks = await library.submit([IncomingFile(one.name, one.text.encode()) for one in manuals(documents)])
        await library.finished([task.id for task in tasks])
        await library.settle()


def _ours(browser: Browser, data: Path) -> Start:
    with started("app.py", "--no-browser", CITEWISE_DATA_DIR=str(data)) as program:
        return _typed(browser, program)


def _bare(browser: Browser) -> Start:
    with started("benchmarks/startup_bare.py") as program:
        return _typed(browser, program)


def _typed(browser: Browser, program: Program) -> Start:
    program.wait()
    listens = time.monotonic()
    context = browser.new_context()
    try:
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(program.url, wait_until="commit")
        moment, cpu = _words_stay(page, program)
    finally:
        context.close()
    return Start(moment - program.begun, listens - program.begun, cpu)


def _words_stay(page: Page, program: Program) -> tuple[float, float]:
    """When words were typed that stayed, and the CPU by then."""
    box = page.locator("#box textarea")
    while True:
        box.fill(WORDS)  # waits until there is a box that can be seen and written to
        moment, cpu = time.monotonic(), program.cpu()
        while (stays := box.input_value() == WORDS) and time.monotonic() - moment < _STAY:
            page.wait_for_timeout(50)
        if stays:
            return moment, cpu


def _browser(playwright: Playwright) -> Browser:
    path = os.environ.get("CITEWISE_CHROMIUM") or next((p for name in _CHROMIUM if (p := shutil.which(name))), None)
    return playwright.chromium.launch(executable_path=path, headless=True, args=_ARGUMENTS)
