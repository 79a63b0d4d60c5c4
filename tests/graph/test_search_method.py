"""The path of seed 001 as presets: `search_method` of the calls for programs, and where names stand beside sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import citewise
from errors import CitewiseError
from nodes.events import Answered, PlanMade, Traced
from nodes.state import Record
from settings import Settings
from tests.graph.turn_cases import Script, of, purpose, say, talking
from text import count_tokens
from ui.trace_panel import trace_value

Make = Callable[..., Settings]

FILLER = "\n\n".join(f"## Part {n}\n\nThe seal of part {n} is made of felt number {n}." for n in range(12))
MANUAL = f"# Windmill\n\nThe windmill grinds corn.\n\n## Gear\n\nThe gear of the windmill is of oak.\n\n{FILLER}\n"
QUESTION = "What is the gear of the windmill made of?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[citewise.Citewise]:
    folder: Path = tmp_path_factory.mktemp("presets")
    with citewise.open(folder, web="never", embedding="hashing", text_chunk_size=120, text_chunk_overlap=0) as library:
        library.add_content("mill.md", MANUAL, doc_set="north")
        yield library


def test_the_baseline_has_passages_and_no_tree_knowledge(library: citewise.Citewise) -> None:
    found = library.retrieve(QUESTION, search_method=0)
    assert 0 < len(found["documents"]) <= 3
    assert found["tree_knowledge"] == ""
    assert "<context-" not in found["prompt"]


@pytest.mark.parametrize("method", [1, 7])
def test_names_stand_beside_the_passages_and_are_no_source(library: citewise.Citewise, method: int) -> None:
    found = library.retrieve(QUESTION, search_method=method)
    assert 0 < len(found["documents"]) <= 3
    assert "“gear” stands under: windmill < mill.md < north." in found["tree_knowledge"]
    assert "\n---\n" in found["tree_knowledge"]
    assert "The gear of the windmill is of oak." in found["tree_knowledge"]  # passages where the names stand
    assert found["tree_knowledge"] in found["prompt"].partition("cannot be cited")[2]
    assert found["tree_knowledge"] not in found["context"]
    flat = library.retrieve(QUESTION, search_method=method, max_hierarchy_depth=0)["tree_knowledge"]
    assert "“gear” stands under: mill.md < north." in flat


def test_as_many_as_are_asked_for_and_within_both_budgets(library: citewise.Citewise) -> None:
    assert len(library.search(QUESTION, search_method=0)) == 3
    assert len(library.search(QUESTION, search_method=0, top_k=5)) == 5
    assert library.search(QUESTION, search_method=7).strategy == "abstract"
    small = library.retrieve(QUESTION, search_method=7, max_context_length=100)
    assert 0 < count_tokens(small["tree_knowledge"]) <= 100
    assert len(small["documents"]) < len(library.retrieve(QUESTION, search_method=7)["documents"]) + 1


@pytest.mark.parametrize("wrong", [{"search_method": 8}, {"search_method": -1}, {"max_hierarchy_depth": 99}])
def test_what_does_not_fit_is_refused(library: citewise.Citewise, wrong: dict[str, int]) -> None:
    with pytest.raises(CitewiseError) as refused:
        library.retrieve(QUESTION, **wrong)
    assert next(iter(wrong)) in refused.value.message.en
    if "search_method" in wrong:
        with pytest.raises(CitewiseError):
            library.search(QUESTION, search_method=wrong["search_method"])


async def test_a_model_reads_names_beside_the_sources_of_abstract(make_settings: Make) -> None:
    """And the trace shows what it was given, word for word."""
    async with talking(make_settings, Script(answer="The gear is of oak [1].")) as (assistant, server):
        await assistant.library.add("mill.md", MANUAL.encode())
        events = await say(assistant, QUESTION, strategy="abstract", evaluate=False)
        [answered], traced = of(events, Answered), of(events, Traced)[-1]
        [sent] = [request for request in server.requests if purpose(request) == "answer"]
        plain = len(server.requests)
        while not any(one.asked for one in assistant.library.store.connected_names(9)):  # noted when all is said
            await assistant.library.settle()
        assert {one.name for one in assistant.library.store.connected_names(9) if one.asked} >= {"gear", "windmill"}
        await say(assistant, QUESTION, thread="other", strategy="hybrid", evaluate=False)
    told = sent["messages"][-1]["content"]
    background = told.partition("cannot be cited")[2]
    assert "“gear” stands under: windmill < mill.md." in background
    assert all(
        citation.source < len(answered.answer.sources)
        for one in answered.answer.statements
        for citation in one.citations
    )
    assert "stands under" not in str(server.requests[plain:])
    contexts = traced.trace.contexts
    assert any(one.fate == "kept" and one.similarity > 0 for one in contexts)
    assert "context" in [step.name for step in traced.trace.steps]
    record = Record(plan=of(events, PlanMade)[0].plan, answer=answered.answer, trace=traced.trace)
    for language, title in (("en", "Where the names of the question stand"), ("zh", "问题中名称的上下文")):
        sections = {one["title"]: one for one in trace_value(record, language)["sections"]}
        assert len(sections[title]["rows"]) == len(contexts)
    folded = next(one["folded"]["text"] for one in sections.values() if one.get("name") == "prompt")
    assert "“gear” stands under: windmill < mill.md." in folded
