"""The other kinds of the package rerankers: addresses, models of their own packages."""

from __future__ import annotations

import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import get_args

import pytest

from errors import CitewiseError
from providers.rerankers import LocalReranker, Reranker, RerankError, kinds, open_reranker
from providers.rerankers.kinds import KINDS
from schema import RerankerType
from tests.providers.reranker_cases import TEXTS, hits, settings


def test_every_kind_of_the_package_for_text_can_be_set():
    rerankers = pytest.importorskip("rerankers.reranker")
    source = Path(rerankers.__file__).read_text(encoding="utf-8")
    known = {name for name in rerankers.DEFAULTS if f'"{name}": "' in source or name in rerankers.PROVIDERS}
    pictures, never_there = {"monovlm"}, {"lit5"}  # the package has no class for the second
    assert known - pictures - never_there == set(get_args(RerankerType)) == KINDS.keys()
    for name in KINDS:
        assert settings(RERANKER_TYPE=name).reranker_type == name
    with pytest.raises(ValueError, match="'flashrank'"):
        settings(RERANKER_TYPE="lit5")


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.where != "address"])
async def test_a_kind_whose_package_is_missing_says_which(name, monkeypatch):
    monkeypatch.setattr(kinds, "find_spec", lambda _: None)
    reranker = open_reranker(settings(RERANKER_TYPE=name, RERANKER_NAME_OR_PATH="a/b", CITEWISE_RERANKER_API_KEY="k"))
    assert reranker.calibrated is (name == "cross-encoder")
    with pytest.raises(CitewiseError) as caught:
        await reranker.rerank("a", hits(*TEXTS))
    wanted = "uv sync --extra rerank" if KINDS[name].module == "torch" else f"rerankers[{KINDS[name].extra}]"
    for said in caught.value.suggestions[0]:
        assert wanted in said


@pytest.mark.parametrize(
    ("name", "variable"),
    [("cohere", "CITEWISE_RERANKER_API_KEY"), ("text-embeddings-inference", "CITEWISE_RERANKER_BASE_URL")],
)
async def test_an_address_without_what_it_needs_is_not_asked(name, variable):
    pytest.importorskip("requests")
    with pytest.raises(RerankError) as caught:
        await open_reranker(settings(RERANKER_TYPE=name)).rerank("a", hits(*TEXTS))
    for said in (*caught.value.message, *caught.value.suggestions[0]):
        assert variable in said


class Address:
    """A reranker on loopback: `replies` by what was asked, the last request kept."""

    def __init__(self, reply, status=200):
        asked = self.asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                asked.append((self.path, self.headers["authorization"], body))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(reply).encode())

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/rerank"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize(
    ("name", "scored"),
    [
        ("cohere", lambda rows: {"results": [{"index": i, "relevance_score": s, "document": {}} for i, s in rows]}),
        ("mixedbread.ai", lambda rows: {"data": [{"index": i, "score": s, "input": ""} for i, s in rows]}),
        ("text-embeddings-inference", lambda rows: [{"index": i, "score": s, "text": ""} for i, s in rows]),
    ],
)
async def test_an_address_sorts_the_passages(name, scored):
    pytest.importorskip("requests")
    with Address(scored([(1, 0.9), (0, 0.2)])) as address:
        variables = {"RERANKER_TYPE": name, "CITEWISE_RERANKER_BASE_URL": address.url, "CITEWISE_RERANKER_API_KEY": "k"}
        reranker = open_reranker(settings(**variables, RERANKER_NAME_OR_PATH="our-model"))
        assert await reranker.rerank("beijing weather", hits(*TEXTS)) == [0.75, 1.0, 0.0]  # the last was left out
    [(path, key, body)] = address.asked
    assert (path, key, body["model"], body["query"]) == ("/rerank", "Bearer k", "our-model", "beijing weather")
    assert any(value == TEXTS for value in body.values())


@pytest.mark.parametrize(
    ("reply", "status"), [({"results": []}, 401), ({"error": "no"}, 200), ({"results": [{}]}, 200)]
)
async def test_an_address_that_does_not_answer_as_it_should_is_said(reply, status):
    pytest.importorskip("requests")
    with Address(reply, status) as address:
        variables = {"CITEWISE_RERANKER_BASE_URL": address.url, "CITEWISE_RERANKER_API_KEY": "k"}
        reranker = open_reranker(settings(RERANKER_TYPE="cohere", **variables))
        with pytest.raises(RerankError, match=r"nothing usable"):
            await reranker.rerank("a", hits(*TEXTS))


async def test_a_model_is_loaded_once_and_its_failure_remembered():
    loaded = []

    def load():
        loaded.append(1)
        raise ValueError("broken weights")

    reranker: Reranker = LocalReranker("onnx", load)
    for _ in range(2):
        with pytest.raises(RerankError, match="ValueError"):
            await reranker.rerank("a", hits("b"))
    assert loaded == [1]


@pytest.mark.parametrize("scores", [[0.5], [math.nan, 0.1], []])
async def test_scores_that_do_not_fit_are_a_failure(scores):
    with pytest.raises(RerankError):
        await LocalReranker("onnx", lambda: lambda question, texts: scores).rerank("a", hits("b", "c"))
