"""What every store must do: websites and repositories that a set has documents from."""

from __future__ import annotations

from dataclasses import replace

import pytest
from store_cases import FORMS_BY_WORDS, batch

from errors import StoreError
from schema import EVERYWHERE, Chunking, DocSetInfo, Message, Origin, Scope, Source

pytestmark = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)

SITE = Source(0, "手册", "website", "https://example.com/docs/", prefix="https://example.com/")
REPO = Source(
    0, "code", "github", "https://github.com/octo/书", patterns=("*.md", "!**/x/**"), ref="v1",
    chunking=Chunking(strategy="code", size=800), refreshed_at="2026-01-02T03:04:05+00:00", commit="c" * 40, pages=7,
    problem=Message(zh="三个文件没有读到。", en="Three files could not be read."),
)  # fmt: skip


def test_a_source_comes_back_as_it_was_put(store):
    assert store.sources() == []
    site, repo = store.put_source(SITE), store.put_source(REPO)
    assert site == replace(SITE, id=site.id)
    assert repo == replace(REPO, id=repo.id)
    assert len({site.id, repo.id, 0}) == 3
    assert store.sources() == [repo, site]  # by set and address
    assert store.sources("手册") == [site]
    assert store.sources("elsewhere") == []
    assert store.doc_sets() == [DocSetInfo("code", 0, 0), DocSetInfo("手册", 0, 0)]


def test_the_same_address_in_a_set_is_the_same_source(store):
    first = store.put_source(SITE)
    again = store.put_source(replace(SITE, prefix="", pages=3))
    assert again == replace(first, prefix="", pages=3)
    elsewhere = store.put_source(replace(SITE, doc_set="other"))
    assert elsewhere.id != first.id
    assert store.sources() == [elsewhere, again]
    changed = store.put_source(replace(first, address="https://example.com/moved/"))
    assert store.sources("手册") == [changed]
    assert changed.id == first.id
    with pytest.raises(ValueError, match="another source"):
        store.put_source(replace(changed, doc_set="other", address=SITE.address))
    assert store.sources() == [elsewhere, changed]


def test_a_deleted_source_is_gone_and_its_documents_stay(store):
    site = store.put_source(SITE)
    store.put(batch("a.md", ["one"], "手册"))
    assert store.delete_source(site.id)
    assert not store.delete_source(site.id)
    assert store.sources() == []
    assert [info.name for info in store.documents()] == ["a.md"]
    with pytest.raises(StoreError) as error:
        store.put_source(site)
    assert error.value.suggestions
    assert store.sources() == []
    assert store.put_source(SITE).id != site.id  # an id never comes to mean another


def test_sources_go_with_their_set(store):
    site, repo = store.put_source(SITE), store.put_source(REPO)
    assert store.rename_doc_set("手册", "handbook")
    assert store.sources() == [repo, replace(site, doc_set="handbook")]
    assert store.delete_doc_set("handbook")
    assert store.sources() == [repo]
    with pytest.raises(StoreError):
        store.put_source(site)
    assert [one.name for one in store.doc_sets()] == ["code"]


def test_a_document_keeps_the_source_that_it_is_from(store):
    given = batch("a.md", ["one"], "手册")
    origin = replace(given.document.origin, source_type="website", url="https://example.com/docs/a", source=17)
    store.put(replace(given, document=replace(given.document, origin=origin)))
    [info] = store.documents()
    assert info.origin.source == 17
    assert store.document("a.md", "手册").origin.source == 17
    assert "source" not in store.hits(store.opening(EVERYWHERE, 1))[0].metadata
    origin = replace(origin, source=18)
    assert store.put(replace(given, document=replace(given.document, origin=origin))).outcome == "unchanged"
    assert store.documents()[0].origin.source == 18


def test_names_are_text(store):
    for wrong in (replace(SITE, doc_set="a\0b"), replace(SITE, address="a\0b")):
        with pytest.raises(StoreError):
            store.put_source(wrong)
    assert (store.sources(), store.doc_sets()) == ([], [])


def test_documents_have_what_is_said_of_their_source_when_they_come_and_when_it_changes(store):
    def of(metadata):
        return {info.name for info in store.documents(Scope(metadata=tuple(metadata.items())))}

    def put(name, source_id):
        made = batch(name, ["one"], "手册")
        store.put(
            replace(made, document=replace(made.document, origin=Origin(source=source_id), metadata={"a": "own"}))
        )

    site = store.put_source(replace(SITE, metadata={"team": "x", "year": 1}))
    assert store.sources() == [site]
    put("page.md", site.id)
    put("other.md", 0)
    assert (of({"team": "x", "year": 1}), of({"a": "own"})) == ({"page.md"}, {"page.md", "other.md"})
    generation = store.generation()
    store.put_source(site)
    assert store.generation() == generation
    store.put_source(replace(site, metadata={"team": "y", "a": "given"}))
    assert store.generation() > generation
    assert (of({"team": "x"}), of({"year": 1}), of({"a": "given", "team": "y"})) == (set(), set(), {"page.md"})
    put("page.md", site.id)  # the same text as it was read before
    assert (of({"a": "given"}), of({"a": "own"})) == ({"page.md"}, {"other.md"})
    store.delete_source(site.id)
    put("late.md", site.id)
    assert of({"a": "own"}) == {"other.md", "late.md"}
