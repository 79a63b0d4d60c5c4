"""The Python face and the web: asked for, refused, or as the setting says; `handle_query` as docs/web.md shows it."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

import citewise
import demo
from benchmarks.model_server import model_server
from benchmarks.web_site import WebSite
from tests.graph.turn_cases import GUIDE
from tests.graph.web_cases import CHIPS, PATHS, news_site, quotes, reached
from tests.test_readme import english_half

HERE = "What does a rattling noise mean?"


@pytest.fixture
def site(language, monkeypatch, bare_environment) -> Iterator[WebSite]:
    """The web, as the environment of this process has it."""
    with news_site(language) as running:
        for name, value in reached(running).items():
            monkeypatch.setenv(name, value)
        yield running


def fetched(site: WebSite) -> int:
    return sum(len(site.asked(path)) for path in PATHS)


def test_the_web_is_searched_when_it_is_asked_for(site, language) -> None:
    with citewise.open("library") as library:
        library.add_content("guide.md", GUIDE)
        for web in (None, False):
            answer = library.ask(CHIPS[language], web=web)
            assert not answer.coverage.covered
            assert site.requests == []
            assert answer.notices[-1].zh.startswith("知识库似乎没有涵盖这个问题")
            assert "does not seem to cover" in answer.notices[-1].en
            assert "web=True" in answer.notices[-1].to(language)
        answer = library.ask(CHIPS[language], web=True)
        assert fetched(site) == len(PATHS)
        assert answer.coverage.covered
        assert answer.notices == ()
        cited = {answer.sources[one.source].origin.url for said in answer.statements for one in said.citations}
        assert cited <= {site.url(path) for path in PATHS}

        asked = len(site.requests)
        assert library.ask(CHIPS[language], web=True).coverage.covered
        assert library.ask(HERE, web=True).coverage.covered
        assert len(site.requests) == asked


def test_where_the_question_is_limited_or_the_web_has_nothing_it_is_not_recommended(site, language) -> None:
    site.pages["/search"] = site.missing
    with citewise.open("library") as library:
        library.add_content("guide.md", GUIDE, doc_set="pumps")
        for how in ({"doc_sets": "pumps"}, {"web": True}):
            answer = library.ask(CHIPS[language], **how)
            assert not answer.coverage.covered
            assert "web=True" not in answer.notices[-1].en + answer.notices[-1].zh


def test_the_setting_counts_where_nothing_is_said(site, language) -> None:
    with citewise.open("library", web="always") as library:
        library.add_content("guide.md", GUIDE)
        assert not library.ask(CHIPS[language], web=False).coverage.covered
        assert site.requests == []
        kinds = [type(event) for event in library.stream(CHIPS[language])]
        assert citewise.Gathered in kinds
        assert kinds.index(citewise.Gathered) < kinds.index(citewise.Answered)
        assert fetched(site) == len(PATHS)


async def test_what_is_offered_can_be_accepted_in_the_conversation(site, language) -> None:
    async with citewise.aopen("library") as library:
        await library.add_content("guide.md", GUIDE)
        events = [event async for event in library.stream(CHIPS[language], conversation="c")]
        assert isinstance(events[-1], citewise.Offer)
        answer = await library.ask({"zh": "好的，搜索吧", "en": "yes, please"}[language], conversation="c")
        assert fetched(site) == len(PATHS)
        assert answer.sources[0].origin.url.startswith("http")


def test_handle_query_and_should_fetch(site, language) -> None:
    with citewise.open("library") as library:
        library.add_content("guide.md", GUIDE)
        assert library.should_fetch(CHIPS[language])
        result = library.handle_query(CHIPS[language], top_k=2)
        assert (result["used_web"], len(result["retrieved_documents"])) == (True, 2)
        assert not library.should_fetch(CHIPS[language])


def test_pages_are_fetched_without_a_question_to_answer(site, language) -> None:
    with citewise.open("library") as library:
        names = library.fetch(CHIPS[language])
        assert sorted(names) == sorted(info.name for info in library.list("web"))
        assert len(names) == fetched(site) == len(PATHS)
        assert sorted(library.fetch(CHIPS[language])) == sorted(names)
        assert fetched(site) == len(PATHS)
        library.fetch(CHIPS[language], force_refresh=True)
        assert fetched(site) == 2 * len(PATHS)
        site.pages["/search"] = site.missing
        with pytest.raises(citewise.CitewiseError) as caught:
            library.fetch("?")
        assert caught.value.kind == "web"
    with citewise.open("library", web="never") as library, pytest.raises(citewise.CitewiseError, match="never"):
        library.fetch(CHIPS[language])


def test_the_demo_shows_the_three_usages(site, language, monkeypatch, capsys) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8" if language == "zh" else "en_GB.UTF-8")
    assert demo.main(["--library", "library"]) == 0
    basic, forced, alone = capsys.readouterr().out.split("\n=== ")[1:]
    assert ("used_web: True" in basic, "used_web: True" in forced, "used_web: False" in alone) == (True, True, True)
    assert fetched(site) == 2 * len(PATHS)
    for said in (basic, forced, alone):
        assert any(site.url(path) in said for path in PATHS)
        assert "enhanced_prompt" in said
        assert "answer_file" in said
        assert ".env" in said  # no model: why there is no answer, and what to do
    assert "record: " in basic


def test_the_demo_without_a_network_shows_what_the_library_holds(site, language, monkeypatch, capsys) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8" if language == "zh" else "en_GB.UTF-8")
    site.pages["/search"] = site.missing
    with citewise.open("library") as library:
        library.add_content("guide.md", GUIDE)
    assert demo.main([HERE, "--library", "library"]) == 0
    said = capsys.readouterr().out
    assert said.count("guide.md") >= 3
    assert demo.main([CHIPS[language], "--library", "library"]) == 0
    told = capsys.readouterr().out
    assert ("请检查网络" if language == "zh" else "Check the network") in told
    (Path("broken")).write_text("", encoding="utf-8")
    assert demo.main(["--library", "broken"]) == 1
    assert capsys.readouterr().err


@pytest.mark.parametrize("with_model", [False, True])
def test_the_example_of_the_page_runs(site, language, with_model, monkeypatch, tmp_path, capsys) -> None:
    [example] = re.findall(r"```python\n((?:(?!```).)*handle_query(?:(?!```).)*)```", english_half("web"), re.S)
    script = tmp_path / "web_question.py"
    script.write_text(example.replace(CHIPS["zh"], CHIPS[language]), encoding="utf-8")
    with model_server(quotes) as models:
        if with_model:
            monkeypatch.setenv("CITEWISE_LLM_MODEL", "m")
            monkeypatch.setenv("CITEWISE_LLM_BASE_URL", models.base_url)
        runpy.run_path(str(script), run_name="__main__")
    said = capsys.readouterr().out
    assert said.count("used_web: True") == 2
    assert said.count("used_web: False") == 1
    assert all(site.url(path) in said for path in PATHS)
    assert fetched(site) == 2 * len(PATHS)
    assert ("[1]" in said) is with_model
