"""The page as a person uses it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, BrowserContext, Locator, expect
from playwright.sync_api import Request as Asked

DATA = Path(__file__).parent.parent / "data"
FILES = {"zh-CN": "员工手册.md", "en-US": "guide.md"}
LOCALES = list(FILES)
LOOK = 50  # milliseconds between two looks at what is waited for: else each frame is drawn for it, sixty in a second
# Whether all of these files are stored.
STORED = """async names => {
    const asked = {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'};
    const {documents} = await (await fetch('/services/list_documents', asked)).json();
    return names.every(name => documents.some(one => one.name === name));
}"""


_profiles: WeakKeyDictionary[Browser, dict[str, BrowserContext]] = WeakKeyDictionary()


def profiles(browser: Browser) -> dict[str, BrowserContext]:
    """By name those that last as long as the browser: a page costs half the processor where it was seen before."""
    return _profiles.setdefault(browser, {})


def profile(browser: Browser, name: str, **options: Any) -> BrowserContext:
    """One that lasts. Its first page is empty and stays: the pages of a site share a process, which would else end with
    each of them, and the next one would have to read the scripts again."""
    if name not in profiles(browser):
        context = profiles(browser)[name] = browser.new_context(**options)
        staying = context.new_page()
        staying.route("**", lambda route: route.fulfill(body="", content_type="text/html"))
        staying.goto("http://localhost")
    return profiles(browser)[name]


class Chat:
    """The page in a browser profile for the language, which has forgotten whatever another page left in it."""

    def __init__(self, browser: Browser, url: str, locale: str, width: int = 1280, script: str = "") -> None:
        """`script` runs before all else of the page."""
        self.foreign: list[str] = []
        self.url, self.zh = url, locale == "zh-CN"
        context = profile(browser, locale, locale=locale)
        self.page = context.new_page()
        session = context.new_cdp_session(self.page)
        session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "cookies,local_storage"})
        session.detach()
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.on("request", self._note)
        if script:
            self.page.add_init_script(script)
        self.open()

    def _note(self, request: Asked) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.foreign.append(request.url)

    def open(self) -> None:
        self.page.goto(self.url, wait_until="domcontentloaded")
        self.page.wait_for_function("document.querySelector('#box textarea')?.checkVisibility()", polling=LOOK)

    @property
    def box(self) -> Locator:
        return self.page.locator("#box textarea")

    @property
    def questions(self) -> Locator:
        return self.page.locator("#chat .user.message")

    @property
    def replies(self) -> Locator:
        return self.page.locator("#chat .bot.message")

    @property
    def titles(self) -> Locator:
        return self.page.locator("#conversations .open")

    def send(self, message: str, *files: str | Path) -> None:
        """Type, attach, send, and wait until the turn is over. Files are named as in `DATA`, or given by their path."""
        before, replies = self.questions.count(), self.replies.count()
        self.begin(message, *files)
        expect(self.questions).to_have_count(before + 1)
        self.page.wait_for_function(
            "count => document.querySelectorAll('#chat .bot.message').length > count", arg=replies, polling=LOOK
        )
        self.over()
        if files:  # saving may go on after the turn
            self.page.wait_for_function(STORED, arg=[Path(file).name for file in files], polling=LOOK)

    def begin(self, message: str, *files: str | Path) -> None:
        """Type, attach and send."""
        if files:
            self.page.locator("#box input[type=file]").set_input_files([DATA / file for file in files])
            expect(self.page.locator("#box .thumbnail-item")).to_have_count(len(files))
            expect(self.page.locator("#box button.submit-button")).to_be_in_viewport(ratio=1)
        self.box.fill(message)
        self.page.locator("#box button.submit-button").click()

    def save(self, *files: str | Path) -> None:
        self.send("保存" if self.zh else "save", *files)

    def over(self) -> None:
        """Wait until no turn runs."""
        expect(self.page.locator("#box button.submit-button")).to_be_visible()

    def new(self) -> None:
        """Begin another conversation."""
        self.page.locator("#conversations .new").click()
        expect(self.questions).to_have_count(0)

    def reply(self) -> str:
        """What the assistant said to the last message."""
        return self.replies.last.inner_text()

    def chunking(self, name: str) -> str:
        """How a stored file is cut, by the library page, which is left again."""
        self.page.locator("#library-view-button").click()
        row = self.page.locator("#documents tbody tr.is-completed", has_text=name)
        row.locator("button.open").click()
        facts = self.page.locator("#facts")
        expect(facts).to_contain_text(name)
        said = facts.inner_text()
        self.page.locator("#chat-view-button").click()
        return said

    def choices(self, of: str) -> Locator:
        """The choices of a chip above the box ("scope", "strategy", "saving"), opened."""
        choices = self.page.locator(f"#{of}-choices")
        if not choices.is_visible():
            self.page.locator(f"#chips [data-opens={of}]").click()
        expect(choices).to_be_visible()
        return choices

    def chip(self, of: str) -> Locator:
        return self.page.locator(f"#chips [data-opens={of}]")

    def details(self, panel: str) -> Locator:
        """A tab beside the last answer."""
        details = self.page.locator("#details")
        if details.is_visible():  # what is asked for would come after the tab was chosen
            # at once: the page may be closing it meanwhile, and takes the button away
            self.page.evaluate("document.querySelector('#close-details')?.click()")
            expect(details).to_be_hidden()
        self.page.locator('#chat a[href^="#evaluation/"]').last.click()
        expect(self.page.locator("#details-evaluation")).to_be_visible()
        self.page.locator(f"#details-{panel}-button").click()
        expect(self.page.locator(f"#details-{panel}")).to_be_visible()
        return self.page.locator(f"#details-{panel}")


def store(url: str, *names: str) -> None:
    """Files of `DATA` into the library of a program, by its door: how a person saves them is `Chat.save`."""
    for name in names:
        put(url, name, (DATA / name).read_text(encoding="utf-8"))


def put(url: str, name: str, content: str) -> None:
    """A text into the library of a program, by its door."""
    assert call(url, "add_document", name=name, content=content)["document"]["name"] == name


def call(url: str, service: str, **given: Any) -> dict[str, Any]:
    """What a service of a program answers, asked as other programs ask it."""
    body = json.dumps(given).encode()
    with urlopen(Request(f"{url}/services/{service}", body, {"Content-Type": "application/json"})) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def line_of(name: str, words: str) -> int:
    lines = (DATA / name).read_text(encoding="utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if words in line)


def cited_lines(reply: str) -> list[range]:
    """The lines that the sources of a reply name."""
    found = re.findall(r"(?:行|lines?) (\d+)(?:-(\d+))?", reply)
    return [range(int(first), int(last or first) + 1) for first, last in found]
