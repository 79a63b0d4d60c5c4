"""Turns as pages see them happen: a page looks at one turn at a time, and a turn goes on without anybody's look."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, NamedTuple

import gradio as gr

from graph.agreeing import AGREED
from graph.conversations import Turn
from graph.live_turn import LiveTurn, TurnFollower, TurnState
from graph.request import Request
from graph.turns import Assistant
from schema import Language
from text import language_of
from ui.feedback import thumbs_in
from ui.history import question_message, render_history
from ui.render import TurnView
from ui.steps import ChatMessage
from ui.web import offer_message

RUNNING = gr.update(interactive=True, submit_btn=False, stop_btn=True)  # the box, while a turn runs
READY = gr.update(interactive=True, submit_btn=True, stop_btn=False)
_PAGES = 10_000  # whose last conversation is remembered
_NAME = 200  # characters of one; a longer name is none of our pages'
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


class TurnUpdate(NamedTuple):
    """What the page shows of a turn."""

    chat: Any
    state: TurnState | None = None  # None: as it was
    sent: bool = False  # what stands in the box, just now
    name: Any = gr.skip()  # of the conversation

    @property
    def box(self) -> Any:
        box = gr.skip() if self.state is None else RUNNING if self.state == "running" else READY
        return {**box, "value": {"text": "", "files": []}} if self.sent else box


class TurnDisplay:
    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._looks: dict[str, TurnFollower] = {}  # by page
        self._opened: dict[str, str] = {}  # by page, the conversation that it opened last

    async def open(self, name: str, request: gr.Request) -> None:
        """A page goes to this conversation: nothing of the turn that it looks at is shown there any more."""
        self._opened.pop(page_of(request), None)  # the newest are last
        if len(name) <= _NAME:
            self._opened[page_of(request)] = name
        if len(self._opened) > _PAGES:
            del self._opened[next(iter(self._opened))]
        await self._leave(request)

    def opened(self, name: str, request: gr.Request) -> str:
        """The conversation that a page shows which asks in this one: Gradio begins what comes within a twentieth of a
        second in any order, and a question may be begun after the page has gone elsewhere."""
        return self._opened.get(page_of(request), name)

    async def _leave(self, request: gr.Request) -> None:
        if look := self._looks.get(page_of(request)):
            await look.leave()

    async def shown(self, thread: str, language: Language) -> dict[str, Any]:
        """Of the chat: the conversation as it is stored, with its thumbs."""
        return {
            "value": await self._stored(thread, language),
            "feedback_value": await thumbs_in(self._assistant, thread),
        }

    async def shown_first(self, thread: str, language: Language, request: gr.Request) -> dict[str, Any] | None:
        """`shown`, before whatever else the page asks for meanwhile; None where it looks at a turn already."""
        if page_of(request) in self._looks:
            return None
        with self._looking(request):
            return await self.shown(thread, language)

    @contextmanager
    def _looking(self, request: gr.Request) -> Iterator[TurnFollower]:
        page, look = page_of(request), TurnFollower()
        self._looks[page] = look
        try:
            yield look
        finally:
            if self._looks.get(page) is look:
                del self._looks[page]
            look.over()

    async def _stored(self, thread: str, language: Language) -> list[ChatMessage]:
        """The conversation, with what it waits for."""
        shown = render_history(await self._assistant.turns(thread), language)
        offered = await self._assistant.offer(thread)
        return [*shown, offer_message(offered, language)] if offered else shown

    async def turn(self, live_turn: LiveTurn, language: Language, request: gr.Request) -> AsyncGenerator[TurnUpdate]:
        """A turn as it happens, below the conversation before it."""
        await self._leave(request)
        with self._looking(request) as look:
            async with aclosing(self._follow(live_turn, language, look)) as updates:
                async for update in updates:
                    yield update

    async def unseen(self, live_turn: LiveTurn) -> AsyncGenerator[TurnUpdate]:
        """A turn of a conversation that the page has left: nothing of it is shown but its place in the list."""
        yield TurnUpdate(gr.skip())
        async with aclosing(live_turn.follow()) as news:
            await anext(news, None)
        yield TurnUpdate(gr.skip())

    async def still(self, live_turn: LiveTurn, language: Language, request: gr.Request) -> AsyncGenerator[TurnUpdate]:
        """A turn that may be looked at already; the page is then left as it is."""
        if (look := self._looks.get(page_of(request))) and live_turn.is_followed_by(look):
            yield TurnUpdate(gr.skip())
            return
        async with aclosing(self.turn(live_turn, language, request)) as updates:
            async for update in updates:
                yield update

    async def _follow(self, live_turn: LiveTurn, language: Language, look: TurnFollower) -> AsyncGenerator[TurnUpdate]:
        asked, view, thread = live_turn.request, TurnView(language), live_turn.request.thread_id
        turns = await self._assistant.turns(thread)
        own = (live_turn.id, asked.replaces)  # a turn is stored a moment before it is over
        at = next((n for n, turn in enumerate(turns) if turn.id in own), len(turns))
        before = render_history(turns[:at], language, goes_on=True)
        question = await self._question(live_turn, turns[:at])
        yield TurnUpdate(await self._chat_value(asked, [*before, *question]), "running")
        async with aclosing(live_turn.follow(PACE, look)) as news:
            async for events in news:
                for event in events:
                    view.apply(event)
                # Nothing for the box: once it has taken a file, the page waits with it for what is drawn. A busy page
                # would fall behind, and show what is late of an answer in the conversation that was begun since.
                yield TurnUpdate([*before, *question, *view.messages()])
        if look.left:
            return
        chat: Any
        if live_turn.state == "stopped":
            chat = gr.update(**await self.shown(thread, language))
        elif live_turn.state == "failed":  # nothing was taken away
            kept = [turn for turn in await self._assistant.turns(thread) if turn.id != live_turn.id]
            chat = await self._chat_value(
                asked, [*render_history(kept, language, goes_on=True), *question, *view.messages()]
            )
        else:
            stored = await self._assistant.turn(thread, live_turn.id)
            if stored is not None:  # the question as it is stored
                question = [question_message(stored.question, stored.files, stored.id, language)]
            chat = [*before, *question, *view.messages()]
        yield TurnUpdate(chat, live_turn.state)

    async def _chat_value(self, asked: Request, messages: list[ChatMessage]) -> Any:
        """With the thumbs where other answers stand than before."""
        if asked.replaces is None:
            return messages
        return gr.update(value=messages, feedback_value=await thumbs_in(self._assistant, asked.thread_id))

    async def _question(self, live_turn: LiveTurn, before: list[Turn]) -> list[ChatMessage]:
        asked = live_turn.request
        if asked.agree is None:
            return [question_message(asked.message, asked.names)]
        offered = await self._assistant.offer(asked.thread_id) if asked.agree else None
        if offered is None and not (live_turn.id and before):  # a no, or a yes that came too late
            return []
        return [question_message(AGREED.to(language_of(offered.question if offered else before[-1].question)), [])]


def page_of(request: gr.Request) -> str:
    """One open page, among all that a person may have."""
    return getattr(request, "session_hash", None) or uuid.uuid4().hex


def first_name(request: gr.Request) -> str:
    """Of the conversation that a page begins: the same for its load and for a message that is sent before."""
    return uuid.uuid5(uuid.NAMESPACE_OID, page_of(request)).hex
