"""Hostile calls of the page's events: refused with a word on it, and no traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gradio as gr
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from ui.gradio_internals.calls import DEEPEST, LARGEST, CallsMiddleware
from ui.gradio_internals.owners import Owners, OwnersMiddleware

DEEP = 100_000
GOOD: dict[str, Any] = {"data": ["x"], "fn_index": 0, "session_hash": "s"}


def body(**changed: Any) -> str:
    return json.dumps(GOOD | changed)


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


HOSTILE = {
    "deep": '{"data": ' + nested(DEEP) + ', "fn_index": 0, "session_hash": "s"}',
    "deep object": '{"data": [' + '{"a":' * DEEP + "1" + "}" * DEEP + "]}",
    "deeper than any event": '{"data": ' + nested(DEEPEST) + ', "fn_index": 0, "session_hash": "s"}',
    "1e400": '{"data": ["x"], "fn_index": 1e400, "session_hash": "s"}',
    "1e400 in data": '{"data": [1e400], "fn_index": 0, "session_hash": "s"}',
    "NaN": '{"data": ["x"], "fn_index": NaN, "session_hash": "s"}',
    "negative": body(fn_index=-1),
    "far away": body(fn_index=99999),
    "huge": body(fn_index=10**40),
    "words": body(fn_index="none"),
    "truth": body(fn_index=True),
    "fraction": body(fn_index=0.5),
    "page": body(session_hash=["s"]),
    "event": body(event_id={"a": 1}),
    "list": "[]",
    "nothing": "",
    "no JSON": "{",
    "noise": "\xff\xfe",
}


@pytest.fixture(scope="module")
def site() -> Iterator[TestClient]:
    with gr.Blocks() as page:
        box = gr.Textbox()
        box.submit(lambda words: words, box, box, api_name="echo")
    app = FastAPI()
    app.add_middleware(OwnersMiddleware, owners=Owners())
    app.add_middleware(CallsMiddleware)
    gr.mount_gradio_app(app, page, path="/")
    with TestClient(app) as client:  # an exception that passes through is raised here
        yield client


@pytest.mark.parametrize("place", ["queue/join", "run/echo", "api/echo", "call/echo", "cancel", "reset"])
@pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_call_is_refused(
    site: TestClient, place: str, sent: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    answer = site.post(
        f"/gradio_api/{place}", content=sent.encode("latin-1"), headers={"content-type": "application/json"}
    )
    if place == "call/echo" and sent == HOSTILE["far away"]:  # the event is named by the address
        assert answer.status_code == 200
        return
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["detail"]
    assert "Traceback" not in answer.text + caplog.text + capfd.readouterr().err


@pytest.mark.parametrize("place", ["run/nothing", "call/nothing", "call/v2/nothing", "call/v2/echo"])
def test_an_event_that_is_not_there_is_refused_with_a_remedy(site: TestClient, place: str) -> None:
    answer = site.post(f"/gradio_api/{place}", json={"data": ["x"], "wrong": 1})
    assert answer.status_code == 400
    assert "/gradio_api/info" in answer.json()["detail"]


@pytest.mark.parametrize(
    "changed", [{"fn_index": None}, {"data": {"a": 1}}, {"data": None}, {"data": "x"}], ids=lambda one: str(one)
)
def test_a_page_says_which_event_it_means_and_with_what(site: TestClient, changed: dict[str, Any]) -> None:
    answer = site.post("/gradio_api/queue/join", content=body(**changed), headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert "/gradio_api/info" in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_another_content_type_is_refused(site: TestClient, kind: str) -> None:
    answer = site.post("/gradio_api/queue/join", content=body(), headers={"content-type": kind})
    assert answer.status_code in (400, 415, 422)


def test_what_is_too_large_is_refused(site: TestClient) -> None:
    answer = site.post("/gradio_api/queue/join", content=b" " * (LARGEST + 1))
    assert answer.status_code == 413
    assert "upload" in answer.json()["detail"]


def test_a_call_goes_through(site: TestClient) -> None:
    assert site.post("/gradio_api/run/echo", json={"data": ["x"]}).json()["data"] == ["x"]
    assert site.post("/gradio_api/queue/join", content=body(), headers={"content-type": "application/json"}).json()
