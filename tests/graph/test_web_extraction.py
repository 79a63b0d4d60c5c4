"""What a fetched page is about is found out after the answer: nobody waits for it, and it is not lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.model_server import ModelServer, Reply, model_server, wanted_form
from graph.turns import Assistant
from nodes.events import Answered, Replied, Token
from settings import Settings
from tests.graph.turn_cases import assistant_of, of, say
from tests.graph.web_cases import CHIPS, PATHS, news_site, quotes, reached
from web.records import Records

Make = Callable[..., Settings]


@contextmanager
def held_back() -> Iterator[tuple[ModelServer, threading.Event]]:
    """A model that does not say what a page is about until it is released."""
    released = threading.Event()

    def script(request: dict) -> Reply:
        if wanted_form(request) == "About":
            released.wait()
        return quotes(request) if wanted_form(request) in ("About", None) else Reply(status=400)

    with model_server(script) as server:
        try:
            yield server, released
        finally:
            released.set()


def records(assistant: Assistant) -> list[Path]:
    return sorted((assistant.settings.data_dir / "webis_documents").glob("*.json"))


@pytest.mark.parametrize("message", [CHIPS["zh"], "上网搜索：最近 AI 芯片的新闻"])
async def test_the_first_token_does_not_wait_for_what_pages_are_about(make_settings: Make, message: str) -> None:
    with news_site() as site, held_back() as (models, released):
        settings = make_settings(
            **reached(site), CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=models.base_url, CITEWISE_WEB="always"
        )
        async with assistant_of(settings) as assistant:
            events = await say(assistant, message)
            assert of(events, Token)
            assert len(of(events, Answered)) == 1
            assert records(assistant) == []

            released.set()
            await assistant.jobs.done()
            [record] = records(assistant)
            documents = Records(settings.data_dir, 0).load(record)
            assert [one.structured and one.structured.made_by for one in documents] == ["model"] * len(PATHS)
            assert all(one.processing_history[-1].plugin == "extract.model" for one in documents)
            assert assistant.metrics.exposed().count(b'purpose="extract"') > 0  # counted, though no turn told it


async def test_pages_that_are_only_saved_are_described_afterwards_too(make_settings: Make) -> None:
    with news_site() as site, held_back() as (models, released):
        settings = make_settings(**reached(site), CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=models.base_url)
        async with assistant_of(settings) as assistant:
            assert of(await say(assistant, f"保存网页 {site.url(PATHS[0])}"), Replied)
            released.set()
            await assistant.jobs.done()
            assert Records(settings.data_dir, 0).load(records(assistant)[0])[0].structured


async def test_a_program_that_ends_keeps_the_record_of_what_it_knows(make_settings: Make) -> None:
    with news_site() as site, held_back() as (models, _):
        settings = make_settings(**reached(site), CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=models.base_url)
        async with assistant_of(settings) as assistant:
            assert of(await say(assistant, f"保存网页 {site.url(PATHS[0])}"), Replied)
        [document] = Records(settings.data_dir, 0).load(records(assistant)[0])
        assert (document.status, document.structured) == ("completed", None)
        assert document.chunks
