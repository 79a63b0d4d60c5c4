"""The page: a chat with the library at its side. It only translates: components -> Request, events -> messages."""

from __future__ import annotations

import asyncio
import hashlib
import os
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import gradio as gr
from langchain_core.messages import AnyMessage

from graph.turns import AGREED, Assistant, Request
from nodes.state import Record, Upload
from schema import Language
from text import language_of
from ui.embeddings import connect_embeddings
from ui.guard import UploadsOnly
from ui.library_page import build_library, connect_library
from ui.markup import literal, safe_markdown, unlinked
from ui.options import chunkers, policies, strategies
from ui.render import TurnView, answer_messages, offer_another
from ui.sidebar import TO_LIBRARY, SidebarHandlers, build_sidebar, connect_sidebar, read_controls
from ui.steps import ChatMessage, plan_step, trace_step, verdict_step
from ui.texts import TEXTS, page_language, text, translations
from ui.web import AGREE, DECLINE, offer_message

CSS = Path(__file__).with_name("page.css")
RUNNING = gr.update(interactive=True, submit_btn=False, stop_btn=True)  # the box while a turn runs
PACE = 0.1  # seconds between two updates of a streaming answer
_NAMED = 8  # files of a message that are named
# In a narrow window the open sidebar would cover the conversation.
FOLD_SIDEBAR = "() => { if (innerWidth < 768) document.querySelector('.sidebar.open .toggle-button')?.click() }"
# As it was left. From now on the address follows the tabs (ui/library_page.py).
OPEN_TAB = f"() => {{ globalThis.tabOpened = true; if (location.hash === '#library') ({TO_LIBRARY})() }}"
# An answer is read from its beginning: the question goes to the top and stays there, unless the person scrolls.
SHOW_QUESTION = """() => {
    const rows = () => [...document.querySelectorAll('#chat .user-row')];
    const before = rows().length, end = Date.now() + 20000;
    const follow = setInterval(() => {
        const asked = rows().pop(), view = asked?.closest('.bubble-wrap');
        if (Date.now() > end) clearInterval(follow);
        if (!view || rows().length <= before) return;
        const top = asked.getBoundingClientRect().top - view.getBoundingClientRect().top - 12;
        if (top > 1) view.scrollBy({top}); else clearInterval(follow);
    }, 100);
    for (const moved of ['wheel', 'touchmove', 'keydown'])
        document.querySelector('#chat')?.addEventListener(moved, () => clearInterval(follow), {once: true});
}"""
SHOW_LAST = """() => setTimeout(() => {
    const view = document.querySelector('#chat .bubble-wrap');
    if (view) view.scrollTop = view.scrollHeight;
}, 300)"""


def build_page(assistant: Assistant) -> tuple[gr.Blocks, dict[str, Any]]:
    """The page and what it must be mounted with (theme, style, translations)."""
    i18n = translations()
    label = {key: i18n(key) for key in TEXTS}
    with UploadsOnly(title="Citewise", fill_height=True, delete_cache=(3600, 86400)) as page:
        thread = gr.BrowserState("", storage_key="citewise-conversation", secret=_secret(assistant))
        side = build_sidebar(label, assistant.settings)
        # Two tabs of one page: on a page of its own, looking at the library would end the turn that runs.
        with gr.Tabs(elem_id="views"):
            with gr.Tab(label["chat"], id="chat", elem_id="chat-view", scale=1) as chat_tab:
                chat, box = _build_chat(label)
            with gr.Tab(label["library"], id="library", elem_id="library-view") as library_tab:
                shelf = build_library(label)

        connect_sidebar(side, SidebarHandlers(assistant))
        connect_library(shelf, assistant, library_tab, chat_tab)
        connect_embeddings(side.embeddings, assistant, page)
        handlers = _Handlers(assistant)
        page.load(
            handlers.load, thread, [thread, chat, side.strategy, side.web, side.chunker, box, *side.listing],
            show_progress="hidden",
        ).then(None, js=SHOW_LAST)  # fmt: skip
        box.submit(None, js=SHOW_QUESTION)
        page.load(None, js=FOLD_SIDEBAR)
        page.load(None, js=OPEN_TAB)
        turn = box.submit(
            handlers.submit, [box, thread, *side.controls], [chat, box, thread],
            concurrency_limit=16, show_progress="hidden", api_visibility="private",
        )  # fmt: skip
        chat.option_select(None, js=SHOW_QUESTION)
        chosen = chat.option_select(
            handlers.choose, [thread, *side.controls], [chat, box, thread],
            concurrency_limit=16, show_progress="hidden", api_visibility="private",
        )  # fmt: skip
        for after in (turn.then, turn.failure, chosen.then, chosen.failure):
            after(handlers.ready, None, box, show_progress="hidden", api_visibility="private")
        box.stop(handlers.stop, thread, box, show_progress="hidden", api_visibility="private")
        chat.clear(handlers.clear, thread, [thread, box], show_progress="hidden", api_visibility="private")
    theme = gr.themes.Base(primary_hue="teal", neutral_hue="slate", radius_size="md")
    return page, {"i18n": i18n, "theme": theme, "css_paths": [CSS], "footer_links": [], "run_history": False}


