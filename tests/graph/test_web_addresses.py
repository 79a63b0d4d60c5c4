"""Addresses in a message: those that do not come and why, many of them, and the same ones again."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.web_pages import pdf
from benchmarks.web_site import Page
from nodes.events import Answered, Offer, PlanMade, Replied
from nodes.fetch_web import MOST
from tests.conftest import MakeSettings
from tests.graph.turn_cases import GUIDE, assistant_of, of, say, upload
from tests.graph.web_cases import CHIPS, PATHS, fetched, news_site, reached, stored

ADDRESSES = {  # and what is said of them
    "/missing": ("404", "404"),
    "/private/page": ("robots.txt", "robots.txt"),
    "http://10.0.0.1/admin": ("CITEWISE_WEB_ALLOW", "CITEWISE_WEB_ALLOW"),
    "http://169.254.169.254/latest/meta-data": ("CITEWISE_WEB_ALLOW", "CITEWISE_WEB_ALLOW"),
    "/empty": ("是空的", "is empty"),
    "/bare": ("/bare”里没有文字", '/bare".'),  # and not by the name that it would have had in the library
}


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("language", ["zh", "en"])
async def test_of_each_address_it_is_said_why_it_did_not_come(
    make_settings: MakeSettings, language: str, alone: bool
) -> None:
    with news_site(language) as site:
        site.pages |= {
            "/robots.txt": Page("User-agent: *\nDisallow: /private/\n", "text/plain"),
            "/empty": Page(""), "/bare": Page("<html><title>Bare</title><body></body></html>"),
            "/paper.pdf": Page(pdf("The archive is open on Tuesdays."), "application/pdf"),
        }  # fmt: skip
        urls = [one if "://" in one else site.url(one) for one in ADDRESSES]
        urls += [] if alone else [site.url("/paper.pdf"), site.url(PATHS[0]), site.url(PATHS[0]) + "#part"]
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            order = "抓取 {} 并总结" if language == "zh" else "fetch {} and summarize"
            events = await say(assistant, order.format(" ".join(urls)))
            assert of(events, PlanMade)[0].plan.urls
            said = [getattr(one, "text", "") for one in of(events, Replied)]
            said += [notice.to(language) for one in of(events, Answered) for notice in one.answer.notices]
            for (zh, en), url in zip(ADDRESSES.values(), urls, strict=False):
                assert (zh if language == "zh" else en) in "\n".join(said), url
            assert bool(of(events, Answered)) is not alone
            if not alone:
                assert stored(assistant) == {site.url("/paper.pdf"), site.url(PATHS[0])}
                assert {hit.origin.url for hit in of(events, Answered)[0].answer.sources} <= stored(assistant)
                assert len(site.asked(PATHS[0])) == 1


@pytest.mark.parametrize("message", ["上网搜索：{}", "抓取 {} 并总结", "保存网页 {}", "fetch {}", "search the web: {}"])
async def test_a_web_that_is_switched_off_says_so_and_what_to_do(make_settings: MakeSettings, message: str) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(CITEWISE_WEB="never", **reached(site))) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            asked = CHIPS["zh"] if ("搜索" in message or "search" in message) else site.url(PATHS[0])
            events = await say(assistant, message.format(asked))
            said = [one.text for one in of(events, Replied)]
            said += [notice.zh for one in of(events, Answered) for notice in one.answer.notices]
            said += [notice.zh for one in of(events, PlanMade) for notice in one.notices]
            assert "CITEWISE_WEB" in "\n".join(said)
            assert site.requests == []
            assert not of(events, Offer)


async def test_an_upload_and_the_web_in_one_message(make_settings: MakeSettings, tmp_path: Path) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            file = upload(tmp_path, "茶.md", "# 茶\n\n绿茶用八十度的水冲泡两分钟。\n")
            events = await say(assistant, f"保存这个文件，然后上网搜索：{CHIPS['zh']}", file)
            assert of(events, PlanMade)[0].plan.actions == ("save", "fetch_web", "retrieve")
            assert {info.name for info in assistant.library.documents() if not info.origin.url} == {"茶.md"}
            assert stored(assistant) == {site.url(path) for path in PATHS}
            assert of(events, Answered)[0].answer.sources[0].origin.url


async def test_of_many_addresses_the_first_are_read_and_the_others_told(make_settings: MakeSettings) -> None:
    with news_site() as site:
        urls = [site.url(f"/n/{number}") for number in range(MOST + 3)]
        for number in range(MOST + 3):
            site.pages[f"/n/{number}"] = Page(f"# Page {number}\n\nThis is page {number} of many.\n", "text/markdown")
        async with assistant_of(make_settings(**reached(site))) as assistant:
            events = await say(assistant, f"read {' '.join(urls)} and summarize them")
            assert stored(assistant) == set(urls[:MOST])
            assert any(f"Of the {MOST + 3} addresses" in one.en for one in of(events, Answered)[0].answer.notices)
            assert site.at_once[""] <= assistant.settings.web_concurrency


async def test_a_page_is_read_again_where_that_is_asked_for(make_settings: MakeSettings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            for message in ("抓取 {} 并总结", "总结 {}", "重新抓取 {} 并总结"):
                assert of(await say(assistant, message.format(site.url(PATHS[0]))), Answered)
            assert len(fetched(site)) == 2  # the second time it is fresh
            site.pages[PATHS[0]] = Page(status=410)
            [reply] = of(await say(assistant, f"重新抓取 {site.url(PATHS[0])} 并总结"), Replied)
            assert "410" in reply.text
            assert stored(assistant) == {site.url(PATHS[0])}  # whatever became of the page since


async def test_an_answer_again_is_about_the_same_pages(make_settings: MakeSettings) -> None:
    with news_site() as site:
        async with assistant_of(make_settings(**reached(site))) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            first = await say(assistant, f"抓取 {site.url(PATHS[0])} 并总结")
            again = await say(assistant, "重新回答")
            assert [hit.document for hit in of(again, Answered)[0].answer.sources] == [
                hit.document for hit in of(first, Answered)[0].answer.sources
            ]
            assert len(fetched(site)) == 1
