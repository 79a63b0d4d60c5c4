"""Parts of the page that a script draws: templates of gr.HTML would evaluate "${...}" in what they are filled with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

_HERE = Path(__file__).parent


def scripted_html(name: str, **how: Any) -> gr.HTML:
    """A part whose value `name`.js draws, with what make.js gives it; "<a ${b}" is text in it."""
    script = "\n".join((_HERE / f"{part}.js").read_text(encoding="utf-8") for part in ("make", name))
    return gr.HTML(html_template="<div></div>", js_on_load=script, apply_default_css=False, **how)
