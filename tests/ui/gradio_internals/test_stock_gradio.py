"""What stock Gradio does, for each repair of `ui/gradio_internals`: where a test here fails, a repair may go.

`tests/browser/test_stock_gradio_page.py` does the same for what happens in a browser.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import httpx2
import pytest
from fastapi import FastAPI
from gradio import route_utils, routes
from gradio.state_holder import SessionState
from starlette.requests import ClientDisconnect
from starlette.routing import Mount
from starlette.testclient import TestClient

from tests.ui.gradio_internals.test_uploads import broken_off, kept
from ui.gradio_internals import uploads
from ui.gradio_internals.names import NAMES

ASSETS = Path(gr.__file__).parent / "templates" / "frontend" / "assets"
UI = Path(__file__).parents[3] / "ui"
CLASSES = set(  # that Gradio gives to its own parts, and styles and scripts of the page name
    "bot bubble-wrap chevron contain dark flex-wrap gradio-container icon-button-wrapper label-wrap message-buttons "
    "message-content message-row message-wrap option padded placeholder-content prose remove-all "
    "scroll-down-button-container sidebar-content sidebar-parent tab-wrapper tabitem thought thought-group "
    "toast-title-row toast-wrap toggle-button top-panel".split()
)
PLACES = ("queue/join", "run/echo", "call/echo")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    monkeypatch.setattr(routes, "upload_fn", uploads._upload)
    monkeypatch.setattr(route_utils, "GradioMultiPartParser", uploads._KnownParser.__base__)
    return tmp_path / "uploads"


@pytest.fixture
def stock(folder: Path) -> Iterator[TestClient]:
    with gr.Blocks() as page:
        box, file, number = gr.Textbox(), gr.MultimodalTextbox(file_types=[".txt"]), gr.Number(precision=0)
        box.submit(lambda words: words, box, box, api_name="echo")
        file.submit(lambda value: str(value), file, box, api_name="read", queue=False)
        number.submit(lambda value: value, number, number, api_name="count", queue=False)
    site = gr.mount_gradio_app(FastAPI(), page, path="/", head="<script>first()</script>")
    with TestClient(site, raise_server_exceptions=False) as client:
        yield client


def echo(words: str) -> str:
    return words


def test_blocks_a_mounted_page_takes_the_path_of_any_file(stock: TestClient, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not yours", encoding="utf-8")
    file = {"path": str(secret), "meta": {"_type": "gradio.FileData"}}
    answer = stock.post("/gradio_api/run/read", json={"data": [{"text": "", "files": [file]}]})
    assert answer.status_code == 200
    assert "secret.txt" in answer.json()["data"][0]


def test_blocks_a_value_that_does_not_fit_is_a_traceback(stock: TestClient, capfd: pytest.CaptureFixture[str]) -> None:
    assert stock.post("/gradio_api/run/count", json={"data": ["x"]}).status_code == 500
    assert "Traceback" in capfd.readouterr().err


def test_blocks_an_update_is_sent_as_a_change_of_the_one_before() -> None:
    with gr.Blocks() as page:
        box = gr.Textbox()
        box.submit(lambda: None, None, box)
    [does] = page.fns.values()

    def sent(**update: Any) -> list[Any]:
        return page.handle_streaming_diffs(does, [gr.update(**update)], session_hash="s", run="r", final=False)

    sent(value="", interactive=True)
    assert [one[:2] for one in sent(interactive=False)[0]] != [["replace", []]]


def test_blocks_hidden_progress_is_told_to_each_output() -> None:
    with gr.Blocks() as page:
        box = gr.Textbox()
        box.submit(lambda: None, None, box, show_progress="hidden")
    [does] = page.get_config_file()["dependencies"]
    assert does["show_progress_on"] is None


def test_spared_each_session_keeps_what_every_part_is_set_to() -> None:
    with gr.Blocks() as page:
        gr.Textbox()
    assert all(SessionState(page).config_values.values())


def test_spared_an_application_is_made_each_time() -> None:
    page = gr.Blocks()
    begun = page.app
    with page:
        pass
    ended = page.app
    site = FastAPI()
    gr.mount_gradio_app(site, page, path="/")
    mounted = [one.app for one in site.routes if isinstance(one, Mount)]
    assert len({id(one) for one in (begun, ended, *mounted)}) == 3


def test_spared_endpoints_are_parts_of_the_page() -> None:
    with gr.Blocks() as page:
        gr.api(echo, api_name="echo")
    kinds = {one["id"]: one["type"] for one in page.get_config_file()["components"]}
    assert "api" in [kinds[number] for number in page.get_config_file()["page"][""]["components"]]


async def test_spared_the_queue_never_rests() -> None:
    with gr.Blocks() as page:
        pass
    queue = page._queue
    assert queue.sleep_when_free < 0.01 or sys.platform == "win32"
    assert queue.progress_update_sleep_when_free < 0.1 or sys.platform == "win32"
    queue.events_recorded += 1
    told = queue.compute_analytics_summary([{"function": "echo", "status": "success", "process_time": 1.0}])
    assert told["functions"], "an event more, and all are looked through"


def test_spared_files_are_asked_for_again(stock: TestClient) -> None:
    assert "cache-control" not in stock.get(f"/assets/{next(ASSETS.glob('*.js')).name}").headers


async def test_uploads_what_is_broken_off_stays(stock: TestClient, folder: Path) -> None:
    with pytest.raises(ClientDisconnect):
        await broken_off(stock.app, folder)  # type: ignore[arg-type]
    assert kept(folder)


@pytest.mark.parametrize("place", PLACES[:2])
@pytest.mark.parametrize("number", ["99999", "-1", "1e400", "NaN"])
def test_calls_of_an_event_that_is_not_there_fail(stock: TestClient, place: str, number: str) -> None:
    body = f'{{"data": ["x"], "fn_index": {number}, "session_hash": "s"}}'
    answer = stock.post(f"/gradio_api/{place}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 500


@pytest.mark.parametrize("place", ["run/nothing", "call/nothing", "call/v2/nothing", "call/v2/echo"])
def test_calls_by_a_name_that_is_not_there_fail(stock: TestClient, place: str) -> None:
    assert stock.post(f"/gradio_api/{place}", json={"data": ["x"], "wrong": 1}).status_code == 500


def test_refusals_are_in_english_alone(stock: TestClient) -> None:
    unknown = stock.get("/gradio_api/upload_progress", params={"upload_id": "nobodys"})
    wrong = stock.post("/gradio_api/upload", content=b"", headers={"content-type": "multipart/form-data"})
    assert [one.status_code for one in (unknown, wrong)] == [404, 400]
    assert all(one.text.isascii() for one in (unknown, wrong))


def test_owners_a_file_is_anybodys_who_knows_its_path(stock: TestClient) -> None:
    [path] = stock.post("/gradio_api/upload", files=[("files", ("a.txt", b"mine"))]).json()
    assert TestClient(stock.app).get(f"/gradio_api/file={path}").text == "mine"
    assert stock.get("/monitoring/summary").status_code != 404


def test_first_script_head_is_not_in_the_page_that_is_served(stock: TestClient) -> None:
    page = stock.get("/").text
    assert "<head>" in page
    assert "first()" in page  # for a script, that puts it in when it runs itself
    assert "<script>first()" not in page


def test_first_script_language_and_look_are_no_parameters() -> None:
    parameters = {*inspect.signature(gr.mount_gradio_app).parameters, *inspect.signature(gr.Blocks).parameters}
    assert not parameters & {"language", "lang", "locale", "theme_mode", "dark", "dark_mode", "color_scheme"}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_written_into_the_scripts_in_english(name: str, scripts: str) -> None:
    assert any(f"{sign}{name}{end}" in scripts for sign in '"`' for end in ('"', "`", " `"))


@pytest.fixture(scope="module")
def scripts() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in ASSETS.glob("*.js"))


def test_classes_of_gradio_are_still_called_so(scripts: str) -> None:
    assert [name for name in sorted(CLASSES) if not re.search(f'["`\\s.]{name}["`\\s.]', scripts)] == []


def test_styles_name_classes_of_gradio_or_their_own() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for kind in ("py", "js") for path in UI.rglob(f"*.{kind}"))
    own = {*re.findall(r"[\w-]+", written)}
    styles = "\n".join(re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8")) for path in UI.rglob("*.css"))
    named = {name for rule in re.findall(r"([^{}]+)\{", styles) for name in re.findall(r"\.([a-zA-Z][\w-]*)", rule)}
    made = {name for name in named if re.match("(col|is|line)-", name)}  # "col-" and a column
    made |= {"bot-row", "user-row"}  # Gradio's, of a role
    assert sorted(named - made - own - CLASSES) == []


async def test_pages_events_outlive_the_server() -> None:
    begun, end = asyncio.Event(), asyncio.Event()

    async def waits() -> None:
        begun.set()
        await end.wait()

    with gr.Blocks() as page:
        page.load(waits, api_name="waits")
    site = gr.mount_gradio_app(FastAPI(), page, path="/")
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost")
    async with site.router.lifespan_context(site), client:
        (await client.post("/gradio_api/call/waits", json={"data": []})).raise_for_status()
        async with asyncio.timeout(120):
            await begun.wait()
    left = list(page._queue._asyncio_tasks)
    assert any(not task.done() for task in left)
    end.set()
    for task in left:
        task.cancel()
    await asyncio.wait(left)
