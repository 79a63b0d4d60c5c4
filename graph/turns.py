"""One message in, typed events out. The page, other programs and the benchmarks all come through here."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import logging
import sqlite3
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from weakref import WeakValueDictionary

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.types import Command

from errors import CitewiseError
from graph.conversations import Conversations, unsaved
from library import Library
from nodes.context import Context
from nodes.events import Event, Failed, Offer, Progress, Reset, Token
from nodes.memory import Memory
from nodes.searches import Searches
from nodes.state import Controls, State, Upload
from planning.agreement import read_agreement
from providers.llm import Chain
from schema import Message
from settings import Settings
from stores.answers import AnswerStore
from stores.pages import PageStore
from text import language_of
from web.sources import Sources

log = logging.getLogger(__name__)

AGREED = Message(zh="好，上网搜索。", en="Yes, search the web.")
_STOPPED = Message(zh="（已停止）", en="(stopped)")
_STOPPED_STORING = Message(
    zh="（已停止；文件仍在后台保存，可在“知识库”页查看或取消）",
    en="(stopped; the files go on being saved in the background: the Library page shows and cancels them)",
)
LONGEST_MESSAGE = 20_000  # characters: a longer text is a document, and planning it would hold up every other turn


@dataclass(frozen=True)
class Request:
    """One message of one conversation."""

    thread_id: str
    message: str = ""
    uploads: tuple[Upload, ...] = ()
    controls: Controls = field(default_factory=Controls)
    agree: bool | None = None  # to what was offered; the message is then empty

    def __post_init__(self) -> None:
        """Half a surrogate pair, as browsers send it, is no character: nothing that is stored or sent may hold it."""
        object.__setattr__(self, "message", self.message.encode("utf-8", "replace").decode())


class Assistant:
    """The graph with its library, models, conversations and remembered answers. One per process, open while it runs."""

    def __init__(self, settings: Settings, library: Library, conversations: Conversations) -> None:
        self.settings, self.library = settings, library
        self.chain = Chain(settings)
        self.pages = PageStore(settings.data_dir / "pages.sqlite", settings.web_cache_mb)
        self.sources = Sources(settings, library, self.pages)
        self._conversations = conversations
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # there while one holds them
        path, entries = Path(settings.data_dir) / "answers.sqlite", settings.answer_cache
        self._answers = AnswerStore(path, entries, settings.answer_cache_days) if entries else None
        self._settings_digest = hashlib.sha256(settings.model_dump_json().encode()).hexdigest()  # keys are masked

    @classmethod
    async def open(cls, settings: Settings) -> Assistant:
        """Raises CitewiseError when the library or the conversations cannot be opened."""
        library = await Library.open(settings)
        try:
            conversations = await Conversations.open(Path(settings.data_dir) / "conversations.sqlite")
        except CitewiseError:
            await library.close()
            raise
        return cls(settings, library, conversations)

    async def close(self) -> None:
        await self.chain.close()
        if self._answers is not None:
            await asyncio.to_thread(self._answers.clean, self.library.generation())
            self._answers.close()
        await self.sources.close()
        await asyncio.to_thread(self.pages.close)
        await self.library.close()
        await self._conversations.close()

    async def run_turn(self, request: Request) -> AsyncGenerator[Event, None]:
        """The turn's events as they happen. Closing the iterator stops the turn; what was said so far is kept.

        Nothing is raised: an error a person can act on, and a defect alike, end the turn with `Failed`.
        """
        if len(request.message) > LONGEST_MESSAGE:
            yield Failed(_too_long(len(request.message)))
            return
        said: list[str] = []
        storing = False
        thread, kept = request.thread_id, self._conversations
        seen = await self.offer(thread) if request.agree is not None else None  # the turn before may make another one
        async with self._turn(thread):
            if (agreeing := await self._agreeing(request, seen)) is None:
                if request.agree:
                    yield Failed(_lapsed())
                return
            request = agreeing
            language = language_of(request.message)
            asked = HumanMessage(
                request.message, id=str(uuid.uuid4()), additional_kwargs={"files": [u.name for u in request.uploads]}
            )
            try:
                async with aclosing(self._events(request, asked)) as events:
                    async for event in events:
                        if isinstance(event, Token):
                            said.append(event.text)
                        elif isinstance(event, Reset):
                            said.clear()
                        storing |= isinstance(event, Progress)
                        yield event
            except (asyncio.CancelledError, GeneratorExit):
                stopped = (_STOPPED_STORING if storing else _STOPPED).to(language)
                await asyncio.shield(kept.keep_stopped(thread, asked, f"{''.join(said)} {stopped}".strip()))
                raise
            except CitewiseError as error:
                await kept.keep(thread, asked, error.message.to(language))
                yield Failed(error)
            except sqlite3.Error as error:
                yield Failed(unsaved(error))
            except Exception as defect:  # the one broad catch: a defect becomes a message with an id the log holds
                error_id = uuid.uuid4().hex[:8]
                log.exception("turn failed, error id %s", error_id)
                failure = _internal(error_id, defect)
                await kept.keep(thread, asked, failure.message.to(language))
                yield Failed(failure, error_id)
            finally:
                await asyncio.shield(kept.prune(thread))
                _keep_what_is_loaded()

    async def history(self, thread_id: str) -> list[AnyMessage]:
        """The conversation as it is stored, oldest message first; `Record.of` gives what stands beside a reply."""
        return await self._conversations.history(thread_id)

    async def offer(self, thread_id: str) -> Offer | None:
        """What the conversation waits for the person to agree to, by `Request.agree`, a yes or a no."""
        return await self._conversations.offer(thread_id)

    async def forget(self, thread_id: str) -> None:
        """Delete a conversation."""
        async with self._turn(thread_id):
            await self._conversations.forget(thread_id)

    async def _events(self, request: Request, asked: HumanMessage) -> AsyncGenerator[Event, None]:
        state: State = {
            "messages": [asked] if asked.content or request.agree is None else [],
            "uploads": list(request.uploads),
            "controls": request.controls,
            "saved": False,
            "remembered": None,
            "web": None,
        }
        begun: State | Command[bool] = state if request.agree is None else Command(resume=request.agree, update=state)
        model, events = self.chain.model(), asyncio.Queue[Event | None]()
        searches = Searches(self.library, model)
        context = Context(self.settings, self.library, self.pages, self._memory(), searches, events.put_nowait, model)
        running = asyncio.create_task(self._conversations.run(request.thread_id, begun, context))
        running.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            if offered := await running:
                yield offered
        finally:
            running.cancel()
            await asyncio.wait([running])
            searches.cancel()

    async def _agreeing(self, request: Request, seen: Offer | None) -> Request | None:
        """A yes or a no where one is waited for, by a button or in words; None for a button that comes too late, when
        what was `seen` is not offered any more."""
        if request.agree is None:
            agree = None if request.uploads else read_agreement(request.message)
            waited_for = agree is not None and await self.offer(request.thread_id) is not None
            return replace(request, agree=agree) if waited_for else request
        if seen is None or await self.offer(request.thread_id) != seen:
            return None
        return replace(request, message=AGREED.to(language_of(seen.question)) if request.agree else "")

    def _turn(self, thread_id: str) -> asyncio.Lock:
        """One turn at a time of each conversation."""
        lock = self._turns.get(thread_id) or asyncio.Lock()
        self._turns[thread_id] = lock
        return lock

    def _memory(self) -> Memory:
        models = [(one.provider, one.model) for one in self.chain.health()]
        return Memory(self._answers, self.library, json.dumps([models, self._settings_digest]))


@cache
def _keep_what_is_loaded() -> None:
    """Once, when the first turn has brought in every module: what is there by now stays, and the garbage collector
    need not walk through it, which takes 100 ms in the middle of every 20th answer."""
    gc.freeze()


def _too_long(length: int) -> CitewiseError:
    return CitewiseError(
        "file",
        Message(
            zh=f"消息有 {length} 个字符，超过了 {LONGEST_MESSAGE} 的上限。",
            en=f"The message has {length} characters, more than the limit of {LONGEST_MESSAGE}.",
        ),
        [
            Message(
                zh="请把长文本存成 .txt 或 .md 文件上传，再简短地提问。",
                en="Upload a long text as a .txt or .md file, and ask briefly.",
            )
        ],
    )


def _lapsed() -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh="这个提议已经过期。", en="This offer has lapsed."),
        [Message(zh="请再问一次，或直接写“上网搜索：……”。", en="Ask again, or write “search the web for …”.")],
    )


def _internal(error_id: str, defect: Exception) -> CitewiseError:
    return CitewiseError(
        "internal",
        Message(
            zh=f"出现了内部错误（编号 {error_id}，{type(defect).__name__}）。",
            en=f"Something went wrong inside (id {error_id}, {type(defect).__name__}).",
        ),
        [
            Message(
                zh="请重试；如果仍然出错，请附上编号和日志反馈问题。",
                en="Try again; if it happens again, report it with this id and the log.",
            )
        ],
        still_works=Message(zh="知识库和对话都没有受影响。", en="The library and the conversation are unharmed."),
    )
