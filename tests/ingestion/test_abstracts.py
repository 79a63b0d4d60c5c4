"""Abstracts of pairs by a model: written once for each text, checked, read beside the sources and in the tree."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from benchmarks.model_server import ModelServer, Reply, filled, model_server
from errors import ModelError
from graph.turns import Assistant
from ingestion import abstracts
from ingestion.abstracts import AbstractWriter, WrittenAbstract, checked_abstract
from nodes.events import Answered
from providers.llm import Chain
from retrieval.entity_contexts import abstract_sentences
from schema import Relation
from settings import Settings
from stores.forest import document_tree
from tests.graph.turn_cases import Script, assistant_of, of, purpose, say

GEAR = "The gear is a part of the windmill and made of oak."
MILL = f"# Windmill\n\n{GEAR} {'It turns slowly in the evening wind. ' * 12}\n"
TEXTS = {"mill.md": MILL, "copy.md": MILL, "bread.md": f"# Bread\n\n{'Rye is a kind of grain. ' * 20}\n"}


def relation(child: str, parent: str, quote: str) -> dict[str, str]:
    return {"child": child, "parent": parent, "quote": quote}


def written(request: dict[str, Any]) -> Reply:
    """A model that makes up half of its relations."""
    text = str(request["messages"][-1]["content"])
    made_up = relation("sail", "windmill", "The sail is a part of the windmill.")
    true = relation("Rye", "grain", "Rye is a kind of grain.") if "Rye" in text else relation("gear", "windmill", GEAR)
    return filled(request, {"reason": "r", "abstract": "About a thing of oak.", "relations": [made_up, true]})


def test_a_relation_counts_where_its_quote_is_literal_and_names_both() -> None:
    given = [
        relation("gear", "windmill", GEAR),
        relation("gear", "windmill", GEAR.replace(" is ", "\n is  ")),  # the same but for white space
        relation("gear", "windmill", "The gear is a part of the mill"),
        relation("sail", "windmill", GEAR),
        relation("gear", "gear", GEAR),
        relation("", "windmill", GEAR),
    ]
    form = WrittenAbstract.model_validate({"reason": "r", "abstract": " Oak.\n" * 400, "relations": given})
    found = checked_abstract(form, MILL)
    assert found.relations == (Relation("gear", "windmill", GEAR),)
    assert len(found.text) < 1_000
    assert found.text.startswith("Oak. Oak.")


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    with model_server(written) as server:
        yield server


@pytest.fixture
async def assistant(make_settings: Callable[..., Settings], server: ModelServer) -> AsyncIterator[Assistant]:
    settings = make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url, CITEWISE_WEB="never")
    async with assistant_of(settings) as assistant:
        for name, text in TEXTS.items():
            await assistant.library.add(name, text.encode())
        yield assistant


async def test_each_text_is_written_about_once(assistant: Assistant, server: ModelServer) -> None:
    store, busy = assistant.library.store, [True]
    writer = AbstractWriter(store, assistant.chain.model, lambda: busy[0])
    assert await writer.write_missing() == 0  # somebody wants something
    busy[0] = False
    assert await writer.write_missing() == 2  # of three documents: two say the same
    assert await writer.write_missing() == 0
    assert len(server.requests) == 2
    tree = document_tree(store, "mill.md")
    assert ("windmill", "gear") in tree.edges
    assert "sail" not in str(tree.edges)  # what a model made up is not there

    [chunk, *_] = store.chunks("mill.md")
    told = "Abstract by a model: About a thing of oak. (gear < windmill)"
    assert abstract_sentences([chunk.chunk_id], store, "en") == {chunk.chunk_id: told}
    chinese = "模型写的摘要：About a thing of oak.（上下级：gear < windmill）"
    assert abstract_sentences([chunk.chunk_id], store, "zh") == {chunk.chunk_id: chinese}
    assert abstract_sentences([10**6], store, "en") == {}
    await assistant.library.add("bread.md", b"# Bread\n\nWheat is a kind of grain. Rye is one as well.\n")
    assert await writer.write_missing() == 1
    assert len(store.abstracts([*_keys(store)])) == 2  # that of the older text is gone


def _keys(store: Any) -> set[str]:
    return {key for name in TEXTS for key in AbstractWriter(store, lambda: None, lambda: False)._pairs(name, "")}


async def test_without_a_model_or_with_one_that_fails(assistant: Assistant) -> None:
    assert await AbstractWriter(assistant.library.store, lambda: None, lambda: False).write_missing() == 0
    with model_server(lambda _: Reply(status=400)) as broken:
        settings = assistant.settings.model_copy(update={"llm_base_url": broken.base_url})
        chain = Chain(settings)
        with pytest.raises(ModelError):
            await AbstractWriter(assistant.library.store, chain.model, lambda: False).write_missing()
        await chain.close()


async def test_they_are_written_between_turns_and_read_in_them(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abstracts, "PAUSE", 0.02)
    answering = Script(answer="It is of oak [1].")

    def script(request: dict[str, Any]) -> Reply:
        return written(request) if "<passages-" in str(request["messages"][-1]["content"]) else answering(request)

    with model_server(script) as server:
        how = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": server.base_url, "CITEWISE_ABSTRACTS": "true"}
        async with assistant_of(make_settings(**how)) as assistant:
            await assistant.library.add("mill.md", MILL.encode())
            store = assistant.library.store
            [chunk, *_] = store.chunks("mill.md")
            while not abstract_sentences([chunk.chunk_id], store, "en"):
                await assistant.library.settle()
            events = await say(assistant, "Where is the gear of the windmill?", strategy="abstract", evaluate=False)
            [asked] = [one for one in server.requests if "<source-" in str(one) and purpose(one) == "answer"]
    assert "Abstract by a model: About a thing of oak." in str(asked["messages"][-1]).partition("cannot be cited")[2]
    [answered] = of(events, Answered)
    assert all("Abstract" not in hit.text for hit in answered.answer.sources)
