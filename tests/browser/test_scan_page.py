"""A scan is uploaded and asked: its page is shown with the line boxed, and a number that may be misread is marked.

The engine is a module of the test's own in place of `rapidocr`: what is around it is the product's.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, expect

from tests.browser.chat import Chat
from tests.browser.program import ROOT, program

pytestmark = pytest.mark.browser

# Lines are where ink is, and what they say is known by how many there are.
ENGINE = """
from types import SimpleNamespace

SAID = ["Price list of the workshop", "The red pump costs 8,000 euros.", "It weighs nine kilos without its hose."]


class RapidOCR:
    def __init__(self, params):
        pass

    def update_params(self, **how):
        pass

    def calc_word_boxes(self, images, boxes, found):
        return boxes

    def __call__(self, picture):
        rows = (picture.mean(2) < 128).any(1).tolist()
        tops = [n for n in range(1, len(rows)) if rows[n] and not rows[n - 1]]
        ends = [n for n in range(1, len(rows)) if rows[n - 1] and not rows[n]]
        inked = (picture.mean(2) < 128).any(0).nonzero()[0]
        left, right = int(inked[0]), int(inked[-1]) + 1
        boxes = [[(left, top), (right, top), (right, end), (left, end)] for top, end in zip(tops, ends)]
        assert len(boxes) == len(SAID)
        scores = [[0.62 if mark == "8" else 0.99 for mark in said] for said in SAID]
        self.calc_word_boxes(None, boxes, SimpleNamespace(word_results=[SimpleNamespace(confs=one) for one in scores]))
        return SimpleNamespace(boxes=boxes, txts=SAID, scores=[0.98] * len(SAID))
"""
DOUBT = '"8,000" was read from a picture, with a confidence of only 0.62: check the page'


def test_a_scan_is_asked_and_its_line_seen(browser: Browser, tmp_path: Path) -> None:
    models = tmp_path / "engine" / "rapidocr" / "models"
    models.mkdir(parents=True)
    for part in ("det", "rec", "cls"):
        (models / f"{part}.onnx").touch()
    (models.parent / "__init__.py").write_text(ENGINE)
    scan, picture = tmp_path / "price.png", Image.new("RGB", (600, 800), "white")
    for top in (100, 220, 340):
        ImageDraw.Draw(picture).rectangle((60, top, 540, top + 24), fill="black")
    picture.save(scan)
    path = os.pathsep.join([str(ROOT / "tests" / "offline"), str(models.parent.parent)])
    with program(tmp_path / "library", CITEWISE_INGEST_WORKERS="1", PYTHONPATH=path) as url:
        chat = Chat(browser, url, "en-US")
        chat.send("Save it. What does the red pump cost?", scan)
        page = chat.page
        expect(page.locator("#chat")).to_contain_text(DOUBT)
        page.locator('#chat .bot.message a[href^="#source/"]').first.click()
        expect(page.locator("#reader .reasons").first).to_have_text(DOUBT)
        expect(page.locator("#reader .facts")).to_contain_text("page 1")
        view = page.locator("#reader .page")
        expect(view.locator(".box")).to_have_count(1)
        expect(view.locator("img")).to_have_js_property("naturalWidth", 600)
        box, paper = view.locator(".box").bounding_box(), view.locator(".paper").bounding_box()
        assert box["width"] / paper["width"] == pytest.approx(480 / 600, abs=0.01)
        assert (box["y"] - paper["y"]) / paper["height"] == pytest.approx(220 / 800, abs=0.01)
        expect(page.locator("#reader a.file")).to_be_visible()
