"""What Gradio refuses by itself reaches programs in both languages, and with a status that says whose the fault is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.gradio_internals.refusals import RefusalsMiddleware

OURS = {"error": "没有 x。\nThere is no x.", "title": "not_found", "duration": 10, "visible": True}
REPLIES: dict[str, tuple[Response, int, str]] = {  # what Gradio says, and what is passed on
    "upload_progress": (PlainTextResponse("Upload not found", 404), 404, "There is no such thing"),
    "queue/join": (JSONResponse({"detail": "Session hash not found."}, 400), 400, "/gradio_api/info"),
    "cancel": (JSONResponse({"detail": [{"loc": ["body", "event_id"]}]}, 422), 400, "/gradio_api/info"),
    "queue/data": (JSONResponse({"detail": "Method Not Allowed"}, 405), 405, "/gradio_api/info"),
    "call/ask": (JSONResponse({"detail": "Queue is full."}, 503), 503, "Try again later"),
    "upload": (PlainTextResponse("Missing boundary.", 400), 400, "multipart/form-data"),
    "upload/": (PlainTextResponse("File size exceeded", 413), 413, "one by one"),
    "api/ask": (JSONResponse(OURS | {"title": "settings"}, 500), 400, "There is no x."),
    "run/ask": (JSONResponse(OURS | {"title": "Error"}, 500), 400, "There is no x."),
    "run/search": (JSONResponse(OURS, 500), 404, "There is no x."),
    "run/store": (JSONResponse(OURS | {"title": "store"}, 500), 503, "There is no x."),
}


@pytest.fixture(scope="module")
def site() -> Iterator[TestClient]:
    replies = {f"/gradio_api/{path}": reply for path, (reply, _, _) in REPLIES.items()}
    plain = {
        "/gradio_api/defect": JSONResponse({"error": None}, 500),
        "/gradio_api/ok": JSONResponse({"title": "Error"}),
        "/v1/nope": JSONResponse({"detail": "Not Found"}, 404),
    }

    def reply(given: Response) -> Any:
        def found(_: Request) -> Response:
            return given

        return found

    routes = [Route(path, reply(given), methods=["GET"]) for path, given in (replies | plain).items()]
    with TestClient(RefusalsMiddleware(Starlette(routes=routes))) as client:
        yield client


@pytest.mark.parametrize("path", REPLIES)
def test_a_refusal_is_said_in_both_languages(site: TestClient, path: str) -> None:
    answer = site.get(f"/gradio_api/{path}")
    _, status, words = REPLIES[path]
    assert answer.status_code == status
    told = answer.json() if answer.headers["content-type"] == "application/json" else {"detail": answer.text}
    zh, en = (told.get("detail") or told["error"]).splitlines()
    assert not zh.isascii()
    assert en.isascii()
    assert words in en


def test_what_is_no_refusal_of_gradios_is_left_alone(site: TestClient) -> None:
    defect = site.get("/gradio_api/defect")
    assert (defect.status_code, defect.json()) == (500, {"error": None})
    fine = site.get("/gradio_api/ok")
    assert (fine.status_code, fine.json()) == (200, {"title": "Error"})
    assert json.loads(site.get("/v1/nope").text) == {"detail": "Not Found"}
