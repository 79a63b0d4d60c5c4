"""What tests of whole turns share: two small documents, an assistant, and how to talk to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from graph.turns import Assistant, Request
from nodes.state import Controls, Upload
from settings import Settings

HANDBOOK = (
    "# 员工手册\n\n## 休假\n\n员工每年有十五天带薪年假。年假须提前两周申请。\n\n## 报销\n\n报销上限为每月三千元。\n"
)
GUIDE = (
    "# Pump guide\n\n## Start\n\nPrime the pump before the first start. Wait for ninety seconds.\n\n"
    "## Noise\n\nA rattling noise means air in the line.\n"
)


@asynccontextmanager
async def assistant_of(settings: Settings) -> AsyncIterator[Assistant]:
    assistant = await Assistant.open(settings)
    try:
        yield assistant
    finally:
        await assistant.close()


def upload(folder: Path, name: str, content: str) -> Upload:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return Upload(name=name, path=str(path))


async def say(assistant: Assistant, message: str, *uploads: Upload, thread: str = "t", **controls: object) -> list:
    request = Request(thread, message, tuple(uploads), Controls.model_validate(controls))
    return [event async for event in assistant.run_turn(request)]


def of(events: list, kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]
