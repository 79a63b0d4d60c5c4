"""One message in, typed events out. The page, other programs and the benchmarks all come through here."""

from __future__ import annotations

import asyncio
import gc
import logging
import sqlite3
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache, partial

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.types import Command

from background import Jobs, Later, Work
from errors import CitewiseError, StoreError
from evaluation.markers import without_markers
from graph.agreeing import agreeing_with
from graph.checkpoints import ONCE
from graph.conversation_selection import open_conversations
from graph.conversations import Conversations, Turn, unreadable
from graph.lab.variants import with_choice
from graph.live_turn import LiveTurn
from graph.metrics import Metrics
from graph.monitoring import open_spans
from graph.problems import LONGEST_MESSAGE, STOPPED, STOPPED_STORING, draining, internal_error, offer_lapsed, too_long
from graph.request import Request
from graph.titles import ConversationInfo
from graph.unanswered import note_asked_names, note_unanswered
from ingestion.abstracts import AbstractWriter
from library import Library
from nodes.context import TurnContext
from nodes.events import Event, Failed, Offer, TurnBegun, Unsaved
from nodes.memory import Memory
from nodes.overrides import AS_SET, Overrides
from nodes.state import State, begin_state
from nodes.turn_searches import TurnSearches
from providers.llm import Chain, Model
from settings import Settings
from stores.answers import AnswerStore
from stores.caches import CacheRegistry
from stores.selection import open_shared
from text import language_of
from web.sources import LibrarySources

log = logging.getLogger(__name__)


