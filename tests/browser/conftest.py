"""A real Chromium: in CI its absence is a failure, elsewhere a skip."""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.browser import evidence
from tests.browser.chat import LOCALES, profiles

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--in-process-gpu", "--process-per-site",
]  # fmt: skip
_PATIENCE = 200_000  # milliseconds, however busy the machine is
expect.set_options(timeout=_PATIENCE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The tests that take a `locale` have Chinese and English by turns, from file to file and within each; both with
    `--both-languages`: what the page says in each is tested without a browser, in `tests/ui`."""
    if "locale" in metafunc.fixturenames:
        here = Path(metafunc.module.__file__)
        tests = [name for name, one in vars(metafunc.module).items() if name.startswith("test_") and _localised(one)]
        before = sorted(here.parent.glob("test_*.py")).index(here) + tests.index(metafunc.function.__name__)
        turn = before % len(LOCALES)
        both = metafunc.config.getoption("--both-languages")
        metafunc.parametrize("locale", LOCALES if both else LOCALES[turn : turn + 1])


def _localised(test: object) -> bool:
    return callable(test) and "locale" in inspect.signature(test).parameters


class _Shared:
    """One Chromium for all files of this folder that a worker runs one after the other, so that what it has kept of the
    page's scripts serves them all. While Playwright is open, no other event loop can run: it ends with the last one."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.running: Browser | None = None

    def browser(self) -> Browser:
        if self.running is None or not self.running.is_connected():
            self.close()
            self.running = self._begun()
        return self.running

    def _begun(self) -> Browser:
        path = os.environ.get("CITEWISE_CHROMIUM") or next((p for name in NAMES if (p := shutil.which(name))), None)
        playwright = self._stack.enter_context(_driver())
        if path is None and not Path(playwright.chromium.executable_path).exists():
            self.close()
            if os.environ.get("CI"):
                pytest.fail("no Chromium: in CI a browser test that does not run is a failure")
            pytest.skip("no Chromium on this machine")
        running = _launched(playwright, path)
        self._stack.callback(running.close)
        _made_patient(running)
        return running

    def close(self) -> None:
        self._stack.close()
        self.running = None


@contextmanager
def _driver() -> Iterator[Playwright]:
    """Playwright, whose `expect` tells of what it waits for in words alone."""
    with pytest.MonkeyPatch.context() as patch:
        options = os.environ.get("NODE_OPTIONS", "")
        patch.setenv("NODE_OPTIONS", f'{options} --require "{Path(__file__).with_name("without_snapshots.js")}"')
        playwright = sync_playwright().start()
    try:
        yield playwright
    finally:
        playwright.stop()


_shared = _Shared()


@pytest.fixture(scope="module")
def browser() -> Browser:
    return _shared.browser()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed and (running := _shared.running):
        report.sections.append(("what is left of the pages", str(evidence.keep(item.nodeid, running))))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    yield
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        _shared.close()


def _launched(playwright: Playwright, path: str | None) -> Browser:
    """Where the machine is short of memory, a Chromium may die before its first page: then another is started."""
    launch = partial(playwright.chromium.launch, executable_path=path, headless=True, args=ARGUMENTS, timeout=_PATIENCE)
    try:
        return launch()
    except PlaywrightError:
        return launch()


def _made_patient(browser: Browser) -> None:
    """Its pages wait for a click or an element as `expect` does, not for half a minute, and draw nothing that moves."""
    new_context = browser.new_context

    def patient(**options: Any) -> BrowserContext:
        context = new_context(**{"reduced_motion": "reduce", **options})
        context.set_default_timeout(_PATIENCE)
        evidence.listen(context)
        return context

    browser.new_context = patient  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def _no_page_stays(browser: Browser) -> Iterator[None]:
    """An open page goes on asking the program for news."""
    yield
    lasting = profiles(browser).values()
    for context in browser.contexts:
        if context in lasting:
            for page in context.pages[1:]:
                page.close()
        else:
            context.close()
