"""What is kept of a browser test that has failed, so that the failure explains itself: how each page looked, what stood
in it, what it had asked and said, and the logs of the programs. While all goes well it costs a line for each."""

from __future__ import annotations

import re
import shutil
import time
from collections import deque
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request
from playwright.sync_api import Error as PlaywrightError

FOLDER = Path("test-results")  # ignored by git
LAST = 2000  # lines of what pages have said and asked
_JOINS = "/queue/join"  # what begins an event: its number says which

logs: dict[Path, str] = {}  # of the programs that run, with their addresses
said: deque[str] = deque(maxlen=LAST)


def listen(context: BrowserContext) -> None:
    """Notes from now on what its pages say and ask."""
    context.on("console", _on_console)
    context.on("weberror", lambda error: _note(f"error: {error.error}"))
    context.on("request", _on_request)
    context.on("requestfailed", lambda request: _note(f"failed: {request.url} {request.failure}"))


def keep(name: str, browser: Browser, folder: Path | None = None) -> Path:
    """All that there is now, in a folder of the test's name."""
    kept = (folder or FOLDER) / re.sub(r"\W+", "-", name).strip("-")
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    (kept / "said.txt").write_text("\n".join(said), encoding="utf-8")
    for number, (log, url) in enumerate(logs.items(), 1):
        (kept / f"program-{number}.log").write_text(f"{url}\n{log.read_text(encoding='utf-8')}", encoding="utf-8")
    pages = [page for context in browser.contexts for page in context.pages]
    for number, page in enumerate(pages, 1):
        _keep_page(page, kept / f"page-{number}")
    return kept


def _keep_page(page: Page, to: Path) -> None:
    """One that hangs, or is gone, keeps nothing of the others back."""
    try:
        to.with_suffix(".html").write_text(f"<!-- {page.url} -->\n{page.content()}", encoding="utf-8")
        page.screenshot(path=to.with_suffix(".png"), timeout=10_000)
    except PlaywrightError as error:
        to.with_suffix(".error").write_text(str(error), encoding="utf-8")


def _on_console(message: ConsoleMessage) -> None:
    _note(f"{message.type}: {message.text[:500]}")


def _on_request(request: Request) -> None:
    body = f" {request.post_data_buffer!r:.300}" if _JOINS in request.url else ""
    _note(f"{request.method} {request.url[:200]}{body}")


def _note(line: str) -> None:
    said.append(f"{time.strftime('%H:%M:%S')} {line}")
