"""The looks of the page: words that can be read in both looks, a name on every control, a phone, the keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.script import reply
from tests.browser.chat import DATA, FILES, Chat, store
from tests.browser.program import program_with_model

pytestmark = pytest.mark.browser

ASKED = {"zh-CN": "婚假有几天？", "en-US": "How long does pairing take?"}
FOUND = {"zh-CN": "婚假为十三天", "en-US": "40 seconds"}
PANELS = ("source", "plan", "trace", "evaluation")
VIEWS = ("library", "compare", "system")
CONTROLS = {
    "button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "spinbutton", "switch",
    "tab", "menuitem", "slider",
}  # fmt: skip
_ENGLISH = re.compile(r"[A-Za-z]+( [A-Za-z]+)+|Textbox|Dropdown|Number")
# Words that are seen, against the grounds behind them: what is fainter than WCAG's AA, as [ratio, who, words].
FAINT = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true}), known = new Map();
    const rgba = colour => {
        if (!known.has(colour)) {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
            known.set(colour, [r, g, b, a / 255]);
        }
        return known.get(colour);
    };
    const over = (above, below, share) => [0, 1, 2].map(n => above[n] * share + below[n] * (1 - share));
    const once = of => {  // of each element
        const told = new Map([[null, of(null)]]);
        return one => {
            if (!told.has(one)) told.set(one, of(one));
            return told.get(one);
        };
    };
    const ground = once(one => {  // all that lies behind it, the nearest last
        if (!one) return [255, 255, 255];
        const own = rgba(getComputedStyle(one).backgroundColor);
        return over(own, own[3] < 1 ? ground(one.parentElement) : [0, 0, 0], own[3]);
    });
    const opacity = once(one => one ? Number(getComputedStyle(one).opacity) * opacity(one.parentElement) : 1);
    const light = colour => colour.map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
    const seen = one => {
        const box = one.getBoundingClientRect();
        const shown = one.checkVisibility({visibilityProperty: true, opacityProperty: true});
        return shown && box.width > 1 && box.height > 1;
    };
    const faint = [];
    const check = (one, words, style, colour) => {
        if (!/[\\p{L}\\p{N}]/u.test(words) || !seen(one) || one.closest(':disabled, [aria-disabled=true]')) return;
        const behind = ground(one), ink = rgba(colour);
        const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const found = ratio(light(over(ink, behind, ink[3] * opacity(one))), light(behind));
        const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
        if (found >= (large ? 3 : 4.5) - 0.005) return;
        const of = one.closest('[id]')?.id ?? '', name = one.getAttribute('class') ?? '';
        faint.push([found.toFixed(2), `#${of} ${one.tagName.toLowerCase()}.${name}`, words.trim().slice(0, 40)]);
    };
    for (const one of document.body.querySelectorAll('*')) {
        if (!one.checkVisibility()) continue;  // the styles of what is not drawn are made for whoever asks
        const style = getComputedStyle(one);
        if (style.fontSize === '0px') continue;  // a sign, with its name for who cannot see it
        const own = [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('');
        if (own.trim()) check(one, own, style, one instanceof SVGElement ? style.fill : style.color);
        if (one.matches('input:not([type=checkbox], [type=radio], [type=file]), textarea')) {
            if (one.value) check(one, one.value, style, style.color);
            else check(one, one.placeholder, style, getComputedStyle(one, '::placeholder').color);
        }
    }
    return faint;
}"""
# What reaches beyond the window and is not within a part that scrolls by itself.
WIDE = """() => {
    const clipped = one => {
        for (let up = one.parentElement; up && up !== document.body; up = up.parentElement)
            if (getComputedStyle(up).overflowX !== 'visible') return up.getBoundingClientRect().right <= innerWidth + 1;
        return false;
    };
    const wide = [...document.body.querySelectorAll('*')].filter(one => {
        const {left, right, width, height} = one.getBoundingClientRect();
        return width > 1 && height > 1 && (right > innerWidth + 1 || left < -1)
            && one.checkVisibility({visibilityProperty: true, opacityProperty: true}) && !clipped(one);
    }).map(one => one.outerHTML.slice(0, 120));
    const page = document.scrollingElement;
    return page.scrollWidth > innerWidth ? [`the page is ${page.scrollWidth} wide`, ...wide] : wide;
}"""
# Whether the keyboard's place is to be seen, and where it is.
FOCUS = """() => {
    const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
    const ring = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
    const shown = ring || one.matches('input, textarea, [role=listbox], pre, .document, .scroll');
    return {at: one.outerHTML.slice(0, 120), shown, inside: box.right > 0 && box.left < innerWidth};
}"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program with a model and two files."""
    with program_with_model(tmp_path_factory.mktemp("looks") / "library", reply) as url:
        store(url, *FILES.values())
        yield url


