"""Conversations as they are stored: one thread of the checkpointer each."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import aiosqlite
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command, Interrupt

from errors import StoreError
from graph.build import compiled_graph
from graph.checkpoints import ONCE, CheckpointError, Checkpoints, FileCheckpoints, checkpointed_types
from graph.monitoring import Spans
from graph.moving import copy_conversations
from graph.problems import answer_replaced
from graph.titles import FileTitles, Titles, bring_up_to_date, thread_of
from graph.turn_locks import LocalTurnLocks, TurnLocks
from nodes.context import TurnContext
from nodes.events import Offer
from nodes.state import Record, State
from schema import Message
from stores.folder import make_private
from stores.reserve import Reserve, is_full

log = logging.getLogger(__name__)
__all__ = ["Conversations", "Turn", "config_of", "thread_of", "turns_of", "unreadable"]

MAX_STEPS = 20  # of the graph; LangGraph's own limit is 10,007


@dataclass(frozen=True)
class Turn:
    """A message with what came of it. `id` is that of the question, and of the turn."""

    id: str
    question: str
    files: tuple[str, ...] = ()
    reply: str = ""
    record: Record | None = None
    running: bool = False  # what is still to come of it is not here yet
    thread: str = ""  # that it stands in


class Conversations:
    """The compiled graph with its checkpoints, and the list of them."""

    def __init__(
        self, saver: Checkpoints, titles: Titles, locks: TurnLocks, reserve: Reserve, spans: Spans | None = None
    ) -> None:
        self._saver, self._reserve, self._spans = saver, reserve, spans
        self.titles, self.locks = titles, locks
        self._graph = compiled_graph(saver)

    @classmethod
    async def open(cls, path: Path, spans: Spans | None = None) -> Conversations:
        """Raises StoreError when the file cannot be used."""
        try:
            make_private(path)
            connection = await aiosqlite.connect(path)
            try:
                serde = JsonPlusSerializer(allowed_msgpack_modules=checkpointed_types())
                saver = FileCheckpoints(connection, serde)
                await saver.setup()
                await asyncio.to_thread(bring_up_to_date, path, serde)
                await asyncio.to_thread(_forget_what_is_left, path)
            except BaseException:
                await connection.close()
                raise
        except sqlite3.Error as error:
            raise _unusable(path, error) from error
        return cls(saver, FileTitles(connection, saver.lock), LocalTurnLocks(), Reserve(path.parent), spans)

    async def close(self) -> None:
        await self._saver.write_again()
        await self._saver.close()
        await self.locks.close()
        if self._spans is not None:
            await asyncio.to_thread(self._spans.close)

    async def copy_to(self, other: Conversations) -> int:
        """Those that the other ones lack, each as it stands after its last message; how many they were. Raises
        CitewiseError."""
        try:
            return await copy_conversations((self._saver, self.titles), (other._saver, other.titles))
        except sqlite3.Error as error:
            raise unreadable(error) from error

    async def run(self, thread_id: str, state: State | Command[bool], context: TurnContext) -> Offer | None:
        """One turn, from the message, or the answer to an offer, to the last node or the offer that it waits at.

        One checkpoint at its end: what each step has found is shown at once but stored only when the turn ends, waits
        or is stopped; to store it at every step costs as much as answering."""
        config = config_of(thread_id)
        if self._spans is not None:
            config["callbacks"] = [self._spans]
        ended = await self._graph.ainvoke(state, config, context=context, durability="exit")
        return _offered(ended.get("__interrupt__", ()))

    def unwritten(self, thread_id: str) -> StoreError | None:
        """Why a conversation is kept in memory alone, where it is."""
        error = self._saver.unwritten.get(thread_id)
        return unwritten(error) if error else None

    async def offer(self, thread_id: str) -> Offer | None:
        """What the conversation waits for the person to agree to; any other message lets it lapse."""
        try:
            snapshot = await self._graph.aget_state(config_of(thread_id))
        except CheckpointError as error:  # the next turn says what to do
            log.warning("the conversation could not be read: %s", error)
            return None
        return _offered(snapshot.interrupts)

    async def history(self, thread_id: str) -> list[AnyMessage]:
        """Oldest message first; `Record.of` gives what stands beside a reply."""
        snapshot = await self._graph.aget_state(config_of(thread_id))
        return list(snapshot.values.get("messages", []))

    async def turns(self, thread_id: str) -> list[Turn]:
        """Oldest first."""
        return [replace(turn, thread=thread_id) for turn in turns_of(await self.history(thread_id))]

    async def removals(self, thread_id: str, turn: str | None) -> list[RemoveMessage]:
        """What takes a turn and all that came after it out of the conversation, together with what comes instead: a
        turn that fails takes nothing away. Raises CitewiseError for an unknown one."""
        if turn is None:
            return []
        ids = [str(message.id) for message in await self.history(thread_id)]
        if turn not in ids:
            raise answer_replaced()
        return [RemoveMessage(id=one) for one in ids[ids.index(turn) :]]

    async def forget(self, thread_id: str) -> None:
        """Raises StoreError; on a full disk there is room that is held back for it."""
        try:
            try:
                await self._saver.adelete_thread(thread_id)
            except sqlite3.Error as error:
                if not is_full(error) or not self._reserve.let_go():
                    raise
                await self._saver.adelete_thread(thread_id)
        except sqlite3.Error as error:
            raise undeleted(error) from error
        if not ONCE.fullmatch(thread_id):
            await self.titles.forget(thread_id)
        self._reserve.hold()

    async def rename(self, thread_id: str, title: str) -> None:
        await self.titles.rename(thread_id, title)
        await self.titles.keep(thread_id, await self.history(thread_id))

    async def keep_stopped(self, thread_id: str, asked: HumanMessage, text: str) -> None:
        """What was said before the stop, unless the whole reply is in the conversation already."""
        if (messages := await self.history(thread_id)) and messages[-1].type == "ai" and asked in messages:
            return
        await self.keep(thread_id, asked, text)

    async def keep(self, thread_id: str, asked: HumanMessage, text: str) -> None:
        """Put a reply into the conversation that no node has put there; a damaged one is left as it is.

        The message goes with it, in case the turn ended before its first checkpoint; by its id it stands there once.
        """
        update: State = {"messages": [asked, AIMessage(text)]}
        try:
            await self._graph.aupdate_state(config_of(thread_id), update, as_node="unknown")
        except CheckpointError as error:
            log.warning("the conversation could not be saved: %s", error)

    async def prune(self, thread_id: str) -> None:
        """Keep a thread's last checkpoint only: each holds the whole state, so keeping all grows quadratically."""
        try:
            await self._saver.keep_latest(thread_id)
        except CheckpointError as error:
            log.warning("old checkpoints could not be deleted: %s", error)

    async def over(self, thread_id: str) -> None:
        """After a turn, however it ended: one checkpoint is left, and the list knows what was said."""
        if ONCE.fullmatch(thread_id):
            return
        await self.prune(thread_id)
        try:
            if await self.titles.lists(thread_id):
                await self.titles.keep(thread_id, await self.history(thread_id))
        except CheckpointError as error:
            log.warning("the conversation could not be read: %s", error)


