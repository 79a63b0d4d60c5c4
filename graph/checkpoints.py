"""Where conversations are checkpointed; in memory what nobody keeps, and what cannot be written for now."""

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
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

import schema
from errors import StoreError
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


CheckpointError = (sqlite3.Error, StoreError)  # what reading and writing conversations may raise


class Checkpoints(BaseCheckpointSaver[str]):
    """What a saver does not do. A checkpoint that cannot be written ends no turn: the conversation goes on in memory,
    and as each checkpoint holds all of it, the next one that can be written saves it whole."""

    unwritten: dict[str, sqlite3.Error | StoreError]  # threads that are in memory alone, and why

    def remember(self, serde: SerializerProtocol) -> None:
        """Once, by whoever constructs it."""
        self._memory, self.unwritten = InMemorySaver(serde=serde), {}

    async def keep_latest(self, thread_id: str) -> None:
        """Drop a thread's checkpoints but the last one. Raises `CheckpointError`."""
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError

    async def roll_back(self) -> None:
        """After a write that has failed."""

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
            changed = checkpoint["channel_versions"] if thread in self.unwritten else new_versions
            try:
                written = await super().aput(config, checkpoint, metadata, changed)
            except CheckpointError as error:
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
            except CheckpointError as error:
                written = await super().aget_tuple(config)
                await self._unwritable(_thread(config), error)
                if written is not None:
                    whole = written.checkpoint["channel_versions"]
                    self._memory.put(config, written.checkpoint, written.metadata, whole)
        self._memory.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Raises `CheckpointError`."""
        if not ONCE.fullmatch(thread_id):
            try:
                await super().adelete_thread(thread_id)
            except CheckpointError:
                await self.roll_back()
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

    async def _unwritable(self, thread: str, error: sqlite3.Error | StoreError) -> None:
        log.warning("a conversation could not be saved, and goes on in memory: %s", error)
        await self.roll_back()
        self.unwritten.pop(thread, None)
        self.unwritten[thread] = error
        for longest_ago in list(self.unwritten)[:-_MOST]:
            del self.unwritten[longest_ago]
            self._memory.delete_thread(longest_ago)


class FileCheckpoints(Checkpoints, AsyncSqliteSaver):
    """In SQLite."""

    def __init__(self, connection: aiosqlite.Connection, serde: SerializerProtocol) -> None:
        super().__init__(connection, serde=serde)
        self.remember(serde)

    async def keep_latest(self, thread_id: str) -> None:
        latest = "select max(checkpoint_id) from checkpoints where thread_id = ?"
        async with self.lock:
            for table in ("writes", "checkpoints"):
                await self.conn.execute(
                    f"delete from {table} where thread_id = ? and checkpoint_id < ({latest})", (thread_id, thread_id)
                )
            await self.conn.commit()

    async def roll_back(self) -> None:
        async with self.lock:
            await self.conn.rollback()

    async def close(self) -> None:
        await self.conn.close()


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
