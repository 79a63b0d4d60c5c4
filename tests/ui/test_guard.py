"""Who may ask the page, and what it may load."""

import json
from pathlib import Path

import gradio as gr
import pytest
from fastapi import FastAPI
from gradio.utils import get_upload_folder
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.guard import GuardMiddleware, UploadsOnly


def client(host: str) -> TestClient:
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("page"))])
    return TestClient(GuardMiddleware(app, host), base_url="http://localhost:7860")  # type: ignore[arg-type]


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


def test_the_page_may_load_nothing_from_elsewhere() -> None:
    policy = client("127.0.0.1").get("/").headers["content-security-policy"]
    assert "img-src 'self' data: blob:" in policy
    assert "http:" not in policy


@pytest.mark.parametrize(
    ("listening", "origin", "status"),
    [
        ("127.0.0.1", "http://localhost:7860", 200),
        ("127.0.0.1", "http://localhost:3000", 403),
        ("127.0.0.1", "https://evil.example", 403),
        ("127.0.0.1", "null", 403),
        ("127.0.0.1", "", 403),
        ("0.0.0.0", "https://my-server", 200),
    ],
)
def test_other_sites_are_refused_on_loopback(listening: str, origin: str, status: int) -> None:
    assert client(listening).get("/", headers={"origin": origin}).status_code == status


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