def _forget_what_is_left(path: Path) -> None:
    """Of a program that was killed before it could."""
    try:
        with closing(sqlite3.connect(path, timeout=10)) as connection, connection:
            threads = connection.execute("SELECT DISTINCT thread_id FROM checkpoints").fetchall()
            left = [(thread,) for (thread,) in threads if ONCE.fullmatch(thread)]
            for table in ("writes", "checkpoints"):
                connection.executemany(f"DELETE FROM {table} WHERE thread_id = ?", left)
    except sqlite3.Error as error:  # a full disk: the next start does it
        log.warning("what was left of questions could not be deleted: %s", error)


def turns_of(messages: Sequence[AnyMessage]) -> list[Turn]:
    turns: list[Turn] = []
    for message in messages:
        if message.type == "human":
            files = tuple(message.additional_kwargs.get("files", []))
            turns.append(Turn(str(message.id), str(message.content), files))
        elif turns:
            turns[-1] = replace(turns[-1], reply=str(message.content), record=Record.of(message))
    return turns


def _offered(interrupts: Sequence[Interrupt]) -> Offer | None:
    for waiting in interrupts:
        return Offer(waiting.value["action"], Message(**waiting.value["text"]), waiting.value["question"])
    return None


def config_of(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": MAX_STEPS}


def unreadable(error: sqlite3.Error) -> StoreError:
    log.warning("the conversation cannot be read: %s", error)
    return StoreError(
        Message(zh=f"对话无法读取（{error}）。", en=f"The conversation cannot be read ({error})."),
        Message(
            zh="请检查磁盘和数据文件夹的权限，然后重试。已保存的文件不受影响。",
            en="Check the disk and the permissions of the data folder, then try again. The saved files are unharmed.",
        ),
    )


def unwritten(error: sqlite3.Error | StoreError) -> StoreError:
    if isinstance(error, StoreError):
        return StoreError(
            Message(
                zh=f"对话暂时无法保存，先保留在内存里，可以继续提问。{error.message.zh}",
                en=f"The conversation cannot be saved for now; it goes on, kept in memory. {error.message.en}",
            ),
            Message(
                zh="数据库恢复后，下一条消息会把整个对话存好；若程序先退出，这段对话会丢失。",
                en="Once the database is back, the next message saves all of it. It is lost if the program ends first.",
            ),
        )
    return StoreError(
        Message(
            zh=f"对话暂时无法写入磁盘（{error}），先保留在内存里，可以继续提问。",
            en=f"The conversation cannot be written to the disk for now ({error}); it goes on, kept in memory.",
        ),
        Message(
            zh="请腾出磁盘空间，并检查数据文件夹的权限：之后的下一条消息会把整个对话存好。"
            "若退出程序时仍无空间，这段对话会丢失。",
            en="Free some space on the disk, and check the permissions of the data folder: the next message then saves "
            "all of it. It is lost if there is still no room when the program ends.",
        ),
    )


def undeleted(error: sqlite3.Error) -> StoreError:
    return StoreError(
        Message(zh=f"对话无法删除（{error}）。", en=f"The conversation cannot be deleted ({error})."),
        Message(
            zh="请腾出一些磁盘空间，并检查数据文件夹的权限，然后重试。",
            en="Free some space, check the permissions of the data folder, and try again.",
        ),
    )


def _unusable(path: Path, error: sqlite3.Error) -> StoreError:
    return StoreError(
        Message(
            zh=f"对话文件 {path} 无法打开（{error}）。",
            en=f"The conversations in {path} cannot be opened ({error}).",
        ),
        Message(
            zh="请把这个文件移走（对话会重新开始，已保存的文件不受影响），并检查权限和磁盘空间。",
            en="Move this file away (conversations start over, the saved files are unharmed), and check its "
            "permissions and the disk.",
        ),
    )
