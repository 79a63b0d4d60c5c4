"""Conversations from one place into another: from the data folder into PostgreSQL, and back."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from graph.checkpoints import ONCE, Checkpoints
from graph.titles import Titles


async def copy_conversations(source: tuple[Checkpoints, Titles], target: tuple[Checkpoints, Titles]) -> int:
    """Those that the target lacks, each as it stands after its last message; how many they were. Raises
    `CheckpointError`."""
    checkpoints, titles = source
    copied = 0
    for thread in dict.fromkeys([one.config["configurable"]["thread_id"] async for one in checkpoints.alist(None)]):
        if not ONCE.fullmatch(thread) and await target[0].aget_tuple(_config(thread)) is None:
            await _copy_thread(checkpoints, target[0], thread)
            copied += 1
    await titles.copy_to(target[1])
    return copied


async def _copy_thread(source: Checkpoints, target: Checkpoints, thread: str) -> None:
    """Its last checkpoint holds all of it; what an interrupted turn waits for stands beside."""
    last = await source.aget_tuple(_config(thread))
    if last is None:
        return
    config = await target.aput(_config(thread), last.checkpoint, last.metadata, last.checkpoint["channel_versions"])
    writes: dict[str, list[tuple[str, object]]] = {}
    for task, channel, value in last.pending_writes or ():
        writes.setdefault(task, []).append((channel, value))
    for task, of_task in writes.items():
        await target.aput_writes(config, of_task, task)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
