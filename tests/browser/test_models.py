"""What the page tells of its models: who answered, who failed, what the judge says, how they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.model_server import Reply, filled, model_server, wanted_form
from tests.browser.chat import Chat
from tests.browser.program import program

pytestmark = pytest.mark.browser

JUDGEMENT = {
    "sentences": [
        {"number": 1, "lacking": "", "supported": True, "source": 1},
        {"number": 2, "lacking": "四十天", "supported": False, "source": None},
    ],
    "faithfulness_reason": "第二句没有依据", "faithfulness": 3, "relevance_reason": "答了所问", "relevance": 5,
    "completeness_reason": "没有遗漏", "completeness": 4,
}  # fmt: skip


def healthy(request: dict[str, Any]) -> Reply:
    if wanted_form(request) == "Judgement":
        return filled(request, JUDGEMENT)
    return Reply("婚假为十三天[1]。婚假为四十天[1]。") if request.get("stream") else Reply(status=400)


def breaking(request: dict[str, Any]) -> Reply:
    """Some words, and then the connection is gone; to anything else it says nothing usable."""
    if request.get("stream"):
        said = "".join(f"婚假的天数要看情况而定，情况 {n}，" for n in range(20))
        return Reply(said, piece_delay=0.05, cut_after=30)
    return Reply("no", status=503)


def test_who_stepped_in_who_failed_and_what_the_judge_says(browser: Browser, tmp_path: Path) -> None:
    with (
        model_server(breaking) as first,
        model_server(healthy) as second,
        program(
            tmp_path / "library",
            CITEWISE_LLM_MODEL="eins", CITEWISE_LLM_BASE_URL=first.base_url,
            DEEPSEEK_API_KEY="k", DEEPSEEK_MODEL="zwei", DEEPSEEK_BASE_URL=second.base_url,
        ) as url,
    ):  # fmt: skip
        chat = Chat(browser, url, "zh-CN")
        chat.save("员工手册.md")
        page = chat.page
        chat.begin("婚假有几天？")
        conversation = page.locator("#chat")
        expect(conversation).to_contain_text("要看情况而定")  # the answer that will be void
        expect(conversation).not_to_contain_text("要看情况而定")
        expect(conversation).to_contain_text("婚假为十三天[1]。婚假为四十天[1]⚠")
        chat.over()
        expect(conversation).to_contain_text("的回答中断了。改由 zwei 回答。")
        expect(conversation).to_contain_text("由 zwei 回答")
        expect(conversation).to_contain_text("2 句中 1 句已核对 ⚠")
        expect(conversation).to_contain_text("引用的原文不支持这句话")

        expect(conversation).to_contain_text("忠实度 3/5")
        evaluation = chat.details("evaluation")
        expect(evaluation.locator(".sentences li").first).to_contain_text("婚假为十三天。")
        expect(evaluation.locator(".sentences li.no")).to_contain_text("来源没有说：四十天")
        expect(evaluation).to_contain_text("由 zwei 评分")
        expect(chat.details("trace")).to_contain_text("zwei")
        expect(chat.details("trace").locator("tr.failed").first).to_be_visible()

        page.locator("#system-view-button").click()
        models = page.locator("#system")
        expect(models).to_contain_text("eins")
        expect(models.get_by_text("正常").first).to_be_visible()
        expect(models.get_by_text("出错").or_(models.get_by_text("暂停使用")).first).to_be_visible()

        other = Chat(browser, url, "en-US")  # the stored conversation tells the same, in the other language
        other.titles.filter(has_text="保存").click()
        conversation = other.page.locator("#chat")
        expect(conversation).to_contain_text("broke off its answer")
        expect(conversation).to_contain_text("zwei answered instead")
        expect(conversation).to_contain_text("1 of 2 sentences checked ⚠ · by zwei")
        expect(conversation).to_contain_text("The cited lines do not support")
        expect(other.details("evaluation")).to_contain_text("no source says: 四十天")
        expect(other.details("trace")).to_contain_text("zwei")
        assert chat.foreign == other.foreign == []
