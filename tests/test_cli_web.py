"""The terminal and the web: fetched when it is asked for, offered where somebody can answer, never waited for."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import cli
from benchmarks.model_server import Reply, model_server
from benchmarks.web_site import Page, WebSite
from commands import ask
from schema import Message
from tests.graph.web_cases import CHIPS, PATHS, finds, news_site, reached
from tests.terminal import Terminal
from tests.test_cli_running import serving

LOCALE = {"zh": "zh_CN.UTF-8", "en": "en_GB.UTF-8"}
OFFER = {"zh": "要上网搜索吗？", "en": "Search the web?"}


@pytest.fixture
def site(language, monkeypatch, bare_environment) -> Iterator[WebSite]:
    """The web, as the environment has it, and a library with a file on lamps."""
    with news_site(language) as running:
        own = {
            "CITEWISE_DATA_DIR": str(Path("library").resolve()),
            "LC_ALL": LOCALE[language],
            "COLUMNS": "200",
            **reached(running),
        }
        for name, value in own.items():
            monkeypatch.setenv(name, value)
        Path("lamp.md").write_text("# Lamp\n\nThe lamp is trimmed at dusk.\n")
        assert run("ingest", "lamp.md")[0] == 0
        yield running


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.cli, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def fetched(site: WebSite) -> int:
    return sum(len(site.asked(path)) for path in PATHS)


def test_where_nobody_can_answer_the_offer_is_told(site, language) -> None:
    status, said = run("ask", CHIPS[language])
    assert (status, site.requests) == (0, [])
    assert OFFER[language] in said
    assert "--web always" in said
    assert "[y/N]" not in said


def test_always_and_never(site, language) -> None:
    status, said = run("ask", CHIPS[language], "--web", "never")
    assert (status, site.requests, OFFER[language] in said) == (0, [], False)
    status, said = run("ask", CHIPS[language], "--web", "always")
    assert (status, fetched(site)) == (0, len(PATHS))
    for path in PATHS:
        assert {"zh": "正在抓取 ", "en": "fetching "}[language] + site.url(path) in said
    title, fetched_on = {"zh": ("AI 芯片新闻：", "抓取于"), "en": ("AI chip news: ", "fetched")}[language]
    line = rf"^\[1\] web › {title}.+ \(.*\)  {fetched_on} \d{{4}}-\d\d-\d\d  {site.url('/news/')}\d$"
    assert re.search(line, said, re.MULTILINE)
    assert OFFER[language] not in said
    assert run("ask", CHIPS[language], "--web", "often")[0] == 2


def test_pages_that_fail_are_told_with_their_reason(site, language) -> None:
    site.pages["/gone"] = Page(status=410)
    finds(site, "/gone", PATHS[0])
    status, said = run("ask", CHIPS[language], "--web", "always")
    assert (status, "410" in said, "[1]" in said) == (0, True, True)
    site.pages["/search"] = Page(status=500)
    status, said = run("ask", "Who paints the lighthouse?", "--web", "always")
    assert status == 0
    assert said.count("500") == 1


# --- with somebody at the terminal ---------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="terminals")
@pytest.mark.parametrize("language", ["zh"], indirect=True)
@pytest.mark.parametrize("open_elsewhere", [False, True])
def test_at_a_terminal_the_offer_is_put_as_a_question(site, language, open_elsewhere, monkeypatch) -> None:
    with ExitStack() as stack:
        if open_elsewhere:
            port = stack.enter_context(serving(Path("library")))
            monkeypatch.setenv("CITEWISE_PORT", str(port))
        _agreed_to(site, language, forked=open_elsewhere)
    with closing(sqlite3.connect("library/conversations.sqlite")) as kept:
        assert kept.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)


def _agreed_to(site: WebSite, language: str, forked: bool) -> None:
    terminal = Terminal(cli.__file__, "ask", CHIPS[language], forked=forked)
    terminal.read_until("[y/N]")
    assert OFFER[language] in terminal.said
    assert fetched(site) == 0
    terminal.answer("好\n")
    assert terminal.ended() == 0
    assert fetched(site) == len(PATHS)
    assert "http://" in terminal.said
    assert "Traceback" not in terminal.said


@pytest.mark.skipif(os.name != "posix", reason="terminals")
@pytest.mark.parametrize("language", ["en"], indirect=True)
def test_an_answer_of_the_running_program_is_told_as_it_comes(site, language, monkeypatch) -> None:
    said = "The lamp is trimmed at dusk [1]. "
    with model_server(lambda request: Reply(said * 9, stall_after=12)) as server:
        for name, value in {"CITEWISE_LLM_BASE_URL": server.base_url, "CITEWISE_LLM_MODEL": "m"}.items():
            monkeypatch.setenv(name, value)
        with serving(Path("library")) as port:
            monkeypatch.setenv("CITEWISE_PORT", str(port))
            terminal = Terminal(cli.__file__, "ask", "When is the lamp trimmed?", forked=True)
            terminal.read_until("at dusk")
            assert len(server.requests) > 0  # and the model has not ended
            terminal.answer("\x03")
            assert terminal.ended() == 130
    assert "Traceback" not in terminal.said


@pytest.mark.parametrize(("typed", "agreed"), [("", False), ("n", False), ("y", True)])
def test_an_empty_line_is_a_no(typed, agreed, monkeypatch) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(ask, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    monkeypatch.setattr(ask, "read_line", lambda prompt: typed)
    assert ask._ask_consent(Message(**OFFER)) is agreed


@pytest.mark.skipif(os.name != "posix", reason="terminals")
@pytest.mark.parametrize("language", ["en"], indirect=True)
def test_at_the_question_control_c_and_the_end_of_the_input_end_it(site, language) -> None:
    for key, status in (("\x03", 130), ("\x04", 0)):
        terminal = Terminal(cli.__file__, "ask", CHIPS[language], forked=True)
        terminal.read_until("[y/N]")
        terminal.answer(key)
        assert terminal.ended() == status
        assert "Traceback" not in terminal.said
    assert site.requests == []
    assert run("ask", "When is the lamp trimmed?")[0] == 0  # the library was closed in order
