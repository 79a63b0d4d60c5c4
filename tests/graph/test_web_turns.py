"""Whole turns with the web: what is fetched on an order, by the policy, and when an offer is agreed to."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from benchmarks.model_server import Reply, model_server, wanted_form
from graph.agreeing import AGREED
from graph.handle_query import handle_query
from nodes.events import Answered, EvidenceFound, Failed, Gathered, Offer, PlanMade, Replied, Traced
from nodes.offer import FINE, NOT_COVERED, NOT_GOOD
from nodes.state import Record
from stores import pages as page_file
from tests.graph.turn_cases import GUIDE, JUDGEMENT, Script, assistant_of, of, say, upload
from tests.graph.web_cases import CHIPS, PATHS, finds, news_site, quotes, reached
from web.problems import SWITCHED_OFF

HERE = "What does a rattling noise mean?"


async def agree(assistant, yes: bool, thread: str = "t") -> list:
    from graph.request import Request

    return [event async for event in assistant.run_turn(Request(thread, agree=yes))]


def fetched(site) -> list[str]:
    return [request.path for request in site.requests if request.path in PATHS]


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_what_the_library_lacks_is_offered_and_after_a_yes_answered(make_settings, tmp_path, language) -> None:
    with news_site(language) as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
            events = await say(assistant, CHIPS[language])
            assert not of(events, EvidenceFound)[0].coverage.covered
            assert of(events, Answered)  # nobody waits for a button
            assert isinstance(events[-1], Offer)
            assert (events[-1].text, events[-1].question) == (NOT_COVERED, CHIPS[language])
            assert not site.requests
            assert await assistant.offer("t") == events[-1]
            assert await assistant.offer("another") is None

            events = await agree(assistant, yes=True)
            assert {one.url for one in of(events, Gathered) if one.stage == "done" and one.url} == {
                site.url(path) for path in PATHS
            }
            assert of(events, EvidenceFound)[0].coverage.covered
            answer = of(events, Answered)[0].answer
            source = answer.sources[answer.statements[0].citations[0].source]
            assert source.origin.source_type == "website"
            assert source.origin.url in {site.url(path) for path in PATHS}
            assert source.origin.timestamp
            assert source.doc_set == "web"
            assert not of(events, Offer)
            assert await assistant.offer("t") is None
            history = await assistant.history("t")
            assert history[-2].content == AGREED.to(language)
            assert Record.of(history[-1]).coverage.covered
            [step] = [step for step in of(events, Traced)[-1].trace.steps if step.name == "web"]
            assert site.url(PATHS[0]) in step.note.zh

            asked = len(site.requests)  # the second time it is covered
            events = await say(assistant, CHIPS[language], thread="later")
            assert of(events, EvidenceFound)[0].coverage.covered
            assert not of(events, Offer)
            assert len(site.requests) == asked


async def test_an_offer_is_declined_or_lapses_and_is_answered_in_words(make_settings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            assert of(await say(assistant, CHIPS["zh"]), Offer)
            before = len(await assistant.history("t"))
            assert await agree(assistant, yes=False) == []
            assert len(await assistant.history("t")) == before
            assert await assistant.offer("t") is None
            late = await agree(assistant, yes=True)
            assert isinstance(late[0], Failed)
            assert len(await assistant.history("t")) == before

            assert of(await say(assistant, CHIPS["zh"]), Offer)
            assert of(await say(assistant, "不用了，谢谢"), Replied)[0].text == FINE.zh
            assert await assistant.offer("t") is None

            assert of(await say(assistant, CHIPS["zh"]), Offer)
            assert not of(await say(assistant, "你好"), Offer)  # something else was said
            assert await assistant.offer("t") is None
            assert not site.requests

            assert of(await say(assistant, CHIPS["zh"]), Offer)
            assert of(await say(assistant, "好的，搜吧"), Answered)
            assert len(fetched(site)) == 3


async def test_an_offer_outlives_a_restart(make_settings) -> None:
    with news_site() as site:
        settings = make_settings(**reached(site))
        async with assistant_of(settings) as assistant:
            offered = (await say(assistant, CHIPS["zh"]))[-1]
        async with assistant_of(settings) as assistant:
            assert await assistant.offer("t") == offered
            assert of(await agree(assistant, yes=True), Answered)
            assert len(fetched(site)) == 3


async def test_the_policy_decides_and_the_page_beats_it_unless_it_is_never(make_settings, tmp_path) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(CITEWISE_WEB="never", **reached(site))) as assistant:
            events = await say(assistant, CHIPS["zh"])
            assert not of(events, Offer)
            events = await say(assistant, f"上网搜索：{CHIPS['zh']}")
            assert SWITCHED_OFF in of(events, PlanMade)[0].notices
            assert of(events, Answered)
            events = await say(assistant, f"保存网页 {site.url(PATHS[0])}")
            assert not of(await say(assistant, CHIPS["zh"], web="always"), Gathered)  # the page cannot turn it on
            assert not site.requests

        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
            assert not of(await say(assistant, CHIPS["zh"], web="never"), Offer)
            events = await say(assistant, HERE, web="always")
            assert not of(events, Gathered)
            assert not site.requests
            events = await say(assistant, "只在 guide.md 里查：最近 AI 芯片的新闻", web="always")
            assert not of(events, (Gathered, Offer))  # who named documents asks them alone
            events = await say(assistant, CHIPS["zh"], web="always")
            assert len(of(events, Answered)) == 1
            assert of(events, Answered)[0].answer.statements[0].supported
            assert [one.coverage.covered for one in of(events, EvidenceFound)] == [False, True]
            assert not of(events, Offer)


async def test_an_order_is_carried_out_though_the_library_covers_the_question(make_settings, tmp_path) -> None:
    with news_site("en") as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
            events = await say(assistant, f"search the web for {HERE}")
            assert of(events, PlanMade)[0].plan.actions == ("fetch_web", "retrieve")
            assert len(fetched(site)) == 3
            answer = of(events, Answered)[0].answer
            assert answer.sources[answer.statements[0].citations[0].source].document == "guide.md"


@pytest.mark.parametrize("message", ["抓取 {} 并总结", "read {} and summarize it"])
async def test_a_page_is_read_and_summed_up(make_settings, tmp_path, message) -> None:
    with news_site("zh" if message[0] == "抓" else "en") as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
            events = await say(assistant, message.format(site.url(PATHS[1])))
            assert of(events, PlanMade)[0].plan.urls == (site.url(PATHS[1]),)
            assert {hit.origin.url for hit in of(events, Answered)[0].answer.sources} == {site.url(PATHS[1])}
            assert fetched(site) == [PATHS[1]]
            assert not of(events, Offer)


async def test_a_page_that_is_only_saved_goes_where_it_is_wanted(make_settings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            events = await say(assistant, f"保存网页 {site.url(PATHS[0])}", doc_set="新闻", chunking={"size": 100})
            assert "AI 芯片新闻：启明七号发布" in of(events, Replied)[0].text
            [info] = assistant.library.documents()
            assert (info.doc_set, info.chunking.size) == ("新闻", 100)
            assert not of(events, Answered)


async def test_what_a_search_brings_is_cut_as_wanted(make_settings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            events = await say(assistant, f"上网搜一下{CHIPS['zh'].rstrip('？')}，用固定100切片保存")
            assert of(events, PlanMade)[0].plan.chunking.size == 100
            assert {info.chunking.size for info in assistant.library.documents()} == {100}


async def test_turns_sources_and_scripts_share_one_file_of_pages(make_settings, monkeypatch) -> None:
    opened: list[Path] = []
    own = page_file.PageFile._open

    def counted(file: page_file.PageFile) -> sqlite3.Connection:
        opened.append(file._path)
        return own(file)

    monkeypatch.setattr(page_file.PageFile, "_open", counted)
    with news_site("en") as site:
        settings = make_settings(**reached(site), CITEWISE_CRAWL_DELAY="0")
        async with assistant_of(settings) as assistant:
            await say(assistant, f"save {site.url(PATHS[0])}", doc_set="turn")
            source = await assistant.sources.add(site.url(PATHS[1]), doc_set="source")
            assert [event async for event in assistant.sources.refresh(source.id)][-1].state == "done"
            assert (await handle_query(assistant, CHIPS["en"], force_refresh=True))["used_web"]
            names = "turn", "source", settings.web_doc_set
            assert [len(assistant.pages.all(name)) for name in names] == [1, 1, len(PATHS)]
            assert opened == [settings.data_dir / "pages.sqlite"]
        assert assistant.pages.all("turn") == []  # closed with it
        assert not opened[0].with_name("pages.sqlite-wal").exists()


async def test_what_cannot_be_fetched_is_told_and_loses_nothing(make_settings, tmp_path) -> None:
    with news_site("en") as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
            events = await say(assistant, f"summarize {site.url('/nowhere')}")
            assert "404" in of(events, Replied)[0].text
            assert not of(events, Answered)  # the library says nothing of that page
            finds(site)
            events = await say(assistant, f"search the web for {HERE}")
            answer = of(events, Answered)[0].answer  # but it may answer what was to be searched
            assert "air in the line" in answer.text
            assert any("found no page" in notice.en for notice in answer.notices)
            assert of(await say(assistant, CHIPS["en"]), Offer)
            events = await agree(assistant, yes=True)
            assert "found no page" in of(events, Replied)[0].text
            assert not of(events, Answered)  # it stands above already


async def test_a_weak_answer_is_followed_by_the_offer_once(make_settings, tmp_path) -> None:
    weak = {**JUDGEMENT, "completeness": 1}
    said = Script(judge=weak, answer="It means air in the line [1].")

    def script(request: dict) -> Reply:
        return quotes(request) if wanted_form(request) == "About" else said(request)

    with news_site("en") as site, model_server(script) as server:
        settings = make_settings(**reached(site), CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url)
        async with assistant_of(settings) as assistant:
            await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
            events = await say(assistant, HERE)
            assert of(events, EvidenceFound)[0].coverage.covered
            assert (events[-1].text, len(fetched(site))) == (NOT_GOOD, 0)
            events = await agree(assistant, yes=True)
            assert of(events, Answered)
            assert len(fetched(site)) == 3
            assert not of(events, Offer)
