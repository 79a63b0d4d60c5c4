"""Names in Chinese for what Gradio's own parts call themselves in English only; names.js gives them."""

from __future__ import annotations

import gradio as gr

from ui.scripted_html import scripted_html
from ui.texts.gradio import NAMES, TEXTS


def build_names() -> gr.HTML:
    own = {key: {"zh": message.zh, "en": message.en} for key, message in TEXTS.items()}
    return scripted_html("names", value={"zh": NAMES, "own": own}, elem_id="names", visible="hidden")
