"""The tabs of the page: the address names the one that is open, and what a tab shows is followed only while it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import gradio as gr

# The first tab is selected while the page still loads: what the address says is not read yet.
_NOTE = "() => {{ if (globalThis.tabOpened) history.replaceState(history.state, '', '#{}'); return [] }}"
# As it was left, by its button. From now on the address follows the tabs.
OPEN = """() => {
    globalThis.tabOpened = true;
    const name = location.hash.slice(1);
    if (/^[a-z]+$/.test(name)) document.querySelector(`#${name}-view-button`)?.click();
}"""


def connect_tabs(page: gr.Blocks, tabs: Mapping[str, gr.Tab], timers: Mapping[str, gr.Timer]) -> None:
    """`tabs` by the names that the address has for them, "" the first one; `timers` by the same names."""
    for name, tab in tabs.items():
        tab.select(
            partial(_only, name, tuple(timers)), None, list(timers.values()), js=_NOTE.format(name),
            show_progress="hidden", api_visibility="private",
        )  # fmt: skip
    page.load(None, js=OPEN)


def _only(name: str, timers: Sequence[str]) -> list[gr.Timer]:
    return [gr.Timer(active=one == name) for one in timers]
