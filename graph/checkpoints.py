"""Where conversations are checkpointed: in SQLite; in memory what nobody keeps, and what the disk has no room for."""

from __future__ import annotations

import importlib
import logging
import re
import sqlite3
import sys
from collections.abc import Sequence
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

import schema
from nodes import state as turn_state

log = logging.getLogger(__name__)

# of one question that is forgotten with its answer: asked by a program, or with several strategies
ONCE = re.compile(r"(?:[^/]*/)?(?:once|compare)-[0-9a-f]{32}")
_MOST = 200  # conversations that wait in memory for room on the disk; the one that was written to longest ago goes
# What modules were called by versions whose conversations may still be there, and what they are called now.
FORMER_MODULES = {
    "schema.fetched": "schema.web_documents",
    "schema.found": "schema.evidence",
    "schema.said": "schema.answers",
    "schema.stored": "schema.library",
    "schema.words": "schema.common",
}


class Checkpoints(AsyncSqliteSaver):
    """A checkpoint that cannot be written ends no turn: the conversation goes on in memory, and as each checkpoint
    holds all of it, the next one that can be written saves it whole."""

    def __init__(self, connection: aiosqlite.Connection, serde: SerializerProtocol) -> None:
        super().__init__(connection, serde=serde)
        self._memory = InMemorySaver(serde=serde)
        self.unwritten: dict[str, sqlite3.Error] = {}  # threads that are in memory alone, and why

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await (self._memory.aget_tuple if self._is_held(config) else super().aget_tuple)(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        thread = _thread(config)
        if not ONCE.fullmatch(thread):
            try:
                written = await super().aput(config, checkpoint, metadata, new_versions)
            except sqlite3.Error as error:
                await self._unwritable(thread, error)
            else:
                if self.unwritten.pop(thread, None):
                    self._memory.delete_thread(thread)
                return written
        self._memory.delete_thread(thread)  # the one before
        return self._memory.put(config, checkpoint, metadata, checkpoint["channel_versions"])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if not self._is_held(config):
            try:
                await super().aput_writes(config, writes, task_id, task_path)
                return
            except sqlite3.Error as error:
                written = await super().aget_tuple(config)
                await self._unwritable(_thread(config), error)
                if written is not None:
                    whole = written.checkpoint["channel_versions"]
                    self._memory.put(config, written.checkpoint, written.metadata, whole)
        self._memory.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Raises sqlite3.Error."""
        if not ONCE.fullmatch(thread_id):
            try:
                await super().adelete_thread(thread_id)
            except sqlite3.Error:
                await self.conn.rollback()
                raise
        self.unwritten.pop(thread_id, None)
        self._memory.delete_thread(thread_id)

    async def write_again(self) -> None:
        """What waits in memory, before the program ends."""
        for thread in list(self.unwritten):
            held = await self._memory.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
            if held is not None:
                where: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
                await self.aput(where, held.checkpoint, held.metadata, held.checkpoint["channel_versions"])

    def _is_held(self, config: RunnableConfig) -> bool:
        thread = _thread(config)
        return thread in self.unwritten or ONCE.fullmatch(thread) is not None

    async def _unwritable(self, thread: str, error: sqlite3.Error) -> None:
        log.warning("a conversation could not be saved, and goes on in memory: %s", error)
        async with self.lock:
            await self.conn.rollback()
        self.unwritten.pop(thread, None)
        self.unwritten[thread] = error
        for longest_ago in list(self.unwritten)[:-_MOST]:
            del self.unwritten[longest_ago]
            self._memory.delete_thread(longest_ago)


def _thread(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def checkpointed_types() -> list[tuple[str, str]]:
    """Our own classes that may stand in a checkpoint: anything else is refused when it is read back."""
    for former, module in FORMER_MODULES.items():  # LangGraph imports them by the names that it has stored
        sys.modules.setdefault(former, importlib.import_module(module))
    former_names = {module: former for former, module in FORMER_MODULES.items()}
    own = [
        value
        for module in (schema, turn_state)
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__.startswith(module.__name__)
    ]
    # under which the conversations of earlier versions know the nouns: "schema", later one of the former names
    return [
        (home, value.__name__)
        for value in own
        for home in (value.__module__, value.__module__.split(".")[0], former_names.get(value.__module__, ""))
        if home
    ]
