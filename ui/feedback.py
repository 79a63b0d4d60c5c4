"""What people say of an answer: thumbs below it in the chat, and with a word in its evaluation."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import gradio as gr

from errors import StoreError
from graph.conversations import Turn
from graph.turns import Assistant
from schema import Language
from stores.feedback import Feedback, Thumb
from ui.evaluation_panel import EvaluationPanel
from ui.events import PageEvent
from ui.texts import page_language, text
from ui.user import thread_asked

_BESIDE = re.compile(r"#(?:plan|trace|evaluation)/([\w-]+)")  # the links of an answer tell whose it is


def connect_feedback(panel: EvaluationPanel, chat: gr.Chatbot, assistant: Assistant, thread: gr.BrowserState) -> None:
    handlers = FeedbackHandlers(panel, assistant)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    given, shown = [panel.turn, panel.word, thread], [*panel.feedback_parts, chat]
    panel.up.click(handlers.up, given, shown, **quiet)
    panel.down.click(handlers.down, given, shown, **quiet)
    for event in (panel.save.click, panel.word.submit):
        event(handlers.word, given, shown, **quiet)
    panel.clock.tick(handlers.look, [panel.turn, thread], [panel.figures, panel.clock], **quiet)
    # "multiple": a second answer's thumb counts as well while the first is being kept
    chat.like(handlers.liked, [thread, panel.turn], shown, trigger_mode="multiple", **quiet)


class FeedbackHandlers:
    def __init__(self, panel: EvaluationPanel, assistant: Assistant) -> None:
        self._panel, self._assistant = panel, assistant

    async def up(self, turn: str, word: str, name: str, request: gr.Request) -> list[Any]:
        return await self._pressed(1, turn, word, name, request)

    async def down(self, turn: str, word: str, name: str, request: gr.Request) -> list[Any]:
        return await self._pressed(-1, turn, word, name, request)

    async def word(self, turn: str, word: str, name: str, request: gr.Request) -> list[Any]:
        """To the thumb that was given."""
        thread, language = thread_asked(name, request), page_language(request)
        before = (await self._thumbs_of(thread)).get(turn)
        return await self._keep(thread, turn, before.value if before else None, word, language)

    async def liked(self, name: str, shown: str, event: PageEvent, request: gr.Request) -> list[Any]:
        """Below the answer. `shown` is the turn whose evaluation stands open."""
        thread, language = thread_asked(name, request), page_language(request)
        links = _BESIDE.findall(str(event.value))
        if not links:
            gr.Info(text("f_no_answer", language))
            return [*self._unchanged, await self._below(thread)]
        value: Thumb | None = 1 if event.liked is True else -1 if event.liked is False else None
        before = (await self._thumbs_of(thread)).get(links[-1])
        reply = await self._keep(thread, links[-1], value, before.word if before else "", language)
        return reply if links[-1] == shown else [*self._unchanged, reply[-1]]

    async def look(self, turn: str, name: str, request: gr.Request) -> list[Any]:
        """Whether the verdict has come; the clock stops when it has."""
        thread = thread_asked(name, request)
        found = await self._assistant.turn(thread, turn)
        parts = await self._panel.show(found, 0, page_language(request))
        return parts[1:3]

    async def _pressed(self, value: Thumb, turn: str, word: str, name: str, request: gr.Request) -> list[Any]:
        """The same thumb again takes it back."""
        thread = thread_asked(name, request)
        before = (await self._thumbs_of(thread)).get(turn)
        again = before is not None and before.value == value
        return await self._keep(thread, turn, None if again else value, word, page_language(request))

    async def _keep(self, thread: str, turn: str, value: Thumb | None, word: str, language: Language) -> list[Any]:
        """No thumb: none any more."""
        found, store = await self._assistant.turn(thread, turn), self._assistant.feedback
        if found is None or found.record is None or found.record.answer is None:
            return [gr.skip()] * (len(self._panel.feedback_parts) + 1)
        given, note = None, text("f_withdrawn", language)
        try:
            if value is None:
                await asyncio.to_thread(store.withdraw, thread, turn)
            else:
                given, note = _feedback(found, value, word), ""
                await asyncio.to_thread(store.put, thread, given)
        except StoreError as error:
            given = (await self._thumbs_of(thread)).get(turn)
            note = error.in_full.to(language)
        return [*self._panel.thumb(given, language, note=note), await self._below(thread)]

    async def _below(self, thread: str) -> Any:
        """The thumbs in the chat."""
        return gr.update(feedback_value=await thumbs_in(self._assistant, thread))

    async def _thumbs_of(self, thread: str) -> dict[str, Feedback]:
        return await asyncio.to_thread(self._assistant.feedback.of, thread)

    @property
    def _unchanged(self) -> list[Any]:
        return [gr.skip()] * len(self._panel.feedback_parts)


async def thumbs_in(assistant: Assistant, thread: str) -> list[str | None]:
    """Below the answers as the chat shows them: a turn that runs stands there instead of what it replaces."""
    turns, live_turn = await assistant.turns(thread), assistant.live_turn(thread)
    if live_turn is not None:
        at = next((n for n, turn in enumerate(turns) if turn.id == live_turn.request.replaces), len(turns))
        running = live_turn.turn
        turns = [*(turn for turn in turns[:at] if not running or turn.id != running.id), *filter(None, [running])]
    return thumbs_of(turns, await asyncio.to_thread(assistant.feedback.of, thread))


def thumbs_of(turns: Sequence[Turn], given: dict[str, Feedback]) -> list[str | None]:
    """For `Chatbot.feedback_value`: of each turn that was replied to, in order."""
    words: dict[int, str | None] = {1: "Like", -1: "Dislike", 0: None}
    answered = [turn for turn in turns if turn.reply or turn.record is not None]
    return [words[given[turn.id].value if turn.id in given else 0] for turn in answered]


def _feedback(turn: Turn, value: Thumb, word: str) -> Feedback:
    assert turn.record is not None
    assert turn.record.answer is not None
    answer, strategy = turn.record.answer, turn.record.plan.strategy or "default"
    return Feedback(turn.id, value, word, turn.question, answer.text, strategy, answer.answered_by)
