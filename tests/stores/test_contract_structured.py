"""What every store must do: keep what documents are about, and select documents by it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from store_cases import FORMS_BY_WORDS, batch
from test_contract_scope import within

from schema import Chunking, Scope, StructuredSummary
from stores.base import Store

pytestmark = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)

TEA = StructuredSummary(title="茶", keywords=["绿茶", "水温"], entities=["西湖"], topics=["冲泡"], made_by="model")
COUNTED = StructuredSummary(title="tea", keywords=["tea"], made_by="statistics")


def noted(store: Store, name: str, structured: StructuredSummary, doc_set: str = "") -> bool:
    document = store.document(name, doc_set)
    assert document
    return store.note_structured(name, doc_set, document.digest, structured)


def about(name: str, structured: StructuredSummary | None, *paragraphs: str, doc_set: str = "") -> object:
    one = batch(name, [*paragraphs] or ["word one"], doc_set)
    return replace(one, document=replace(one.document, structured=structured))


def test_nothing_is_known_until_it_is_said(store):
    store.put(batch("a.md", ["one"]))
    store.put(batch("b.md", ["two"], "set"))
    assert store.structured() == {}
    assert store.document("a.md").structured is None
    assert store.without_structured(9) == [("b.md", "set"), ("a.md", "")]
    assert store.without_structured(1) == [("b.md", "set")]
    assert store.without_structured(0) == []

    generation = store.generation()
    assert noted(store, "b.md", TEA, "set")
    assert store.generation() == generation  # no answer is worth less for it
    assert store.structured() == store.structured(Scope(doc_sets=("set",))) == {("b.md", "set"): TEA}
    assert store.structured(Scope(doc_sets=("",))) == {}
    assert store.document("b.md", "set").structured == TEA
    assert store.without_structured(9) == [("a.md", "")]


def test_what_a_model_said_is_not_replaced_by_statistics(store):
    store.put(batch("a.md", ["one"]))
    assert noted(store, "a.md", COUNTED)
    assert noted(store, "a.md", replace_title(COUNTED, "again"))
    assert noted(store, "a.md", TEA)
    assert not noted(store, "a.md", COUNTED)
    assert store.document("a.md").structured == TEA
    assert noted(store, "a.md", replace_title(TEA, "a better one"))
    assert store.structured()["a.md", ""].title == "a better one"


def replace_title(structured: StructuredSummary, title: str) -> StructuredSummary:
    return structured.model_copy(update={"title": title})


def test_it_belongs_to_one_text(store):
    store.put(batch("a.md", ["one"]))
    digest = store.document("a.md").digest
    assert noted(store, "a.md", TEA)
    store.put(batch("a.md", ["one"], chunking=Chunking(strategy="fixed", size=9)))
    assert store.document("a.md").structured == TEA  # cut in another way it says the same
    store.move("a.md", "", "set")
    assert store.document("a.md", "set").structured == TEA
    store.put(batch("a.md", ["two"], "set"))
    assert store.document("a.md", "set").structured is None
    assert not store.note_structured("a.md", "set", digest, TEA)  # of a text that is gone
    assert not store.note_structured("none.md", "", digest, TEA)
    store.delete("a.md", "set")
    assert store.structured() == {}


def test_a_document_may_bring_it(store):
    store.put(about("a.md", TEA))
    assert store.document("a.md").structured == TEA
    store.put(about("a.md", None))  # the same text
    assert store.document("a.md").structured == TEA
    store.put(about("a.md", replace_title(TEA, "again")))
    assert store.document("a.md").structured.title == "again"
    store.put(about("a.md", None, "word two"))
    assert store.document("a.md").structured is None


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ([("keywords", "绿茶")], {"a"}),
        ([("entities", "西湖"), ("topics", "冲泡")], {"a"}),
        ([("keywords", "绿茶"), ("topics", "tea")], set()),
        ([("keywords", "tea")], {"b"}),  # the document's own words come first
        ([("keywords", "绿")], set()),
        ([("entities", "none")], set()),
    ],
)
def test_documents_are_selected_by_it(store, wanted, names):
    for name, metadata, structured in (
        ("a", {}, TEA), ("b", {"keywords": ["tea"]}, TEA.model_copy(update={"entities": [], "topics": []})),
        ("c", {}, None),
    ):  # fmt: skip
        one = batch(name, [f"word {name}", "word other"])
        store.put(replace(one, document=replace(one.document, metadata=metadata, structured=structured)))
    assert within(store, Scope(metadata=tuple(wanted))) == names


def test_a_scope_sees_what_was_said_since_it_was_asked_for(store):
    store.put(batch("a", ["word a", "word other"]))
    scope = Scope(metadata=(("keywords", "绿茶"),))
    assert within(store, scope) == set()
    noted(store, "a", TEA)
    assert within(store, scope) == {"a"}
    noted(store, "a", TEA.model_copy(update={"keywords": []}))
    assert within(store, scope) == set()
