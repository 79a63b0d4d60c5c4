"""Texts that are anybody's words, everywhere on the page: none of them runs, and none makes the page ask another."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.model_server import model_server
from benchmarks.web_pages import article
from benchmarks.web_site import Page as WebPage
from benchmarks.web_site import as_json
from tests.browser.chat import LOOK
from tests.browser.hostile import Hostile, listener
from tests.browser.payloads import ANSWERS, REFUSED, SHORT, Payload, as_line, documents, named, payloads, says
from tests.browser.program import program
from tests.browser.test_library_page import Shelf
from tests.graph.web_cases import CHIPS, news_site, reached

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


class House(NamedTuple):
    """A page of a program whose library and whose model are full of such texts."""

    url: str
    hostile: Hostile
    texts: list[Payload]
    files: list[Path]


@pytest.fixture
def house(browser: Browser, tmp_path: Path) -> Iterator[House]:
    with listener() as (out, asked):
        texts = payloads(out)
        files, archive = documents(tmp_path / "files", texts), tmp_path / "named.zip"
        count = named(archive, texts)
        assert len(texts) >= 60
        assert count >= 60
        with (
            model_server(says(texts)) as server,
            program(
                tmp_path / "library", CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url,
                CITEWISE_TOP_K="20", CITEWISE_MAX_CONTEXT_LENGTH="20000",
            ) as url,
        ):  # fmt: skip
            hostile = Hostile(browser, url, out, asked)
            page = Shelf(hostile.page).page
            stored = 0
            for uploaded, more in ((files, len(files)), ([archive], count - 5)):  # a few names may be the same one
                page.locator("#upload input[type=file]").set_input_files(uploaded)
                stored += more
                page.wait_for_function(
                    "count => parseInt(document.querySelector('#totals strong')?.textContent) >= count",
                    arg=stored,
                    polling=LOOK,
                    timeout=300_000,
                )
            yield House(url, hostile, texts, files)


def test_no_text_of_documents_models_and_people_runs(house: House) -> None:
    """Wherever the page shows one: it is one page that is walked through, and looked over at each place."""
    names_and_texts_in_the_library(house)
    examples_and_the_box(house.hostile)
    titles_in_the_list_and_the_export(house)
    answers_with_what_is_beside_them(house)
    answers_that_are_compared(house.hostile)


def names_and_texts_in_the_library(house: House) -> None:
    """In the list, in the viewer, in the preview of chunks, in the lists to choose from."""
    hostile = house.hostile
    page, shelf = hostile.page, Shelf(hostile.page)
    expect(page.locator("#documents tbody tr").nth(60)).to_be_attached()
    hostile.harmless("the list of documents")
    for file in house.files:
        page.locator("#find textarea, #find input").first.fill(file.name)
        shelf.row(file.name).locator("button.open").click()
        expect(page.locator("#facts")).to_contain_text(file.name)
        expect(page.locator("#pieces .piece").first).to_be_visible()
        hostile.harmless(f"the view of {file.name}")
    page.locator("#compare button").first.click()
    page.locator("#preview").click()
    expect(page.locator("#pieces-a .piece").first).to_be_visible()
    hostile.harmless("the preview of chunks")
    page.locator("#chat-view-button").click()
    hostile.chat.choices("scope")
    page.locator("#scope input").click()
    expect(page.locator("#scope [role=option]", has_text="onerror").first).to_be_visible()
    hostile.harmless("the names to choose from")
    page.keyboard.press("Escape")


def examples_and_the_box(hostile: Hostile) -> None:
    """Questions made of names and headings, asked by a click, taken back into the box."""
    page, example = hostile.page, hostile.page.locator("#chat button.example", has_text=SHORT).first
    expect(example).to_be_visible()
    hostile.harmless("the examples")
    example.click()
    page.locator("#chat .user.message").hover()
    page.locator("#chat a[href^='#edit/']").click()
    expect(page.locator("#box textarea")).to_have_value(re.compile("onerror=__pwned"))
    expect(page.locator("#asking .bar")).to_be_visible()
    hostile.harmless("a question in the box")
    hostile.chat.over()


def titles_in_the_list_and_the_export(house: House) -> None:
    hostile = house.hostile
    page, titles = hostile.page, hostile.page.locator("#conversations .open")
    hostile.chat.new()
    hostile.chat.send(SHORT)
    expect(titles.first).to_have_text(SHORT)
    of_kinds = {one.kind: as_line(one) for one in reversed(house.texts) if len(as_line(one)) <= 200}
    for title in of_kinds.values():
        titles.first.focus()
        page.keyboard.press("F2")
        page.locator("#conversations input.title").fill(title)
        page.keyboard.press("Enter")
        expect(titles.first).to_have_text(title)
        hostile.harmless(f"the title {title}")
    page.locator("#conversations .find").fill(title)
    expect(titles).to_have_text([title])
    hostile.harmless("what is found")
    page.locator("#conversations .find").fill(SHORT * 2)
    expect(titles).to_have_count(0)
    hostile.harmless("what is not found")
    page.locator("#conversations .find").fill("")
    expect(titles).to_have_count(2)
    export = page.locator("#conversations a.export").first
    address = export.evaluate("link => link.href")
    assert address.startswith(f"{house.url}/conversations/")
    answer = page.request.get(address)
    assert answer.headers["content-disposition"].startswith("attachment")  # no browser shows it as a page
    assert answer.headers["x-content-type-options"] == "nosniff"
    with page.expect_download() as downloading:
        export.click()
    assert SHORT in Path(downloading.value.path()).read_text(encoding="utf-8")
    page.locator("#conversations .remove").first.click()
    expect(page.locator("#conversations .asked")).to_contain_text(title)
    hostile.harmless("the question before it is deleted")
    page.keyboard.press("Escape")


def answers_with_what_is_beside_them(house: House) -> None:
    """Answers as they stream, unfolded, with all panels, a person's word on them; then the conversation again."""
    hostile = house.hostile
    page, chat = hostile.page, hostile.chat
    chat.new()
    for kinds in ANSWERS:
        refused = REFUSED if kinds is ANSWERS[-1] else ""
        chat.send(f"How long does the {kinds[0]} pump warm? {refused} {SHORT} Answer about: {' '.join(kinds)}")
        expect(page.locator("#chat .bot.message").last.locator("a[href^='#evaluation/']")).to_be_visible()
        hostile.harmless(f"the answer about {kinds}")
        if kinds in (ANSWERS[0], ANSWERS[-1]):
            hostile.unfold()
            hostile.open_beside()
    word = " ".join(one.text for one in house.texts if one.kind in ("handler", "image"))[:900].strip()
    page.locator("#feedback-down").click()
    page.locator("#feedback-word textarea").fill(word)
    page.locator("#feedback-save").click()
    expect(page.locator("#feedback-note")).to_contain_text("Noted")
    hostile.harmless("a word on the answer")
    page.locator("#details-tabs").get_by_role("tab").nth(1).click()
    page.locator("#plan-files input").fill(SHORT)
    page.keyboard.press("Enter")
    page.locator("#plan-files input").blur()  # its list would lie over the button
    page.locator("#plan-run").click()
    expect(page.locator(".toast-body")).to_contain_text(SHORT)
    hostile.harmless("an error in the corner of the page")
    chat.open()
    expect(page.locator("#chat .user.message")).to_have_count(len(ANSWERS))
    hostile.unfold()
    hostile.open_beside()
    expect(page.locator("#feedback-word textarea")).to_have_value(word)
    expect(page.locator('#chat .message-buttons:has([aria-label="Disliked"])')).to_have_css("opacity", "1")
    hostile.harmless("the conversation when it is shown again")
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "pump" not in kept, kept  # no question outlives the page in the browser, but encrypted


