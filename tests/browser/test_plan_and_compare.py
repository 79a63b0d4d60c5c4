"""The plan of a turn is changed beside the chat and run again; strategies are compared on one question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chat import FILES, Chat, store
from tests.browser.program import program

pytestmark = pytest.mark.browser

WORDS = {
    "zh-CN": {
        "question": "婚假有几天？", "answer": "婚假为十三天", "keyword": "关键词检索（BM25）",
        "by": "页面选项", "gone": "已经没有文件", "waits": "请选择 2 到 4 种",
        "seconds": "回答完成", "overlap": "证据重合",
    },
    "en-US": {
        "question": "How long does pairing take?", "answer": "40 seconds", "keyword": "keyword (BM25)",
        "by": "controls", "gone": "no file", "waits": "two to four", "seconds": "Answer complete", "overlap": "Overlap",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program whose library holds both files."""
    with program(tmp_path_factory.mktemp("data") / "library") as url:
        store(url, *FILES.values())
        yield url


def choose(page: Page, dropdown: str, option: str) -> None:
    page.locator(f"{dropdown} input").first.click()
    page.locator(f"{dropdown} [role=option]", has_text=option).first.click()


def test_plans_are_changed_and_strategies_compared(browser: Browser, url: str, tmp_path: Path, locale: str) -> None:
    chat = Chat(browser, url, locale)
    a_changed_plan_is_run_again(chat, WORDS[locale], FILES[locale])
    strategies_are_compared(chat, WORDS[locale], FILES[locale])
    a_table_is_computed_its_rows_opened_and_its_query_changed(chat, tmp_path)
    assert chat.foreign == []


def a_changed_plan_is_run_again(chat: Chat, words: dict[str, str], file: str) -> None:
    page = chat.page
    chat.send(words["question"])
    chat.details("plan")
    expect(page.locator("#plan-question textarea")).to_have_value(words["question"])
    choose(page, "#plan-strategy", words["keyword"])
    choose(page, "#plan-files", file)
    page.keyboard.press("Escape")
    page.locator("#plan-run").click()
    expect(page.locator("#plan-said")).to_contain_text(words["by"])  # of the turn that came instead
    assert page.locator("#chat .user.message").count() == 1  # it stands in for the old one
    plan = page.locator("#chat .bot.message", has_text=words["keyword"])
    expect(plan.last).to_contain_text(file)
    expect(page.locator("#chat")).to_contain_text(words["answer"])
    expect(page.locator("#box button.submit-button")).to_be_visible()

    page.locator("#plan-files input").fill("gone.md")  # what cannot be followed is said, and nothing is lost
    page.keyboard.press("Enter")
    page.locator("#plan-run").click()
    expect(page.locator(".toast-body")).to_contain_text(words["gone"])
    expect(page.locator("#chat")).to_contain_text(words["answer"])
    expect(page.locator("#plan-question textarea")).to_have_value(words["question"])


def strategies_are_compared(chat: Chat, words: dict[str, str], file: str) -> None:
    page = chat.page
    page.locator("#compare-view-button").click()
    page.locator("#x-question textarea").fill(words["question"])
    page.locator("#x-run").click()
    columns = page.locator("#x-columns .x-column:visible")
    expect(columns).to_have_count(3)
    for number in range(3):
        expect(columns.nth(number)).to_contain_text(words["answer"])
        expect(columns.nth(number)).to_contain_text(file)
    expect(page.locator("#x-run")).to_be_enabled()
    figures = page.locator("#x-figures tr", has_text=words["seconds"])
    expect(figures.locator("td")).to_have_count(4)
    assert all(cell.endswith(" s") for cell in figures.locator("td").all_inner_texts()[1:])
    expect(page.locator("#x-below")).to_contain_text(words["overlap"])
    assert any("%" in cell for cell in page.locator("#x-overlap td").all_inner_texts())

    columns.first.locator("button").click()  # it is the chat's strategy now
    expect(chat.chip("strategy")).to_contain_text(words["keyword"])
    expect(page.locator("#chat .user.message")).to_have_count(1)  # nothing of it is in the conversation

    page.locator("#compare-view-button").click()
    for _ in range(2):
        page.locator("#x-chosen .token-remove").first.click()
    page.locator("#x-run").click()
    expect(page.locator(".toast-body", has_text=words["waits"])).to_have_count(1)
    expect(columns.first).to_contain_text(words["answer"])
    page.locator("#chat-view-button").click()


PAY = "姓名,部门,月薪（元）\n张三,研发部,12000\n李四,市场部,9000\n王五,研发部,15000\n合计,,36000\n"


def a_table_is_computed_its_rows_opened_and_its_query_changed(chat: Chat, folder: Path) -> None:
    """Asked in either language, on a page in either."""
    (folder / "工资.csv").write_text(PAY, encoding="utf-8")
    page = chat.page
    chat.new()
    chat.save(folder / "工资.csv")
    chat.send("What is the average 月薪 in 研发部?")
    expect(chat.replies.last).to_contain_text("13,500 元")
    chat.send("研发部的平均工资是多少？")
    expect(chat.replies.last).to_contain_text("“部门”为“研发部”的“月薪”平均值：13,500 元")
    expect(chat.replies.last).to_contain_text("读取 3 行，用到 2 行")
    chat.replies.last.get_by_role("link", name="[1]", exact=True).first.click()
    expect(page.locator("#reader")).to_contain_text("张三")
    expect(page.locator("#reader mark").first).to_contain_text("张三")
    expect(page.locator("#reader mark", has_text="李四")).to_have_count(0)

    chat.details("plan")
    page.locator("#plan-sql textarea").fill('SELECT MAX("月薪（元）") FROM "工资.csv"')
    page.locator("#plan-run").click()
    expect(chat.replies.last).to_contain_text("15,000")