def _build_chat(label: dict[str, Any]) -> tuple[gr.Chatbot, gr.MultimodalTextbox]:
    chat = gr.Chatbot(
        label=label["chat"], show_label=False, elem_id="chat", height="100%", buttons=["copy"],
        autoscroll=False, feedback_options=None, allow_tags=False,
        latex_delimiters=[{"left": "$$", "right": "$$", "display": True}],
    )  # fmt: skip
    # Any kind of file: what cannot be read is refused with the reason, for one file and not for the whole message.
    box = gr.MultimodalTextbox(
        file_count="multiple", elem_id="box", show_label=False, label=label["box"],
        max_plain_text_length=20_000, autofocus=True,
    )  # fmt: skip
    return chat, box


class _Handlers:
    """What the page's events do."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant, self._side = assistant, SidebarHandlers(assistant)
        self._running: WeakValueDictionary[str, asyncio.Task[None]] = WeakValueDictionary()  # by conversation

    async def load(self, thread: str, request: gr.Request) -> list[Any]:
        language = page_language(request)
        shown = await self._stored(thread, language) if thread else []
        return [
            thread or uuid.uuid4().hex,
            gr.update(value=shown, placeholder=text("placeholder", language)),
            gr.update(choices=strategies(language)),
            gr.update(choices=policies(language)),
            gr.update(choices=chunkers(language)),
            gr.update(placeholder=text("box", language)),
            *self._side.listing(language, []),
        ]

    async def submit(
        self, value: dict[str, Any], thread: str, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        """`controls` are the values of `Sidebar.controls`."""
        language = page_language(request)
        thread = thread or uuid.uuid4().hex
        message, paths = (value.get("text") or "").strip(), value.get("files") or []
        if not message and not paths:
            yield gr.skip(), gr.skip(), thread
            return
        uploads = tuple(Upload(name=Path(path).name, path=str(path)) for path in paths)
        turn = Request(thread, message, uploads, read_controls(language, *controls))
        shown = render_history(await self._assistant.history(thread), language, goes_on=True)
        shown.append(_asked(turn.message, [upload.name for upload in uploads]))
        yield shown, _busy(), thread
        async with aclosing(self._shown(turn, shown, language)) as updates:
            async for update in updates:
                yield update

    async def choose(
        self, thread: str, chosen: gr.SelectData, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        """A button on the last message: an offer is agreed to or not, anything else is what could have been typed."""
        if chosen.value in (AGREE, DECLINE):
            updates = self._agree(thread, chosen.value == AGREE, request, *controls)
        else:
            updates = self.submit({"text": str(chosen.value), "files": []}, thread, request, *controls)
        async with aclosing(updates):
            async for update in updates:
                yield update

    async def _agree(
        self, thread: str, agree: bool, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        language = page_language(request)
        offered = await self._assistant.offer(thread)
        shown = render_history(await self._assistant.history(thread), language, goes_on=True)
        if agree and offered is not None:
            shown.append(_asked(AGREED.to(language_of(offered.question)), []))
        yield shown, RUNNING, gr.skip()  # what is being typed stays
        turn = Request(thread, controls=read_controls(language, *controls), agree=agree)
        async with aclosing(self._shown(turn, shown, language)) as updates:
            async for update in updates:
                yield update

    async def _shown(
        self, turn: Request, shown: list[ChatMessage], language: Language
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        """The turn as it happens, below what is shown already."""
        view = TurnView(language)
        async with aclosing(self._paced(turn, view)) as updates:
            async for messages in updates:
                yield [*shown, *messages], RUNNING, gr.skip()
        if view.stopped:  # said here and not by `stop`, whose word could be overtaken by the stream's last piece
            yield await self._stored(turn.thread_id, language), gr.skip(), gr.skip()

    async def _stored(self, thread: str, language: Language) -> list[ChatMessage]:
        """The conversation, with what it waits for."""
        shown = render_history(await self._assistant.history(thread), language)
        offered = await self._assistant.offer(thread)
        return [*shown, offer_message(offered, language)] if offered else shown

    async def _paced(self, turn: Request, view: TurnView) -> AsyncGenerator[list[ChatMessage], None]:
        """The turn's messages whenever they have changed, but no more often than a page can follow."""
        changed = asyncio.Event()

        async def follow() -> None:
            async with aclosing(self._assistant.run_turn(turn)) as events:
                async for event in events:
                    view.apply(event)
                    changed.set()

        running = self._running[turn.thread_id] = asyncio.create_task(follow())
        running.add_done_callback(lambda _: changed.set())
        try:
            while not running.done():
                await changed.wait()
                changed.clear()
                yield view.messages()
                await asyncio.sleep(PACE)
            view.stopped = running.cancelled()
            if not view.stopped:
                running.result()
                yield view.messages()
        finally:
            await _end(running)

    def ready(self) -> Any:
        return gr.update(interactive=True, submit_btn=True, stop_btn=False)

    async def stop(self, thread: str) -> Any:
        """End the running turn. Not by Gradio's `cancels`, which waits for the handler beside it to return."""
        if running := self._running.get(thread):
            await _end(running)
        return self.ready()

    async def clear(self, thread: str) -> tuple[str, Any]:
        """Delete the conversation; the next message starts another."""
        if running := self._running.get(thread):
            await _end(running)
        await self._assistant.forget(thread)
        return uuid.uuid4().hex, self.ready()


