"""The side of the chat follows the library and the models, whichever response arrives last."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from page_values import LABEL, PageValues

from graph.turns import Assistant
from schema import Chunking
from ui.scope_bar import ALL, build_scope_bar, in_force, sets_of
from ui.sidebar import Sidebar, SidebarHandlers, build_sidebar, read_controls

REQUEST: Any = SimpleNamespace(headers={"accept-language": "en-US"})


class Side:
    def __init__(self, assistant: Assistant) -> None:
        with gr.Blocks():
            self.side: Sidebar = build_sidebar(LABEL, assistant.settings, build_scope_bar(LABEL))
        self.assistant, self.does, self.at = assistant, SidebarHandlers(assistant), PageValues(*self.side.listing)

    def asks(self) -> Any:
        seen, health = (self.at.values[box] for box in (self.side.seen, self.side.health))
        return self.at.made(self.side.listing, self.does.refresh(seen, [], [], health, REQUEST))

    @property
    def names(self) -> list[str]:
        return [row[0] for row in self.at.values[self.side.files]["rows"]]


@pytest.fixture
async def side(make_settings: Any) -> AsyncIterator[Side]:
    assistant = await Assistant.open(make_settings())
    yield Side(assistant)
    await assistant.close()


async def test_an_older_list_that_arrives_last_does_not_stay(side: Side) -> None:
    older = side.asks()
    await side.assistant.library.add("a.md", b"# A\n\nTides turn twice a day.")
    side.at.arrives(side.asks())
    assert side.names == ["a.md"]
    side.at.arrives(older)
    assert side.names != ["a.md"]
    side.at.arrives(side.asks())
    assert side.names == ["a.md"]
    assert all(value == gr.skip() for _, value in side.asks())


async def test_what_is_stored_after_it_was_counted_is_shown(side: Side) -> None:
    side.at.arrives(side.asks())
    side.assistant.library.store.add_doc_set("HR")  # the library's own count has risen before
    side.at.arrives(side.asks())
    assert side.at.choices[side.side.sets][-1] == ("HR (0)", "=HR")


@pytest.mark.parametrize("foreign", ["", "{", "None", None])
async def test_a_note_of_another_hand_means_that_nothing_was_seen(side: Side, foreign: str | None) -> None:
    side.at.values |= {side.side.seen: foreign, side.side.health: foreign}
    assert all(value != gr.skip() for _, value in side.asks())


async def test_notes_are_short_however_much_is_shown(side: Side) -> None:
    side.at.arrives(side.asks())
    assert len(side.at.values[side.side.models]) > 24
    assert [len(side.at.values[box]) for box in (side.side.seen, side.side.health)] == [24, 24]


@pytest.mark.parametrize(("policy", "open_to_choice"), [("always", True), ("ask", True), ("never", False)])
async def test_the_policy_is_the_settings_before_the_page_has_loaded(
    make_settings: Any, policy: str, open_to_choice: bool
) -> None:
    assistant = await Assistant.open(make_settings(CITEWISE_WEB=policy))
    try:
        web = Side(assistant).side.web
        assert (web.value, web.interactive) == (policy, open_to_choice)
    finally:
        await assistant.close()


async def test_the_picker_offers_everything_and_each_set_and_says_what_is_in_force(side: Side) -> None:
    library = side.assistant.library
    for name, doc_set in (("a.md", "People"), ("b.md", "People"), ("c_1.md", "")):
        await library.add(name, f"# {name}\n\nTides turn twice a day.".encode(), doc_set=doc_set)
    side.at.arrives(side.asks())
    picker = side.side.sets
    assert side.at.choices[picker] == [("All", ALL), ("People (2)", "=People"), ("(no set) (1)", "=")]
    for chosen, sets in (([ALL], ()), ([], ()), (None, ()), ([ALL, "=People"], ("People",)), (["=People", ALL], ()),
                         (["=People", "="], ("People", ""))):  # fmt: skip
        assert sets_of(chosen) == sets
    assert in_force(library, (), (), "en") == "Searching everything: 3 documents"
    assert in_force(library, (), (), "zh") == "检索范围：全部 3 个文档"
    assert in_force(library, ("People",), (), "en") == "Only in set **People**: 2 documents"
    assert in_force(library, ("People",), ("c_1.md",), "zh") == "⚠ 只查文档集 **People** · 文件 **c\\_1.md**：0 个文档"
    many = in_force(library, (), ("a.md", "b.md", "c_1.md", "d.md"), "en")
    assert many == "Only in files **a.md, b.md, c\\_1.md** (4 in all): 3 documents"


async def test_a_set_that_is_gone_is_chosen_no_more(side: Side) -> None:
    library = side.assistant.library
    await library.add("a.md", b"# A", doc_set="People")
    for chosen, left in ((["=People"], None), (["=People", "=Gone"], ["=People"]), (["=Gone"], [ALL]), ([ALL], None)):
        [shown] = [
            value for part, value in zip(side.side.listing, side.does.refresh("", [], chosen, "", REQUEST), strict=True)
            if part is side.side.sets
        ]  # fmt: skip
        assert shown.get("value") == left


async def test_one_request_follows_the_library_and_the_models_that_search(side: Side) -> None:
    parts = [*side.side.listing, *side.side.embeddings.parts, *side.side.reranker.parts]
    at = PageValues(*parts, *side.side.followed)

    async def asks() -> list[tuple[Any, Any]]:
        noted = [at.values[part] for part in side.side.followed]
        response = at.made(parts, await side.does.follow(*noted, REQUEST))
        assert await side.does.news(*noted, REQUEST) == any(value != gr.skip() for _, value in response)
        return response

    at.arrives(await asks())
    assert at.values[side.side.reranker.shown]
    assert "No vectors yet" in at.values[side.side.embeddings.shown]
    assert all(value == gr.skip() for _, value in await asks())
    await side.assistant.library.add("a.md", b"# A\n\nTides turn twice a day.")
    await side.assistant.library.embed_now()
    at.arrives(await asks())
    assert "No vectors yet" not in at.values[side.side.embeddings.shown]
    assert [row[0] for row in at.values[side.side.files]["rows"]] == ["a.md"]


def test_a_size_is_counted_in_the_unit_that_is_chosen() -> None:
    chosen = read_controls("zh", "", None, "fixed", 256, 32, [], [], "", "", "tokens")
    assert chosen.chunking == Chunking(strategy="fixed", size=256, overlap=32, unit="tokens")
    assert read_controls("zh", "", None, "", 0, 0, [], [], "", "", "").chunking == Chunking()
