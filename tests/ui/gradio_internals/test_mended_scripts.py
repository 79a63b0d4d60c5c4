"""The script of Gradio that tells the parts of its page asks first, and where it says it in other words it stays."""

from pathlib import Path

import gradio as gr
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from ui.gradio_internals.blocks import UploadsOnly
from ui.gradio_internals.mended_scripts import mended
from ui.gradio_internals.mount import mount_page

CORE = next((Path(gr.__file__).parent / "templates" / "frontend" / "assets").glob("core-*.js"))
SCRIPT = "register_component(a,b,c){this.#x.set(a,b)}async update_state(one,two,n=!0){tell()}"


def test_what_is_served_asks_before_it_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    with UploadsOnly() as page:
        gr.Textbox()
    site = FastAPI()
    mount_page(site, page, lambda: pytest.fail("no page is open"))
    stock = CORE.read_text(encoding="utf-8")
    answer = TestClient(site).get(f"/assets/{CORE.name}")
    before, asks, after = answer.text.partition("if(globalThis.citewise?.hasHeard?.(")
    assert asks
    assert before.endswith("){")
    assert before + after.partition("return;")[2] == stock
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert TestClient(site).get("/assets/core-none.js").status_code == 404


def test_it_asks_by_what_tells_the_part(tmp_path: Path) -> None:
    script = tmp_path / "core-1.js"
    script.write_text(SCRIPT)
    asks = "if(globalThis.citewise?.hasHeard?.(this.#x.get(one),two))return;tell()"
    assert mended(script) == SCRIPT.replace("tell()", asks)


@pytest.mark.parametrize(("word", "other"), [("update_state", "tell"), ("this.#x", "parts"), ("register_", "know_")])
def test_other_words_stay_as_they_are(tmp_path: Path, word: str, other: str) -> None:
    script = tmp_path / "core-2.js"
    script.write_text(SCRIPT.replace(word, other))
    assert mended(script) == ""
