"""Sources from Python and from the terminal: added, refreshed, listed, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import citewise
import cli
from benchmarks.web_site import Page, WebSite, web_site


def html(text: str, *links: str) -> Page:
    anchors = " ".join(f'<a href="{link}">{link}</a>' for link in links)
    return Page(f"<html><head><title>{text}</title></head><body><p>{text} is told on this page.</p>{anchors}</body>")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebSite]:
    pages = {"/docs/": html("the tide table", "a"), "/docs/a": html("潮汐表")}
    with web_site(pages) as running:
        for name, value in {
            "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_INGEST_WORKERS": "0", "CITEWISE_OLLAMA": "false",
            "CITEWISE_WEB_ALLOW": ",".join(running.hosts), "CITEWISE_CRAWL_DELAY": "0", "LC_ALL": "en_GB.UTF-8",
            "COLUMNS": "250", "CITEWISE_EMBEDDING": "hashing",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "CITEWISE_LLM_MODEL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(tmp_path)
        yield running


def run(*arguments: str, answer: str | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(cli.cli, ["source", *arguments], input=answer)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_from_python(site):
    with citewise.open() as library:
        source = library.add_source(site.url("/docs/"), doc_set="docs")
        assert (source.kind, library.list()) == ("website", [])
        done = library.refresh_source(source)
        assert (done.stored, done.problems, done.source.pages) == (2, (), 2)
        assert {info.origin.url for info in library.list("docs")} == {site.url("/docs/"), site.url("/docs/a")}
        assert library.search("tide table")[0].metadata["url"] == site.url("/docs/")
        assert library.refresh_source(source.id).unchanged == 2
        site.pages["/docs/a"] = Page(b"   ", "text/plain")
        [(name, problem)] = library.refresh_source(source).problems  # it came, and there is nothing to read
        assert site.hosts[0] in name
        assert problem.zh
        assert problem.en
        assert [one.id for one in library.sources()] == [source.id]
        assert library.sources("other") == []
        site.pages.clear()
        site.missing = Page(status=500)
        with pytest.raises(citewise.CitewiseError, match=r"500|robots"):
            library.refresh_source(source)
        assert len(library.list("docs")) >= 1
        assert library.remove_source(source, documents=True)
        assert not library.remove_source(source)
        assert library.list() == []
        with pytest.raises(citewise.CitewiseError, match="no address"):
            library.add_source("ftp://example.com", doc_set="docs")


async def test_from_python_with_asyncio(site):
    async with citewise.aopen() as library:
        source = await library.add_source(site.url("/docs/"), doc_set="docs", prefix="/")
        assert (await library.refresh_source(source)).stored == 2
        assert [one.prefix for one in await library.sources()] == [site.url("/")]
        assert await library.remove_source(source.id)
        assert len(await library.list()) == 2


def test_from_a_terminal(site, monkeypatch):
    address = site.url("/docs/")
    assert "No sources yet" in run("list")[1]
    status, said = run("add", address, "--set", "docs")
    assert (status, "2 new or changed" in said) == (0, True), said
    assert f"+ {address}a" in said
    status, said = run("list", "--set", "docs")
    [row] = [line.split() for line in said.splitlines() if address in line]
    assert row[:3] == [address, "docs", "2"]
    del site.pages["/docs/a"]
    status, said = run("refresh", address)
    assert (status, f"- {address}a" in said, "1 gone" in said) == (0, True, True), said
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "1 个没有变化" in run("refresh")[1]
    site.pages["/docs/"] = Page("busy", status=500)
    status, said = run("refresh", row[-1])
    assert (status, "500" in said) == (1, True), said
    assert f"⚠ {address}" in run("list")[1]
    assert run("remove", address, "--documents", answer="n\n")[0] == 1
    status, said = run("remove", address, "--documents", "--yes")
    assert (status, "已移除 1 个来源" in said) == (0, True)
    with citewise.open() as library:
        assert (library.list(), library.sources()) == ([], [])


def test_wrong_use_is_said(site):
    status, said = run("refresh", "https://example.com/")
    assert (status, "no source https://example.com/" in said, "source list" in said) == (1, True, True), said
    status, said = run("add", "https://example.com/", "--set", "docs", "--pattern", "*.md")
    assert (status, "Patterns" in said) == (1, True)
    assert run("add", "https://example.com/")[0] == 2  # typer's own: --set is needed