def answers_that_are_compared(hostile: Hostile) -> None:
    page = hostile.page
    page.locator("#compare-view-button").click()
    kinds = " ".join(kind for kinds in ANSWERS for kind in kinds)
    page.locator("#x-question textarea").fill(f"How long does the script pump warm? {SHORT} Answer about: {kinds}")
    page.locator("#x-run").click()
    columns = page.locator("#x-columns .x-column:visible")
    expect(columns).to_have_count(3)
    for number in range(3):
        expect(columns.nth(number)).to_contain_text("warms for 1 minutes")
    expect(page.locator("#x-run")).to_be_enabled()
    expect(page.locator("#x-overlap")).to_contain_text("%")
    hostile.harmless("answers that are compared")


def test_no_text_of_the_web_runs(browser: Browser, tmp_path: Path) -> None:
    with listener() as (out, asked), news_site("en") as site:
        shown = [one for one in payloads(out) if one.id in {"image-01", "handler-01", "svg-02", "javascript-02"}]
        for one in shown:
            title = html.escape(as_line(one))
            text = f"The latest news on AI chips is {html.escape(one.text)} and that chips are news."
            site.pages[f"/{one.id}"] = WebPage(article("en", title, (f"## {title}", text), author=title))
        found = [{"url": site.url(f"/{one.id}"), "title": one.text, "content": one.text} for one in shown]
        site.pages["/search"] = lambda _: as_json({"results": found})
        variables = {**reached(site), "CITEWISE_WEB": "always", "CITEWISE_WEB_RESULTS": "4"}
        with program(tmp_path / "library", **variables) as url:
            page = Hostile(browser, url, out, asked)
            page.chat.send(CHIPS["en"])
            for folded in page.page.locator("#chat .thought-group .title").all():
                folded.click()
            expect(page.page.locator("#chat")).to_contain_text("onerror")  # as text
            page.harmless("an answer from the web")
            shelf = Shelf(page.page)
            expect(page.page.locator("#documents tr.is-completed")).to_have_count(4)
            page.harmless("pages in the list of documents")
            shelf.page.locator("#documents button.open").first.click()
            expect(page.page.locator("#pieces .piece").first).to_be_visible()
            page.harmless("the view of a page")
