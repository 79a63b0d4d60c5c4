"""Several web sources, their sets, and what a person does meanwhile."""

from __future__ import annotations

import pytest
from source_house import html, told

from web.gathering import Gathering


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
