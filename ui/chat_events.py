"""What the events of the chat do: components -> TurnRequest, events of a turn -> messages."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import gradio as gr

from errors import CitewiseError
from graph.request import Request
from graph.turns import Assistant
from nodes.state import Upload
from schema import Language, Plan
from ui.ask_bar import AskBarHandlers, read_controls
from ui.conversations import ConversationHandlers
from ui.events import PageEvent
from ui.examples import examples, welcome
from ui.gradio_internals.uploads import drop_gradio_copies
from ui.options import chunkers, policies, strategies, units
from ui.retry import again_request, asking_value
from ui.sample import LOAD, load_sample
from ui.texts import corner_message, page_language, text
from ui.turn_display import READY, RUNNING, TurnDisplay, TurnUpdate, first_name
from ui.user import thread_asked
from ui.web import AGREE, DECLINE

AS_IT_IS = [gr.skip()] * 6  # ends what shows a turn: Gradio sends the last values again; none would empty the page


_NAME = 200  # characters of a name that is asked about


class ChatHandlers:
    """What the page's events do. A turn that runs is not ended by whoever looks elsewhere."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant, self._bar = assistant, AskBarHandlers(assistant.library, assistant.settings)
        self._showing = TurnDisplay(assistant)
        self.list = ConversationHandlers(assistant)

    async def load(self, name: str, typed: str, request: gr.Request) -> list[Any]:
        language, name = page_language(request), name or first_name(request)
        draft: dict[str, Any] = {"value": {"text": str(typed), "files": []}} if str(typed).strip() else {}
        shown = await self._showing.shown(thread_asked(name, request), language)
        return [
            name,
            gr.update(**shown, **await self._empty(language)),
            gr.update(choices=strategies(language)),
            gr.update(choices=policies(language)),
            gr.update(choices=chunkers(language)),
            gr.update(placeholder=text("box", language), **draft),
            await self.list.value(name, request),
            asking_value(language),
            gr.update(choices=units(language)),
            *self._bar.listing(language),
        ]

    async def resume(self, name: str, request: gr.Request) -> AsyncGenerator[list[Any]]:
        """What still runs in the conversation of a page that was loaded anew, or has ended since."""
        thread, language = thread_asked(name, request), page_language(request)
        live_turn = self._assistant.live_turn(thread)
        shown = None if live_turn else await self._showing.shown_first(thread, language, request)
        yield [gr.update(**shown) if shown else gr.skip(), *AS_IT_IS[1:]]
        if live_turn:
            async for update in self._listed(name, self._showing.turn(live_turn, language, request), request):
                yield update
        yield AS_IT_IS

    # --- a turn ---------------------------------------------------------------------------------------------------

    async def sent(
        self, value: dict[str, Any], asking: Any, name: str, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[list[Any]]:
        """`controls` are the values of `AskBar.controls`, `name` is that of the conversation."""
        edited = asking.get("turn") if isinstance(asking, dict) else None
        name = name or first_name(request)
        updates = self.submit(value, name, request, *controls, replaces=edited)
        async for update in self._listed(name, updates, request, value):
            yield update

    async def submit(
        self, value: dict[str, Any], name: str, request: gr.Request, *controls: Any, replaces: str | None = None
    ) -> AsyncGenerator[TurnUpdate]:
        message, paths = (value.get("text") or "").strip(), value.get("files") or []
        if not message and not paths:
            yield TurnUpdate(gr.skip(), name=name)
            return
        uploads = tuple(Upload(name=Path(path).name, path=str(path)) for path in paths)
        language, thread = page_language(request), thread_asked(name, request)
        edited = await self._assistant.turn(thread, replaces) if replaces else None
        turn = Request(
            thread, message, uploads, read_controls(language, *controls), replaces=replaces or None, listed=True,
            files=edited.files if edited and not uploads else (),
        )  # fmt: skip
        waits = begun = self.runs(name, request)  # then what was typed stays in the box
        async with aclosing(self._run(turn, name, request)) as updates:
            async for update in updates:
                yield update if begun else update._replace(sent=True, name=self._showing.opened(name, request))
                begun = True
                if update.state in ("done", "stopped") and not waits:  # of a turn that failed they are sent again
                    drop_gradio_copies(paths)

    async def choose(
        self, name: str, chosen: PageEvent, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[list[Any]]:
        """A button on the last message: an offer is agreed to or not, anything else is what could have been typed."""
        if chosen.value in (AGREE, DECLINE):
            own = read_controls(page_language(request), *controls)
            agreed = Request(thread_asked(name, request), controls=own, agree=chosen.value == AGREE, listed=True)
            updates = self._run(agreed, name, request)
        else:
            updates = self._typed(str(chosen.value), name, request, *controls)
        async for update in self._listed(name, updates, request):
            yield update

    async def example(
        self, name: str, chosen: PageEvent, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[list[Any]]:
        words = chosen.value.get("text") if isinstance(chosen.value, dict) else ""
        if words == LOAD:
            yield await self._load_sample(request)
            return
        async for update in self._listed(name, self._typed(str(words or ""), name, request, *controls), request):
            yield update

    async def about(
        self, name: str, event: PageEvent, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[list[Any]]:
        """A name of the library was clicked."""
        words = text("asks_about", page_language(request)).format(event.name[:_NAME])
        async for update in self._listed(name, self._typed(words, name, request, *controls), request):
            yield update

    async def _load_sample(self, request: gr.Request) -> list[Any]:
        """Nothing is asked yet: the empty chat offers the sample's questions."""
        language = page_language(request)
        try:
            await load_sample(self._assistant.library, language)
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error
        return [gr.update(**await self._empty(language)), *AS_IT_IS[1:]]

    async def asked_again(
        self, name: str, event: PageEvent, request: gr.Request, *controls: Any
    ) -> AsyncGenerator[list[Any]]:
        """The same question with the strategy that was chosen for it; "" is that of the controls."""
        thread = thread_asked(name, request)
        turn = await self._assistant.turn(thread, event.turn)
        if turn is None:
            yield AS_IT_IS
            return
        again = again_request(thread, turn, event.strategy, read_controls(page_language(request), *controls))
        async for update in self._listed(name, self._run(again, name, request), request):
            yield update

    async def again(self, name: str, turn_id: str, plan: Plan, request: gr.Request) -> AsyncGenerator[TurnUpdate]:
        """A turn once more, by a plan that the person has changed: it stands in for the turn and all after it."""
        thread = thread_asked(name, request)
        turn = await self._assistant.turn(thread, turn_id)
        if turn is not None:
            again = Request(thread, turn.question, replaces=turn_id, plan=plan, files=turn.files, listed=True)
            async with aclosing(self._run(again, name, request)) as updates:
                async for update in updates:
                    yield update

    def runs(self, name: str, request: gr.Request) -> bool:
        """Whether a turn of the conversation is on its way."""
        return self._assistant.live_turn(thread_asked(name, request)) is not None

    def give_back(self, sent: dict[str, Any] | None, box: dict[str, Any] | None) -> Any:
        """What was sent in vain stands in the box again, unless something else has been typed meanwhile."""
        typed = box and (box.get("text") or box.get("files"))
        return {"text": sent.get("text") or "", "files": sent.get("files") or []} if sent and not typed else gr.skip()

    async def stop(self, name: str, request: gr.Request) -> Any:
        """End the running turn. Not by Gradio's `cancels`, which waits for the handler beside it to return."""
        if live_turn := self._assistant.live_turn(thread_asked(name, request)):
            await live_turn.stop()
        return READY

    def _typed(self, words: str, name: str, request: gr.Request, *controls: Any) -> AsyncGenerator[TurnUpdate]:
        """As if it had been typed; what stands in the box stays."""
        own = read_controls(page_language(request), *controls)
        return self._run(Request(thread_asked(name, request), words, controls=own, listed=True), name, request)

    def _run(self, turn: Request, name: str, request: gr.Request) -> AsyncGenerator[TurnUpdate]:
        """A turn that begins, unless one of its conversation is on its way: then this one is looked at."""
        if self._showing.opened(name, request) != name:
            return self._showing.unseen(self._assistant.live_turn(turn.thread_id) or self._assistant.begin(turn))
        language = page_language(request)
        if live_turn := self._assistant.live_turn(turn.thread_id):
            gr.Info(text("p_busy", language))
            return self._showing.still(live_turn, language, request)
        return self._showing.turn(self._assistant.begin(turn), language, request)

    async def _listed(
        self, name: str, updates: AsyncGenerator[TurnUpdate], request: gr.Request, sent: dict[str, Any] | None = None
    ) -> AsyncGenerator[list[Any]]:
        """The turn with the list beside it, which names it once it has begun, and moves it up; and what was sent out of
        the box, if the turn has failed."""
        language, number = page_language(request), 0
        async with aclosing(updates):
            async for update in updates:
                over = update.state not in (None, "running")
                current = self._showing.opened(name, request)
                listing = await self.list.value(current, request) if number == 1 or over else gr.skip()
                asking = gr.skip() if number else asking_value(language)
                failed = gr.skip() if sent is None else sent if update.state == "failed" else None
                yield [update.chat, update.box, update.name, listing, asking, failed]
                number += 1
        yield AS_IT_IS

    # --- editing, and which conversation is shown -----------------------------------------------------------------

    async def edit(self, name: str, event: PageEvent, request: gr.Request) -> list[Any]:
        """The question goes back into the box; sending it takes the place of the old one."""
        language, turn = page_language(request), await self._assistant.turn(thread_asked(name, request), event.turn)
        return [{"text": turn.question, "files": []}, asking_value(language, turn)] if turn else AS_IT_IS[:2]

    def no_edit(self, request: gr.Request) -> list[Any]:
        return [{"text": "", "files": []}, asking_value(page_language(request))]

    async def open(self, event: PageEvent, request: gr.Request) -> AsyncGenerator[list[Any]]:
        """Also one that is new: nothing is stored until something is asked."""
        name, language = event.name, page_language(request)
        await self._showing.open(name, request)
        live_turn = self._assistant.live_turn(thread_asked(name, request))
        yield await self._opened(name, request)
        if live_turn:
            async for update in self._listed(name, self._showing.turn(live_turn, language, request), request):
                yield update
        yield AS_IT_IS

    async def _opened(self, name: str, request: gr.Request) -> list[Any]:
        language, thread = page_language(request), thread_asked(name, request)
        shown = gr.update(**await self._showing.shown(thread, language), **await self._empty(language))
        box = RUNNING if self._assistant.live_turn(thread) else READY
        return [shown, box, name, await self.list.value(name, request), asking_value(language), None]

    async def remove(self, name: str, event: PageEvent, request: gr.Request) -> list[Any]:
        """The page goes to a fresh one, unless it shows another conversation."""
        thread = thread_asked(event.name, request)
        if live_turn := self._assistant.live_turn(thread):
            await live_turn.stop()
        await self._assistant.forget(thread)
        if event.fresh:
            await self._showing.open(event.fresh, request)
            return await self._opened(event.fresh, request)
        return [gr.skip(), gr.skip(), gr.skip(), await self.list.value(name, request), gr.skip(), gr.skip()]

    async def examples(self, request: gr.Request) -> Any:
        """Anew whenever the library has changed."""
        return gr.update(**await self._empty(page_language(request)))

    async def _empty(self, language: Language) -> dict[str, Any]:
        """What an empty chat shows."""
        library = self._assistant.library
        return {"placeholder": welcome(library, language), "examples": await examples(library, language)}
