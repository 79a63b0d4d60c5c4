"""The page as a whole: what holds for the events of all its parts."""

from __future__ import annotations

from typing import Any

import gradio as gr

from tests.graph.turn_cases import assistant_of
from ui.page import build_page
from ui.texts import TEXTS, answers, chat, compare, conversations, details, lab, library, system, translations

# What may be dropped while the same still runs: to end an editing twice is to end it once, to load more likewise.
HARMLESS = {"cancelled", "more"}


async def test_no_choice_is_dropped_while_the_one_before_still_runs(make_settings: Any) -> None:
    async with assistant_of(make_settings()) as assistant:
        page, _ = build_page(assistant)
    chosen = [
        (event, str(page.blocks[part].elem_id), does.trigger_mode)
        for does in page.fns.values() if does.fn is not None
        for part, event in does.targets
        if part in page.blocks and (type(page.blocks[part]).__name__ == "HTML" or event in ("input", "like"))
    ]  # fmt: skip
    assert {event for event, _, _ in chosen} > {"renamed", "removed", "opened", "followed", "input", "like"}
    dropped = [(event, part) for event, part, mode in chosen if mode == "once" and event not in HARMLESS]
    assert dropped == []


async def test_a_page_at_rest_asks_by_one_timer_for_one_word(make_settings: Any) -> None:
    async with assistant_of(make_settings()) as assistant:
        page, _ = build_page(assistant)
    ticking = {number for number, part in page.blocks.items() if isinstance(part, gr.Timer) and part.active}
    asking = [does for does in page.fns.values() if any(part in ticking for part, _ in does.targets)]
    assert len(ticking) == len(asking) == 1
    assert [type(part) for part in asking[0].outputs] == [gr.Textbox]


async def test_events_in_the_background_tell_their_progress_to_the_chat_alone(make_settings: Any) -> None:
    async with assistant_of(make_settings()) as assistant:
        page, _ = build_page(assistant)
    hidden = [does for does in page.fns.values() if does.show_progress == "hidden"]
    assert len(hidden) > 60
    told = {
        type(part)
        for does in hidden
        for part in (does.outputs if does.show_progress_on is None else does.show_progress_on)
    }
    assert told == {gr.Chatbot}


def test_no_two_texts_of_the_page_share_a_name() -> None:
    parts = (library, chat, conversations, details, answers, compare, lab, system)
    assert len(TEXTS) == sum(len(part.TEXTS) for part in parts)


def test_no_name_that_a_person_gives_is_the_key_of_a_text() -> None:
    """Gradio shows a choice that is one in the words of that text."""
    i18n, label = translations()
    keys = {one.key for one in label.values()}
    assert all(keys == texts.keys() for texts in i18n.translations_dict.values())
    assert all(key.startswith("citewise/") for key in keys)
