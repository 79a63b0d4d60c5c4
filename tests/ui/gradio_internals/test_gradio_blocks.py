"""The page takes files by upload only, and refuses what it cannot read."""

import json
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from fastapi import FastAPI
from gradio.utils import get_upload_folder
from starlette.testclient import TestClient

from ui.events import PageEvent
from ui.gradio_internals.blocks import UploadsOnly


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
