"""The strategies as a retriever of LangChain, beyond what the standard suite asks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_cases import LEAVE, Counted, put_guide
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from pydantic import ValidationError

from errors import StoreError
from retrieval.langchain import CitewiseEmbeddings, CitewiseRetriever, CitewiseVectorStore
from retrieval.langchain.chat import ChatModel
from retrieval.strategies import STRATEGIES
from schema import Evidence, Scope, SearchRequest
from settings import Settings
from tests.test_readme import english_half


@pytest.fixture
def filled() -> Iterator[CitewiseVectorStore]:
    metadata = [{"team": "HR"}] * 2 + [{"team": "ops"}] * 2
    with CitewiseVectorStore.from_texts(list(LEAVE.values()), CitewiseEmbeddings(), metadata, ids=list(LEAVE)) as store:
        put_guide(store.store)
        yield store


def over(store: CitewiseVectorStore, **how: Any) -> CitewiseRetriever:
    return CitewiseRetriever(store=store.store, embedding=store.embeddings, **how)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_both_languages_with_every_strategy(filled: CitewiseVectorStore, strategy: str) -> None:
    retriever = over(filled, strategy=strategy, k=1)
    for question, expected in (("年假有几天？", "leave"), ("How long is the notice period?", "notice")):
        [document] = await retriever.ainvoke(question)
        assert document.id == expected
        assert await asyncio.to_thread(retriever.invoke, question) == [document]


def test_what_a_document_tells_of_itself(filled: CitewiseVectorStore) -> None:
    [document] = over(filled, strategy="hybrid").invoke("水泵加油", k=1)
    assert document.id == "manuals/guide.md#1"
    said = document.metadata
    assert (said["document_name"], said["docset_name"], said["chunk_index"]) == ("guide.md", "manuals", 1)
    assert (said["start_line"], said["end_line"], said["headings"], said["places"]) == (2, 2, ["Care"], [])
    assert 0 < said["score"] <= 1
    assert said["scores"].keys() >= {"bm25", "cosine", "fused"}
    assert filled.get_by_ids([document.id])[0].page_content == document.page_content
    [own] = over(filled).invoke("rattling noise", k=1)
    assert (own.id, own.metadata["team"], own.metadata["document_name"]) == ("noise", "ops", "noise")


def test_a_filter_of_the_retriever_or_of_one_question(filled: CitewiseVectorStore) -> None:
    question = "notice noise 年假 水泵 机器"
    found = lambda **how: {document.id for document in over(filled, k=9).invoke(question, **how)}  # noqa: E731
    assert found(filter={"team": "ops"}) == {"noise", "heat"}
    assert found(filter={"team": ["ops", "HR"]}) == set(LEAVE)
    assert found(filter=Scope(documents=("heat", "leave"))) == {"heat", "leave"}
    inside = over(filled, k=9, doc_set="manuals")
    assert {document.id for document in inside.invoke(question)} == {"guide.md#1"}
    assert inside.invoke(question, filter=Scope(doc_sets=("other",))) == []
    with pytest.raises(StoreError, match="filter"):
        found(filter={"team": None})


def test_without_embeddings_keywords_are_searched(filled: CitewiseVectorStore) -> None:
    [document] = CitewiseRetriever(store=filled.store, k=1).invoke("rattling")
    assert document.id == "noise"
    assert "cosine" not in document.metadata["scores"]


def test_other_embeddings_are_refused(filled: CitewiseVectorStore) -> None:
    with pytest.raises(StoreError, match="cannot be compared"):
        CitewiseRetriever(store=filled.store, embedding=Counted()).invoke("rattling")
    with pytest.raises(ValidationError):
        CitewiseRetriever(store=filled.store, strategy="best")
    with CitewiseVectorStore(Counted()) as empty:
        assert over(empty).invoke("rattling") == []


def test_it_is_a_part_of_chains(filled: CitewiseVectorStore) -> None:
    chain = over(filled, k=1) | RunnableLambda(lambda documents: documents[0].page_content)
    assert chain.batch(["年假", "rattling"]) == [LEAVE["leave"], LEAVE["noise"]]


def test_the_example_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    exec(english_half("python").split("### With LangChain")[1].split("```python\n")[1].split("```")[0], {})
    first, second = capsys.readouterr().out.splitlines()
    assert "年假十五天。" in first
    assert second.startswith("notice")
    assert (tmp_path / "notes").is_dir()


# --- models ------------------------------------------------------------------------------------------------------


def chat(*replies: str) -> GenericFakeChatModel:
    return GenericFakeChatModel(messages=iter([AIMessage(reply) for reply in replies]))


def test_a_chat_model_imagines_the_answer(filled: CitewiseVectorStore) -> None:
    retriever = over(filled, strategy="hyde", k=2, filter={"team": ["HR", "ops"]})
    question = "Why is it so bad?"
    assert [document.id for document in retriever.invoke(question)] != ["noise"]
    imagined = '{"translated": "为什么有响声？", "passage": "A rattling noise: the belt is loose."}'
    with_model = over(filled, strategy="hyde", k=2, model=chat(imagined), filter={"team": ["HR", "ops"]})
    first, *_ = with_model.invoke(question)
    assert first.id == "noise"
    assert first.metadata["scores"]["expanded"] > 0


async def test_a_chat_model_writes_without_what_it_thinks() -> None:
    model = ChatModel(chat("<think>Which belt?</think>The belt is loose."))
    assert await model.write([("user", "Why does it rattle?")], purpose="hyde") == "The belt is loose."


def test_a_chat_model_reranks(filled: CitewiseVectorStore) -> None:
    settings = Settings.from_mapping({"RAG_USE_RERANK": "true"})
    replies = ['{"ranking": [2, 1], "irrelevant": []}']
    plain = [document.id for document in over(filled, strategy="keyword", k=2).invoke("oil belt")]
    model = chat(*replies)
    ranked = over(filled, strategy="keyword", k=2, model=model, settings=settings).invoke("oil belt")
    assert [document.id for document in ranked] == plain[::-1]
    assert ranked[0].metadata["scores"]["rerank"] == 1.0


def test_after_a_reranker_rerank_top_k_is_how_many_unless_k_is_given(filled: CitewiseVectorStore) -> None:
    settings = Settings.from_mapping({"RAG_USE_RERANK": "true", "RERANK_TOP_K": "1", "DEFAULT_TOP_K": "2"})

    def count(model: GenericFakeChatModel | None, **how: Any) -> int:
        return len(over(filled, strategy="keyword", model=model, settings=settings, **how).invoke("oil belt notice"))

    ranking = '{"ranking": [2, 1], "irrelevant": []}'
    assert count(None) == 2
    assert count(chat(ranking)) == 1
    assert count(chat(ranking), k=2) == 2
    assert count(chat("no JSON", "still no JSON")) == 2, "nothing was reranked"


def test_notices_stand_with_the_documents_and_in_the_log(
    filled: CitewiseVectorStore, caplog: pytest.LogCaptureFixture
) -> None:
    [document] = over(filled, strategy="hyde", k=1).invoke("rattling noise")
    [notice] = document.metadata["notices"]
    assert "RM3" in notice["en"]
    assert "RM3" in notice["zh"]
    assert notice["en"] in caplog.text
    assert "notices" not in over(filled, strategy="keyword", k=1).invoke("rattling noise")[0].metadata
    assert "notices" not in filled.get_by_ids([document.id or ""])[0].metadata


def test_a_chat_model_that_fails_stops_no_search(filled: CitewiseVectorStore) -> None:
    for model in (chat(), chat("no JSON", "still no JSON")):
        assert over(filled, strategy="hyde", k=1, model=model).invoke("rattling noise")[0].id == "noise"


# --- loops and threads -------------------------------------------------------------------------------------------


class Noted:
    """A search that tells on which event loop it ran."""

    def __init__(self) -> None:
        self.loops: set[asyncio.AbstractEventLoop] = set()

    async def search(self, request: SearchRequest, **how: Any) -> Evidence:
        self.loops.add(asyncio.get_running_loop())
        return Evidence(request.question, "keyword")


async def test_calls_that_wait_share_one_loop_that_lives_on(filled: CitewiseVectorStore) -> None:
    noted = Noted()
    retriever = over(filled, searches=noted)
    retriever.invoke("on the thread of a running loop, as in a notebook")
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(retriever.invoke, "abcdefgh")) == [[]] * 8
    [shared] = noted.loops
    assert shared.is_running()
    assert shared is not asyncio.get_running_loop()
    await retriever.ainvoke("natively")
    assert noted.loops == {shared, asyncio.get_running_loop()}


async def test_the_event_loop_stays_free_during_a_search() -> None:
    embedding = Counted()
    with CitewiseVectorStore.from_texts(list(LEAVE.values()), embedding, ids=list(LEAVE)) as store:
        embedding.may_go_on.clear()
        embedding.entered.clear()
        searching = asyncio.create_task(over(store, strategy="vector", k=1).ainvoke("rattling noise belt"))
        await asyncio.to_thread(embedding.entered.wait, 60)
        assert [document.id for document in await CitewiseRetriever(store=store.store, k=1).ainvoke("年假")] == [
            "leave"
        ]
        assert not searching.done()
        embedding.may_go_on.set()
        assert [document.id for document in await searching] == ["noise"]
        many = await asyncio.gather(*(over(store, k=1).ainvoke("rattling") for _ in range(12)))
        assert [documents[0].id for documents in many] == ["noise"] * 12
