"""The door: what is said when it cannot open, and when the program warms up."""

import asyncio
import socket
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

import app
import cli
from settings import Settings
from stores.folder import FolderHeld, FolderLock
from tests.browser.program import program
from tests.each_row import each_row


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("OPENAI_MODEL=模型".encode("gbk"), "UTF-8"),
        (b"CITEWISE_TOP_K=many", "CITEWISE_TOP_K"),
        (b"CITEWISE_OCR=model", "CITEWISE_OCR=model 还需要 CITEWISE_OCR_MODEL"),
    ],
)
def test_wrong_settings_are_said_in_both_languages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CITEWISE_TOP_K", raising=False)
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(SystemExit) as stopped:
        app._settings()
    assert said in str(stopped.value)
    assert "请" in str(stopped.value)
    assert "env" in str(stopped.value)


def test_two_programs_keep_their_uploads_apart(tmp_path: Path) -> None:
    """The same file has the same path in one folder: there the first program that has stored it takes it away."""
    (tmp_path / "first" / "uploads").mkdir(parents=True)
    left = tmp_path / "first" / "uploads" / "of a program that was killed.md"
    left.touch()
    with program(tmp_path / "first") as first, program(tmp_path / "second") as second:
        assert not left.exists()
        files = [("files", ("a.md", b"# The same"))]
        taken = [Path(httpx.post(f"{url}/gradio_api/upload", files=files).json()[0]) for url in (first, second)]
        assert taken[0].is_relative_to(tmp_path / "first" / "uploads")
        assert taken[1].is_relative_to(tmp_path / "second" / "uploads")


def test_the_terminal_finds_the_program_wherever_it_listens(
    tmp_path: Path, bare_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"DATA_DIR": str(tmp_path / "library"), "PORT": "1"}.items():
        monkeypatch.setenv(f"CITEWISE_{name}", value)
    with program(tmp_path / "library") as url:
        done = CliRunner().invoke(cli.cli, ["sets", "add", "pier"])
        assert (done.exit_code, "pier" in done.output) == (0, True), done.output
        assert "pier" in httpx.post(f"{url}/services/list_sets", json={}).text
        with pytest.raises(FolderHeld) as held:
            FolderLock(tmp_path / "library")
        assert held.value.address == url
        assert url not in held.value.message.en
    FolderLock(tmp_path / "library").close()  # who takes it over serves nothing
    assert url not in (tmp_path / "library" / "lock").read_text(encoding="utf-8")


@each_row(
    ("host", "url"),
    [
        ("127.0.0.1", "http://localhost:7"), ("0.0.0.0", "http://localhost:7"), ("::", "http://localhost:7"),
        ("192.168.1.2", "http://192.168.1.2:7"), ("fe80::1", "http://[fe80::1]:7"), ("pier.lan", "http://pier.lan:7"),
    ],
)  # fmt: skip
def test_an_address_is_one_that_can_be_opened(host: str, url: str) -> None:
    assert app._url(host, 7) == url


async def test_who_comes_before_the_page_is_ready_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve_on(listener: socket.socket, _: Settings) -> None:
        socket.create_connection(listener.getsockname(), timeout=5).close()  # refused if nobody listens yet

    monkeypatch.setattr(app, "_serve_on", serve_on)
    await app.serve(Settings.from_mapping({"CITEWISE_PORT": "0"}))


@pytest.mark.parametrize(
    ("path", "warms"),
    [
        ("/gradio_api/queue/join", True), ("/gradio_api/call/ask", True), ("/v1/chat/completions", True),
        ("/mcp", True), ("/", False), ("/metrics", False), ("/v12", False),
    ],
)  # fmt: skip
async def test_the_first_event_of_a_page_or_a_program_warms_up(
    monkeypatch: pytest.MonkeyPatch, path: str, warms: bool
) -> None:
    async def site(*_: object) -> None:
        pass

    monkeypatch.setattr(app, "SHOWN", 0.0)
    monkeypatch.setattr(app.gc, "freeze", lambda: None)
    warmed: list[str] = []
    served = app.WarmingUp(site, lambda: warmed.append(path))
    with served.serving():
        for _ in range(2):  # once
            await served({"type": "http", "path": path, "headers": []}, None, None)
            for _ in range(3):
                await asyncio.sleep(0)
        assert warmed == [path] * warms
