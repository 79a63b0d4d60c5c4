"""What providers are like: parameters they refuse, thoughts, keys, load that they share."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from benchmarks.model_server import Reply, model_server
from errors import ModelError
from tests.providers.llm_cases import ANSWER, PROMPT, Colour, chain_of, healthy, heard

pytestmark = pytest.mark.usefixtures("short_waits")


@pytest.mark.parametrize("name", ["temperature", "stream_options", "max_tokens"])
async def test_a_parameter_that_a_model_refuses_is_left_out_from_then_on(tmp_path: Path, name: str) -> None:
    def script(request: dict) -> Reply:
        return Reply(f"Unsupported value: '{name}'", status=400) if name in request else healthy(request)

    with model_server(script) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            for _ in range(2):
                assert (await heard(chain.model()))[0] == ANSWER
                assert (await chain.model().fill(PROMPT, Colour, purpose="rerank", temperature=0.5)).name == "blue"
            assert len([request for request in server.requests if name in request]) == 1


async def test_thoughts_do_not_reach_the_answer(tmp_path: Path) -> None:
    said = f"<think>\nsome {{thoughts}}\n</think>\n\n{ANSWER}"
    with model_server(lambda _: Reply(said, reasoning="more of them", piece=3)) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            assert await heard(chain.model()) == (ANSWER, [])
            assert await chain.model().write(PROMPT, purpose="hyde") == ANSWER


async def test_thoughts_that_are_known_too_late_are_void(tmp_path: Path) -> None:
    with model_server(lambda _: Reply(f"I could say so\n</think>\n{ANSWER}")) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            text, restarts = await heard(chain.model())
            assert text == ANSWER
            assert [(one.provider, "thoughts" in one.reason.en) for one in restarts] == [("model-a", True)]


async def test_keys_go_to_their_own_addresses_and_stand_in_no_message(tmp_path: Path, caplog) -> None:
    refusal = Reply("Incorrect API key: key-a", status=401)
    with model_server(lambda _: refusal) as first, model_server(healthy) as second:
        async with chain_of(tmp_path, first.base_url, second.base_url) as chain:
            model = chain.model()
            await heard(model)
            assert [server.keys for server in (first, second)] == [["key-a"], ["key-b"]]
            assert "key-a" not in f"{model.calls}{chain.health()}{caplog.text}"


async def test_load_is_shared_by_weight(tmp_path: Path) -> None:
    addresses = ["http://127.0.0.1:1/v1"] * 4
    how = {"weights": (0, 3, 1, 0), "chance": random.Random(7)}
    async with chain_of(tmp_path, *addresses, **how) as chain:
        first = [chain.model().name for _ in range(400)]
        assert set(first) == {"model-b", "model-c"}
        assert 0.7 < first.count("model-b") / len(first) < 0.8
        behind = [link.provider.model for link in chain.model()._links[2:]]
        assert behind == ["model-a", "model-d"]


async def test_without_weights_the_order_stands(tmp_path: Path) -> None:
    async with chain_of(tmp_path, "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1") as chain:
        assert {chain.model().name for _ in range(50)} == {"model-a"}


async def test_many_turns_at_once(tmp_path: Path) -> None:
    with model_server(healthy, latency=0.1) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            models = [chain.model() for _ in range(30)]
            texts = await asyncio.gather(*(heard(model) for model in models))
            forms = await asyncio.gather(*(model.fill(PROMPT, Colour, purpose="judge") for model in models))
            assert {text for text, _ in texts} == {ANSWER}
            assert {form.name for form in forms} == {"blue"}
            assert {len(model.calls) for model in models} == {2}


def test_each_event_loop_has_a_chain_of_its_own(tmp_path: Path) -> None:
    async def turn(address: str) -> str:
        async with chain_of(tmp_path, address) as chain:
            return (await heard(chain.model()))[0]

    with model_server(healthy) as server:
        assert [asyncio.run(turn(server.base_url)) for _ in range(3)] == [ANSWER] * 3


async def test_half_a_surrogate_pair_reaches_nobody(tmp_path: Path) -> None:
    with model_server(lambda _: Reply("a\ud800b")) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            assert (await heard(chain.model()))[0] == "a?b"
            assert await chain.model().write(PROMPT, purpose="hyde") == "a?b"


async def test_what_may_be_secret_in_an_address_stands_in_no_message(tmp_path: Path, caplog) -> None:
    with model_server(lambda _: Reply(status=404)) as server:
        address = server.base_url.replace("//", "//me:secret@") + "?token=secret"
        async with chain_of(tmp_path, address) as chain:
            model = chain.model()
            with pytest.raises(ModelError):
                await heard(model)
            assert server.root in str(model.calls)
            assert "secret" not in f"{model.calls}{chain.health()}{caplog.text}"
