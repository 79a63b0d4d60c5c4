"""Language and look: both follow the browser until a person chooses; the choice is a cookie that first.js reads."""

from __future__ import annotations

import gradio as gr

from schema import Language
from ui.scripted_html import scripted_html
from ui.texts import text


def build_preferences() -> gr.HTML:
    """Two small rows of buttons: language, look."""
    return scripted_html("preferences", value={"zh": _words("zh"), "en": _words("en")}, elem_id="preferences")


def _words(language: Language) -> dict[str, object]:
    looks = [[value, text(f"look_{value or 'system'}", language)] for value in ("light", "dark", "")]
    return {
        "language": {"label": text("language", language), "options": [["zh", "中文"], ["en", "English"]]},
        "look": {"label": text("look", language), "options": looks},
    }
