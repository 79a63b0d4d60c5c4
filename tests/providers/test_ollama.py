"""An Ollama that comes and goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from benchmarks.model_server import Reply, model_server, nobody_listening
from errors import ModelError
from providers import ollama
from providers.llm import Chain
from settings import Settings

PROMPT = [("user", "hello")]


@asynccontextmanager
async def chain_at(address: str, **variables: str) -> AsyncIterator[Chain]:
    chain = Chain(Settings.from_mapping({"OLLAMA_BASE_URL": address, **variables}))
    try:
        yield chain
    finally:
        await chain.close()


async def test_it_joins_when_it_answers_and_leaves_when_it_does_not() -> None:
    with nobody_listening() as address:
        port = int(address.rsplit(":", 1)[1].split("/")[0])
    async with chain_at(address) as chain:
        await chain.look()
        assert (chain.model(), chain.health()) == (None, [])
        with model_server(lambda _: Reply("hi"), ollama=True, models=("llama3:8b", "qwen3:8b"), port=port):
            await chain.look()
            model = chain.model()
            assert model.name == "llama3:8b"
            assert await model.write(PROMPT, purpose="hyde") == "hi"
            assert [(one.provider, one.state) for one in chain.health()] == [("ollama", "ok")]
        with pytest.raises(ModelError, match="cannot be reached"):
            await model.write(PROMPT, purpose="hyde")
        await chain.look()
        assert chain.model() is None
        with model_server(lambda _: Reply("again"), ollama=True, models=("llama3:8b",), port=port):
            await chain.look()
            assert await chain.model().write(PROMPT, purpose="hyde") == "again"


async def test_nobody_waits_for_it() -> None:
    with model_server(lambda _: Reply("hi"), ollama=True) as server:
        async with chain_at(server.root) as chain:
            assert chain.model() is None  # asked before anything was looked at: no await in between
            await _until(chain, there=True)


async def test_a_failure_makes_it_look_again_at_once() -> None:
    with model_server(lambda _: Reply(gone=True), ollama=True) as server:
        async with chain_at(server.root) as chain:
            await _until(chain, there=True)
            with pytest.raises(ModelError):
                await chain.model().write(PROMPT, purpose="hyde")
            await _until(chain, there=False)


async def test_it_is_looked_for_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama, "INTERVAL", 0.01)
    with model_server(lambda _: Reply("hi")) as server:
        async with chain_at(server.root) as chain:
            await chain.look()
            assert chain.model() is None
            server.ollama = True
            await _until(chain, there=True)


async def _until(chain: Chain, *, there: bool) -> None:
    async with asyncio.timeout(120):
        while (chain.model() is not None) != there:  # noqa: ASYNC110 (what is waited for is a look of its own)
            await asyncio.sleep(0.005)


@pytest.mark.parametrize(
    ("models", "wanted", "chosen"),
    [
        (("qwen3:8b",), "", "qwen3:8b"),
        (("nomic-embed-text:latest", "bge-m3:latest", "all-minilm", "qwen3:8b"), "", "qwen3:8b"),
        (("qwen3:8b", "llama2:latest"), "llama2", "llama2"),
        (("qwen3:8b", "llama2:13b"), "llama2:13b", "llama2:13b"),
        (("qwen3:8b",), "llama2", None),
        (("bge-m3",), "", None),
        ((), "", None),
    ],
)
async def test_which_of_its_models(models: tuple[str, ...], wanted: str, chosen: str | None) -> None:
    with model_server(lambda _: Reply("hi"), ollama=True, models=models) as server:
        async with chain_at(server.root, OLLAMA_MODEL=wanted) as chain:
            await chain.look()
            model = chain.model()
            assert (model and model.name) == chosen
            if chosen is None:
                health = chain.health()[0]
                assert (health.state, health.provider) == ("failing", "ollama")
                assert wanted in health.error.zh
            else:
                await model.write(PROMPT, purpose="hyde")
                assert server.requests[0]["model"] == chosen


async def test_something_else_at_that_address_is_no_ollama() -> None:
    with model_server(lambda _: Reply("hi")) as server:
        async with chain_at(server.root) as chain:
            await chain.look()
            assert (chain.model(), chain.health()) == (None, [])


async def test_it_stands_behind_those_who_have_a_key() -> None:
    with model_server(lambda _: Reply(status=401)) as paid, model_server(lambda _: Reply("hi"), ollama=True) as server:
        own = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": paid.base_url}
        async with chain_at(server.root, **own) as chain:
            await chain.look()
            model = chain.model()
            assert model.name == "m"
            assert await model.write(PROMPT, purpose="hyde") == "hi"
            assert [call.provider for call in model.calls] == ["custom", "ollama"]
