"""The page's fixed texts in both languages; each part of the page has its own file here."""

from __future__ import annotations

import html
import re
from typing import Any

import gradio as gr

from schema import Language, Message
from ui.texts import answers, chat, compare, conversations, details, lab, library, system

TEXTS: dict[str, Message] = {
    key: message
    for part in (library, chat, conversations, details, answers, compare, lab, system)
    for key, message in part.TEXTS.items()
}


_chosen = re.compile(r"(?:^|;\s*)citewise-language=(zh|en)(?:;|$)")  # first.js writes it


def text(key: str, language: Language) -> str:
    return TEXTS[key].to(language)


def translations() -> tuple[gr.I18n, dict[str, Any]]:
    """All fixed texts for Gradio, which picks the browser's language, and the label of each by its key.

    Gradio takes any choice of a list that reads like a key for that text: a run named "before" would be shown as
    "Previous". So it has keys that nobody gives as a name.
    """
    zh, en = ({_key(key): message.to(language) for key, message in TEXTS.items()} for language in ("zh", "en"))
    i18n = gr.I18n(**{"en": en, "zh": zh, "zh-CN": zh, "zh-TW": zh, "zh-HK": zh})
    return i18n, {key: i18n(_key(key)) for key in TEXTS}


def _key(key: str) -> str:
    return f"citewise/{key}"


def page_language(request: gr.Request | None) -> Language:
    """The one chosen on the page, else what the browser asks for first; English where it asks for neither."""
    if request is None:
        return "en"
    if chosen := _chosen.search(request.headers.get("cookie") or ""):
        return "zh" if chosen[1] == "zh" else "en"
    header = request.headers.get("accept-language") or ""
    return "zh" if header.lower().startswith("zh") else "en"


def corner_message(message: Message, request: gr.Request) -> str:
    """A word in a corner of the page: Gradio shows it as HTML, and names of files are anybody's words."""
    return html.escape(message.to(page_language(request)), quote=False)
