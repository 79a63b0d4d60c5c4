"""Terminal commands, alone and while another program has the library open: the same is done, and the same is said."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvicorn
from fastapi import FastAPI
from typer.testing import CliRunner

import citewise
import cli
from background import SHARED
from benchmarks.web_site import Page, web_site
from commands.ask import in_terminal
from doors.http_api import services_door
from doors.login import LoginMiddleware
from doors.mcp_server import add_mcp
from doors.services import Services
from doors.users import Users, digest
from graph.turn_result import _not_covered
from nodes.answer import AS_WRITTEN
from schema import WebDocument, WebMetadata
from stores.shared import stores_in_folder
from web.records import Records

LAMP = "# Lamp\n\nThe lamp is trimmed at dusk. " + "It burns the whole night through. " * 20 + "\n"
CLOCK = "# 雾钟\n\n雾钟每两分钟敲响一次。\n"
COMMANDS = (
    ("ingest", "docs", "--metadata", "kind=lamp"),
    ("ingest", "docs", "--metadata", "Li"),
    ("ingest", "docs", "--set", "house", "--metadata", "keeper=Li", "--metadata", "keeper=Wu", "--metadata", "no=1.10"),
    ("list",),
    ("sets", "add", "pier"),
    ("sets", "add", "pier"),
    ("sets", "list"),
    ("move", "lamp.md", "--to", "pier"),
    ("move", "nowhere.md", "--to", "pier"),
    ("preview", "lamp.md", "--chunker", "fixed", "--size", "200", "--overlap", "0", "--limit", "1"),
    ("preview", "lamp.md", "--size", "30", "--unit", "tokens", "--limit", "1"),
    ("rechunk", "lamp.md", "--chunker", "fixed", "--size", "200", "--overlap", "0", "--unit", "words"),
    ("preview", "lamp.md", "--size", "30", "--unit", "lines"),
    ("rechunk", "lamp.md", "--chunker", "fixed", "--size", "200", "--overlap", "0", "--unit", "characters"),
    ("chunks", "lamp.md", "--first", "2", "--limit", "1"),
    ("chunks", "nowhere.md"),
    ("process",),
    ("process", "--set", "nowhere"),
    ("retry",),
    ("retry", "lamp.md"),
    ("cancel",),
    ("sets", "rename", "pier", "mole"),
    ("glossary", "add", "Wick", "灯芯"),
    ("glossary", "add", "灯芯", "钟"),
    ("glossary", "import", "terms.csv"),
    ("glossary", "list"),
    ("glossary", "remove", "钟", "Clock"),
    ("glossary", "remove", "钟", "Clock"),
    ("ask", "when is the lamp trimmed?"),
    ("ask", "when is the lamp trimmed?", "--where", "keeper=Wu", "--where", "no=1.10"),
    ("ask", "when is the lamp trimmed?", "--where", "keeper=Qi"),
    ("ask", "雾钟多久敲响一次？", "--top-k", "1", "--language", "en"),
    ("ask", "雾钟多久敲响一次？Please answer in English."),
    ("ask", "when is the lamp trimmed?", "--top-k", "51"),
    ("stats",),
    ("delete", "nowhere.md", "--yes"),
    ("delete", "lamp.md", "--yes"),
    ("sets", "delete", "house", "--yes"),
    ("sets", "delete", "house", "--yes"),
    ("list",),
)


@pytest.fixture
def folder(tmp_path: Path, bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"LC_ALL": "en_GB.UTF-8", "COLUMNS": "200", "CITEWISE_WEB": "never"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "lamp.md").write_text(LAMP, encoding="utf-8")
    (tmp_path / "docs" / "钟.md").write_text(CLOCK, encoding="utf-8")
    (tmp_path / "terms.csv").write_text("中文,English\n钟,Clock\n灯芯,Wick\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.cli, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    said = re.sub(r"\b\d{16}\b|\d{4}-\d\d-\d\d \d\d:\d\d|\d:\d\d:\d\d|━+|[\d,]+  bytes", "…", done.output)
    return done.exit_code, re.sub(r"(?:vectors .*|\s*\n+\s*)+", "\n", said)  # that bar may show or not


@contextmanager
def serving(data: Path, people: Users | None = None) -> Iterator[int]:
    """The port at which a program serves the library that it has open, to some people alone."""
    with citewise.open(data) as library, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        site, services = FastAPI(), Services(library.asynchronous.assistant)
        site.include_router(services_door(services))
        add_mcp(site, services)
        if people is not None:
            site.add_middleware(LoginMiddleware, people=people, shared=stores_in_folder(data, 1), days=7)
        server = uvicorn.Server(uvicorn.Config(site, log_level="error"))

        async def begin() -> asyncio.Task[None]:
            return asyncio.create_task(server.serve(sockets=[listener]))

        async def end() -> None:
            server.should_exit = True
            await serve

        serve = SHARED.run(begin())
        while not server.started:
            time.sleep(0.01)
        try:
            yield int(listener.getsockname()[1])
        finally:
            SHARED.run(end())


def test_the_same_is_done_and_said_through_the_running_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(folder / "alone"))
    alone = [run(*command) for command in COMMANDS]
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(folder / "served"))
    with serving(folder / "served") as port:
        monkeypatch.setenv("CITEWISE_PORT", str(port))
        served = [run(*command) for command in COMMANDS]
    assert [*zip(COMMANDS, served, strict=True)] == [*zip(COMMANDS, alone, strict=True)]
    said = dict(zip(COMMANDS, alone, strict=True))
    assert said["sets", "add", "pier"] == (1, "There is a document set pier already.\nChoose another name.\n")
    assert "pier" in said["sets", "list"][1]
    assert said["move", "lamp.md", "--to", "pier"] == (0, "1 moved.\n")
    assert "[2]" in said["chunks", "lamp.md", "--first", "2", "--limit", "1"][1]
    assert "strategy=fixed" in said[COMMANDS[9]][1]
    assert "size=30, overlap=10, unit=tokens" in said[COMMANDS[10]][1]
    assert said[COMMANDS[11]] == (0, "1 processed.\n")
    assert "'lines' is not one of 'characters', 'tokens', 'words'" in said[COMMANDS[12]][1]
    assert said["process",] == (0, "0 processed.\n")
    assert 'fills in "kind" itself' in said[COMMANDS[0]][1]
    assert "--metadata Li is no NAME=VALUE" in said[COMMANDS[1]][1]
    assert "dusk" in said["ask", "when is the lamp trimmed?"][1]
    assert "dusk" in said["ask", "when is the lamp trimmed?", "--where", "keeper=Wu", "--where", "no=1.10"][1]
    in_english = [one for asked, (_, one) in said.items() if asked[0] == "ask" and asked[1].startswith("雾钟")]
    assert len(in_english) == 2  # by an option, and in words
    assert all(AS_WRITTEN.en in one for one in in_english)
    assert "keeper=Qi" in said["ask", "when is the lamp trimmed?", "--where", "keeper=Qi"][1]
    assert "top_k must be between 1 and 50" in said["ask", "when is the lamp trimmed?", "--top-k", "51"][1]
    assert said["glossary", "add", "Wick", "灯芯"] == (0, "Added: 1\n")
    assert "are no pair" in said["glossary", "add", "灯芯", "钟"][1]
    assert said["glossary", "import", "terms.csv"] == (0, "Pairs in the file: 2, of which new: 1\n")
    assert all(term in said["glossary", "list"][1] for term in ("Wick", "灯芯", "Clock"))
    assert said["glossary", "remove", "钟", "Clock"] == (1, "Removed: 0\n")  # the second time
    assert said["sets", "delete", "house", "--yes"][0] == 1
    assert "No documents yet" in said["list",][1]


def test_a_remedy_is_said_in_the_words_of_the_terminal() -> None:
    for told in _not_covered(SimpleNamespace(score=0.1, threshold=0.2), web_may_help=True):  # type: ignore[arg-type]
        assert "--web always" in in_terminal(told)
        assert "web=True" not in in_terminal(told)


def test_another_library_and_a_program_that_does_not_answer_are_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(folder / "one") as port, citewise.open(folder / "two"):
        monkeypatch.setenv("CITEWISE_DATA_DIR", str(folder / "two"))
        for at, why in ((port, "does not have this library open"), (1, "cannot be reached through")):
            monkeypatch.setenv("CITEWISE_PORT", str(at))
            status, said = run("stats")
            assert status == 1
            assert "is in use by another program" in said.splitlines()[0]
            assert why in said
            assert "CITEWISE_PORT" in said


def test_sources_and_records_come_through_the_running_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page("<html><title>Tides</title><body><p>The tide turns twice a day.</p></body>")
    read = WebDocument(content="The tide turns.", status="completed", meta=WebMetadata(url="https://example.com/tide"))
    record = str(Records(folder, 0).save("tides", [read, read.model_copy(update={"content": ""})]))
    with web_site({"/guide/": page}) as site:
        monkeypatch.setenv("CITEWISE_WEB_ALLOW", ",".join(site.hosts))
        monkeypatch.setenv("CITEWISE_CRAWL_DELAY", "0")
        commands = (
            ("source", "list"),
            ("source", "add", site.url("/guide/"), "--set", "guide", "--unit", "words", "--metadata", "team=pay roll"),
            ("source", "list"), ("ask", "when does the tide turn?", "--where", "team=pay roll"),
            ("source", "add", "https://no.example", "--set", "guide", "--metadata", "url=x"),
            ("source", "add", "ftp://no.example", "--set", "guide"), ("source", "refresh"),
            ("source", "refresh", "https://elsewhere.example/"), ("import", record, "--set", "tides"),
            ("import", "docs/lamp.md"), ("list",), ("source", "remove", site.url("/guide/"), "--documents", "--yes"),
            ("source", "list"), ("list",),
        )  # fmt: skip
        monkeypatch.setenv("CITEWISE_DATA_DIR", str(folder / "alone"))
        alone = [run(*command) for command in commands]
        monkeypatch.setenv("CITEWISE_DATA_DIR", str(folder / "served"))
        with serving(folder / "served") as port:
            monkeypatch.setenv("CITEWISE_PORT", str(port))
            served = [run(*command) for command in commands]
    assert [*zip(commands, served, strict=True)] == [*zip(commands, alone, strict=True)]
    assert [status for status, _ in alone] == [0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0]
    assert f"+ {site.url('/guide/')}" in alone[1][1]
    assert "team=pay roll" in alone[2][1]
    assert "twice a day" in alone[3][1]
    assert 'fills in "url" itself' in alone[4][1]
    assert "1 unchanged" in alone[6][1]
    assert "1 stored" in alone[8][1]
    assert "example.com/tide" in alone[10][1]


def test_the_lab_works_beside_the_running_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = [{"document": "lamp.md", "quote": "The lamp is trimmed at dusk."}]
    rows = [{"question": f"When is the lamp trimmed, case {n}?", "evidence": gold} for n in range(3)]
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    expected = {
        ("ingest", "docs"): (0, "2 added"),
        ("lab", "make", "--count", "2", "-o", "made.jsonl"): (0, "made"),
        ("lab", "run", "mine.jsonl", "--name", "a", "--answers"): (0, "not_refused"),
        ("lab", "run", "mine", "--name", "a"): (2, "already"),
        ("lab", "run", "mine", "--name", "b", "--strategy", "keyword"): (0, "recall@5"),
        ("lab", "run", "nowhere"): (2, "no question set"),
        ("lab", "compare", "a", "b", "--gate", "recall@5 >= 0"): (0, "holds"),
        ("lab", "choose", "mine"): (2, "too few"),
        ("lab", "thumbs"): (0, "Questions: 0"),
        ("lab", "report", "b"): (0, "recall@5"),
        ("lab", "delete", "--run", "b"): (0, ""),
        ("lab", "undo"): (0, "nothing to take back"),
        ("lab", "list"): (0, "mine"),
    }
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(folder / "served"))
    monkeypatch.chdir(folder)
    with serving(folder / "served") as port:
        monkeypatch.setenv("CITEWISE_PORT", str(port))
        for command, (status, part) in expected.items():
            ended, said = run(*command)
            assert (ended, part in said) == (status, True), said


def test_where_a_login_is_wanted_the_key_opens_and_without_it_the_way_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "k3y-of-a-terminal-that-nobody-guesses"
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(folder / "served"))
    with serving(folder / "served", Users({}, {digest(key): "robot"})) as port:
        monkeypatch.setenv("CITEWISE_PORT", str(port))
        monkeypatch.setenv("CITEWISE_API_KEY", key)
        assert run("ingest", "docs")[0] == 0
        assert "lamp.md" in run("list")[1]
        assert "dusk" in run("ask", "when is the lamp trimmed?")[1]
        for wrong in ("", "another-key-that-opens-nothing-at-all"):
            monkeypatch.setenv("CITEWISE_API_KEY", wrong)
            for command in (("list",), ("ask", "when is the lamp trimmed?"), ("delete", "lamp.md", "--yes")):
                status, said = run(*command)
                assert (status, "CITEWISE_API_KEY" in said, "dusk" in said) == (1, True, False), said
        monkeypatch.setenv("CITEWISE_API_KEY", key)
        assert "lamp.md" in run("list")[1]
        assert run("lab", "make")[0] == 0
        assert "self-made" in run("lab", "list")[1]  # the user's own, who sees them on the page
        monkeypatch.setenv("CITEWISE_API_KEY", "")
        assert "self-made" not in run("lab", "list")[1]