def unfold(page: Page, view: str) -> None:
    """All that is folded in a view."""
    for fold in page.locator(f"{view} button.label-wrap:not(.open)").all():
        if fold.is_visible():
            fold.click()


def stops(page: Page, locale: str) -> Iterator[str]:
    """Every tab, panel and open fold of the page, one after the other; an answer is there already."""
    yield "chat"
    for choices in ("scope", "strategy", "saving"):
        page.locator(f"#chips [data-opens={choices}]").click()
        expect(page.locator(f"#{choices}-choices")).to_be_visible()
        yield choices
    page.keyboard.press("Escape")
    page.locator("#chat .bot.message").last.hover()
    page.locator('#chat a[href^="#again/"]').last.click()
    yield "again"
    page.keyboard.press("Escape")
    for panel in PANELS:
        show(page, panel)
        yield panel
        page.locator("#close-details").click()
        expect(page.locator("#details")).to_be_hidden()
    for view in VIEWS:
        page.locator(f"#{view}-view-button").click()
        if view == "library":
            page.locator("#documents button.open").first.click()
            page.locator("#pieces .piece").first.wait_for()
            unfold(page, "#library-view")
        if view == "compare":
            page.locator("#x-question textarea").fill(ASKED[locale])
            page.locator("#x-run").click()
            expect(page.locator("#x-overlap")).to_contain_text("%")
            expect(page.locator("#x-run")).to_be_enabled()
        if view == "system":
            page.locator("#system .figures").wait_for()
            for summary in page.locator("#system summary").all():
                summary.click()
        yield view
    page.locator("#chat-view-button").click()


def show(page: Page, panel: str) -> None:
    page.locator(f'#chat a[href^="#{"cited" if panel == "source" else "evaluation"}/"]').last.click()
    page.locator("#details").wait_for()
    page.locator(f"#details-{panel}-button").click()
    filled = {"source": "#reader mark", "plan": "#plan-form", "trace": "#trace table", "evaluation": "#evaluation dl"}
    page.locator(filled[panel]).first.wait_for()


def controls(page: Page) -> list[tuple[str, str]]:
    """Role and name of every control that is told to who cannot see it, as the browser computes them."""
    session = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    told = [node for node in nodes if not node.get("ignored") and node.get("role", {}).get("value") in CONTROLS]
    return [(node["role"]["value"], str(node.get("name", {}).get("value") or "").strip()) for node in told]


def answered(browser: Browser, url: str, locale: str, question: str) -> Chat:
    """Each asks its own: an answer that is remembered has no trace to be looked at."""
    chat = Chat(browser, url, locale)
    chat.send(question)
    chat.page.locator('#chat a[href^="#evaluation/"]').last.wait_for()
    return chat


