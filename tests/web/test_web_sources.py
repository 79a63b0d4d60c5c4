"""A website as a source of a document set: what a refresh brings, what it costs, and what it never deletes."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from source_house import House, html, told

from benchmarks.web_site import Page, redirect
from errors import CitewiseError
from schema import Chunking, Scope
from web.base import WebError
from web.gathering import Gathering
from web.sources import LibrarySources

ROOT = Path(__file__).parent.parent.parent
DOCS = {
    "/docs/": html("tides", "a", "b", etag='"1"'),
    "/docs/a": html("annual leave", last_modified="Sun, 18 Jan 2026 10:00:00 GMT"),
    "/docs/b": html("潮汐"),
}


@pytest.fixture
def settings(site, make_settings):
    site.pages = dict(DOCS)
    return make_settings(
        CITEWISE_WEB_ALLOW=",".join(site.hosts), CITEWISE_CRAWL_DELAY="0", CITEWISE_EMBEDDING="hashing",
        CITEWISE_WEB_TIMEOUT="20",
    )  # fmt: skip


@pytest.fixture
async def house(settings):
    async with House(settings) as opened:
        yield opened


async def test_its_pages_are_in_the_set_with_where_they_are_from(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    assert (source.kind, source.refreshed_at, source.pages) == ("website", "", 0)
    assert house.library.doc_sets() == ["docs"]
    events = await house.refresh(source)
    assert told(events) == {"stored": 3}
    assert house.paths(site) == ["/docs/", "/docs/a", "/docs/b"]
    assert {(info.origin.source_type, info.origin.source) for info in house.infos()} == {("website", source.id)}
    now = house.now(source)
    assert (now.pages, now.problem, bool(now.refreshed_at)) == (3, None, True)
    assert events[-1].state == "done"
    assert events[-1].progress.source == now
    hits = (await house.library.search("annual leave", scope=Scope(doc_sets=("docs",)))).hits
    assert hits[0].metadata["url"] == site.url("/docs/a")


async def test_what_has_not_changed_costs_nothing(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    for _ in range(2):
        generation, version = house.library.generation(), house.library.version
        site.requests.clear()
        assert told(await house.refresh(source)) == {"unchanged": 3}
        assert (house.library.generation(), house.library.version) == (generation, version)  # nothing was handed in
        assert site.asked("/docs/")[0].headers["if-none-match"] == '"1"'
        assert "if-modified-since" in site.asked("/docs/a")[0].headers
        assert len(site.asked("/docs/b")) == 1  # its server knows no way to say so: the same bytes tell


async def test_what_is_new_changed_or_gone(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    del site.pages["/docs/a"]
    site.pages |= {"/docs/": html("tides", "b", "c", etag='"2"'), "/docs/b": html("火车"), "/docs/c": html("new page")}
    assert told(await house.refresh(source)) == {"stored": 3, "gone": 1}
    assert house.paths(site) == ["/docs/", "/docs/b", "/docs/c"]
    assert "火车" in house.texts()
    assert "潮汐" not in house.texts()
    assert house.now(source).pages == 3
    assert told(await house.refresh(source)) == {"unchanged": 3}


async def test_a_page_that_is_of_another_kind_now_takes_the_place_of_the_old(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    site.pages["/docs/a"] = Page("# Leave\n\nIt is plain now.\n", "text/markdown")
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 2}
    assert house.paths(site) == ["/docs/", "/docs/a", "/docs/b"]
    assert {info.name.rpartition(".")[2] for info in house.infos()} == {"html", "md"}


async def test_a_page_that_has_moved_within_the_site_is_there_once(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    site.pages |= {"/docs/a": redirect("/docs/moved"), "/docs/moved": html("annual leave, moved")}
    for _ in range(2):
        await house.refresh(source)
        assert house.paths(site) == ["/docs/", "/docs/b", "/docs/moved"]
    site.pages["/docs/"] = html("tides", "a", "b", "moved")
    for _ in range(3):
        await house.refresh(source)
        assert house.paths(site) == ["/docs/", "/docs/b", "/docs/moved"]
    assert told(await house.refresh(source)) == {"unchanged": 3}


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (Page("busy", status=503), "503"),
        (Page("not here", status=404), "404"),
        (Page(raw=b""), "damaged"),
        (redirect("http://127.0.0.2:{port}/portal"), "leads"),
    ],
    ids=["down", "all gone", "cut off", "a portal"],
)
async def test_a_refresh_that_comes_to_nothing_deletes_nothing(house, site, how, reason):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    before = house.now(source)
    how = replace(how, headers={key: value.format(port=site.port) for key, value in how.headers.items()})
    missing, site.missing = site.missing, how
    site.pages = {"/portal": html("sign in", "more"), "/robots.txt": Page("", "text/plain")}
    events = await house.refresh(source)
    assert (events[-1].state, events[-1].url) == ("failed", "")
    assert reason in events[-1].problem.en
    assert len(house.infos()) == 3
    now = house.now(source)
    assert now == replace(before, problem=events[-1].problem)
    site.pages, site.missing = dict(DOCS), missing
    assert told(await house.refresh(source)) == {"unchanged": 3}
    assert house.now(source).problem is None


async def test_a_page_that_fails_stays_and_is_told(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    site.pages["/docs/a"] = Page("busy", status=500)
    events = await house.refresh(source)
    assert told(events) == {"unchanged": 2, "failed": 1}
    [(url, problem)] = events[-1].progress.problems
    assert url == site.url("/docs/a")
    assert "500" in problem.zh
    assert "500" in problem.en
    assert len(house.infos()) == 3
    assert "1 of 3" in house.now(source).problem.en
    assert "500" in house.now(source).problem.zh


async def test_what_is_not_for_programs_is_told_and_is_no_failure(house, site):
    site.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /docs/a\n", "text/plain")
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    events = await house.refresh(source)
    assert told(events) == {"stored": 2, "skipped": 1}
    assert "robots.txt" in events[-1].progress.problems[0][1].en
    assert house.now(source).problem is None


async def test_a_dead_link_is_no_failure_until_it_leads_somewhere(house, site):
    site.pages["/docs/a"] = html("a", "later", etag='"a"')
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    assert told(await house.refresh(source)) == {"stored": 3, "skipped": 1}
    assert house.now(source).problem is None
    site.pages["/docs/later"] = html("later")
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 3}


async def test_what_is_left_out_is_told(house, site, settings):
    small = LibrarySources(settings.model_copy(update={"crawl_max_pages": 2}), house.library, house.pages)
    source = await small.add(site.url("/docs/"), doc_set="docs")
    for _ in range(2):
        [*_, last] = [event async for event in small.refresh(source.id)]
        await house.library.process()
        assert last.state == "done"
        assert "more than 2 pages" in last.problem.en
        assert "CITEWISE_CRAWL_MAX_PAGES" in house.now(source).problem.zh
        assert len(house.infos()) == 2
    await small.close()
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 2}
    assert house.now(source).problem is None


# --- several sources, sets, and what a person does meanwhile ---------------------------------------------------------


async def test_two_sources_of_a_set_leave_each_others_pages_alone(house, site):
    site.pages |= {"/": html("home", "/docs/", "/other"), "/other": html("other")}
    docs = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(docs)
    whole = await house.sources.add(site.url("/"), doc_set="docs")
    assert told(await house.refresh(whole)) == {"stored": 2, "skipped": 3}
    everything = ["/", "/docs/", "/docs/a", "/docs/b", "/other"]
    assert house.paths(site) == everything
    assert (house.now(docs).pages, house.now(whole).pages) == (3, 2)
    for source in (docs, whole, docs):
        generation = house.library.generation()
        assert "stored" not in told(await house.refresh(source))
        assert house.library.generation() == generation
    del site.pages["/docs/a"]
    await house.refresh(whole)
    assert "/docs/a" in house.paths(site)  # it is the other one's
    await house.refresh(docs)
    assert house.paths(site) == ["/", "/docs/", "/docs/b", "/other"]
    assert await house.sources.remove(docs.id, documents=False)
    assert house.paths(site) == ["/", "/docs/", "/docs/b", "/other"]
    await house.refresh(whole)  # what was left is its own from now on
    assert {info.origin.source for info in house.infos()} == {whole.id}
    assert house.now(whole).pages == 4


async def test_other_documents_of_the_set_stay(house, site):
    await house.library.add("by-hand.md", b"# By hand\n\nKept.\n", doc_set="docs")
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    del site.pages["/docs/a"]
    await house.refresh(source)
    assert await house.sources.remove(source.id, documents=True)
    assert [info.name for info in house.infos()] == ["by-hand.md"]
    assert house.sources.list() == []
    assert not await house.sources.remove(source.id, documents=True)


async def test_what_was_removed_comes_anew(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    await house.sources.remove(source.id, documents=True)
    assert house.infos() == []
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    assert told(await house.refresh(source)) == {"stored": 3}
    assert len(house.infos()) == 3


async def test_one_site_in_two_sets(house, site):
    sources = [await house.sources.add(site.url("/docs/"), doc_set=name) for name in ("docs", "more")]
    for source in sources:
        assert told(await house.refresh(source)) == {"stored": 3}
    await house.sources.remove(sources[0].id, documents=True)
    assert house.infos() == []
    assert len(house.infos("more")) == 3
    assert [one.id for one in house.sources.list()] == [sources[1].id]
    assert house.sources.list("docs") == []


async def test_a_renamed_set_is_refreshed_under_its_new_name(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="old")
    await house.refresh(source)
    await house.library.rename_doc_set("old", "docs")
    site.pages["/docs/b"] = html("火车")
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 2}
    assert house.paths(site) == ["/docs/", "/docs/a", "/docs/b"]
    assert house.library.doc_sets() == ["docs"]


@pytest.mark.parametrize("what", ["rename", "delete", "remove"])
async def test_its_set_changes_while_it_is_refreshed(house, site, what):
    site.pages = {"/docs/": html("start", *map(str, range(60)))} | {f"/docs/{n}": html(f"page {n}") for n in range(60)}
    source = await house.sources.add(site.url("/docs/"), doc_set="old")
    events = []
    async for event in house.sources.refresh(source.id):
        events.append(event)
        if len(events) == 30:
            if what == "rename":
                await house.library.rename_doc_set("old", "docs")
            elif what == "delete":
                await house.library.delete_doc_set("old")
            else:
                await house.sources.remove(source.id, documents=True)
    await house.library.process()
    assert house.infos("old") == []
    if what == "rename":
        assert len(house.infos()) == 61
        assert house.library.doc_sets() == ["docs"]
    else:
        assert (events[-1].state, house.sources.list()) == ("failed", [])
        assert "removed" in events[-1].problem.en
        assert house.library.documents() == []
        assert house.library.doc_sets() == ([] if what == "delete" else ["old"])


async def test_a_document_that_a_person_deleted_comes_back(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    name = next(info.name for info in house.infos() if info.origin.url.endswith("/a"))
    await house.library.delete(name, "docs")
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 2}
    assert len(house.infos()) == 3


async def test_a_page_that_is_fetched_for_a_question_stays_one_of_its_source(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    site.pages["/docs/a"] = html("annual leave, twenty days")
    run = Gathering(house.settings, house.library, pages=house.pages)
    async for _ in run.fetch([site.url("/docs/a"), site.url("/docs/b")], doc_set="docs", force_refresh=True):
        pass
    assert len(run.gathered) == 2
    assert {info.origin.source for info in house.infos()} == {source.id}
    assert told(await house.refresh(source))["unchanged"] >= 1
    assert "twenty days" in house.texts()
    del site.pages["/docs/a"]
    await house.refresh(source)
    assert house.paths(site) == ["/docs/", "/docs/b"]


# --- added again, otherwise ---------------------------------------------------------------------------------------


async def test_the_same_address_is_the_same_source(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    again = await house.sources.add(site.url("/docs/index/../#top"), doc_set="docs")
    assert again.id == source.id
    assert again.address == source.address
    assert again.pages == 3
    assert len(house.sources.list()) == 1


async def test_a_narrower_part_leaves_out_what_it_was(house, site):
    site.pages |= {"/docs/": html("start", "part/x", "b"), "/docs/part/x": html("x", "../b"), "/docs/part/": html("p")}
    source = await house.sources.add(site.url("/docs/part/x"), doc_set="docs", prefix="/docs/")
    await house.refresh(source)
    assert house.paths(site) == ["/docs/b", "/docs/part/x"]
    again = await house.sources.add(site.url("/docs/part/x"), doc_set="docs")
    assert (again.id, again.prefix) == (source.id, "")
    await house.refresh(source)
    assert house.paths(site) == ["/docs/part/x"]


async def test_cut_in_another_way_from_now_on(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    await house.sources.add(site.url("/docs/"), doc_set="docs", chunking=Chunking(strategy="fixed", size=60))
    await house.library.process()
    assert {(info.chunking.strategy, info.chunking.size) for info in house.infos()} == {("fixed", 60)}
    assert told(await house.refresh(source)) == {"unchanged": 3}


# --- interrupted, lost, brought back ---------------------------------------------------------------------------------


async def test_stopped_half_way_the_next_one_goes_on(settings, site):
    count = 50
    site.pages = {"/docs/": html("start", *map(str, range(count)))}
    site.pages |= {f"/docs/{number}": html(f"page {number}", etag=f'"{number}"') for number in range(count)}
    async with House(settings) as house:
        source = await house.sources.add(site.url("/docs/"), doc_set="docs")
        async with aclosing(house.sources.refresh(source.id)) as events:
            async for event in events:
                if event.progress.looked == 30:
                    break
        assert house.sources.running == {}
    async with House(settings) as house:  # what was handed over is stored after a restart
        assert house.now(source).pages == 20
        events = await house.refresh(source)
        assert told(events) == {"stored": 31, "unchanged": 20}
        assert len(house.infos()) == count + 1
        assert len({info.origin.url for info in house.infos()}) == count + 1
        assert house.library.tasks() == []


async def test_killed_half_way_nothing_is_doubled(settings, site):
    count = 25
    site.pages = {"/docs/": html("start", *map(str, range(count)), etag='"s"')}
    site.pages |= {f"/docs/{number}": html(f"page {number}", etag=f'"{number}"') for number in range(count)}
    async with House(settings) as house:
        source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    variables = {
        "CITEWISE_DATA_DIR": str(settings.data_dir), "CITEWISE_WEB_ALLOW": ",".join(site.hosts),
        "CITEWISE_CRAWL_DELAY": "0", "CITEWISE_EMBEDDING": "hashing", "CITEWISE_INGEST_WORKERS": "0",
    }  # fmt: skip
    script = f"""if True:
        import asyncio, os, signal
        from tests.web.source_house import House
        from settings import Settings

        async def main():
            async with House(Settings.from_mapping({variables!r})) as house:
                async for event in house.sources.refresh({source.id}):
                    if event.progress.looked == 22:
                        os.kill(os.getpid(), signal.SIGKILL)

        asyncio.run(main())
    """
    command = [sys.executable, "-c", script]
    killed = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    async with House(settings) as house:
        await house.library.process()
        assert 20 <= len(house.infos()) <= 22  # what was handed over is safe
        for _ in range(2):
            await house.refresh(source)
            assert len(house.infos()) == len({info.origin.url for info in house.infos()}) == count + 1
        assert house.now(source).pages == count + 1
        assert house.library.tasks() == []


async def test_pages_that_are_forgotten_cost_only_fetching(settings, site):
    async with House(settings) as house:
        source = await house.sources.add(site.url("/docs/"), doc_set="docs")
        await house.refresh(source)
    (settings.data_dir / "pages.sqlite").unlink()
    site.pages["/docs/"] = html("tides", "b", etag='"2"')  # nothing leads to the one that is gone
    del site.pages["/docs/a"]
    async with House(settings) as house:
        assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 1, "gone": 1}
        assert house.paths(site) == ["/docs/", "/docs/b"]


async def test_a_library_that_was_brought_back_is_brought_up_to_date(house, site, tmp_path):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    house.library.store.backup(tmp_path / "backup.zip")
    site.pages["/docs/"] = html("newer tides", "a", "b", etag='"2"')
    await house.refresh(source)
    house.library.store.restore(tmp_path / "backup.zip")
    assert "newer tides" not in house.texts()
    assert told(await house.refresh(source)) == {
        "stored": 1,
        "unchanged": 2,
    }  # not believed as remembered
    assert "newer tides" in house.texts()


# --- in the background --------------------------------------------------------------------------------------------


async def test_in_the_background(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    version = house.sources.version
    house.sources.start(source.id)
    house.sources.start(source.id)
    assert house.sources.running[source.id].source == source
    with pytest.raises(WebError, match="already"):
        await anext(house.sources.refresh(source.id))
    while house.sources.running:  # noqa: ASYNC110  # it has no event for this
        await asyncio.sleep(0.01)
    assert house.sources.version > version
    assert (house.sources.ended[source.id].stored, house.now(source).pages) == (3, 3)
    await house.library.process()
    assert len(house.infos()) == 3


async def test_stopped_in_the_background(house, site):
    site.pages["/docs/b"] = html("late", first_delay=3600)
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    house.sources.start(source.id)
    while house.sources.running[source.id].looked < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await house.sources.stop(source.id)
    assert house.sources.running == {}
    assert house.now(source).refreshed_at == ""
    house.sources.start(source.id)
    assert source.id in house.sources.running
    assert await house.sources.remove(source.id, documents=True)  # which stops it
    assert house.sources.running == {}


async def test_what_another_program_refreshes_is_left_to_it(house, site, monkeypatch):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    held = {f"source {source.id}"}
    monkeypatch.setattr(house.library.store, "hold", lambda work: work not in held)
    monkeypatch.setattr(house.library.store, "let_go", held.discard)
    for call in (anext(house.sources.refresh(source.id)), house.sources.remove(source.id, documents=True)):
        with pytest.raises(WebError, match="already"):
            await call
    assert house.sources.running == {}
    held.clear()
    await house.refresh(source)
    assert len(house.infos()) == 3


async def test_there_has_to_be_one(house):
    for call in (lambda: house.sources.start(7), lambda: anext(house.sources.refresh(7))):
        with pytest.raises(CitewiseError) as caught:
            await call()
        assert caught.value.kind == "not_found"
    await house.sources.stop(7)


async def test_closing_stops_what_is_going_on(settings, site):
    site.pages["/docs/b"] = html("late", first_delay=3600)
    async with House(settings) as house:
        source = await house.sources.add(site.url("/docs/"), doc_set="docs")
        house.sources.start(source.id)
    async with House(settings) as house:
        assert [one.id for one in house.sources.list()] == [source.id]
