"""The names of a library and a document as a tree, in both languages and on a phone: a click asks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

import citewise
from stores.embedded import EmbeddedStore
from tests.browser.chat import Chat
from tests.browser.program import program
from tests.browser.test_library_page import Shelf

pytestmark = pytest.mark.browser

LIVE = "<img src=x onerror=alert(1)> ${alert(2)}"  # a heading is anybody's words: nothing of it may run
MILLS = f"""# Mills

## Arden Mill

The Arden Mill stands by the river. {"It grinds corn for the whole town. " * 20}

### Gear

The gear of the Arden Mill is of oak. {"It is greased each spring. " * 30}

## {LIVE}

Visitors see the Arden Mill on Sundays. {"Children pay nothing. " * 30}
"""
LEAVE = f"# 制度\n\n## 年假\n\n{'年假有十五天，由主管批准。' * 30}\n\n## 《操作规程》\n\n{'参见《操作规程》。' * 40}\n"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("data") / "library"
    with citewise.open(folder, web="never") as library:
        library.add_content("mills.md", MILLS)
        library.add_content("制度.md", LEAVE)
    store = EmbeddedStore(folder)
    store.note_asked(["gear"])
    store.close()
    with program(folder) as url:
        yield url


def test_the_tree_that_is_asked_for_right_after_opening_stays(browser: Browser, url: str) -> None:
    """Whatever the page sends by itself when a document is open may come late."""
    chat = Chat(browser, url, "en-US")
    page, shelf = chat.page, Shelf(chat.page)
    page.locator("#names-panel button").first.wait_for()
    sent, held = list[Route](), list[Route]()

    def pass_or_hold(route: Route) -> None:
        sent.append(route)
        if len(sent) == 1 or not holding:
            route.continue_()
        else:
            held.append(route)

    holding = True
    page.route("**/queue/join**", pass_or_hold)
    shelf.row("mills.md").locator("button.open").click()
    expect(page.locator("#facts")).to_contain_text("mills.md")
    holding = False
    page.locator("#tree-panel button").first.click()
    gear = page.locator("#tree").get_by_role("button", name="Gear")
    expect(gear).to_be_visible()
    for late in held:
        late.continue_()
    page.locator("#names-panel button").first.click()  # and once more to the program and back
    expect(page.locator("#names .connected li").first).to_be_visible()
    expect(gear).to_be_visible()
    page.close()


def test_names_are_browsed_and_asked_about(browser: Browser, url: str) -> None:
    chat = Chat(browser, url, "en-US", width=390)
    page, shelf = chat.page, Shelf(chat.page)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.locator("#names-panel button").first.click()
    names = page.locator("#names .connected li")
    expect(names.filter(has_text="Arden Mill")).to_contain_text("places")

    shelf.row("mills.md").locator("button.open").click()
    expect(page.locator("#facts")).to_contain_text("mills.md")  # it is open: the tree is of this document
    page.locator("#tree-panel button").first.click()
    tree = page.locator("#tree")
    expect(tree.locator("summary span").first).to_have_text("Arden Mill")
    expect(tree).to_contain_text(LIVE)
    expect(tree.get_by_role("button", name="Gear")).to_be_visible()  # beneath what is open from the start
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    tree.get_by_role("button", name="Gear").click()
    expect(chat.questions.last).to_contain_text("What do the documents say about “Gear”?")
    expect(chat.replies.last).to_contain_text("oak")
    page.close()

    chat = Chat(browser, url, "zh-CN")
    page, shelf = chat.page, Shelf(chat.page)
    page.locator("#names-panel button").first.click()
    expect(page.locator("#names .connected li").first).to_have_text(re.compile(r"^gear问过 \d 次 · ", re.IGNORECASE))
    shelf.row("制度.md").locator("button.open").click()
    expect(page.locator("#facts")).to_contain_text("制度.md")  # it is open: the tree is of this document
    page.locator("#tree-panel button").first.click()
    page.locator("#tree").get_by_role("button", name="年假").click()
    expect(chat.questions.last).to_contain_text("关于“年假”，资料里是怎么说的？")
    expect(chat.replies.last).to_contain_text("十五天")
    page.close()
