"""The worked example of the documents and their three usages, against a local site, search engine and model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.model_server import model_server
from graph.handle_query import handle_query
from schema import Language
from settings import Settings
from tests.graph.turn_cases import assistant_of
from tests.graph.web_cases import CHIPS, PATHS, news_site, quotes, reached
from web.records import Records

TEA = "# 茶\n\n绿茶用八十度的水冲泡两分钟。\n\n# Tea\n\nGreen tea is brewed for two minutes.\n"
FIVE_CHUNKS = {
    "CITEWISE_CHUNKER": "markdown", "TEXT_CHUNK_SIZE": "150", "TEXT_CHUNK_OVERLAP": "0",
    "CITEWISE_CHINESE_CHUNK_SIZE": "74", "CITEWISE_CHINESE_CHUNK_OVERLAP": "0",
}  # fmt: skip  # a page of the news has five sections


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_the_worked_example(make_settings: Callable[..., Settings], language: Language) -> None:
    query = CHIPS[language]
    with news_site(language) as site, model_server(quotes) as models:
        settings = make_settings(
            MIN_SCORE_THRESHOLD="0.30", CITEWISE_TOP_K="3",
            CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=models.base_url,
            CITEWISE_EMBEDDING="compatible", CITEWISE_EMBEDDING_MODEL="text-embedding-3-small",
            CITEWISE_EMBEDDING_BASE_URL=models.base_url, CITEWISE_EMBEDDING_DIMENSIONS="1536",
            **reached(site), **FIVE_CHUNKS,
        )  # fmt: skip
        async with assistant_of(settings) as assistant:
            await assistant.library.add("tea.md", TEA.encode())
            result = await handle_query(assistant, query)

            # 1: the best score is below the threshold
            assert result["coverage"]["score"] < result["coverage"]["threshold"] == 0.30
            assert (result["coverage"]["covered"], result["used_web"]) == (False, True)

            # 2: three addresses, three pages, fifteen chunks, as many vectors, three structured results
            assert [len(site.asked(path)) for path in PATHS] == [1, 1, 1]
            assert result["record"]
            documents = Records(settings.data_dir, 0).load(Path(result["record"]))
            assert {document.meta.url for document in documents} == {site.url(path) for path in PATHS}
            assert [document.status for document in documents] == ["completed"] * 3
            assert all("<html" in one.content and "<" not in (one.clean_content or "<") for one in documents)
            vectors = [vector for document in documents for vector in document.embeddings]
            assert (sum(len(one.chunks) for one in documents), len(vectors)) == (15, 15)
            assert {len(vector) for vector in vectors} == {1536}
            assert [one.structured and one.structured.made_by for one in documents] == ["model"] * 3
            stages = [entry.plugin.partition(".")[0] for entry in documents[0].processing_history]
            assert stages == ["search", "fetch", "clean", "chunk", "embed", "store", "extract"]

            # 3: the record
            record = Path(result["record"])
            assert record.parent == settings.data_dir / "webis_documents"
            assert record.name.startswith("webis_docs_")
            assert written(record)["document_count"] == 3

            # 4: three documents more in the library
            kept = Counter(info.doc_set for info in assistant.library.documents())
            assert kept == {"": 1, settings.web_doc_set: 3}

            # 5: retrieved with their scores
            found = result["retrieved_documents"]
            assert {one["source"] for one in found} == {site.url(path) for path in PATHS}
            assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
            assert all(one["structured_data"]["title"] for one in found)

            # 6: the enhanced prompt
            prompt = result["enhanced_prompt"]
            assert f"[Source: {found[0]['source']}] (Relevance: {found[0]['score']:.2f})" in prompt
            assert prompt.endswith(query)
            assert models.requests[-1]["messages"][-1]["content"] == prompt

            # 7: the answer from them, cited and saved
            agent = result["agent_result"]
            assert (agent["success"], agent["output_format"], agent["error"]) == (True, "markdown", None)
            [citation] = result["citations"]
            assert (citation["supported"], citation["source"]) == (True, found[0]["source"])
            assert agent["parsed"] == agent["raw"] == f"{citation['quote']}[1]"
            saved = Path(result["answer_file"])
            assert saved.parent == settings.data_dir
            assert saved.name.startswith("agent_answer_")
            assert written(saved)["agent_result"] == agent

            # the second time it is covered: nothing is fetched
            asked = len(site.requests)
            again = await handle_query(assistant, query)
            assert (again["used_web"], again["coverage"]["covered"], again["record"]) == (False, True, None)
            assert len(site.requests) == asked
            assert again["agent_result"]["parsed"] == agent["parsed"]
            assert [one["structured_data"] for one in again["retrieved_documents"]] == [
                one["structured_data"] for one in found
            ]


def written(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("with_model", [False, True])
@pytest.mark.parametrize("language", ["zh", "en"])
async def test_the_three_usages(make_settings: Callable[..., Settings], language: Language, with_model: bool) -> None:
    query = CHIPS[language]
    with news_site(language) as site, model_server(quotes) as models:
        model = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": models.base_url} if with_model else {}
        async with assistant_of(make_settings(**reached(site), **model)) as assistant:
            await assistant.library.add("tea.md", TEA.encode())

            only = await handle_query(assistant, query, use_web_if_needed=False)
            assert (only["used_web"], only["coverage"]["covered"], only["retrieved_documents"]) == (False, False, [])
            assert site.requests == []
            assert not only["agent_result"]["success"]

            basic = await handle_query(assistant, query, force_refresh=False, use_web_if_needed=True)
            assert (basic["used_web"], basic["coverage"]["covered"]) == (True, False)
            _answered(basic, language, with_model)

            asked = [len(site.asked(path)) for path in PATHS]
            forced = await handle_query(assistant, query, force_refresh=True)
            assert (forced["used_web"], forced["coverage"]["covered"]) == (True, True)
            assert [len(site.asked(path)) for path in PATHS] == [count + 1 for count in asked]
            assert len(assistant.library.documents()) == 4
            _answered(forced, language, with_model)

            requests = len(site.requests)
            for how in ({"use_web_if_needed": False}, {"use_web_if_needed": False, "force_refresh": True}):
                only = await handle_query(assistant, query, **how)
                assert (only["used_web"], only["coverage"]["covered"], only["record"]) == (False, True, None)
                _answered(only, language, with_model)
            assert len(site.requests) == requests


def _answered(result: dict[str, Any], language: Language, with_model: bool) -> None:
    """By the model, or up to the prompt with the reason why not."""
    agent = result["agent_result"]
    assert result["retrieved_documents"]
    assert result["retrieved_documents"][0]["content"].split("\n")[-1] in result["enhanced_prompt"]
    assert result["answer_file"]
    assert agent["success"] is with_model
    if with_model:
        assert all(citation["supported"] for citation in result["citations"])
        assert agent["parsed"].endswith("[1]")
    else:
        assert (agent["parsed"], agent["raw"], result["citations"]) == (None, None, [])
        assert ("模型" if language == "zh" else "model") in agent["error"]
        assert ".env" in agent["error"]