def test_words_are_read_in_both_looks_and_controls_have_names(browser: Browser, url: str, locale: str) -> None:
    chat = answered(browser, url, locale, ASKED[locale])
    page, found = chat.page, []
    guide = (DATA / "guide.md").read_text("utf-8")
    looks = ["light", "dark"]
    for stop in stops(page, locale):
        for look in looks:
            page.emulate_media(color_scheme=look, reduced_motion="reduce")
            dark = page.locator("body.dark")
            expect(dark).to_be_attached() if look == "dark" else expect(dark).to_have_count(0)
            page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")
            found += [(stop, look, *one) for one in page.evaluate(FAINT)]
        looks.reverse()  # the next stop begins with the one that is there
        for role, name in controls(page):
            if not name:
                found.append((stop, role, "has no name"))
            elif (
                locale == "zh-CN" and _ENGLISH.fullmatch(name) and f"# {name}\n" not in guide
            ):  # whose headings are shown
                found.append((stop, role, name, "is English"))
    assert not found, "\n".join(str(one) for one in dict.fromkeys(found))
    assert chat.foreign == []


def test_a_phone_reaches_everything_and_nothing_is_wider(browser: Browser, url: str, locale: str) -> None:
    chat = answered(browser, url, locale, {"zh-CN": "产假有几天？", "en-US": "Which port is used?"}[locale])
    page = chat.page
    page.set_viewport_size({"width": 390, "height": 844})  # the sidebar would cover the chat
    expect(page.locator(".sidebar.open")).to_have_count(0)
    page.locator(".toggle-button").click()
    expect(page.locator("#conversations .new")).to_be_in_viewport()
    found = [("sidebar", one) for one in page.evaluate(WIDE)]
    expect(page.locator("#preferences button").last).to_be_visible()
    page.locator(".toggle-button").click()
    expect(page.locator("#conversations .new")).to_be_hidden()
    expect(page.locator("#box textarea")).to_be_in_viewport(ratio=1)
    for stop in stops(page, locale):
        if stop in PANELS:
            expect(page.locator("#close-details")).to_be_in_viewport(ratio=1)
        if stop in VIEWS:
            expect(page.locator("#chat-view-button")).to_be_in_viewport(ratio=1)
        found += [(stop, one) for one in page.evaluate(WIDE)]
    assert not found, "\n".join(str(one) for one in dict.fromkeys(found))


def test_the_main_job_by_the_keyboard_alone(browser: Browser, url: str, locale: str) -> None:
    chat = Chat(browser, url, locale)
    page, keys = chat.page, chat.page.keyboard
    unseen: list[str] = []

    def tab_to(selector: str, key: str = "Tab", most: int = 80) -> None:
        for _ in range(most):
            keys.press(key)
            at = page.evaluate(FOCUS)
            if not at["shown"] or not at["inside"]:
                unseen.append(at["at"])
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"{selector} is not reached: {at}")

    expect(page.locator("#box textarea")).to_be_focused()  # from the start
    keys.type(ASKED[locale])
    keys.press("Enter")
    expect(page.locator("#chat")).to_contain_text(FOUND[locale])
    expect(page.locator("#box button.submit-button")).to_be_visible()
    tab_to("#chat a[href^='#source/']", "Shift+Tab")
    keys.press("Enter")
    expect(page.locator("#reader mark").first).to_be_focused()
    keys.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    expect(page.locator("#chat a[href^='#source/']").locator("visible=true").last).to_be_attached()
    assert page.evaluate("document.activeElement.matches(\"#chat a[href^='#source/']\")")
    keys.press("Enter")  # once more, closed by its button
    expect(page.locator("#reader mark").first).to_be_focused()
    tab_to("#close-details", "Shift+Tab")
    keys.press("Enter")
    expect(page.locator("#details")).to_be_hidden()
    tab_to("#library-view-button", "Shift+Tab")
    keys.press("Enter")
    page.locator("#documents button.open").first.wait_for()
    tab_to("#documents button.open")
    keys.press("Enter")
    page.locator("#pieces .piece").first.wait_for()
    assert unseen == []
