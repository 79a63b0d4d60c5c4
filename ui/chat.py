"""The chat: its components, and which event does what (chat_events.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from graph.turns import Assistant
from ui.ask_bar import AskBar
from ui.chat_events import ChatHandlers
from ui.scripted_html import scripted_html
from ui.turn_display import READY, SHOW_LAST, SHOW_QUESTION

OPENED = "name => globalThis.openedConversation || name"  # as conversations.js has it
REMEMBER_TYPED = "box => box?.text || ' '"  # it survives a reload; what is empty, Gradio would not store


@dataclass(frozen=True)
class ChatPanel:
    chat: gr.Chatbot
    box: gr.MultimodalTextbox
    asking: gr.HTML  # a question that is edited, the choice of another strategy (asking.js)
    typed: gr.BrowserState
    failed: gr.State  # what was sent in a turn that failed; on the server, since it names files


def build_chat(label: dict[str, Any], secret: str, bar: gr.Row) -> ChatPanel:
    """`bar` is rendered between the conversation and the message box."""
    chat = gr.Chatbot(
        label=label["chat"], show_label=False, elem_id="chat", height="100%", buttons=[],
        autoscroll=False, feedback_options=("Like", "Dislike"), allow_tags=False,
        latex_delimiters=[  # not "\\[": the markers of citations stand in such brackets
            {"left": "$$", "right": "$$", "display": True},
            {"left": r"\(", "right": r"\)", "display": False},
        ],
    )  # fmt: skip
    asking = scripted_html("asking", elem_id="asking")
    bar.render()  # type: ignore[no-untyped-call]
    # Any kind of file: what cannot be read is refused with the reason, for one file and not for the whole message.
    box = gr.MultimodalTextbox(
        file_count="multiple", elem_id="box", show_label=False, label=label["box"],
        max_plain_text_length=20_000, autofocus=True,
    )  # fmt: skip
    return ChatPanel(chat, box, asking, gr.BrowserState("", storage_key="citewise-typed", secret=secret), gr.State())


def connect_chat(
    panel: ChatPanel,
    bar: AskBar,
    listing: gr.HTML,
    assistant: Assistant,
    thread: gr.BrowserState,
    page: gr.Blocks,
    names: Sequence[gr.HTML] = (),
) -> ChatHandlers:
    """`names` are parts of the page that ask about a name."""
    chat, box, asking = panel.chat, panel.box, panel.asking
    handlers = ChatHandlers(assistant)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    each: dict[str, Any] = {"trigger_mode": "multiple", **quiet}  # by default what comes while one runs is dropped
    running: dict[str, Any] = {"concurrency_limit": 16, **each}
    shown = [chat, box, thread, listing, asking, panel.failed]

    loaded = page.load(
        handlers.load, [thread, panel.typed],
        [thread, chat, bar.strategy, bar.web, bar.chunker, box, listing, asking, bar.unit, *bar.listing], **quiet,
    )  # fmt: skip
    loaded.then(None, js=SHOW_LAST)
    loaded.then(handlers.resume, thread, shown, **running)
    box.change(None, box, panel.typed, js=REMEMBER_TYPED)

    for asked in (box.submit, chat.option_select, chat.example_select, asking.again, *(one.asked for one in names)):
        asked(None, js=SHOW_QUESTION)
    turns = [
        box.submit(handlers.sent, [box, asking, thread, *bar.controls], shown, **running),
        chat.option_select(handlers.choose, [thread, *bar.controls], shown, **running),
        chat.example_select(handlers.example, [thread, *bar.controls], shown, **running),
        asking.again(handlers.asked_again, [thread, *bar.controls], shown, **running),
        *(one.asked(handlers.about, [thread, *bar.controls], shown, **running) for one in names),
    ]
    for turn in turns:
        turn.failure(lambda: READY, None, box, **quiet)
    turns[0].then(handlers.give_back, [panel.failed, box], box, **quiet)
    bar.seen.change(handlers.examples, None, chat, **quiet)
    asking.edited(handlers.edit, thread, [box, asking], trigger_mode="always_last", **quiet)
    asking.cancelled(handlers.no_edit, None, [box, asking], **quiet)
    box.stop(handlers.stop, thread, box, **quiet)
    for left in (listing.opened, listing.removed):
        left(None, thread, thread, js=OPENED)  # at once: what is asked from now on is asked there
    listing.opened(handlers.open, None, shown, **running).then(None, js=SHOW_LAST)
    listing.removed(handlers.remove, thread, shown, **each)
    listing.renamed(handlers.list.rename, thread, listing, **each)
    listing.searched(handlers.list.search, thread, listing, trigger_mode="always_last", **quiet)
    return handlers
