"""A conversation as Markdown: questions, answers, numbered sources; nobody gets that of another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from doors.export import export_door
from doors.problems import REFUSALS
from graph.conversations import thread_of
from graph.request import Request
from graph.turns import Assistant
from stores.problems import closed

HANDBOOK = "# 员工手册\n\n## 休假\n\n员工每年有十五天带薪年假。年假须提前两周申请。\n"


@pytest.fixture
async def assistant(make_settings: Any) -> AsyncIterator[Assistant]:
    assistant = await Assistant.open(make_settings())
    await assistant.library.add("员工手册.md", HANDBOOK.encode())
    yield assistant
    await assistant.close()


async def ask(assistant: Assistant, user: str, message: str) -> None:
    async for _ in assistant.run_turn(Request(thread_of(user, "talk"), message, listed=True)):
        pass


async def get(assistant: Assistant, user: str, path: str, language: str = "zh") -> httpx.Response:
    site = FastAPI(exception_handlers=REFUSALS)
    site.include_router(export_door(assistant, lambda _: "zh" if language == "zh" else "en"))

    async def logged_in(scope: Any, receive: Any, send: Any) -> None:
        await site({**scope, "user": user}, receive, send)

    transport = httpx.ASGITransport(app=logged_in)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.get(path)


async def test_questions_answers_and_numbered_sources(assistant: Assistant) -> None:
    await ask(assistant, "", "年假有几天？")
    await ask(assistant, "", "你好\n<b>")
    zh, en = [await get(assistant, "", "/conversations/talk.md", language) for language in ("zh", "en")]
    assert zh.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "%E5%B9%B4%E5%81%87%E6%9C%89%E5%87%A0%E5%A4%A9" in zh.headers["content-disposition"]
    assert zh.text.startswith("# 年假有几天？\n\n## 1\n\n> 年假有几天？\n\n")
    assert "**十五天**带薪年假[1]" in zh.text.replace(" [", "[")
    assert "**来源**\n\n- [1] 员工手册.md › 员工手册" in zh.text
    assert "（行 5）" in zh.text or "（第 5 行）" in zh.text
    assert "> 你好\n> <b>\n" in zh.text
    assert "**Sources**\n\n- [1] 员工手册.md" in en.text
    assert "(line 5)" in en.text


async def test_nobody_gets_the_conversation_of_another(assistant: Assistant) -> None:
    await ask(assistant, "ann", "年假有几天？")
    assert (await get(assistant, "ann", "/conversations/talk.md")).status_code == 200
    for user, path in (("bob", "talk"), ("", "talk"), ("", "ann%2Ftalk"), ("bob", "..%2Fann%2Ftalk"), ("ann", "other")):
        assert (await get(assistant, user, f"/conversations/{path}.md")).status_code == 404


async def test_a_name_makes_no_header(assistant: Assistant) -> None:
    await ask(assistant, "", "年假有几天？")
    await assistant.rename("talk", 'a/b"\r\nX: 1 ☂')
    headers = (await get(assistant, "", "/conversations/talk.md")).headers
    assert "x" not in headers
    assert headers["content-disposition"] == "attachment; filename*=UTF-8''a%20b%20%20X%20%201%20%E2%98%82.md"


async def test_a_database_that_is_away_is_said(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    async def turns(_: str) -> None:
        raise closed("db/citewise")

    monkeypatch.setattr(assistant, "turns", turns)
    answer = await get(assistant, "", "/conversations/talk.md")
    assert answer.status_code == 503
    assert "db/citewise" in answer.json()["error"]["message"]