def render_history(messages: list[AnyMessage], language: Language, goes_on: bool = False) -> list[ChatMessage]:
    """The stored conversation as the chat shows it. Where it goes on, no button asks for another end."""
    shown: list[ChatMessage] = []
    for message in messages:
        if message.type == "human":
            shown.append(_asked(str(message.content), message.additional_kwargs.get("files", [])))
            continue
        record = Record.of(message)
        if record is None or record.answer is None:
            if record is not None:
                shown.append(plan_step(record.plan, (), language))
            shown.append({"role": "assistant", "content": unlinked(safe_markdown(str(message.content)))})
            if record is not None and record.trace is not None and record.trace.calls:
                shown.append(trace_step(record.trace, language))
            continue
        shown.append(plan_step(record.plan, (), language))
        shown += answer_messages(record.answer, None, language, record.trace).values()
        if record.verdict is not None:
            shown.append(verdict_step(record.verdict, record.answer.statements, language))
        if record.trace is not None:
            shown.append(trace_step(record.trace, language, record.coverage))
        if record.answer.remembered and message is messages[-1] and not goes_on:
            shown = offer_another(shown, language)
    return shown


def _asked(message: str, files: list[str]) -> ChatMessage:
    attached = "\n".join(f"**{literal(name)}**" for name in files[:_NAMED])
    if len(files) > _NAMED:  # hundreds of names would push the words and the answer out of sight
        attached += f"\n**… +{len(files) - _NAMED}**"
    return {"role": "user", "content": "\n\n".join(part for part in (attached, safe_markdown(message)) if part)}


async def _end(turn: asyncio.Task[None]) -> None:
    """Cancel a turn and wait until what it said is stored."""
    turn.cancel()
    await asyncio.wait([turn])


def _busy() -> Any:
    return {**RUNNING, "value": {"text": "", "files": []}}


def _secret(assistant: Assistant) -> str:
    """Encrypts the conversation's id in the browser; kept with the data, so that it outlives a restart."""
    path = Path(assistant.settings.data_dir) / "browser-secret"
    if not path.exists():
        path.write_text(hashlib.sha256(os.urandom(32)).hexdigest())
        path.chmod(0o600)
    return path.read_text()
