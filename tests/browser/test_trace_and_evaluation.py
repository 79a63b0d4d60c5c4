"""Beside an answer in a real browser: what was searched, how well it holds, and what a person says of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.model_server import Reply, filled, model_server, wanted_form
from tests.browser.program import program
from tests.browser.test_main_job import Chat

pytestmark = pytest.mark.browser

JUDGEMENT = {
    "sentences": [{"number": 1, "lacking": "<b>four</b>", "supported": False, "source": None}],
    "faithfulness_reason": "not in it", "faithfulness": 2, "relevance_reason": "yes", "relevance": 5,
    "completeness_reason": "all", "completeness": 4,
}  # fmt: skip
WORDS = {
    "zh-CN": {
        "ask": ("婚假有几天？", "产假有几天？"), "kept": "采用，来源 [1]", "fate": "去向", "like": "赞",
        "pending": "正在评估", "judged": "由 m 评分", "noted": "已记录", "trace": "过程",
    },
    "en-US": {
        "ask": ("How long is marriage leave?", "How long is maternity leave?"), "kept": "kept, source [1]",
        "fate": "Outcome", "like": "Like", "pending": "Being evaluated", "judged": "judged by m", "noted": "Noted",
        "trace": "Trace",
    },
}  # fmt: skip


def scripted(request: dict[str, Any]) -> Reply:
    """The judge takes its time: the evaluation comes after the answer."""
    if wanted_form(request) == "Judgement":
        return replace(filled(request, JUDGEMENT), first_delay=5.0)
    return Reply("Marriage leave is four days [1].") if request.get("stream") else Reply(status=400)


@pytest.mark.parametrize("locale", list(WORDS))
def test_trace_evaluation_and_thumbs(browser: Browser, tmp_path: Path, locale: str) -> None:
    words: dict[str, Any] = WORDS[locale]
    with (
        model_server(scripted) as model,
        program(tmp_path / "library", CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=model.base_url) as url,
    ):
        chat = Chat(browser, url, locale)
        page, evaluation, trace = chat.page, chat.page.locator("#evaluation"), chat.page.locator("#trace")
        chat.send("保存" if locale == "zh-CN" else "save", "员工手册.md", "guide.md")

        # the evaluation is opened as soon as the answer is there, and fills itself when the verdict comes
        page.locator("#box textarea").fill(words["ask"][0])
        page.locator("#box button.submit-button").click()
        page.locator('#chat a[href^="#evaluation/"]').last.click(timeout=60_000)
        expect(evaluation).to_contain_text(words["pending"], timeout=20_000)
        expect(evaluation).to_contain_text(words["judged"], timeout=60_000)
        expect(evaluation.locator(".figures .reason").first).to_have_text("not in it")
        expect(evaluation.locator(".sentences li.no")).to_contain_text("<b>four</b>")  # text, whatever it says
        assert evaluation.locator(".plot").count() == 0
        expect(page.locator("#box button.submit-button")).to_be_visible(timeout=60_000)

        # a second turn: the history is drawn
        chat.send(words["ask"][1])
        page.locator('#chat a[href^="#evaluation/"]').last.click()
        expect(evaluation.locator(".plot")).to_have_count(2, timeout=60_000)
        expect(evaluation.locator(".plot svg[role=img]").first).to_be_visible()
        expect(evaluation.locator("tbody tr")).to_have_count(2)
        chat.shoot(f"evaluation-{locale[:2]}.png")

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
        chat.shoot(f"trace-{locale[:2]}.png")

        # a thumb below the answer, a word beside it
        page.locator("#details-tabs").get_by_role("tab").last.click()
        page.locator("#chat").get_by_role("button", name=words["like"], exact=True).last.click()
        expect(page.locator("#feedback-note")).to_contain_text(words["noted"], timeout=20_000)
        page.locator("#feedback-word textarea").fill('<img src=x onerror="alert(1)"> good')
        page.locator("#feedback-save").click()
        expect(page.locator("#feedback-note")).to_contain_text(words["noted"], timeout=20_000)

        chat.open()
        page.locator('#chat a[href^="#evaluation/"]').last.click(timeout=60_000)
        expect(page.locator("#feedback-word textarea")).to_have_value(
            '<img src=x onerror="alert(1)"> good', timeout=20_000
        )
        expect(page.locator("#chat").get_by_role("button", name="Liked")).to_have_count(1)
        assert chat.foreign == []
