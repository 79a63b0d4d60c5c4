"""Who may ask the page, and what it may load."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from fastapi import FastAPI
from gradio.utils import get_upload_folder
from httpx2 import Response
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from doors.guard import GuardMiddleware
from ui.events import PageEvent
from ui.guard import UploadsOnly

PAGE = "<html><script>one</script><script type=module src=x></script><p>scripted</p></html>"


def client(host: str, allowed: Sequence[str] = ()) -> TestClient:
    routes = [
        Route("/", lambda _: PlainTextResponse("page")),
        Route("/page", lambda _: HTMLResponse(PAGE)),
        Route("/long", lambda _: HTMLResponse(PAGE * 100)),
        Route("/saved", lambda _: HTMLResponse(PAGE, headers={"Content-Disposition": "attachment; filename=a.html"})),
    ]
    app = GuardMiddleware(Starlette(routes=routes), host, allowed)
    return TestClient(app, base_url="http://localhost:7860")


@pytest.mark.parametrize(
    ("listening", "asked", "status"),
    [
        ("127.0.0.1", "localhost:7860", 200),
        ("127.0.0.1", "127.0.0.1", 200),
        ("::1", "[::1]:7860", 200),
        ("127.0.0.1", "evil.example", 421),
        ("127.0.0.1", "localhost.evil.example:7860", 421),
        ("127.0.0.1", "", 421),
        ("0.0.0.0", "my-server:7860", 200),
    ],
)
def test_foreign_hosts_are_refused_on_loopback(listening: str, asked: str, status: int) -> None:
    assert client(listening).get("/", headers={"host": asked}).status_code == status


@pytest.mark.parametrize(
    ("listening", "allowed", "asked", "status"),
    [
        ("127.0.0.1", "docs.example", "docs.example", 200),
        ("127.0.0.1", "docs.example", "DOCS.example:8443", 200),
        ("127.0.0.1", "docs.example", "localhost:7860", 200),
        ("127.0.0.1", "docs.example", "evil.example", 421),
        ("0.0.0.0", "docs.example", "docs.example", 200),
        ("0.0.0.0", "docs.example", "evil.example", 421),
    ],
)
def test_named_hosts_are_the_only_ones(listening: str, allowed: str, asked: str, status: int) -> None:
    assert client(listening, [allowed]).get("/", headers={"host": asked}).status_code == status


def policy_of(answer: Response) -> dict[str, list[str]]:
    rules = [rule.split() for rule in answer.headers["content-security-policy"].split(";")]
    return {name: values for name, *values in rules}


def test_the_page_may_load_nothing_from_elsewhere() -> None:
    policy = policy_of(client("127.0.0.1").get("/"))
    assert policy["img-src"] == ["'self'", "data:", "blob:"]
    assert policy["frame-src"] == policy["object-src"] == ["'none'"]
    assert policy["form-action"] == policy["connect-src"] == policy["default-src"] == ["'self'"]
    assert "'unsafe-inline'" not in policy["script-src"]
    assert not [value for values in policy.values() for value in values if "http" in value or "*" in value]


def test_only_the_scripts_that_a_page_was_served_with_bear_its_number() -> None:
    guarded, asked = client("127.0.0.1"), {"accept": "text/html"}
    first, second = (guarded.get("/page", headers=asked) for _ in range(2))
    number = re.search(r"'nonce-([\w-]{16,})'", first.headers["content-security-policy"])
    assert number is not None
    assert first.text == PAGE.replace("<script", f'<script nonce="{number[1]}"')
    assert number[1] not in second.text
    long = guarded.get("/long", headers={**asked, "accept-encoding": "gzip"})
    assert long.headers["content-encoding"] == "gzip"
    assert long.text.count("<script nonce=") == 200


def test_what_is_saved_as_a_file_stays_as_it_is() -> None:
    assert client("127.0.0.1").get("/saved", headers={"accept": "text/html"}).text == PAGE


@pytest.mark.parametrize(
    ("site", "mode", "status"),
    [
        ("same-origin", "cors", 200),
        ("none", "navigate", 200),
        ("cross-site", "navigate", 200),
        ("cross-site", "no-cors", 403),
        ("same-site", "cors", 403),
    ],
)
def test_other_sites_embed_nothing(site: str, mode: str, status: int) -> None:
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
    assert client("127.0.0.1").get("/", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("listening", "asked", "origin", "status"),
    [
        ("127.0.0.1", "localhost:7860", "http://localhost:7860", 200),
        ("127.0.0.1", "localhost:7860", "http://localhost:3000", 403),
        ("127.0.0.1", "localhost:7860", "https://evil.example", 403),
        ("127.0.0.1", "localhost:7860", "null", 403),
        ("127.0.0.1", "localhost:7860", "", 403),
        ("127.0.0.1", "localhost", "http://localhost:80", 200),
        ("0.0.0.0", "my-server", "https://my-server", 200),
        ("0.0.0.0", "my-server:443", "https://my-server", 200),
        ("0.0.0.0", "my-server", "https://other-server", 403),
        ("0.0.0.0", "my-server", "null", 403),
        ("0.0.0.0", "my-server", "file://my-server", 403),
    ],
)
def test_other_sites_are_refused(listening: str, asked: str, origin: str, status: int) -> None:
    assert client(listening).get("/", headers={"host": asked, "origin": origin}).status_code == status


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    with UploadsOnly() as page:
        box, kept = gr.MultimodalTextbox(file_types=[".txt"]), gr.BrowserState("")
        box.submit(lambda value, _: json.dumps(value), [box, kept], gr.Textbox(), api_name="read", queue=False)
    return TestClient(gr.mount_gradio_app(FastAPI(), page, path="/"))


def read(page: TestClient, path: str, kept: object = "") -> tuple[int, str]:
    file = {"path": path, "meta": {"_type": "gradio.FileData"}}
    answer = page.post("/gradio_api/run/read", json={"data": [{"text": "", "files": [file] if path else []}, kept]})
    return answer.status_code, answer.text


def test_only_uploaded_files_are_read(mounted: TestClient, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not yours", encoding="utf-8")
    [uploaded] = mounted.post("/gradio_api/upload", files=[("files", ("a.txt", b"mine"))]).json()
    assert read(mounted, uploaded)[0] == 200
    escape = f"{get_upload_folder()}/../../../../../../../..{secret}"
    for path in (str(secret), escape, f"file://{secret}", "https://example.com/a.txt"):
        assert read(mounted, path)[0] == 500, path
    hidden = {"deep": [{"path": str(secret), "meta": {"_type": "gradio.FileData"}}]}
    assert read(mounted, "", hidden)[0] == 500
    assert not list(Path(get_upload_folder()).glob("*/secret.txt"))


def test_what_the_page_cannot_have_sent_is_refused_with_words(capfd: pytest.CaptureFixture[str]) -> None:
    with UploadsOnly() as page:
        chosen, number = gr.Dropdown(["a"]), gr.Number(precision=0)

        def told(event: PageEvent) -> str:
            return f"{event.number}"

        chosen.input(lambda one, other: "read", [chosen, number], gr.Textbox(), api_name="read", queue=False)
        chosen.select(told, None, gr.Textbox(), api_name="told", queue=False)
    client = TestClient(gr.mount_gradio_app(FastAPI(), page, path="/"))

    def asked(name: str, data: list[Any], event: Any = None) -> str:
        body = {"data": data, "event_data": event}
        return str(client.post(f"/gradio_api/run/{name}", json=body).json().get("error"))

    assert "&lt;img" in asked("read", ["<img src=x>", 1])  # a corner of the page shows it as HTML
    for refused in (
        asked("read", ["<img src=x>", 1]), asked("read", ["a", "x"]), asked("read", []),
        asked("told", []), asked("told", [], "number"), asked("told", [], {"number": "1"}),
    ):  # fmt: skip
        assert "刷新页面" in refused, refused
        assert "reload the page" in refused
    assert asked("told", [], {"number": 1}) == "None"
    assert "Traceback" not in capfd.readouterr().err


def test_what_to_do_with_a_part_of_the_page_is_sent_whole() -> None:
    """Made of the one before, it would change that one while the page has yet to read it."""
    with UploadsOnly() as page:
        box, chat = gr.Textbox(), gr.Chatbot()
        box.submit(lambda: None, None, [box, chat])
    [does] = page.fns.values()

    def sent(final: bool = False, **update: Any) -> list[Any]:
        return page.handle_streaming_diffs(
            does, [gr.update(**update), [len(update)]], session_hash="s", run="r", final=final, simple_format=False
        )

    assert sent(value="", interactive=True) == [gr.update(value="", interactive=True), [2]]
    assert sent(interactive=False) == [[["replace", [], gr.update(interactive=False)]], [["replace", [0], 1]]]
    assert sent(interactive=False) == [[], []]
    assert sent(final=True) == [gr.update(interactive=False), [1]]