class Assistant:
    """The graph with its library, models, conversations and remembered answers. One for each library that is open."""

    def __init__(
        self, settings: Settings, library: Library, conversations: Conversations, base: Settings | None = None
    ) -> None:
        """`base` are the settings as they were set, where others were chosen in the lab."""
        self.settings, self.library, self._base = settings, library, base or settings
        self.chain = Chain(settings)
        self.shared = open_shared(settings)
        self.pages, self.feedback, self.unanswered = self.shared.pages, self.shared.feedback, self.shared.unanswered
        self.sources = LibrarySources(settings, library, self.pages)
        self._conversations = conversations
        self.metrics = Metrics()
        library.signals.embedded = self.metrics.count_embedded
        self._live_turns: list[LiveTurn] = []
        self.is_draining = False
        self.jobs = Jobs()  # that turns have left: what fetched pages are about, their records
        self._writing = Jobs()  # abstracts, as long as it is open
        entries = settings.answer_cache
        self._given = AnswerStore(settings.data_dir / "answers.sqlite", entries, settings.answer_cache_days)
        self._answers = self._given if entries else None
        self.caches = CacheRegistry({"answers": self._given, "pages": self.pages, **library.caches()})

    @classmethod
    async def open(cls, settings: Settings, *, warm: bool = True) -> Assistant:
        """Raises CitewiseError when the library or the conversations cannot be opened."""
        spans, base = open_spans(settings), settings
        library = await Library.open(settings := await asyncio.to_thread(with_choice, settings), warm=False)
        try:
            conversations = await open_conversations(settings, spans)
        except CitewiseError:
            await library.close()
            raise
        assistant = cls(settings, library, conversations, base)
        if settings.abstracts:
            writer = AbstractWriter(library.store, assistant.chain.model, assistant._is_busy)
            assistant._writing.begin(writer.run)
        if warm:
            assistant.warm()
        return assistant

    async def use_choice(self) -> None:
        """From now on turns and searches go by what was chosen in the lab, or no longer do. Raises CitewiseError."""
        self.settings = await asyncio.to_thread(with_choice, self._base)
        self.library.use(self.settings)

    def _is_busy(self) -> bool:
        """Whether a turn goes on, or files are on their way."""
        done, total = self.library.progress()
        return bool(self._live_turns) or done < total

    def is_busy(self) -> bool:
        """Whether closing it would break off what somebody has begun, or what goes on in the background."""
        return self._is_busy() or self.library.is_busy or bool(self.sources.running) or self.jobs.running

    def warm(self) -> None:
        """Begin to load what the first turn will need."""
        self.library.warm()
        self.chain.warm()

    async def close(self) -> None:
        for turn in list(self._live_turns):
            await turn.stop()
        await self.jobs.close()
        await self._writing.close()
        await self.chain.close()
        if self._answers is not None:
            with suppress(StoreError):  # the database is away
                await asyncio.to_thread(self._answers.clean, self.library.generation())
        self._given.close()
        await self.sources.close()
        await asyncio.to_thread(self.shared.close)
        await self.library.close()
        await self._conversations.close()

    def check(self) -> None:
        """Raises StoreError where this program cannot use its library now. Blocks."""
        self.library.generation()
        self.shared.check()

    async def drain(self, patience: float) -> None:
        """Begin no more turns, and wait for those that run, no longer than so many seconds."""
        self.is_draining = True
        if running := [turn.task for turn in self._live_turns]:
            await asyncio.wait(running, timeout=patience)

    def begin(self, request: Request) -> LiveTurn:
        """A turn that goes on whoever follows it; it ends by itself, by `LiveTurn.stop`, or when the program does.

        Nothing is raised in it: an error a person can act on, and a defect alike, end it with `Failed`.
        """
        turn = LiveTurn(request, _refuse if self.is_draining else self._run)
        self._live_turns.append(turn)
        turn.task.add_done_callback(lambda _: self._live_turns.remove(turn))
        return turn

    async def run_turn(self, request: Request) -> AsyncGenerator[Event, None]:
        """The turn's events as they happen. Closing the iterator stops the turn; what was said so far is kept."""
        async with self.begin(request) as turn:
            async for event in turn:
                yield event

    @asynccontextmanager
    async def asked_by_program(self, request: Request) -> AsyncIterator[LiveTurn]:
        """A turn that ends with the block; of a conversation that is one question nothing is kept."""
        try:
            async with self.begin(request) as turn:
                yield turn
        finally:
            if ONCE.fullmatch(request.thread_id):
                await asyncio.shield(self.forget(request.thread_id))

    def live_turn(self, thread_id: str) -> LiveTurn | None:
        """The turn that was begun last of those that still run in a conversation."""
        return next((one for one in reversed(self._live_turns) if one.request.thread_id == thread_id), None)

    async def conversations(self, user: str = "", find: str = "") -> list[ConversationInfo]:
        """Those that the user began on the page, newest first; of them those that hold every word of `find`."""
        return await self._conversations.titles.listed(user, find)

    async def rename(self, thread_id: str, title: str) -> None:
        """An empty title: the first question again."""
        await self._conversations.rename(thread_id, title)

    async def history(self, thread_id: str) -> list[AnyMessage]:
        """The conversation as it is stored, oldest message first; `Record.of` gives what stands beside a reply."""
        return await self._conversations.history(thread_id)

    async def turns(self, thread_id: str) -> list[Turn]:
        """The conversation by turns, oldest first."""
        return await self._conversations.turns(thread_id)

    async def turn(self, thread_id: str, turn: str) -> Turn | None:
        """Also one that still runs, as soon as its answer is there."""
        stored = next((one for one in await self.turns(thread_id) if one.id == turn), None)
        live_turn = self.live_turn(thread_id)
        begun = live_turn.turn if live_turn and (stored is None or stored.record is None) else None
        return begun if begun and begun.id == turn else stored

    async def offer(self, thread_id: str) -> Offer | None:
        """What the conversation waits for the person to agree to, by `TurnRequest.agree`, a yes or a no."""
        return await self._conversations.offer(thread_id)

    async def forget(self, thread_id: str) -> None:
        """Delete a conversation."""
        async with self._conversations.locks.of(thread_id):
            await self._conversations.forget(thread_id)
            await asyncio.to_thread(self.feedback.forget, thread_id)
            await asyncio.to_thread(self.unanswered.forget, thread_id)

    def context(
        self, emit: Callable[[Event], None], later: Later | None = None, overrides: Overrides = AS_SET
    ) -> TurnContext:
        """Of one turn, for the graph's nodes; what nobody waits for begins at once unless `later` takes it."""
        model, settings = self.chain.model(), overrides.over(self.settings)
        searches = TurnSearches(self.library, model, settings)
        models = [(one.provider, one.model) for one in self.chain.health()]
        memory = Memory(self._answers, self.library, models, settings)
        later = later or partial(self._begin_later, model)
        return TurnContext(settings, self.library, self.pages, memory, searches, emit, later, model)

    def _begin_later(self, model: Model | None, work: Work) -> None:
        async def counted() -> None:
            before = len(model.calls) if model else 0
            try:
                await work()
            finally:
                self.metrics.count_calls(model.calls[before:] if model else ())

        self.jobs.begin(counted)

    async def _run(self, turn: LiveTurn) -> None:
        request = turn.request
        with self.metrics.turn(turn.result):
            if len(request.message) > LONGEST_MESSAGE:
                turn.emit(Failed(too_long(len(request.message))))
                return
            # the turn before may make another one
            offer = await self.offer(request.thread_id) if request.agree is not None else None
            try:
                async with self._conversations.locks.of(request.thread_id):
                    if agreeing := await agreeing_with(request, offer, self.offer):
                        await self._converse(turn, agreeing)
                    elif request.agree:
                        turn.emit(Failed(offer_lapsed()))
            except CitewiseError as error:
                turn.emit(Failed(error))
        await note_unanswered(self.unanswered, request, turn.result, self.settings)
        await note_asked_names(self.library.store, request, turn.result)

    async def _converse(self, turn: LiveTurn, request: Request) -> None:
        """Run the graph; the conversation holds what was said, however it ends."""
        thread, kept = request.thread_id, self._conversations
        language = request.controls.overrides.language or language_of(request.message)
        asked = HumanMessage(request.message, id=str(uuid.uuid4()), additional_kwargs={"files": [*request.names]})
        try:
            if request.listed and (asked.content or request.names):
                await kept.titles.begin(thread, request.message, request.names)
            if asked.content or request.agree is None:
                turn.emit(TurnBegun(str(asked.id)))
            await self._run_graph(turn, request, asked)
            if problem := kept.unwritten(thread):
                turn.emit(Unsaved(problem))
        except asyncio.CancelledError:
            stopped = (STOPPED_STORING if turn.result.storing else STOPPED).to(language)
            text = f"{without_markers(turn.result.streamed)} {stopped}".strip()
            await asyncio.shield(kept.keep_stopped(thread, asked, text))
            raise
        except CitewiseError as error:
            await kept.keep(thread, asked, error.message.to(language))
            turn.emit(Failed(error))
        except sqlite3.Error as error:
            turn.emit(Failed(unreadable(error)))
        except Exception as defect:  # the one broad catch: a defect becomes a message with an id the log holds
            error_id = uuid.uuid4().hex[:8]
            log.exception("turn failed, error id %s", error_id)
            failure = internal_error(error_id, defect)
            await kept.keep(thread, asked, failure.message.to(language))
            turn.emit(Failed(failure, error_id))
        finally:
            await asyncio.shield(kept.over(thread))
            _keep_what_is_loaded()

    async def _run_graph(self, turn: LiveTurn, request: Request, asked: HumanMessage) -> None:
        replaced = await self._conversations.removals(request.thread_id, request.replaces)
        messages = [*replaced, *request.history, asked] if asked.content or request.agree is None else []
        state = begin_state(messages, request.uploads, request.controls, request.plan)
        begun: State | Command[bool] = state if request.agree is None else Command(resume=request.agree, update=state)
        later = list[Work]()
        context = self.context(turn.emit, later.append, request.controls.overrides)
        try:
            if offered := await self._conversations.run(request.thread_id, begun, context):
                turn.emit(offered)
        finally:
            context.searches.cancel()
            for work in later:  # a model that does one thing at a time has written the answer by now
                self._begin_later(context.model, work)


async def _refuse(turn: LiveTurn) -> None:
    turn.emit(Failed(draining()))


@cache
def _keep_what_is_loaded() -> None:
    """Once, when the first turn has brought in every module: what is there by now stays, and the garbage collector
    need not walk through it, which takes 100 ms in the middle of every 20th answer."""
    gc.freeze()
