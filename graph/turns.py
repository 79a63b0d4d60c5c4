"""One message in, typed events out. The page, other programs and the benchmarks all come through here."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import aiosqlite
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph

import schema
from errors import CitewiseError, StoreError
from graph.build import build_graph
from library import Library
from nodes import state as turn_state
from nodes.context import Context
from nodes.events import Event, Failed, Reset, Token
from nodes.state import Controls, State, Upload
from providers.llm import Chain
from schema import Message
from settings import Settings
from text import language_of

log = logging.getLogger(__name__)

LONGEST_MESSAGE = 20_000  # characters: a longer text is a document, and planning it would hold up every other turn
MAX_STEPS = 20  # of the graph; LangGraph's own limit is 10,007


@dataclass(frozen=True)
class Request:
    """One message of one conversation."""

    thread_id: str
    message: str = ""
    uploads: tuple[Upload, ...] = ()
    controls: Controls = field(default_factory=Controls)

    def __post_init__(self) -> None:
        """Half a surrogate pair, as browsers send it, is no character: nothing that is stored or sent may hold it."""
        object.__setattr__(self, "message", self.message.encode("utf-8", "replace").decode())


class Assistant:
    """The compiled graph with its library, models and conversations. One per process, open while the program runs."""

    def __init__(
        self,
        settings: Settings,
        library: Library,
        chain: Chain,
        graph: CompiledStateGraph[State, Context, State, State],
        saver: AsyncSqliteSaver,
    ) -> None:
        self.settings, self.library, self.chain = settings, library, chain
        self._graph, self._saver = graph, saver
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    async def open(cls, settings: Settings) -> Assistant:
        """Raises CitewiseError when the library cannot be opened."""
        library = await Library.open(settings)
        try:
            saver = await _open_conversations(Path(settings.data_dir) / "conversations.sqlite")
        except CitewiseError:
            await library.close()
            raise
        return cls(settings, library, Chain(settings), build_graph().compile(checkpointer=saver), saver)

    async def close(self) -> None:
        await self.chain.close()
        await self.library.close()
        await self._saver.conn.close()

    async def run_turn(self, request: Request) -> AsyncGenerator[Event, None]:
        """The turn's events as they happen. Closing the iterator stops the turn; what was said so far is kept.

        Nothing is raised: an error a person can act on, and a defect alike, end the turn with `Failed`.
        """
        if len(request.message) > LONGEST_MESSAGE:
            yield Failed(_too_long(len(request.message)))
            return
        said: list[str] = []
        asked = HumanMessage(
            request.message, id=str(uuid.uuid4()), additional_kwargs={"files": [u.name for u in request.uploads]}
        )
        async with self._turns[request.thread_id]:
            try:
                async with aclosing(self._events(request, asked)) as events:
                    async for event in events:
                        if isinstance(event, Token):
                            said.append(event.text)
                        elif isinstance(event, Reset):
                            said.clear()
                        yield event
            except (asyncio.CancelledError, GeneratorExit):
                stopped = Message(zh="（已停止）", en="(stopped)").to(language_of(request.message))
                await asyncio.shield(self._keep_stopped(request.thread_id, asked, f"{''.join(said)} {stopped}".strip()))
                raise
            except CitewiseError as error:
                await self._keep(request.thread_id, asked, error.message.to(language_of(request.message)))
                yield Failed(error)
            except sqlite3.Error as error:
                yield Failed(_unsaved(error))
            except Exception as defect:  # the one broad catch: a defect becomes a message with an id the log holds
                error_id = uuid.uuid4().hex[:8]
                log.exception("turn failed, error id %s", error_id)
                failure = _internal(error_id, defect)
                await self._keep(request.thread_id, asked, failure.message.to(language_of(request.message)))
                yield Failed(failure, error_id)
            finally:
                await asyncio.shield(self._prune(request.thread_id))

    async def history(self, thread_id: str) -> list[AnyMessage]:
        """The conversation as it is stored, oldest message first; `Record.of` gives what stands beside a reply."""
        snapshot = await self._graph.aget_state(_config(thread_id))
        return list(snapshot.values.get("messages", []))

    async def forget(self, thread_id: str) -> None:
        """Delete a conversation."""
        async with self._turns[thread_id]:
            await self._saver.adelete_thread(thread_id)

    async def _events(self, request: Request, asked: HumanMessage) -> AsyncGenerator[Event, None]:
        state: State = {
            "messages": [asked],
            "uploads": list(request.uploads),
            "controls": request.controls,
            "saved": False,
            "verdict": None,
        }
        context = Context(self.settings, self.library, self.chain.model())
        parts = self._graph.astream(
            state, _config(request.thread_id), context=context, stream_mode="custom", version="v2"
        )
        try:
            async for part in parts:
                yield cast(Event, part["data"])  # "custom" parts are what the nodes emit
        finally:
            context.early.cancel()

    async def _keep_stopped(self, thread_id: str, asked: HumanMessage, text: str) -> None:
        """What was said before the stop, unless the whole reply is in the conversation already."""
        if (messages := await self.history(thread_id)) and messages[-1].type == "ai" and asked in messages:
            return
        await self._keep(thread_id, asked, text)

    async def _keep(self, thread_id: str, asked: HumanMessage, text: str) -> None:
        """Put a reply into the conversation that no node has put there; on a full disk only the page shows it.

        The message goes with it, in case the turn ended before its first checkpoint; by its id it stands there once.
        """
        said = {"messages": [asked, AIMessage(text)]}
        try:
            await self._graph.aupdate_state(_config(thread_id), said, as_node="unknown")
        except sqlite3.Error as error:
            log.warning("the conversation could not be saved: %s", error)

    async def _prune(self, thread_id: str) -> None:
        """Keep a thread's last checkpoint only: each holds the whole state, so keeping all grows quadratically."""
        latest = "select max(checkpoint_id) from checkpoints where thread_id = ?"
        try:
            async with self._saver.lock:
                for table in ("writes", "checkpoints"):
                    await self._saver.conn.execute(
                        f"delete from {table} where thread_id = ? and checkpoint_id < ({latest})",
                        (thread_id, thread_id),
                    )
                await self._saver.conn.commit()
        except sqlite3.Error as error:
            log.warning("old checkpoints could not be deleted: %s", error)


