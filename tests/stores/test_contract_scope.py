"""What every store must do: a scope is applied before the ranking, in every search, by names, sets, kinds, metadata."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_cases import batch, by_words, embed, task

from errors import StoreError
from schema import EVERYWHERE, Origin, Scope
from stores.base import DocumentBatch, Store

ODD = ["", " ", "a.b", "$.a", "$", "a'b", 'a"b', "a\\b", "');DROP TABLE documents;--", "标题", "a[0]", "?", "%", "𠀀"]


def about(
    name: str, metadata: dict[str, Any], origin: Origin | None = None, doc_set: str = "", **fields: Any
) -> DocumentBatch:
    one = batch(name, [f"word {name}", "word other"], doc_set)
    document = replace(one.document, metadata=metadata, origin=origin or Origin(), **fields)
    return replace(one, document=document)


def within(store: Store, scope: Scope) -> set[str]:
    """The documents in a scope, as each of the searches sees them: all of them have to agree."""
    names = sorted(info.name for info in store.documents(scope))
    by_terms = [hit.document for hit in store.hits([one.chunk_id for one in store.search_terms(["word"], 999, scope)])]
    ranked = store.search_vector(embed(["word"])[0], 999, scope)
    by_vector = [hit.document for hit in store.hits([one.chunk_id for one in ranked])]
    openings = [hit.document for hit in store.hits(store.opening(scope, 1))]
    assert sorted(by_terms) == sorted(by_vector) == sorted([*names, *names])
    assert sorted(openings) == names
    assert sum(store.languages(scope).values()) == len(names)
    return set(names)


@by_words
def test_a_name_with_nul_is_refused_and_means_no_other(store):
    store.put(about("a", {}, doc_set="s"))
    for change in (
        lambda: store.put(about("a\0b", {})),
        lambda: store.put(about("b", {}, doc_set="s\0")),
        lambda: store.add_doc_set("s\0"),
        lambda: store.rename_doc_set("s", "s\0"),
        lambda: store.move("a", "s", "s\0"),
        lambda: store.add_tasks([task("a", doc_set="s\0")]),
    ):
        with pytest.raises(StoreError, match="no character"):
            change()
    assert within(store, EVERYWHERE) == {"a"}
    assert [info.name for info in store.doc_sets()] == ["s"]
    assert within(store, Scope(documents=("a\0b",))) == within(store, Scope(doc_sets=("s\0",))) == set()
    assert within(store, Scope(documents=("a\0b", "a"))) == {"a"}
    assert not store.delete("a\0b", "s")


@by_words
def test_kinds(store):
    store.put(about("a", {}, kind="code"))
    store.put(about("b", {}, kind="markdown"))
    store.put(about("c", {}, doc_set="s", kind="code"))
    assert within(store, Scope(kinds=("code",))) == {"a", "c"}
    assert within(store, Scope(kinds=("code", "markdown"))) == {"a", "b", "c"}
    assert within(store, Scope(kinds=("text",))) == set()
    assert within(store, Scope(kinds=("code",), doc_sets=("s",))) == {"c"}
    assert within(store, Scope(kinds=("code",), documents=("a", "b"))) == {"a"}


@by_words
def test_documents_are_left_out(store):
    for name, doc_set in (("a", ""), ("b", ""), ("b", "s")):
        store.put(about(name, {}, doc_set=doc_set))
    assert within(store, Scope(without=("b", "x\0"))) == {"a"}
    assert within(store, Scope(doc_sets=("s",), without=("a",))) == {"b"}
    assert within(store, Scope(documents=("a", "b"), without=("a",))) == {"b"}


@by_words
def test_languages(store):
    assert store.languages() == {}
    store.put(about("a", {}, language="zh"))
    store.put(about("b", {}, language="zh", doc_set="s"))
    store.put(about("c", {}, language="en"))
    assert store.languages() == {"zh": 2, "en": 1}
    assert store.languages(Scope(doc_sets=("s",))) == {"zh": 1}
    assert store.languages(Scope(documents=("none",))) == {}


@by_words
def test_metadata_of_a_document(store):
    store.put(about("a", {"author": "Zhang", "year": 2024, "tags": ["x", 7], "draft": True}))
    store.put(about("b", {"author": "李", "year": "2024", "tags": "x", "draft": False}))
    store.put(about("c", {"author": None, "year": 2024.5, "tags": {"x": 1}}))
    for metadata, wanted in (
        ({"author": "Zhang"}, {"a"}),
        ({"author": "李"}, {"b"}),
        ({"author": "zhang"}, set()),
        ({"year": 2024}, {"a"}),
        ({"year": 2024.0}, {"a"}),
        ({"year": "2024"}, {"b"}),
        ({"year": 2024.5}, {"c"}),
        ({"draft": True}, {"a"}),
        ({"draft": 1}, set()),
        ({"draft": False}, {"b"}),
        ({"draft": "True"}, set()),
        ({"tags": "x"}, {"a", "b"}),  # in a list, or by itself
        ({"tags": 7}, {"a"}),
        ({"tags": '["x", 7]'}, set()),
        ({"none": "x"}, set()),
        ({"author": "Zhang", "year": 2024}, {"a"}),  # both of them
        ({"author": "Zhang", "draft": False}, set()),
    ):
        assert within(store, Scope(metadata=metadata)) == wanted, metadata
    assert within(store, Scope(metadata={"draft": True})) == {"a"}  # however often it was asked for 1
    assert within(store, Scope(metadata=(("author", "Zhang"), ("author", "李")))) == {"a", "b"}  # either will do
    assert within(store, Scope(metadata=(("author", "Zhang"), ("author", "李"), ("tags", 7)))) == {"a"}


@by_words
def test_the_language_is_that_of_the_code_else_that_of_the_text(store):
    for name, language, origin, metadata in (
        ("a.md", "en", None, {}), ("甲.md", "zh", None, {}), ("page", "zh", None, {"language": "zh-CN"}),
        ("a.py", "en", Origin("code", code_language="python"), {}),
    ):  # fmt: skip
        store.put(about(name, metadata, origin, language=language))
    for asked, names in (
        ("en", {"a.md"}), ("zh", {"甲.md", "page"}), ("zh-CN", {"page"}), ("python", {"a.py"}), ("fr", set()),
    ):  # fmt: skip
        assert within(store, Scope(metadata={"language": asked})) == names
    assert within(store, Scope(metadata=(("language", "python"), ("language", "en")))) == {"a.md", "a.py"}
    told = {name: store.chunks(name, "", 0, 1)[0].metadata["language"] for name in ("a.md", "甲.md", "page", "a.py")}
    assert told == {"a.md": "en", "甲.md": "zh", "page": "zh", "a.py": "python"}


@by_words
def test_metadata_of_where_a_document_comes_from(store):
    full = Origin("pdf", "github", "python", "a/b.pdf", "https://x", "o/r", "abc", "2026-01-01", "stamp")
    store.put(about("full", {}, full))
    store.put(about("plain", {}))
    store.put(about("told", {"url": "https://own", "repo": None, "language": ["zh", "python"]}, full))
    usual = {"doc_type": "pdf", "source_type": "github", "file_path": "a/b.pdf", "commit_id": "abc"}
    for name, value in {**usual, "timestamp": "2026-01-01"}.items():
        assert within(store, Scope(metadata={name: value})) == {"full", "told"}
    assert within(store, Scope(metadata={"url": "https://x"})) == {"full"}  # its own metadata come first
    assert within(store, Scope(metadata={"url": "https://own"})) == {"told"}
    assert within(store, Scope(metadata={"language": "python"})) == {"full", "told"}
    assert within(store, Scope(metadata={"doc_type": "text"})) == {"plain"}  # what is as usual counts as well
    assert within(store, Scope(metadata={"source_type": "file", "url": ""})) == {"plain"}
    assert within(store, Scope(metadata={"file_path": "plain"})) == {"plain"}  # a file that came without a folder
    [hit], [other] = store.chunks("plain", "", 0, 1), store.chunks("full", "", 0, 1)
    assert (hit.metadata["file_path"], hit.metadata["timestamp"]) == ("plain", hit.updated)
    assert hit.updated in {one.updated for one in store.documents()}
    assert (other.metadata["file_path"], other.metadata["timestamp"]) == ("a/b.pdf", "2026-01-01")
    assert "plain" in within(store, Scope(metadata={"timestamp": hit.metadata["timestamp"]}))
    assert within(store, Scope(metadata={"stamp": "stamp"})) == set()
    store.put(about("plain", {}, Origin(repo="o/r")))  # nothing else is new
    assert within(store, Scope(metadata={"repo": "o/r"})) == {"full", "plain"}


@by_words
def test_names_and_values_may_be_anything(store):
    store.put_all([about(f"{number}", {odd: odd, "of": [odd]}) for number, odd in enumerate(ODD)])
    for number, odd in enumerate(ODD):
        for metadata in ({odd: odd}, {"of": odd}):
            assert within(store, Scope(metadata=metadata)) == {f"{number}"}, odd
        assert within(store, Scope(documents=(odd,))) == within(store, Scope(doc_sets=(odd or "none",))) == set()
    many = {f"name{n}": n for n in range(1_100)}  # SQLite nests no more than 1,000 expressions
    store.put(about("many", many))
    assert within(store, Scope(metadata=many)) == {"many"}
    assert within(store, Scope(metadata={**many, "name7": 8})) == set()


@by_words
def test_numbers_beyond_the_usual(store):
    odd = {"nan": float("nan"), "inf": float("inf"), "deep": [float("-inf")], "big": 10**30, "tiny": 0.1 + 0.2}
    store.put(about("odd", odd))
    store.put(about("usual", {"big": 1, "tiny": 0.3}))
    assert within(store, Scope(metadata={"big": 10**30})) == {"odd"}
    assert within(store, Scope(metadata={"tiny": 0.1 + 0.2})) == {"odd"}
    assert within(store, Scope(metadata={"tiny": 0.3})) == {"usual"}
    assert within(store, Scope(metadata={"big": float("inf")})) == within(store, Scope(metadata={"\ud800": 1})) == set()


def test_a_scope_follows_every_change(store):
    tagged = Scope(metadata={"tag": "x"})
    store.put(about("a", {"tag": "x"}))
    assert within(store, tagged) == {"a"}
    store.put(about("b", {"tag": ["x"]}))
    assert within(store, tagged) == {"a", "b"}
    store.move("a", "", "s")
    assert within(store, Scope(metadata={"tag": "x"}, doc_sets=("s",))) == {"a"}
    store.rename_doc_set("s", "t")
    assert within(store, Scope(metadata={"tag": "x"}, doc_sets=("s",))) == set()
    assert within(store, Scope(metadata={"tag": "x"}, doc_sets=("t",))) == {"a"}
    store.delete("b")
    assert within(store, tagged) == {"a"}
    assert within(store, EVERYWHERE) == {"a"}


@pytest.mark.parametrize("kind", ["code", "markdown"])
def test_a_scope_is_applied_before_the_ranking(store, kind):
    """The best of a scope are found however many are better outside; what is left out changes no score."""
    strong = [batch(f"{n}", ["word " * 5, "word beside it"]) for n in range(60)]
    kinds = ("markdown", "code") * 30
    strong = [replace(one, document=replace(one.document, kind=of)) for one, of in zip(strong, kinds, strict=True)]
    for some in (strong[:40], strong[40:]):
        store.put_all(some)
    weak = batch("weak", ["word and very much more text beside it"])
    store.put(replace(weak, document=replace(weak.document, kind="text")))
    for scope in (Scope(kinds=("text",)), Scope(documents=("weak",))):
        [best] = store.search_terms(["word"], 3, scope)
        assert [hit.document for hit in store.hits([best.chunk_id])] == ["weak"]
        [best] = store.search_vector(embed(["word"])[0], 3, scope)
        assert [hit.document for hit in store.hits([best.chunk_id])] == ["weak"]
    for k in (1, 7, 100):
        for search, question in (
            (store.search_terms, ["word", "beside"]),
            (store.search_vector, embed(["word it"])[0]),
        ):
            everywhere = search(question, 999)
            hits = {hit.chunk_id: hit for hit in store.hits([one.chunk_id for one in everywhere])}
            of_kind = {info.name for info in store.documents(Scope(kinds=(kind,)))}
            wanted = [one for one in everywhere if hits[one.chunk_id].document in of_kind][:k]
            found = search(question, k, Scope(kinds=(kind,)))
            assert np.allclose([one.score for one in found], [one.score for one in wanted])
            assert {hit.document for hit in store.hits([one.chunk_id for one in found])} <= of_kind
            assert len(found) == len(wanted) == min(k, 60)


values = st.one_of(st.sampled_from(["x", "y", "", "1", "true"]), st.booleans(), st.integers(-1, 2), st.floats(-1, 2))
metadata = st.dictionaries(st.sampled_from(["a", "b", "url"]), values | st.lists(values, max_size=3), max_size=3)


@by_words
def test_metadata_match_by_value_and_type(store):
    run = 0

    @settings(max_examples=25, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(metadata, max_size=3), st.lists(st.tuples(st.sampled_from(["a", "b", "url"]), values), max_size=3))
    def check(documents, wanted):
        nonlocal run
        run += 1
        names = [f"{run}-{n}" for n in range(len(documents))]
        store.put_all([about(name, one) for name, one in zip(names, documents, strict=True)])

        def meets(one: dict[str, Any], name: str) -> bool:
            told = one.get(name, "" if name == "url" else None)
            told = told if isinstance(told, list) else [told]
            pairs = [(value, part) for key, value in wanted if key == name for part in told]
            return any(value == part and isinstance(value, bool) == isinstance(part, bool) for value, part in pairs)

        expected = {n for n, one in zip(names, documents, strict=True) if all(meets(one, key) for key, _ in wanted)}
        assert within(store, Scope(documents=tuple(names), metadata=tuple(wanted))) == (expected if names else set())
        for name in names:
            store.delete(name)

    check()
