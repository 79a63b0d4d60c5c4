"""What stands above and beneath the names of a question."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from entities import ChunkNames
from providers.base import Embedder
from providers.tfidf import fit
from retrieval.entity_contexts import MOST_PLACES, Lookup, entity_contexts, search_entity_info
from retrieval.lookups import METHODS
from retrieval.lookups.library import places_by
from schema import EVERYWHERE, Chunk, Chunking, Document, Scope
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from stores.problems import SpaceChanged
from text import count_tokens, search_tokens

QUESTION = "Where is the gear of Otto Brandt and the windmill?"
PAGES: dict[tuple[str, str], list[tuple[str, str, ChunkNames]]] = {  # of each chunk its headings, text and names
    ("mills.md", "north"): [
        ("Machines", "All machines of the north.", ChunkNames(("machines", "mills"))),
        ("Machines>Windmill", "The windmill grinds corn with wind.", ChunkNames(("windmill",), ("otto brandt",))),
        ("Machines>Windmill>Sails", "Four sails turn the gear.", ChunkNames(("sails",))),
        ("Machines>Windmill>Gear", "The gear is of oak.", ChunkNames(("gear",))),
        ("Machines>Pump", "A pump lifts water.", ChunkNames(("pump",))),
    ],
    ("people.md", ""): [("Brandt", "Otto Brandt built a mill of stone.", ChunkNames(("brandt",), ("otto brandt",)))],
    ("copy.md", ""): [("Brandt", "Otto Brandt built a mill of stone!", ChunkNames(("people",), ("otto brandt",)))],
    ("风车.md", ""): [("风车>齿轮", "齿轮是橡木做的。", ChunkNames(("齿轮",), ("南京",)))],
}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return fit([text for page in PAGES.values() for _, text, _ in page], 64)


@pytest.fixture(scope="module")
def store(embedder: Embedder) -> Iterator[EmbeddedStore]:
    store = EmbeddedStore()
    store.swap_space(embedder.space, [], embedder.embed([]))
    for (name, doc_set), page in PAGES.items():
        chunks, start = [], 0
        for line, (path, text, _) in enumerate(page, 1):
            chunks.append(Chunk(text, start, start + len(text), line, line, tuple(path.split(">"))))
            start += len(text) + 1
        texts = [text for _, text, _ in page]
        document = Document(name, "\n".join(texts), doc_set)
        terms, vectors = [" ".join(search_tokens(text)) for text in texts], embedder.embed(texts)
        names = [names for *_, names in page]
        store.put(DocumentBatch(document, Chunking(), chunks, terms, vectors, embedder.space.key, names=names))
    yield store
    store.close()


def own(store: EmbeddedStore, scope: Scope = EVERYWHERE) -> Lookup:
    return partial(store.name_places, most=MOST_PLACES, scope=scope)


def sentences(store: EmbeddedStore, question: str, depth: int = 3, lookup: Lookup | None = None) -> list[str]:
    language = "en" if question.isascii() else "zh"
    infos = search_entity_info(question, store, lookup or own(store), depth)
    return sorted(info.sentence(language) for info in infos)


def test_each_place_has_what_stands_above_and_beneath_it(store: EmbeddedStore) -> None:
    windmill = "“{}” stands under: machines < mills.md < north. Beneath it: sails, gear{}."
    gear = "“gear” stands under: windmill < machines < mills.md < north."
    assert sentences(store, "What is a windmill?") == [windmill.format("windmill", ", otto brandt")]
    assert sentences(store, "the gear") == [gear]
    assert sentences(store, QUESTION) == sorted(
        [
            gear,
            windmill.format("otto brandt, windmill", ""),
            "“otto brandt” stands under: brandt < people.md.",
            "“otto brandt” stands under: brandt < copy.md.",
        ]
    )
    assert sentences(store, "齿轮在哪里？") == ["“齿轮”见于：风车.md。其下有：南京。"]
    assert sentences(store, "an unknown thing") == []


def test_the_depth_bounds_the_way_up_and_down(store: EmbeddedStore) -> None:
    assert sentences(store, "gear", 1) == ["“gear” stands under: windmill < mills.md < north."]
    assert sentences(store, "gear", 0) == ["“gear” stands under: mills.md < north."]
    assert "windmill, sails" in sentences(store, "machines", 2)[0]
    assert "sails" not in sentences(store, "machines", 1)[0]


@pytest.mark.parametrize("method", range(1, len(METHODS)))
def test_every_lookup_finds_the_same(store: EmbeddedStore, method: int) -> None:
    for scope in (EVERYWHERE, Scope(doc_sets=("north",))):
        by_method = partial(places_by, method, store, scope=scope)
        assert sentences(store, QUESTION, lookup=by_method) == sentences(store, QUESTION, lookup=own(store, scope))


def test_a_lookup_follows_the_library(embedder: Embedder) -> None:
    store = EmbeddedStore()
    store.swap_space(embedder.space, [], embedder.embed([]))

    def put(text: str) -> None:
        terms, vectors = [" ".join(search_tokens(text))], embedder.embed([text])
        chunks = [Chunk(text, 0, len(text), 1, 1)]
        store.put(DocumentBatch(Document("a.md", text), Chunking(), chunks, terms, vectors, embedder.space.key))

    try:
        put("The mayor of Lund.")
        assert places_by(7, store, ["lund", "arden"]).keys() == {"lund"}
        put("The mayor of Arden.")
        assert places_by(7, store, ["lund", "arden"]).keys() == {"arden"}
    finally:
        store.close()


def test_the_nearest_are_read_once_each_within_the_budget(store: EmbeddedStore, embedder: Embedder) -> None:
    infos, vector = search_entity_info(QUESTION, store, own(store)), embedder.embed_question(QUESTION)
    contexts = entity_contexts(infos, vector, store, "en", 1_000)
    assert [one.fate for one in contexts] == ["kept", "kept", "kept", "duplicate"]
    similarities = [one.similarity for one in contexts[:3]]
    assert similarities == sorted(similarities, reverse=True)
    assert {"people.md" in contexts[-1].text, "copy.md" in contexts[-1].text} == {True, False}
    first = count_tokens(contexts[0].text)
    tight = entity_contexts(infos, vector, store, "en", first + 5)
    assert [one.fate for one in tight] == ["kept", "limit", "limit", "duplicate"]
    blind = entity_contexts(infos, None, store, "en", 1_000)
    assert [one.text for one in blind] == [info.sentence("en") for info in infos]
    assert entity_contexts([], vector, store, "en", 1_000) == ()


def test_another_space_that_serves_by_now_is_told(store: EmbeddedStore, embedder: Embedder) -> None:
    """The search is made again then; the turn would fail else."""
    infos, vector = search_entity_info(QUESTION, store, own(store)), embedder.embed_question(QUESTION)
    with pytest.raises(SpaceChanged):
        entity_contexts(infos, vector[1:], store, "en", 1_000)