async def _open_conversations(path: Path) -> AsyncSqliteSaver:
    """Raises CitewiseError when the file cannot be used."""
    try:
        connection = await aiosqlite.connect(path)
        try:
            saver = AsyncSqliteSaver(
                connection, serde=JsonPlusSerializer(allowed_msgpack_modules=_checkpointed_types())
            )
            await saver.setup()
        except BaseException:
            await connection.close()
            raise
    except sqlite3.Error as error:
        raise StoreError(
            Message(
                zh=f"对话文件 {path} 无法打开（{error}）。",
                en=f"The conversations in {path} cannot be opened ({error}).",
            ),
            Message(
                zh="请把这个文件移走（对话会重新开始，已保存的文件不受影响），并检查权限和磁盘空间。",
                en="Move this file away (conversations start anew, the saved files are unharmed), and check its "
                "permissions and the disk.",
            ),
        ) from error
    return saver


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


def _unsaved(error: sqlite3.Error) -> StoreError:
    log.warning("the conversation cannot be saved: %s", error)
    return StoreError(
        Message(zh=f"对话无法保存（{error}）。", en=f"The conversation cannot be saved ({error})."),
        Message(
            zh="请检查磁盘空间和数据文件夹的权限，然后重试。已保存的文件不受影响。",
            en="Check the disk and the permissions of the data folder, then try again. The saved files are unharmed.",
        ),
    )


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": MAX_STEPS}


def _checkpointed_types() -> list[tuple[str, str]]:
    """Our own classes that may stand in a checkpoint: anything else is refused when it is read back."""
    return [
        (module.__name__, name)
        for module in (schema, turn_state)
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


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
