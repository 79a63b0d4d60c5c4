"""Beside an answer in a real browser: what was searched, how well it holds, and what a person says of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.model_server import Reply, filled, model_server, wanted_form
from tests.browser.chat import FILES, Chat, store
from tests.browser.program import program

pytestmark = pytest.mark.browser

JUDGEMENT = {
    "sentences": [{"number": 1, "lacking": "<b>four</b>", "supported": False, "source": None}],
    "faithfulness_reason": "not in it", "faithfulness": 2, "relevance_reason": "yes", "relevance": 5,
    "completeness_reason": "all", "completeness": 4,
}  # fmt: skip
WORDS = {
    "zh-CN": {
        "ask": ("婚假有几天？", "产假有几天？"), "kept": "采用，来源 [1]", "fate": "去向", "like": "赞",
        "liked": "已赞", "pending": "正在评估", "judged": "由 m 评分", "noted": "已记录", "trace": "过程",
    },
    "en-US": {
        "ask": ("How long does pairing take?", "Which Wi-Fi band is used?"), "kept": "kept, source [1]",
        "fate": "Outcome", "like": "Like", "liked": "Liked", "pending": "Being evaluated", "judged": "judged by m",
        "noted": "Noted", "trace": "Trace",
    },
}  # fmt: skip
LIVE = '<img src=x onerror="alert(1)"> good'
judging = threading.Event()  # while it is not set, no verdict comes


def scripted(request: dict[str, Any]) -> Reply:
    if wanted_form(request) == "Judgement":
        judging.wait(250)
        return filled(request, JUDGEMENT)
    return Reply("It takes four days [1].") if request.get("stream") else Reply(status=400)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program with a model, whose library holds both files."""
    library = tmp_path_factory.mktemp("data") / "library"
    model = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_TIMEOUT": "300"}
    with model_server(scripted) as server, program(library, **model, CITEWISE_LLM_BASE_URL=server.base_url) as url:
        store(url, *FILES.values())
        yield url


def test_trace_evaluation_and_thumbs(browser: Browser, url: str, locale: str) -> None:
    words: dict[str, Any] = WORDS[locale]
    chat = Chat(browser, url, locale)
    page, evaluation, trace = chat.page, chat.page.locator("#evaluation"), chat.page.locator("#trace")

    # the evaluation is opened as soon as the answer is there, and fills itself when the verdict comes
    judging.clear()
    chat.begin(words["ask"][0])
    page.locator('#chat a[href^="#evaluation/"]').last.click()
    expect(evaluation).to_contain_text(words["pending"])
    judging.set()
    expect(evaluation).to_contain_text(words["judged"])
    expect(evaluation.locator(".figures .reason").first).to_have_text("not in it")
    expect(evaluation.locator(".sentences li.no")).to_contain_text("<b>four</b>")  # text, whatever it says
    assert evaluation.locator(".plot").count() == 0
    chat.over()

    # a second turn: the history is drawn
    chat.send(words["ask"][1])
    page.locator('#chat a[href^="#evaluation/"]').last.click()
    expect(evaluation.locator(".plot")).to_have_count(2)
    expect(evaluation.locator(".plot svg[role=img]").first).to_be_visible()
    expect(evaluation.locator("tbody tr")).to_have_count(2)

    # candidates, kept and dropped, can be sorted; a bar for each step
    page.locator("#details-tabs").get_by_role("tab", name=words["trace"]).click()
    rows = trace.locator("table.candidates tbody tr")
    expect(trace.locator("table.candidates")).to_contain_text(words["kept"])
    assert rows.count() > trace.locator("table.candidates tr.kept").count() > 0
    heading = trace.locator("table.candidates th", has_text=words["fate"])
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    first = rows.first.inner_text()
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert rows.first.inner_text() != first
    assert trace.locator(".bars li").count() >= 3
    assert trace.locator(".bars .bar").first.evaluate("bar => getComputedStyle(bar).backgroundImage") != "none"
    expect(trace.locator("details pre")).to_contain_text(words["ask"][1])

    # a thumb below the answer, a word beside it
    page.locator("#details-tabs").get_by_role("tab").last.click()
    page.locator("#chat").get_by_role("button", name=words["like"], exact=True).last.click()
    expect(page.locator("#feedback-note")).to_contain_text(words["noted"])
    page.locator("#feedback-word textarea").fill(LIVE)
    page.locator("#feedback-save").click()

    expect(page.locator("#feedback-note")).to_contain_text(words["noted"])  # that it is kept: `test_hostile_page.py`
    expect(page.locator(f'#chat .message-buttons:has([aria-label="{words["liked"]}"])')).to_have_css("opacity", "1")
    assert chat.foreign == []
