"""What Gradio does though nobody asks for it is left out, and what somebody asks for is still there."""

import re
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from fastapi import FastAPI
from gradio.routes import App
from gradio.state_holder import SessionState
from starlette.testclient import TestClient

from tests.conftest import MakeSettings
from ui.gradio_internals import spared
from ui.gradio_internals.blocks import UploadsOnly
from ui.gradio_internals.mount import mount_page
from ui.gradio_internals.spared import rest_between_events

ASSETS = Path(gr.__file__).parent / "templates" / "frontend" / "assets"


def echo(words: str, times: int = 1) -> str:
    return words * times


@pytest.fixture
def page() -> UploadsOnly:
    with UploadsOnly() as page:
        before = gr.Textbox("before")
        with gr.Row():
            gr.api(echo, api_name="echo")
            after = gr.Textbox("after")
        before.submit(lambda words: words, before, after, api_name="shown", api_visibility="private")
        page.load(lambda: "loaded", None, after, api_visibility="private")
    return page


@pytest.fixture
def site(page: UploadsOnly, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TestClient:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    site = FastAPI()
    mount_page(site, page, lambda: pytest.fail("no page is open"))
    return TestClient(site)


def numbers(layout: dict[str, Any]) -> list[int]:
    return [layout["id"], *(number for one in layout.get("children", []) for number in numbers(one))]


def test_the_page_is_not_told_of_endpoints_and_programs_are(site: TestClient) -> None:
    whole, shown = site.get("/config").json(), site.get("/config", params={"page": ""}).json()
    assert {one["api_name"] for one in whole["dependencies"]} == {"echo", "shown", "lambda"}
    assert [one["api_name"] for one in shown["dependencies"]] == ["shown", "lambda"]
    assert {one["type"] for one in whole["components"]} - {one["type"] for one in shown["components"]} == {"api"}
    assert set(numbers(shown["layout"])) == {shown["layout"]["id"], *(one["id"] for one in shown["components"])}
    assert "/echo" in site.get("/gradio_api/info").json()["named_endpoints"]
    called = site.post("/gradio_api/run/echo", json={"data": ["ab", 2]})
    assert called.json()["data"] == ["abab"]


def test_nothing_is_kept_beside_a_session_but_its_state(page: UploadsOnly) -> None:
    session = SessionState(page)
    assert not any(session.config_values.values())
    [number] = [number for number, part in page.blocks.items() if getattr(part, "value", None) == "after"]
    session._update_value_in_config(number, "now")
    session[number] = gr.Textbox("new", render=False)
    assert session[number].value == "new"
    assert page.get_config_file()["components"], "the page itself is described"


def test_the_page_is_described_and_has_an_application_once_it_is_mounted(
    page: UploadsOnly, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (page.app, page.config) == (None, {})
    made: list[App] = []
    create = App.create_app

    def counted(*given: Any, **named: Any) -> App:
        made.append(create(*given, **named))
        return made[-1]

    monkeypatch.setattr(App, "create_app", staticmethod(counted))
    site = FastAPI()
    mount_page(site, page, lambda: pytest.fail("no page is open"))
    assert made == [page.app]
    assert page.app.get_blocks() is page
    assert page.config["components"]


def test_the_queue_rests_between_events(page: UploadsOnly, site: TestClient) -> None:
    queue = page._queue
    assert queue.sleep_when_free >= 0.01
    queue.events_recorded += 1
    assert queue.compute_analytics_summary([{"function": "echo"}]) == {"functions": {}}
    rest_between_events(page)
    assert queue.sleep_when_free == spared._LOOK


def test_files_are_kept_by_their_names(site: TestClient) -> None:
    for name in (next(ASSETS.glob("Blocks-*.js")).name, next(ASSETS.glob("Blocks-*.css")).name):
        assert "immutable" in site.get(f"/assets/{name}").headers["cache-control"]
    unhashed = [one.name for one in ASSETS.iterdir() if not re.search(r"-[\w-]{8,9}\.\w+$", one.name)]
    assert unhashed == [], "another content, under the same name, would not be seen"
    for missing in ("/assets/Blocks-00000000.js", "/", "/config"):
        assert "cache-control" not in site.get(missing).headers
