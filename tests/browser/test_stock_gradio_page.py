"""What stock Gradio does in a browser, for each repair of `ui/gradio_internals`, and what it does with the repairs.

Where a test fails for the stock page, a repair may go; where it fails for the other, it must be made anew.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import gradio as gr
import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Error as PlaywrightError

from tests.browser.chat import LOOK, profile
from ui.gradio_internals.blocks import UploadsOnly, hide_status
from ui.gradio_internals.mount import mount_page
from ui.gradio_internals.names import NAMES, build_names

pytestmark = pytest.mark.browser

SHOWN = ["Toggle Sidebar", "chatbot conversation", "Liked", "Multimedia input field", "Upload a file", "Submit"]
MENDED = Path(__file__).parents[2] / "ui" / "gradio_internals" / "gradio.css"
HIDDEN = re.compile(r"(^|\s)hide(\s|$)")
SEEN = threading.Event()  # that an event has begun
# Below all that the page puts around them: frames that are asked for, words that are copied one by one, events whose
# number the page knows, and the end of a stream that comes late.
SPY = """
globalThis.ticks = 0;
globalThis.words = 0;
globalThis.streams = 0;
globalThis.joined = 0;
globalThis.held = new Promise(free => { globalThis.free = free; });
const frame = requestAnimationFrame.bind(window), fetched = fetch.bind(window);
window.requestAnimationFrame = step => {
    if (String(step).includes('performance.now()-')) ticks += 1;
    return frame(step);
};
const clone = structuredClone;
window.structuredClone = value => {
    if (typeof value === 'string') words += 1;
    return clone(value);
};
window.fetch = async (...asked) => {
    const answer = await fetched(...asked);
    if (/queue\\/join/.test(asked[0].url ?? asked[0])) {
        const read = answer.json.bind(answer);
        answer.json = async () => {
            const event = await read();
            setTimeout(() => { joined += 1; });  // when the page has done what it does at once with it
            return event;
        };
    }
    if (!/queue\\/data/.test(asked[0].url ?? asked[0])) return answer;
    streams += 1;
    const late = new TransformStream({async transform(part, out) {
        const words = new TextDecoder().decode(part), end = words.indexOf('data: {"msg":"close_stream"');
        if (end < 0) { out.enqueue(part); return; }
        out.enqueue(new TextEncoder().encode(words.slice(0, end)));
        globalThis.atEnd = true;
        await held;
        out.enqueue(new TextEncoder().encode(words.slice(end)));
    }});
    return new Response(answer.body.pipeThrough(late), {status: answer.status, headers: answer.headers});
};
"""


def look() -> Iterator[tuple[object, str]]:
    SEEN.clear()
    yield gr.skip(), "begun"
    SEEN.wait(timeout=200)
    yield gr.skip(), "over"


def build() -> UploadsOnly:
    with UploadsOnly() as page:
        with gr.Sidebar():
            gr.Markdown("aside")
        said = [{"role": "user", "content": "asked"}, {"role": "assistant", "content": "said"}]
        chat = gr.Chatbot(said, feedback_options=("Like", "Dislike"), elem_id="chat")  # type: ignore[arg-type]
        chat.like(lambda: None, None, None)
        gr.MultimodalTextbox(elem_id="box")
        with gr.Row():
            gr.Dropdown(["a"], interactive=True, allow_custom_value=True, elem_id="scope")
            other = gr.Textbox(elem_id="other")
        first, second = gr.HTML("-", elem_id="first"), gr.HTML("-", elem_id="second")
        one, two = gr.Button("one", elem_id="one"), gr.Button("two", elem_id="two")
        one.click(lambda: "done", None, first)
        two.click(lambda: "done, too", None, second)
        quiet = gr.HTML("at rest", elem_id="quiet")
        gr.Button("look", elem_id="look").click(look, None, [quiet, other], show_progress="hidden")
    return page


@contextmanager
def served(site: FastAPI) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(site, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://localhost:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module", params=["stock", "mended"])
def stock(request: pytest.FixtureRequest) -> bool:
    return request.param == "stock"


@pytest.fixture(scope="module")
def url(stock: bool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("uploads")))
        patch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
        page, site = build(), FastAPI()
        if stock:
            gr.mount_gradio_app(site, page, path="/")
        else:
            with page:
                build_names()
            hide_status(page)
            mount_page(site, page, nullcontext, css_paths=[MENDED])
        with served(site) as url:
            yield url


def opened(browser: Browser, url: str, **cookies: str) -> Page:
    """In a profile that lasts, without what another page has left in it but the scripts."""
    context = profile(browser, "stock", locale="zh-CN", color_scheme="light")
    context.clear_cookies()
    context.add_cookies([{"name": f"citewise-{name}", "value": value, "url": url} for name, value in cookies.items()])
    page = context.new_page()
    page.add_init_script(SPY)
    page.goto(url)
    page.locator("#box textarea").wait_for()
    return page


def test_language_and_look_are_those_of_the_browser(browser: Browser, url: str, stock: bool) -> None:
    page = opened(browser, url, language="en", look="dark")
    expect(page.locator(f"#chat button[aria-label={'赞' if stock else 'Like'}]")).to_be_attached()
    expect(page.locator("body.dark")).to_have_count(0 if stock else 1)


def test_each_repair_on_a_page(browser: Browser, url: str, stock: bool) -> None:
    page = opened(browser, url)
    a_list_stays_open_where_a_name_was_typed_and_left_at_once(page, stock)
    if stock:  # a clock that nobody sees is drawn on every frame
        page.wait_for_function("ticks > 60", polling=LOOK)
    an_event_that_begins_while_the_stream_ends_is_lost(page, stock)
    if not stock:
        assert page.evaluate("ticks") == 0
    names_are_english_on_a_chinese_page(page, stock)


def names_are_english_on_a_chinese_page(page: Page, stock: bool) -> None:
    page.locator("#chat button[aria-label=赞]").dispatch_event("click")
    for name in SHOWN:
        words = name if stock else NAMES[name] if name != "Multimedia input field" else "消息"
        expect(page.locator(f"[aria-label='{words}']").first).to_be_attached()


def an_event_that_begins_while_the_stream_ends_is_lost(page: Page, stock: bool) -> None:
    page.locator("#one").click()
    expect(page.locator("#first")).to_contain_text("done")
    page.wait_for_function("globalThis.atEnd")
    before = page.evaluate("joined")
    page.locator("#two").click()
    page.wait_for_function("before => joined > before", arg=before)
    page.evaluate("free()")
    if stock:
        for _ in range(20):  # looks, each a way to the server and back
            page.evaluate("fetch('gradio_api/app_id').then(() => null)")
        assert page.evaluate("streams") == 1
        expect(page.locator("#second")).to_contain_text("-")
    else:
        expect(page.locator("#second")).to_contain_text("done")


def a_list_stays_open_where_a_name_was_typed_and_left_at_once(page: Page, stock: bool) -> None:
    page.locator("#scope input").evaluate("""field => {
        field.focus();
        field.dispatchEvent(new KeyboardEvent('keydown', {key: 'b', bubbles: true}));
        field.blur();
    }""")
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(page.locator("#scope [role=listbox]").filter(visible=True)).to_have_count(1 if stock else 0)


def test_hidden_progress_is_told_to_every_output(browser: Browser, url: str, stock: bool) -> None:
    page = opened(browser, url)
    page.evaluate("free()")
    expect(page.locator("#quiet")).to_be_attached()
    page.evaluate("""() => {
        globalThis.changes = 0;
        const all = {subtree: true, childList: true, attributes: true, characterData: true};
        new MutationObserver(found => { changes += found.length; }).observe(document.querySelector('#quiet'), all);
    }""")
    page.locator("#look").click()
    expect(page.locator("#other textarea")).to_have_value("begun")
    if stock:
        page.wait_for_function("changes > 0")
    SEEN.set()
    expect(page.locator("#other textarea")).to_have_value("over")
    assert (page.evaluate("changes") > 0) is stock
    assert (page.evaluate("words") > 0) is stock  # of all that was ever told, the value, too
    assert page.evaluate("(one => structuredClone(one)[0] !== one[0])([{word: 'copied'}])")
    with pytest.raises(PlaywrightError, match=r"DataCloneError|could not be cloned|no copy"):
        page.evaluate("structuredClone(() => 1)")


def test_a_part_that_has_heard_it_is_told_again(browser: Browser, url: str, stock: bool) -> None:
    page = opened(browser, url)
    page.evaluate("free()")
    page.locator("#one").click()
    expect(page.locator("#first")).to_contain_text("done")
    expect(page.locator("#first [data-testid=status-tracker]")).to_have_class(HIDDEN)  # it has heard that it is over
    page.evaluate("""() => {
        globalThis.copies = 0;
        const clone = structuredClone;
        window.structuredClone = value => { copies += value === 'done'; return clone(value); };
    }""")
    page.locator("#two").click()
    expect(page.locator("#second")).to_contain_text("done")
    assert (page.evaluate("copies") > 1) is stock  # of what the first part holds; once it hears that its times are over
    if not stock:
        what_it_has_not_heard_it_is_told(page)


def what_it_has_not_heard_it_is_told(page: Page) -> None:
    told = page.evaluate("""() => {
        const part = () => null, other = () => null, now = {status: 'pending', progress: undefined}, heard = [];
        const tell = (to, what) => heard.push(citewise.hasHeard(to, what));
        tell(part, {loading_status: now});
        tell(part, {loading_status: {status: 'pending', progress: null}});
        tell(other, {loading_status: now});
        tell(undefined, {loading_status: now});
        tell(part, {value: 1});
        tell(part, {loading_status: now, value: 1});
        tell(part, {loading_status: now});
        now.status = 'complete';  // as Gradio does it, in place
        tell(part, {loading_status: now});
        tell(part, {loading_status: now});
        tell(part, {loading_status: {}});
        return heard;
    }""")
    assert told == [False, True, False, False, False, False, True, False, True, False]
