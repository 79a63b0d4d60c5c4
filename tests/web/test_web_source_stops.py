"""The refresh of a web source: interrupted, killed, in the background."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from source_house import House, html, told

from errors import CitewiseError
from web.base import WebError

ROOT = Path(__file__).parent.parent.parent


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
