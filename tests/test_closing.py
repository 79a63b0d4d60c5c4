"""Closing from the page and with the last page: only on one's own machine, never in the middle of something."""

from __future__ import annotations

import asyncio
from pathlib import Path

import gradio as gr
import httpx2
import pytest
from fastapi import FastAPI

from benchmarks.model_server import ModelServer, Reply
from doors.passwords import hash_password
from errors import CitewiseError
from graph.request import Request
from graph.turns import Assistant
from tests.conftest import MakeSettings
from tests.graph.turn_cases import Script, assistant_of, talking
from ui.closing import ProgramEnd, still_running
from ui.gradio_internals.pages import PagesMiddleware, end_events
from ui.page import build_page

KEY = {"CITEWISE_API_KEYS": "robot:key-of-the-tests-1234"}


def counted(closing: ProgramEnd) -> asyncio.Event:
    ended = asyncio.Event()
    closing.end = ended.set
    return ended


@pytest.mark.parametrize(
    ("variables", "allowed"),
    [({}, True), ({"CITEWISE_HOST": "::1"}, True), (KEY, False), ({**KEY, "CITEWISE_HOST": "0.0.0.0"}, False)],
    ids=["alone", "loopback-6", "login", "network"],
)
async def test_who_may_close_from_the_page(
    make_settings: MakeSettings, variables: dict[str, str], allowed: bool
) -> None:
    async with assistant_of(make_settings(**variables)) as assistant:
        closing = ProgramEnd(assistant)
        ended = counted(closing)
        closing.end_soon()
        if allowed:
            async with asyncio.timeout(120):
                await ended.wait()
        page, _ = build_page(assistant, closing)
        buttons = {getattr(block, "elem_id", None) for block in page.blocks.values()}
    assert closing.allowed is allowed
    assert ended.is_set() is allowed
    assert ("close-now" in buttons) is allowed  # elsewhere there is nothing that could be called


async def test_with_the_browser_is_refused_where_others_come(make_settings: MakeSettings) -> None:
    async with assistant_of(make_settings(**KEY, CITEWISE_CLOSE_WITH_BROWSER="true")) as assistant:
        with pytest.raises(CitewiseError) as refused:
            ProgramEnd(assistant)
    assert refused.value.suggestions


@pytest.fixture
def with_browser(make_settings: MakeSettings) -> MakeSettings:
    return lambda **variables: make_settings(CITEWISE_CLOSE_WITH_BROWSER="true", **variables)


async def test_it_ends_after_the_last_page_has_gone(with_browser: MakeSettings) -> None:
    async with assistant_of(with_browser()) as assistant:
        closing = ProgramEnd(assistant, grace=0.05)
        ended = counted(closing)
        with closing.page():
            with closing.page():
                pass
            assert closing._leaving is None  # a second tab is still open
        async with asyncio.timeout(120):
            await ended.wait()


async def test_a_reload_does_not_end_it(with_browser: MakeSettings) -> None:
    async with assistant_of(with_browser()) as assistant:
        closing = ProgramEnd(assistant, grace=3600)
        ended = counted(closing)
        with closing.page():
            pass
        leaving = closing._leaving
        assert leaving is not None
        with closing.page():
            await asyncio.wait([leaving])
            assert leaving.cancelled()
        assert not ended.is_set()
        assert closing._leaving is not None
        closing._leaving.cancel()


async def test_by_default_the_last_page_ends_nothing(make_settings: MakeSettings) -> None:
    async with assistant_of(make_settings()) as assistant:
        closing = ProgramEnd(assistant, grace=0.0)
        with closing.page():
            pass
        assert closing._leaving is None


async def test_it_waits_for_a_turn_that_runs(with_browser: MakeSettings) -> None:
    slow = Script(answer=Reply("Prime the pump [1].", first_delay=60.0))
    async with talking(with_browser, slow) as (assistant, server):
        closing = ProgramEnd(assistant, grace=0.01)
        ended = counted(closing)
        turn = asyncio.create_task(told(assistant))
        await answering(server)
        with closing.page():
            pass
        assert closing.turns == 1
        assert "答" in still_running(closing, "zh")
        for _ in range(20):  # looks of `_leave` at it
            await asyncio.sleep(closing._grace)
        assert not ended.is_set()
        turn.cancel()
        async with asyncio.timeout(120):
            await ended.wait()


async def answering(server: ModelServer) -> None:
    """The server works in threads and wakes nobody."""
    while not any(request.get("stream") for request in server.requests):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def told(assistant: Assistant) -> None:
    async for _ in assistant.run_turn(Request("t", "How long do I wait after priming the pump?")):
        pass


async def test_a_turn_that_runs_at_the_end_is_kept(make_settings: MakeSettings, tmp_path: Path) -> None:
    slow = Script(answer=Reply("Prime the pump [1].", first_delay=60.0))
    async with talking(make_settings, slow) as (assistant, server):
        settings = assistant.settings
        assistant.begin(Request("t", "How long do I wait after priming the pump?"))
        await answering(server)
    async with assistant_of(settings) as again:
        (turn,) = await again.turns("t")
    assert turn.question == "How long do I wait after priming the pump?"
    assert "(stopped)" in turn.reply


async def test_pages_are_counted_by_their_heartbeats(make_settings: MakeSettings) -> None:
    async with assistant_of(make_settings()) as assistant:
        closing = ProgramEnd(assistant)
        seen: list[int] = []

        async def app(*_: object) -> None:
            seen.append(closing._pages)

        middleware = PagesMiddleware(app, closing.page)
        for path in ("/gradio_api/heartbeat/abc", "/gradio_api/queue/data"):
            await middleware({"type": "http", "path": path}, None, None)  # type: ignore[arg-type]
    assert seen == [1, 0]
    assert closing._pages == 0


def test_a_password_line_is_a_login(make_settings: MakeSettings) -> None:
    from ui.closing import single_user

    assert not single_user(make_settings(CITEWISE_USERS=f"anna:{hash_password('password of tests')}"))


async def test_what_a_page_waits_for_ends_before_its_stores_are_closed() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def waits() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with gr.Blocks() as page:
        page.load(waits, api_name="waits")
    site = gr.mount_gradio_app(FastAPI(), page, path="/")
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost")
    async with site.router.lifespan_context(site), client:
        (await client.post("/gradio_api/call/waits", json={"data": []})).raise_for_status()
        async with asyncio.timeout(120):
            await begun.wait()
            await end_events(page)
    assert ended.is_set()
    assert not page._queue._asyncio_tasks
