"""A local model, fetched by a click on the page, comes to serve without a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_hub import hub, published
from playwright.sync_api import Browser, expect

from tests.browser.chat import Chat
from tests.browser.program import program

pytestmark = pytest.mark.browser


def test_a_model_is_fetched_and_serves(browser: Browser, tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    with (
        hub("Xenova/multilingual-e5-small", published(tmp_path / "published")) as (address, there),
        program(tmp_path / "library", CITEWISE_MODEL_HUB=address, CITEWISE_FASTEMBED_CACHE=str(tmp_path)) as url,
    ):
        chat = Chat(browser, url, "en-US")
        page = chat.page
        chat.send("save", "guide.md")
        page.locator("#system-view-button").click()
        page.locator("#embeddings button").first.click()
        panel = page.locator("#embeddings")
        expect(panel).to_contain_text("tfidf")
        assert there.asked == []  # nothing is downloaded before somebody asks
        page.locator("#fetch-model").click()
        expect(panel).to_contain_text("onnx: intfloat/multilingual-e5-small")
        expect(panel).not_to_contain_text("tfidf")
        expect(page.locator("#fetch-model")).to_be_hidden()
        page.locator("#chat-view-button").click()
        chat.send("How long does pairing take?")
        assert "40 seconds" in chat.reply()
        assert chat.foreign == []
