"""The page: tabs for the chat, the library, strategies side by side and the system. START READING HERE for the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr

from doors.services import Services
from graph.turns import Assistant
from ui.api import add_api
from ui.ask_bar import AskBarHandlers, build_ask_bar, connect_ask_bar
from ui.chat import build_chat, connect_chat
from ui.closing import ProgramEnd, build_closing, connect_closing
from ui.details import Panel, build_details, connect_details
from ui.evaluation_panel import EvaluationPanel
from ui.feedback import connect_feedback
from ui.gradio_internals.blocks import UploadsOnly, hide_status
from ui.gradio_internals.names import build_names
from ui.lab import build_lab, connect_lab
from ui.library_page import build_library, connect_library
from ui.plan_panel import PlanPanel
from ui.reader import Reader
from ui.sidebar import build_sidebar
from ui.strategies import build_strategies, connect_strategies
from ui.system import build_system, connect_system
from ui.tabs import connect_tabs
from ui.texts import translations
from ui.trace_panel import TracePanel

CSS = sorted(Path(__file__).parent.rglob("*.css"))
# In a narrow window, from the start or since it was made narrow, the open sidebar would cover the conversation.
FOLD_SIDEBAR = """() => {
    const narrow = matchMedia('(max-width: 768px)');
    const fold = () => { if (narrow.matches) document.querySelector('.sidebar.open .toggle-button')?.click(); };
    narrow.addEventListener('change', fold);
    fold();
}"""
# Of the system: what Gradio brings along lacks letters in its bold, and each would have to be fetched.
FONTS = ["-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "PingFang SC", "Microsoft YaHei",
         "Noto Sans CJK SC", "sans-serif"]  # fmt: skip
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Liberation Mono", "monospace"]
# White on it is read: 5.5 to 1, where Gradio's own has 3.7.
PRIMARY = {
    f"button_primary_{part}{hover}{dark}": f"*primary_{shade}"
    for part in ("background_fill", "border_color")
    for hover, shade in (("", 700), ("_hover", 800))
    for dark in ("", "_dark")
}


def build_page(assistant: Assistant, closing: ProgramEnd | None = None) -> tuple[UploadsOnly, dict[str, Any]]:
    """The page and what it must be mounted with (theme, style, translations)."""
    i18n, label = translations()
    with UploadsOnly(title="Citewise", fill_height=True, fill_width=True, delete_cache=(3600, 86400)) as page:
        # encrypts the conversation's id in the browser
        secret = assistant.shared.secret("browser-secret")
        thread = gr.BrowserState("", storage_key="citewise-conversation", secret=secret)
        bar = build_ask_bar(label, assistant.settings)
        conversations = build_sidebar(label, assistant.settings)
        # Tabs of one page: on a page of its own, looking at the library would end the turn that runs.
        with gr.Tabs(elem_id="views", overflow_behavior="wrap"):  # all of them in sight, whatever the width
            with (
                gr.Tab(label["chat"], id="chat", elem_id="chat-view", scale=1) as chat_tab,
                gr.Row(elem_id="chat-row", equal_height=True),
            ):
                with gr.Column(scale=6, min_width=320, elem_id="chat-column"):
                    chat = build_chat(label, secret, bar.row)
                details = build_details(label, _panels(assistant))
            with gr.Tab(label["library"], id="library", elem_id="library-view") as library_tab:
                shelf = build_library(label)
            with gr.Tab(label["strategies"], id="compare", elem_id="compare-view") as compare_tab:
                comparing = build_strategies(label)
            with gr.Tab(label["lab"], id="lab", elem_id="lab-view") as lab_tab:
                lab = build_lab(label)
            with gr.Tab(label["system"], id="system", elem_id="system-view") as system_tab:
                system = build_system(label)
                ending = build_closing(label) if closing and closing.allowed else None

        add_api(Services(assistant))
        connect_ask_bar(bar, AskBarHandlers(assistant.library, assistant.settings))
        connect_library(shelf, assistant, library_tab)
        connect_strategies(comparing, assistant, bar.strategy, compare_tab)
        connect_lab(lab, assistant, lab_tab, chat.asking, thread)
        connect_system(system, assistant, system_tab)
        if closing and ending:
            connect_closing(ending, closing)
        connect_details(details, assistant, thread)
        handlers = connect_chat(
            chat, bar, conversations, assistant, thread, page, (shelf.names.drawn, shelf.view.tree.drawn)
        )
        plan, evaluation = details.panels["plan"], details.panels["evaluation"]
        assert isinstance(plan, PlanPanel)
        assert isinstance(evaluation, EvaluationPanel)
        plan.connect(thread, chat, handlers, details)
        connect_feedback(evaluation, chat.chat, assistant, thread)
        page.load(None, js=FOLD_SIDEBAR)
        build_names()
        connect_tabs(
            page,
            {"": chat_tab, "library": library_tab, "compare": compare_tab, "lab": lab_tab, "system": system_tab},
            {"library": shelf.timer, "system": system.timer},
        )
    hide_status(page)
    return page, {"i18n": i18n, "theme": _theme(), "css_paths": CSS, "footer_links": [], "run_history": False}


def _panels(assistant: Assistant) -> dict[str, Callable[[dict[str, Any]], Panel]]:
    """Beside an answer: what each is made by, of its labels."""
    return {
        "source": lambda label: Reader(label, assistant),
        "plan": lambda label: PlanPanel(label, assistant),
        "trace": lambda label: TracePanel(label, assistant),
        "evaluation": lambda label: EvaluationPanel(label, assistant),
    }


def _theme() -> gr.Theme:
    theme = gr.themes.Base(primary_hue="teal", neutral_hue="slate", radius_size="md", font=FONTS, font_mono=MONO)
    return theme.set(**PRIMARY)
