"""Ending the program from the page, and with the last page: on one's own machine, without a login."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gradio as gr

from doors.users import LOCAL, is_loopback, users_from_settings
from errors import CitewiseError
from graph.turns import Assistant
from schema import Language, Message
from settings import Settings
from ui.texts import page_language, text

GRACE = 8.0  # seconds for a page that is reloaded to come back
_ANSWERED = 0.5  # seconds until the page's event has been answered
# When the program does not answer any more, nothing of the page could work: words take its place.
_GOODBYE = """async () => {
    const answers = () => fetch('gradio_api/app_id', {cache: 'no-store'}).then(() => true, () => false);
    while (await answers()) await new Promise(later => setTimeout(later, 200));
    const zh = /^zh/i.test(navigator.language), said = document.createElement('main');
    said.id = 'closed';
    said.textContent = zh ? 'Citewise 已关闭，一切都已保存。可以关掉这个页面了。'
        : 'Citewise is closed and everything is kept. You can close this page.';
    document.body.replaceChildren(said);
    document.title = 'Citewise';
}"""


def single_user(settings: Settings) -> bool:
    """Whether whoever sees the page is the one who started it."""
    local = is_loopback(settings.host) and all(host in LOCAL for host in settings.allowed_hosts)
    return local and not users_from_settings(settings)


def require_one_user(settings: Settings) -> None:
    """Raises CitewiseError where the program would end with the last page, and others have some as well."""
    if settings.close_with_browser and not single_user(settings):
        raise _not_here()


class ProgramEnd:
    """Who may end the program, when; `end` is set by whoever serves. Of one event loop."""

    def __init__(self, assistant: Assistant, grace: float = GRACE) -> None:
        """Raises CitewiseError where others would lose the page with the last one of somebody else."""
        self._assistant, self._grace = assistant, grace
        require_one_user(assistant.settings)
        self.allowed = single_user(assistant.settings)
        self._with_browser = assistant.settings.close_with_browser
        self.end: Callable[[], object] = lambda: None
        self._pages = 0
        self._leaving: asyncio.Task[None] | None = None

    @contextmanager
    def page(self) -> Iterator[None]:
        """While a page is open."""
        self._pages += 1
        if self._leaving is not None:
            self._leaving.cancel()
        try:
            yield
        finally:
            self._pages -= 1
            if self._with_browser and not self._pages:
                self._leaving = asyncio.create_task(self._leave())

    async def _leave(self) -> None:
        await asyncio.sleep(self._grace)
        while self.files or self.turns:  # noqa: ASYNC110 - two things that tell nobody when they end
            await asyncio.sleep(self._grace / 8)
        self.end()

    @property
    def files(self) -> int:
        """On their way into the library."""
        done, total = self._assistant.library.progress()
        return total - done

    @property
    def turns(self) -> int:
        return self._assistant.metrics.running

    def end_soon(self) -> None:
        """When the page has been told. Does nothing where it is not allowed."""
        if self.allowed:
            asyncio.get_running_loop().call_later(_ANSWERED, self.end)


@dataclass(frozen=True)
class CloseButton:
    ask: gr.Button
    asked: gr.Column
    running: gr.Markdown
    yes: gr.Button
    no: gr.Button


def build_closing(label: dict[str, Any]) -> CloseButton:
    with gr.Column(elem_id="closing"):
        ask = gr.Button(label["close_program"], size="sm", elem_id="close-program")
        with gr.Column(visible=False) as asked:
            running = gr.Markdown(elem_id="close-running")
            with gr.Row():
                yes = gr.Button(label["close_now"], size="sm", variant="stop", elem_id="close-now")
                no = gr.Button(label["close_not"], size="sm", elem_id="close-not")
    return CloseButton(ask, asked, running, yes, no)


def connect_closing(button: CloseButton, closing: ProgramEnd) -> None:
    def ask(request: gr.Request) -> list[Any]:
        return [gr.update(visible=False), gr.update(visible=True), still_running(closing, page_language(request))]

    async def end() -> None:
        closing.end_soon()

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    button.ask.click(ask, None, [button.ask, button.asked, button.running], **quiet)
    button.no.click(
        lambda: [gr.update(visible=True), gr.update(visible=False)], None, [button.ask, button.asked], **quiet
    )
    button.yes.click(end, None, None, **quiet)
    button.yes.click(None, js=_GOODBYE)  # of its own: the answer to the other may not come any more


def still_running(closing: ProgramEnd, language: Language) -> str:
    """What the person is asked: what would be broken off, and what becomes of it."""
    sentences = [text("close_sure", language)]
    if closing.turns:
        sentences.append(text("close_turns", language))
    if closing.files:
        sentences.append(text("close_files", language).format(closing.files))
    return "  \n".join(sentences)


def _not_here() -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh="CITEWISE_CLOSE_WITH_BROWSER 只能在本机、没有登录时使用。",
            en="CITEWISE_CLOSE_WITH_BROWSER works on one's own machine only, without a login.",
        ),
        Message(
            zh="请去掉它，或者不设置 CITEWISE_HOST、CITEWISE_ALLOWED_HOSTS、CITEWISE_USERS 和 CITEWISE_API_KEYS。",
            en="Remove it, or do without CITEWISE_HOST, CITEWISE_ALLOWED_HOSTS, CITEWISE_USERS and CITEWISE_API_KEYS.",
        ),
    )


def not_cancelled(record: logging.LogRecord) -> bool:
    """Pages still open when the program ends are no news: their requests are cancelled without a word."""
    cancelled = record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError)
    message = record.getMessage()
    return not (cancelled or "CancelledError" in message or "graceful shutdown exceeded" in message)
