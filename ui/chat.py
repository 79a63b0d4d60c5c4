"""The chat. It only translates: components -> Request, events -> messages."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import gradio as gr

from graph.turns import AGREED, Assistant, Request
from nodes.state import Upload
from schema import Language, Plan
from text import language_of
from ui.history import asked_message, render_history
from ui.options import chunkers, policies, strategies
from ui.person import thread_asked
from ui.render import TurnView
from ui.sidebar import Sidebar, SidebarHandlers, read_controls
from ui.steps import ChatMessage
from ui.texts import page_language, text
from ui.web import AGREE, DECLINE, offer_message

RUNNING = gr.update(interactive=True, submit_btn=False, stop_btn=True)  # the box while a turn runs
PACE = 0.1  # seconds between two updates of a streaming answer
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


@dataclass(frozen=True)
class ChatPanel:
    chat: gr.Chatbot
    box: gr.MultimodalTextbox


def connect_chat(
    panel: ChatPanel, side: Sidebar, assistant: Assistant, thread: gr.BrowserState, page: gr.Blocks
) -> ChatHandlers:
    chat, box, handlers = panel.chat, panel.box, ChatHandlers(assistant)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    page.load(
        handlers.load, thread, [thread, chat, side.strategy, side.web, side.chunker, box, *side.listing], **quiet
    ).then(None, js=SHOW_LAST)
    for asked in (box.submit, chat.option_select):
        asked(None, js=SHOW_QUESTION)
    running: dict[str, Any] = {"concurrency_limit": 16, **quiet}
    turn = box.submit(handlers.submit, [box, thread, *side.controls], [chat, box, thread], **running)
    chosen = chat.option_select(handlers.choose, [thread, *side.controls], [chat, box, thread], **running)
    for after in (turn.then, turn.failure, chosen.then, chosen.failure):
        after(handlers.ready, None, box, **quiet)
    box.stop(handlers.stop, thread, box, **quiet)
    chat.clear(handlers.clear, thread, [thread, box], **quiet)
    return handlers


def build_chat(label: dict[str, Any]) -> ChatPanel:
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
    return ChatPanel(chat, box)


class ChatHandlers:
    """What the page's events do."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant, self._side = assistant, SidebarHandlers(assistant)
        self._running: WeakValueDictionary[str, asyncio.Task[None]] = WeakValueDictionary()  # by conversation

    async def load(self, name: str, request: gr.Request) -> list[Any]:
        language = page_language(request)
        shown = await self._stored(thread_asked(name, request), language) if name else []
        own = self._assistant.settings.web
        return [
            name or uuid.uuid4().hex,
            gr.update(value=shown, placeholder=text("placeholder", language)),
            gr.update(choices=strategies(language)),
            gr.update(choices=policies(language), value=own, interactive=own != "never"),
            gr.update(choices=chunkers(language)),
            gr.update(placeholder=text("box", language)),
            *self._side.listing(language, []),
        ]

    async def submit(
        self, value: dict[str, Any], name: str, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        """`controls` are the values of `Sidebar.controls`, `name` is that of the conversation."""
        language = page_language(request)
        name = name or uuid.uuid4().hex
        thread = thread_asked(name, request)
        message, paths = (value.get("text") or "").strip(), value.get("files") or []
        if not message and not paths:
            yield gr.skip(), gr.skip(), name
            return
        uploads = tuple(Upload(name=Path(path).name, path=str(path)) for path in paths)
        turn = Request(thread, message, uploads, read_controls(language, *controls))
        shown = render_history(await self._assistant.turns(thread), language, goes_on=True)
        shown.append(asked_message(turn.message, [upload.name for upload in uploads]))
        yield shown, _busy(), name
        async with aclosing(self._shown(turn, shown, language)) as updates:
            async for update in updates:
                yield update

    async def choose(
        self, name: str, chosen: gr.SelectData, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        """A button on the last message: an offer is agreed to or not, anything else is what could have been typed."""
        if chosen.value in (AGREE, DECLINE):
            updates = self._agree(thread_asked(name, request), chosen.value == AGREE, request, *controls)
        else:
            updates = self.submit({"text": str(chosen.value), "files": []}, name, request, *controls)
        async with aclosing(updates):
            async for update in updates:
                yield update

    async def _agree(
        self, thread: str, agree: bool, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        language = page_language(request)
        offered = await self._assistant.offer(thread)
        shown = render_history(await self._assistant.turns(thread), language, goes_on=True)
        if agree and offered is not None:
            shown.append(asked_message(AGREED.to(language_of(offered.question)), []))
        yield shown, RUNNING, gr.skip()  # what is being typed stays
        turn = Request(thread, controls=read_controls(language, *controls), agree=agree)
        async with aclosing(self._shown(turn, shown, language)) as updates:
            async for update in updates:
                yield update

    async def again(
        self, name: str, turn_id: str, plan: Plan, request: gr.Request
    ) -> AsyncGenerator[tuple[Any, Any, Any], None]:
        """A turn once more, by a plan that the person has changed: it stands in for the turn and all after it."""
        language, thread = page_language(request), thread_asked(name, request)
        turns = await self._assistant.turns(thread)
        at = [turn.id for turn in turns].index(turn_id)
        asked = asked_message(turns[at].question, turns[at].files)
        before = render_history(turns[:at], language, goes_on=True)
        yield [*before, asked], RUNNING, gr.skip()
        turn = Request(thread, turns[at].question, replaces=turn_id, plan=plan, files=turns[at].files)
        update: tuple[Any, Any, Any] = ([], RUNNING, None)
        async with aclosing(self._shown(turn, [*before, asked], language)) as updates:
            async for update in updates:
                yield update
        if update[1] is RUNNING and await self._assistant.turn(thread, turn_id):  # it failed: nothing was taken away
            kept = render_history(turns, language, goes_on=True)
            yield [*kept, asked, *update[0][len(before) + 1 :]], gr.skip(), gr.skip()

    def runs(self, name: str, request: gr.Request) -> bool:
        """Whether a turn of the conversation is on its way."""
        running = self._running.get(thread_asked(name, request))
        return running is not None and not running.done()

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
        shown = render_history(await self._assistant.turns(thread), language)
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

    async def stop(self, name: str, request: gr.Request) -> Any:
        """End the running turn. Not by Gradio's `cancels`, which waits for the handler beside it to return."""
        if running := self._running.get(thread_asked(name, request)):
            await _end(running)
        return self.ready()

    async def clear(self, name: str, request: gr.Request) -> tuple[str, Any]:
        """Delete the conversation; the next message starts another."""
        thread = thread_asked(name, request)
        if running := self._running.get(thread):
            await _end(running)
        await self._assistant.forget(thread)
        return uuid.uuid4().hex, self.ready()


async def _end(turn: asyncio.Task[None]) -> None:
    """Cancel a turn and wait until what it said is stored."""
    turn.cancel()
    await asyncio.wait([turn])


def _busy() -> Any:
    return {**RUNNING, "value": {"text": "", "files": []}}
