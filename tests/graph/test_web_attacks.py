"""What goes wrong around the web: late and doubled answers to offers, stops, engines that fail."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchmarks.model_server import Reply, model_server, wanted_form
from benchmarks.web_pages import TIDES
from benchmarks.web_site import Page
from graph.agreeing import AGREED
from graph.request import Request
from graph.turns import Assistant
from nodes.events import Answered, EvidenceFound, Failed, Offer, Replied
from tests.conftest import MakeSettings
from tests.graph.turn_cases import GUIDE, assistant_of, of, say, upload
from tests.graph.web_cases import CHIPS, PATHS, fetched, finds, news_site, reached, stored
from web.gathering import Gathered

OTHER = "第一座水电站建于哪一年"


async def agree(assistant: Assistant, yes: bool = True, thread: str = "t") -> list[Any]:
    return [event async for event in assistant.run_turn(Request(thread, agree=yes))]


# --- offers ------------------------------------------------------------------------------------------------------


async def test_an_offer_is_its_conversation_s_own(make_settings: MakeSettings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            first, second = await asyncio.gather(*(say(assistant, CHIPS["zh"], thread=one) for one in "ab"))
            assert of(first, Offer) == of(second, Offer)
            [failed] = await agree(assistant, thread="c")
            assert isinstance(failed, Failed)
            assert await assistant.history("c") == []
            assert of(await agree(assistant, thread="a"), Answered)
            assert await assistant.offer("a") is None
            assert await assistant.offer("b") == of(second, Offer)[0]
            assert await agree(assistant, yes=False, thread="b") == []


async def test_two_conversations_fetch_the_same_pages_at_once(make_settings: MakeSettings) -> None:
    with news_site() as site:
        settings = make_settings(**reached(site))
        async with assistant_of(settings) as assistant:
            turns = await asyncio.gather(*(say(assistant, f"上网搜索：{CHIPS['zh']}", thread=one) for one in "ab"))
            for events in turns:
                assert not [one for one in of(events, Gathered) if one.stage == "failed"]
                assert of(events, Answered)[0].answer.statements[0].supported
            assert stored(assistant) == {site.url(path) for path in PATHS}
            assert len(assistant.library.documents()) == len(PATHS)
            await assistant.jobs.done()
            assert len(list((settings.data_dir / "webis_documents").iterdir())) == len(turns)


async def test_a_yes_is_one_to_the_offer_that_was_there_when_it_was_said(make_settings: MakeSettings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, CHIPS["zh"])
            turn = assistant.run_turn(Request("t", OTHER))
            await anext(turn)
            late = asyncio.create_task(agree(assistant))  # to the first offer, while the second is being made
            rest = [event async for event in turn]
            [offered] = of(rest, Offer)
            assert offered.question == OTHER
            assert isinstance((await late)[0], Failed)
            assert site.requests == []
            assert await assistant.offer("t") == offered

            turn = assistant.run_turn(Request("t", agree=True))
            await anext(turn)
            doubled = asyncio.create_task(agree(assistant))
            assert of([event async for event in turn], Answered)
            assert isinstance((await doubled)[0], Failed)
            assert sorted(fetched(site)) == sorted(PATHS)


async def test_a_file_with_a_yes_is_a_message_of_its_own(make_settings: MakeSettings, tmp_path: Path) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, CHIPS["zh"])
            events = await say(assistant, "好", upload(tmp_path, "guide.md", GUIDE))
            assert "guide.md" in of(events, Replied)[0].text
            uploads = (upload(tmp_path, "guide.md", GUIDE),)
            events = [e async for e in assistant.run_turn(Request("t", uploads=uploads, agree=True))]
            assert isinstance(events[0], Failed)
            assert await assistant.offer("t") is None
            assert site.requests == []


async def test_a_yes_after_the_web_was_switched_off_is_answered(make_settings: MakeSettings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, CHIPS["zh"])
        async with assistant_of(make_settings(CITEWISE_WEB="never", **reached(site))) as assistant:
            [reply] = of(await agree(assistant), Replied)
            assert "CITEWISE_WEB" in reply.text
            assert site.requests == []


# --- stops -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["iterator", "task"])
@pytest.mark.parametrize("begun", ["order", "button"])
async def test_a_stop_keeps_what_came_whole_and_leaves_nothing_behind(
    make_settings: MakeSettings, how: str, begun: str
) -> None:
    with news_site() as site:
        for path in PATHS[1:]:
            site.pages[path] = Page(TIDES, stalls=True)
        async with assistant_of(make_settings(**reached(site))) as assistant:
            if begun == "button":
                await say(assistant, CHIPS["zh"])
            request = Request("t", agree=True) if begun == "button" else Request("t", f"上网搜索：{CHIPS['zh']}")
            before = asyncio.all_tasks()
            came = asyncio.Event()

            async def turn() -> None:
                events = assistant.run_turn(request)
                try:
                    async for event in events:
                        if isinstance(event, Gathered) and event.url == site.url(PATHS[0]) and event.stage == "done":
                            came.set()
                            if how == "iterator":
                                return
                finally:
                    await events.aclose()

            running = asyncio.create_task(turn())
            await came.wait()
            if how == "task":
                running.cancel()
            await asyncio.wait([running])
            assert asyncio.all_tasks() - before <= {running}
            assert stored(assistant) == {site.url(PATHS[0])}
            assert assistant.library.tasks() == []
            asked, reply = (await assistant.history("t"))[-2:]
            assert asked.content == (AGREED.zh if begun == "button" else request.message)
            assert reply.content == "（已停止）"
            assert await assistant.offer("t") is None

            finds(site, PATHS[0])  # all is as if it had not been
            assert of(await say(assistant, f"上网搜索：{CHIPS['zh']}"), Answered)


async def test_closing_while_pages_are_fetched_ends(make_settings: MakeSettings) -> None:
    with news_site() as site:
        for path in PATHS:
            site.pages[path] = Page(TIDES, stalls=True)
        before = asyncio.all_tasks()
        assistant = await Assistant.open(make_settings(**reached(site)))
        turn = assistant.run_turn(Request("t", f"上网搜索：{CHIPS['zh']}"))
        async for event in turn:
            if isinstance(event, Gathered) and event.stage == "fetch":
                break
        async with asyncio.timeout(120):
            await assistant.close()  # first: the program ends before its turns do
            with suppress(ValueError):  # nothing can be kept any more
                await turn.aclose()
        assert asyncio.all_tasks() <= before


# --- what fails --------------------------------------------------------------------------------------------------
ENGINES = {
    "down": None,
    "slow": Page("{}", "application/json", first_delay=3600),
    "empty": Page('{"results": []}', "application/json"),
    "nonsense": Page("<html>", "text/html"),
    "refuses": Page("no", status=403),
    "odd": Page('{"results": [{"url": "javascript:alert(1)"}, {"url": "file:///etc/passwd"}, 7]}', "application/json"),
}


@pytest.mark.parametrize("engine", ENGINES)
async def test_the_library_answers_where_an_engine_does_not(make_settings: MakeSettings, engine: str) -> None:
    with news_site("en") as site:
        site.pages["/search"] = ENGINES[engine] or Page(raw=b"")
        settings = make_settings(
            CITEWISE_WEB="always", CITEWISE_WEB_TIMEOUT="1", MIN_SCORE_THRESHOLD="1", **reached(site)
        )
        async with assistant_of(settings) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            async with asyncio.timeout(120):
                events = await say(assistant, "What does a rattling noise of the pump mean on Mars?")
            [answered] = of(events, Answered)
            assert "air in the line" in answered.answer.text
            assert [one.coverage.covered for one in of(events, EvidenceFound)] == [False, False]
            told = [notice for notice in answered.answer.notices if "earch" in notice.en or "page" in notice.en]
            assert told
            assert all(notice.zh != notice.en for notice in told)
            assert fetched(site) == []


async def test_a_model_that_fails_in_the_middle_costs_no_page(make_settings: MakeSettings) -> None:
    def fails(request: dict[str, Any]) -> Reply:
        return Reply(status=400) if wanted_form(request) else Reply("AI 芯片", cut_after=1)

    with news_site() as site, model_server(fails) as server:
        settings = make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url, **reached(site))
        async with assistant_of(settings) as assistant:
            events = await say(assistant, f"上网搜索：{CHIPS['zh']}")
            assert stored(assistant) == {site.url(path) for path in PATHS}
            answer = of(events, Answered)[0].answer
            assert answer.fallback_used
            assert answer.statements[0].supported
