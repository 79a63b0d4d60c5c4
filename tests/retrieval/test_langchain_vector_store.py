"""The library as a vector store of LangChain, beyond what the standard suites ask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from langchain_cases import LEAVE, Counted, put_guide
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index

from errors import CitewiseError, StoreError
from providers.hashing import HashingEmbedder
from retrieval.langchain import CitewiseEmbeddings, CitewiseVectorStore
from schema import Scope
from tests.each_row import each_row
from text import search_tokens


@pytest.fixture
def store() -> Iterator[CitewiseVectorStore]:
    with CitewiseVectorStore(CitewiseEmbeddings()) as store:
        yield store


@pytest.fixture
def filled(store: CitewiseVectorStore) -> CitewiseVectorStore:
    store.add_texts(list(LEAVE.values()), [{"team": "HR"}] * 2 + [{"team": "ops"}] * 2, ids=list(LEAVE))
    return store


def ids(found: list[Document]) -> list[str | None]:
    return [document.id for document in found]


def test_both_languages_by_vectors_and_by_words(filled: CitewiseVectorStore) -> None:
    assert ids(filled.similarity_search("年假有几天？", k=1)) == ["leave"]
    assert ids(filled.similarity_search("How long is the notice period?", k=1)) == ["notice"]
    for word, name in (("机器", "heat"), ("rattling", "noise")):
        [ranked] = filled.store.search_terms(search_tokens(word), 5)
        [hit] = filled.store.hits([ranked.chunk_id])
        assert hit.document == name


def test_it_is_there_when_the_folder_is_opened_again(tmp_path: Path) -> None:
    embedding = Counted()
    with CitewiseVectorStore.from_texts(["foo", "bar"], embedding, [{"n": 1}, {"n": 2}], path=tmp_path) as first:
        assert first.embeddings is embedding
    with CitewiseVectorStore(Counted(), tmp_path) as again:
        [document] = again.similarity_search("bar", k=1)
        assert (document.page_content, document.metadata) == ("bar", {"n": 2})
        with pytest.raises(StoreError):  # one program at a time
            CitewiseVectorStore(Counted(), tmp_path)


@pytest.mark.parametrize(
    "text", ["", " \n", "a\r\nb\x00c\u2028d", "🙂𠮷 " * 3, "é" + "e\u0301", "水泵 pump " * 30_000], ids=range(6)
)
def test_any_text_comes_back_as_it_was(store: CitewiseVectorStore, text: str) -> None:
    metadata = {"标题": "水泵", "pages": [1, 2], "of": {"a": None}, "ok": True, "share": 0.5}
    store.add_texts([text], [metadata], ids=["文档 1/2#3"])
    [document] = store.get_by_ids(["文档 1/2#3"])
    assert document == Document(id="文档 1/2#3", page_content=text, metadata=metadata)


def test_metadata_alone_may_change(store: CitewiseVectorStore) -> None:
    store.add_texts(["foo"], [{"version": 1}], ids=["1"])
    store.add_texts(["foo"], [{"version": 2}], ids=["1"])
    assert store.get_by_ids(["1"])[0].metadata == {"version": 2}
    assert len(store.similarity_search("foo", filter={"version": 2})) == 1
    assert store.similarity_search("foo", filter={"version": 1}) == []


def test_what_is_known_is_not_embedded_again() -> None:
    embedding = Counted()
    with CitewiseVectorStore(embedding) as store:
        store.add_texts(["foo", "bar"], ids=["1", "2"])
        embedding.calls.clear()
        store.add_texts(["foo", "baz", "bar"], ids=["1", "2", "3"])
        assert embedding.calls == [["baz"]]
        assert store.add_texts(["one", "two"], ids=["4", "4"]) == ["4", "4"]
        assert store.get_by_ids(["4"])[0].page_content == "two"


def test_blank_texts_are_not_sent_to_the_model() -> None:
    embedding = Counted()
    with CitewiseVectorStore(embedding) as store:
        store.add_texts(["", "foo"], ids=["1", "2"])
        assert [text for call in embedding.calls for text in call if not text.strip()] == []
        assert ids(store.similarity_search("foo", k=1)) == ["2"]
        assert store.similarity_search(" ") == []


@pytest.mark.parametrize("value", [date(2026, 1, 1), float("nan"), (1, 2), {1: "x"}, {1, 2}, "\ud800", object()])
def test_metadata_that_are_not_json_are_refused_before_anything_is_stored(
    filled: CitewiseVectorStore, value: object
) -> None:
    with pytest.raises(StoreError, match="'when' of document 'bad'") as caught:
        filled.add_texts(["good", "bad"], [{}, {"when": value}], ids=["good", "bad"])
    assert "“when”" in caught.value.message.zh
    assert caught.value.suggestions
    assert filled.get_by_ids(["good", "bad"]) == []


def test_numbers_of_values_must_agree(store: CitewiseVectorStore) -> None:
    with pytest.raises(ValueError, match="1 metadatas for 2 texts"):
        store.add_texts(["a", "b"], [{}])
    with pytest.raises(ValueError, match="3 ids for 2 texts"):
        store.add_texts(["a", "b"], ids=["1", "2", "3"])
    assert store.add_texts([]) == []


# --- searching ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"team": "HR"}, {"leave", "notice"}),
        ({"team": ["HR", "ops"]}, set(LEAVE)),
        ({"team": "HR", "absent": "x"}, set()),
        (Scope(documents=("leave", "heat")), {"leave", "heat"}),
        (Scope(documents=("leave", "heat"), metadata=(("team", "ops"),)), {"heat"}),
        ({}, set(LEAVE)),
        (None, set(LEAVE)),
    ],
)
def test_a_filter_is_applied_before_ranking(filled: CitewiseVectorStore, given: object, expected: set[str]) -> None:
    query = "The notice period"  # the others are last
    assert set(ids(filled.similarity_search(query, k=len(expected) or 1, filter=given))) == expected
    assert set(ids(filled.max_marginal_relevance_search(query, k=4, filter=given))) == expected
    assert {document.id for document, _ in filled.similarity_search_with_score(query, filter=given)} == expected


@pytest.mark.parametrize("given", [{"a": None}, {"a": {"$gt": 1}}, {"a": []}, lambda _: True, "a", {1: "x"}])
def test_a_filter_that_cannot_be_applied_is_refused(filled: CitewiseVectorStore, given: object) -> None:
    with pytest.raises(StoreError, match="filter") as caught:
        filled.similarity_search("foo", filter=given)
    assert "筛选" in caught.value.message.zh


def test_scores_are_cosines_and_relevance_is_their_share_above_zero() -> None:
    embedding = Counted()
    with CitewiseVectorStore.from_texts(["foo", "bar", "foo bar"], embedding) as store:
        found = store.similarity_search_with_score("foo", k=3)
        vectors = {text: np.array(embedding.embed_query(text)) for text in ("foo", "bar", "foo bar")}
        lengths = {text: float(np.linalg.norm(vector)) for text, vector in vectors.items()}
        for document, score in found:
            text = document.page_content
            assert score == pytest.approx(vectors["foo"] @ vectors[text] / (lengths["foo"] * lengths[text]), abs=2e-3)
        assert found[0][0].page_content == "foo"
        relevance = store.similarity_search_with_relevance_scores("foo", k=3)
        assert [value for _, value in relevance] == [min(max(score, 0.0), 1.0) for _, score in found]
        retriever = store.as_retriever(
            search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.9, "k": 3}
        )
        assert [document.page_content for document in retriever.invoke("foo")] == ["foo"]
        assert store.similarity_search_by_vector(list(vectors["bar"]), k=1)[0].page_content == "bar"
        assert store.similarity_search("foo", k=0) == []


def test_marginal_relevance_leaves_out_what_was_said() -> None:
    texts = ["pump oil month", "pump oil month", "belt pump", "year end"]
    with CitewiseVectorStore.from_texts(texts, Counted(), ids=["a", "b", "c", "d"]) as store:
        assert set(ids(store.similarity_search("pump oil month", k=2))) == {"a", "b"}
        diverse = store.max_marginal_relevance_search("pump oil month", k=2, fetch_k=4, lambda_mult=0.3)
        assert diverse[0].id in {"a", "b"}
        assert diverse[1].id in {"c", "d"}
        vector = store.embeddings.embed_query("pump oil month")  # type: ignore[union-attr]
        assert store.max_marginal_relevance_search_by_vector(vector, k=2, fetch_k=4, lambda_mult=0.3) == diverse


# --- embedding spaces --------------------------------------------------------------------------------------------


def test_another_model_is_refused_by_a_filled_library_alone(tmp_path: Path) -> None:
    with CitewiseVectorStore(Counted(), tmp_path) as store:
        store.add_texts(["foo"], ids=["1"])
    for other in (Counted("other"), Counted(dimensions=8), CitewiseEmbeddings()):
        with CitewiseVectorStore(other, tmp_path) as store:
            for call in (lambda: store.similarity_search("foo"), lambda: store.add_texts(["bar"])):
                with pytest.raises(StoreError, match="Counted:words") as caught:
                    call()
                assert "Counted:words" in caught.value.message.zh
                assert caught.value.suggestions
            assert len(store.get_by_ids(["1"])) == 1
    with CitewiseVectorStore(Counted("other"), tmp_path) as store:
        store.delete(["1"])
        store.add_texts(["bar"], ids=["2"])
        assert ids(store.similarity_search("bar")) == ["2"]


def test_another_model_of_the_same_name_is_known_by_its_vectors(tmp_path: Path) -> None:
    with CitewiseVectorStore.from_texts(["foo"], Counted(), path=tmp_path):
        pass
    exchanged = Counted()
    exchanged._of = Counted("other")._of  # type: ignore[method-assign]
    with CitewiseVectorStore(exchanged, tmp_path) as store, pytest.raises(StoreError, match="cannot be compared"):
        store.similarity_search("foo")


def test_a_vector_of_another_length_is_refused(filled: CitewiseVectorStore) -> None:
    with pytest.raises(StoreError, match="512 dimensions, the given one has 3"):
        filled.similarity_search_by_vector([1.0, 0.0, 0.0])


@each_row("rows", [[[1.0], [1.0, 2.0]], [[1.0, 2.0]], [[float("nan")] * 32] * 2, [[]] * 2, None])
def test_what_is_no_vector_is_refused(rows: object) -> None:
    embedding = Counted()
    with CitewiseVectorStore.from_texts(["foo"], embedding) as store:
        embedding.embed_documents = lambda texts: rows  # type: ignore[method-assign, assignment, return-value]
        with pytest.raises(CitewiseError, match="no usable vectors"):
            store.add_texts(["bar", "baz"], ids=["2", "3"])
        assert store.get_by_ids(["2", "3"]) == []


def test_our_own_embedder_will_do_and_its_space_is_the_apps(tmp_path: Path) -> None:
    with CitewiseVectorStore(HashingEmbedder(64), tmp_path) as store:
        store.add_texts(["foo"])
        assert store.store.space_key() == HashingEmbedder(64).space.key
    with CitewiseVectorStore(CitewiseEmbeddings.fit(["foo bar", "bar baz"], 16)) as store:
        store.add_texts(["foo bar", "bar baz"], ids=["1", "2"])
        assert ids(store.similarity_search("foo", k=1)) == ["1"]


def test_what_calibration_learns_is_kept(tmp_path: Path) -> None:
    facts = [f"The {colour} machine number {n} was repaired by the team of hall {n % 7}." for n in range(40) for colour in ("red", "blue")]  # fmt: skip  # noqa: E501
    with CitewiseVectorStore.from_texts(facts, Counted(), path=tmp_path) as store:
        assert store.source.serving().space.calibration is None  # type: ignore[union-attr]
        store.calibrate()
        assert store.source.serving().space.calibration["en"]["match"] > 0.3  # type: ignore[union-attr, index]
    with CitewiseVectorStore(Counted(), tmp_path) as store:
        assert "en" in store.source.serving().space.calibration  # type: ignore[union-attr, operator]


# --- a library that holds other documents ------------------------------------------------------------------------


def test_documents_of_the_app_are_found_chunk_by_chunk(filled: CitewiseVectorStore) -> None:
    put_guide(filled.store)
    [document] = filled.similarity_search("水泵每月加油", k=1)
    assert (document.id, document.page_content) == ("manuals/guide.md#1", "水泵每月加油一次。")
    assert document.metadata["document_name"] == "guide.md"
    assert (document.metadata["start_line"], document.metadata["end_line"]) == (2, 2)
    assert document.metadata["headings"] == ["Care"]
    assert filled.get_by_ids(["manuals/guide.md#1", "guide.md#1", "manuals/guide.md", "manuals/guide.md#3"]) == [
        document
    ]
    inside = CitewiseVectorStore(CitewiseEmbeddings(), store=filled.store, doc_set="manuals")
    assert set(ids(inside.similarity_search("年假", k=9))) == {"guide.md#0", "guide.md#1", "guide.md#2"}
    assert inside.similarity_search("年假", filter=Scope(doc_sets=("other",))) == []


@pytest.mark.parametrize("given", ["manuals/guide.md#1", "manuals/guide.md"])
def test_a_part_of_a_document_is_not_deleted(filled: CitewiseVectorStore, given: str) -> None:
    put_guide(filled.store)
    with pytest.raises(StoreError, match="3 chunks") as caught:
        filled.delete(["leave", given])
    assert "3 个切片" in caught.value.message.zh
    assert len(filled.get_by_ids(["leave", "manuals/guide.md#2"])) == 2


def test_deleting_wants_ids(filled: CitewiseVectorStore) -> None:
    with pytest.raises(StoreError, match="which ids"):
        filled.delete()
    assert filled.delete([]) is True
    assert filled.delete(["leave", "nobody"]) is True
    assert ids(filled.get_by_ids(list(LEAVE))) == ["notice", "noise", "heat"]


def test_sets_keep_their_own_ids_apart(store: CitewiseVectorStore) -> None:
    mine, yours = (CitewiseVectorStore(CitewiseEmbeddings(), store=store.store, doc_set=name) for name in ("a", "b"))
    for one, text in ((store, "of nobody"), (mine, "of mine"), (yours, "of yours")):
        one.add_texts([text], ids=["1"])
    assert set(ids(store.similarity_search("of", k=9))) == {"1", "a/1", "b/1"}
    assert [document.page_content for document in store.get_by_ids(["a/1", "1"])] == ["of mine", "of nobody"]
    mine.delete(["1", "b/1"])
    assert set(ids(store.similarity_search("of", k=9))) == {"1", "b/1"}


def test_langchains_indexing_keeps_it_up_to_date(store: CitewiseVectorStore) -> None:
    records = InMemoryRecordManager("notes")
    records.create_schema()

    def indexed(*texts: str) -> tuple[int, int, int]:
        documents = [Document(text, metadata={"source": "notes"}) for text in texts]
        done = index(documents, records, store, cleanup="full", source_id_key="source", key_encoder="sha256")
        return done["num_added"], done["num_skipped"], done["num_deleted"]

    assert indexed("one", "two") == (2, 0, 0)
    assert indexed("two", "三") == (1, 1, 1)
    assert {document.page_content for document in store.similarity_search("三", k=9)} == {"two", "三"}


# --- many, and at once -------------------------------------------------------------------------------------------


def test_many_texts_go_together(store: CitewiseVectorStore) -> None:
    before = store.store.generation()
    changes: list[int] = []
    put_all = store.store.put_all
    store.store.put_all = lambda batches: (changes.append(len(batches)), put_all(batches))[1]  # type: ignore[method-assign, func-returns-value]
    names = store.add_texts(f"fact {n} of {n % 13}" for n in range(1_100))
    assert changes == [500, 500, 100]
    assert len(set(names)) == store.store.stats().documents == 1_100
    assert store.store.generation() > before


async def test_the_event_loop_stays_free_while_texts_are_embedded() -> None:
    embedding = Counted()
    with CitewiseVectorStore(embedding) as store:
        await store.aadd_texts(["foo"], ids=["1"])
        embedding.may_go_on.clear()
        embedding.entered.clear()
        adding = asyncio.create_task(store.aadd_documents([Document(id="2", page_content="bar")]))
        await asyncio.to_thread(embedding.entered.wait, 60)
        # the loop goes on, and so does whoever needs no embedding
        assert await store.aget_by_ids(["1", "2"]) == store.get_by_ids(["1"])
        assert not adding.done()
        embedding.may_go_on.set()
        assert await adding == ["2"]
        found = await asyncio.gather(*(store.asimilarity_search("bar", k=1) for _ in range(16)))
        assert [ids(one) for one in found] == [["2"]] * 16
        assert "MainThread" not in embedding.threads
        assert await store.adelete(["2"])
        assert ids(await store.amax_marginal_relevance_search("bar")) == ["1"]


async def test_adding_at_once_from_many_tasks() -> None:
    async with asyncio.timeout(120):
        with CitewiseVectorStore(Counted()) as store:
            added = await asyncio.gather(*(store.aadd_texts([f"text {n}"], ids=[str(n)]) for n in range(12)))
            assert added == [[str(n)] for n in range(12)]
            assert store.store.stats().chunks == 12
            assert store.store.without_vectors() == []


async def test_from_texts_without_blocking(tmp_path: Path) -> None:
    store = await CitewiseVectorStore.afrom_texts(["foo"], CitewiseEmbeddings(), path=tmp_path, doc_set="notes")
    with store:
        assert store.store.documents()[0].doc_set == "notes"
    with CitewiseVectorStore.from_documents([Document("foo", id="x")], CitewiseEmbeddings()) as store:
        assert len(store.get_by_ids(["x"])) == 1
