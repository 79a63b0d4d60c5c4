"""The chips above the box follow the library and the choices, whichever response arrives last."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from page_values import LABEL, PageValues

from graph.turns import Assistant
from nodes.state import Controls
from schema import Chunking, Scope
from ui.ask_bar import ALL, AskBar, AskBarHandlers, build_ask_bar, chips_value, in_force, read_controls, sets_of

REQUEST: Any = SimpleNamespace(headers={"accept-language": "en-US"})


class Bar:
    def __init__(self, assistant: Assistant) -> None:
        with gr.Blocks():
            self.bar: AskBar = build_ask_bar(LABEL, assistant.settings)
        self.assistant, self.at = assistant, PageValues(*self.bar.listing)
        self.does = AskBarHandlers(assistant.library, assistant.settings)

    async def asks(self, sets: list[str] | None = None) -> Any:
        noted = (self.at.values[self.bar.seen], [], sets or [])
        response = self.at.made(self.bar.listing, await self.does.follow(*noted, REQUEST))
        assert await self.does.news(*noted) == any(value != gr.skip() for _, value in response)
        return response

    @property
    def names(self) -> list[str]:
        return [name for _, name in self.at.choices[self.bar.scope]]


@pytest.fixture
async def bar(make_settings: Any) -> AsyncIterator[Bar]:
    assistant = await Assistant.open(make_settings())
    yield Bar(assistant)
    await assistant.close()


async def test_an_older_list_that_arrives_last_does_not_stay(bar: Bar) -> None:
    older = await bar.asks()
    await bar.assistant.library.add("a.md", b"# A\n\nTides turn twice a day.")
    bar.at.arrives(await bar.asks())
    assert bar.names == ["a.md"]
    bar.at.arrives(older)
    assert bar.names != ["a.md"]
    bar.at.arrives(await bar.asks())
    assert bar.names == ["a.md"]
    assert all(value == gr.skip() for _, value in await bar.asks())


async def test_what_is_stored_after_it_was_counted_is_shown(bar: Bar) -> None:
    bar.at.arrives(await bar.asks())
    bar.assistant.library.store.add_doc_set("HR")  # the library's own count has risen before
    bar.at.arrives(await bar.asks())
    assert bar.at.choices[bar.bar.sets][-1] == ("HR (0)", "=HR")


@pytest.mark.parametrize("foreign", ["", "{", "None", None])
async def test_a_note_of_another_hand_means_that_nothing_was_seen(bar: Bar, foreign: str | None) -> None:
    bar.at.values |= {bar.bar.seen: foreign}
    assert all(value != gr.skip() for _, value in await bar.asks())


async def test_notes_are_short_however_much_is_shown(bar: Bar) -> None:
    bar.at.arrives(await bar.asks())
    assert len(bar.at.values[bar.bar.seen]) == 24


@pytest.mark.parametrize(("policy", "open_to_choice"), [("always", True), ("ask", True), ("never", False)])
async def test_the_policy_is_the_settings_before_the_page_has_loaded(
    make_settings: Any, policy: str, open_to_choice: bool
) -> None:
    assistant = await Assistant.open(make_settings(CITEWISE_WEB=policy))
    try:
        web = Bar(assistant).bar.web
        assert (web.value, web.interactive) == (policy, open_to_choice)
    finally:
        await assistant.close()


async def test_the_picker_offers_everything_and_each_set_and_the_chip_says_what_is_in_force(bar: Bar) -> None:
    library = bar.assistant.library
    for name, doc_set in (("a.md", "People"), ("b.md", "People"), ("c_1.md", "")):
        await library.add(name, f"# {name}\n\nTides turn twice a day.".encode(), doc_set=doc_set)
    bar.at.arrives(await bar.asks())
    assert bar.at.choices[bar.bar.sets] == [("All", ALL), ("People (2)", "=People"), ("(no set) (1)", "=")]
    for chosen, sets in (([ALL], ()), ([], ()), (None, ()), ([ALL, "=People"], ("People",)), (["=People", ALL], ()),
                         (["=People", "="], ("People", ""))):  # fmt: skip
        assert sets_of(chosen) == sets
    assert in_force(library, (), (), "en") == "All 3 documents"
    assert in_force(library, (), (), "zh") == "全部 3 个文档"
    assert in_force(library, ("People",), (), "en") == "People · 2 documents"
    assert in_force(library, ("People",), ("c_1.md",), "zh") == "⚠ People · c_1.md · 0 个文档"
    many = ("a.md", "b.md", "c_1.md", "d.md")
    assert in_force(library, (), many, "en") == "a.md + 3 more · 3 documents"
    assert in_force(library, (), many, "zh") == "a.md 等 4 个 · 3 个文档"


async def test_a_set_that_is_gone_is_chosen_no_more(bar: Bar) -> None:
    library = bar.assistant.library
    await library.add("a.md", b"# A", doc_set="People")
    for chosen, left in ((["=People"], None), (["=People", "=Gone"], ["=People"]), (["=Gone"], [ALL]), ([ALL], None)):
        [shown] = [value for part, value in await bar.asks(chosen) if part is bar.bar.sets]
        assert shown.get("value") == left


async def test_chips_say_what_is_chosen_and_stand_out_where_it_is_not_the_usual(bar: Bar) -> None:
    library, settings = bar.assistant.library, bar.assistant.settings
    usual = chips_value(Controls(), library, settings, "en")["chips"]
    assert usual == [
        ["scope", "All 0 documents", False],
        ["strategy", "Strategy · automatic", False],
        ["saving", "Saving · automatic", False],
    ]
    chosen = read_controls("zh", "keyword", "always", "fixed", 256, 32, ["a.md"], [ALL], "人事", "en", "tokens")
    shown = chips_value(chosen, library, settings, "zh")["chips"]
    assert [own for _, _, own in shown] == [True] * 3
    assert shown[1][1] == "检索策略 · 关键词检索（BM25） · English · 联网 总是搜索"
    assert shown[2][1].endswith("→ 人事")
    assert "256" in shown[2][1]


def test_a_size_is_counted_in_the_unit_that_is_chosen() -> None:
    chosen = read_controls("zh", "", None, "fixed", 256, 32, [], [], "", "", "tokens")
    assert chosen.chunking == Chunking(strategy="fixed", size=256, overlap=32, unit="tokens")
    assert chosen.scope == Scope()
    assert read_controls("zh", "", None, "", 0, 0, [], [], "", "", "").chunking == Chunking()
