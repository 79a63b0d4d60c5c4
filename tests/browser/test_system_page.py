"""The System tab, the switches of language and look, and the button that closes the program, as a person uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.program import program

pytestmark = pytest.mark.browser

NAMELESS = """() => [...document.querySelectorAll('button, input, select, textarea')]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && !one.labels?.length && ![
        one.getAttribute('aria-label'), one.innerText, one.title, one.getAttribute('aria-labelledby'),
    ].some(words => words?.trim()))
    .map(one => one.outerHTML.slice(0, 160))"""
# Words in #system and #preferences against the first ground behind them that is not see-through.
FAINT = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
    const ground = one => {
        for (; one; one = one.parentElement) {
            const found = rgba(getComputedStyle(one).backgroundColor);
            if (found[3] > 200) return found;
        }
        return [255, 255, 255, 255];
    };
    return [...document.querySelectorAll('#system *, #preferences *, #views button')]
        .filter(one => one.checkVisibility() && [...one.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
        .map(one => {
            const [a, b] = [light(rgba(getComputedStyle(one).color)), light(ground(one))];
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.className, one.innerText];
        })
        .filter(([ratio]) => ratio < 4.5);
}"""


def opened(browser: Browser, url: str, locale: str) -> Page:
    page = browser.new_context(locale=locale, viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(60_000)
    page.goto(url, wait_until="domcontentloaded")
    page.locator("#preferences button").first.wait_for()
    return page


def test_what_it_is_set_to_how_it_looks_and_how_it_ends(browser: Browser, tmp_path: Path) -> None:
    with program(tmp_path / "library", TAVILY_API_KEY="tvly-secret-of-tests") as url:
        page = opened(browser, url, "zh-CN")
        page.locator("#system-view-button").click()
        system = page.locator("#system")
        expect(system).to_contain_text("没有可用的模型", timeout=60_000)
        expect(system).to_contain_text("还没有数据")
        key = system.locator("tr", has_text="TAVILY_API_KEY")
        expect(key).to_contain_text("已设置")
        assert "tvly-secret-of-tests" not in page.content()
        expect(page).to_have_url(f"{url}/#system")
        assert page.evaluate(FAINT) == []
        assert page.evaluate(NAMELESS) == []

        page.locator("#chat-view-button").click()
        page.locator("#preferences").get_by_role("button", name="English").click()
        expect(page.locator("#preferences")).to_contain_text("Light", timeout=60_000)
        assert page.evaluate("document.documentElement.lang") == "en"
        expect(page.locator("#system-view-button")).to_have_text("System")
        page.locator("#preferences").get_by_role("button", name="Dark").click()
        expect(page.locator("body.dark")).to_be_attached()
        page.reload()
        expect(page.locator("body.dark")).to_be_attached(timeout=60_000)
        page.locator("#system-view-button").click()
        expect(system).to_contain_text("answers are taken from the sources", timeout=60_000)
        assert page.evaluate(FAINT) == []

        other = opened(browser, url, "en-US")  # a browser of its own: nothing was chosen there
        assert other.evaluate("[document.documentElement.lang, document.body.classList.contains('dark')]") == [
            "en",
            False,
        ]
        other.close()

        page.locator("#close-program").click()
        expect(page.locator("#close-running")).to_contain_text("Close Citewise?", timeout=60_000)
        page.locator("#close-not").click()
        expect(page.locator("#close-program")).to_be_visible(timeout=60_000)
        page.locator("#close-program").click()
        page.locator("#close-now").click()
        expect(page.locator("#closed")).to_contain_text("everything is kept", timeout=60_000)
