"""The model against a real local server: streaming, forms, and every way in which it fails."""

import json

import pytest
from pydantic import BaseModel

from benchmarks.model_server import Reply, Script, model_server, wanted_form
from errors import ModelError
from providers.llm import Chain, Model
from settings import Settings

PROMPT = [("user", "hello")]


class Colour(BaseModel):
    reason: str
    name: str


def opened(url: str, **settings: str) -> Model:
    model = Chain(Settings.from_mapping({"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": url, **settings})).model()
    assert model is not None
    return model


async def streamed(script: Script, **settings: str) -> str:
    with model_server(script) as server:
        return "".join([token async for token in opened(server.base_url, **settings).stream(PROMPT)])


async def test_an_answer_is_streamed() -> None:
    assert await streamed(lambda _: Reply("年假有十天 [1]。")) == "年假有十天 [1]。"


@pytest.mark.parametrize(
    "reply", [Reply("no", status=401), Reply("a long enough answer", cut_after=2), Reply(status=404)]
)
async def test_a_failure_is_a_model_error_with_a_remedy(reply: Reply) -> None:
    with pytest.raises(ModelError) as caught:
        await streamed(lambda _: reply)
    assert ".env" in caught.value.suggestions[0].en
    assert ".env" in caught.value.suggestions[0].zh


async def test_a_silent_address_is_given_up() -> None:
    with pytest.raises(ModelError):
        await streamed(lambda _: Reply("late", first_delay=1.0), CITEWISE_LLM_TIMEOUT="0.1")


async def test_nobody_at_the_address() -> None:
    with model_server(lambda _: Reply()) as gone:
        pass
    with pytest.raises(ModelError):
        await opened(gone.base_url).fill(PROMPT, Colour, purpose="plan")


async def test_a_form_is_filled() -> None:
    filled = json.dumps({"reason": "sky", "name": "blue"})
    with model_server(lambda _: Reply(filled)) as server:
        assert (await opened(server.base_url).fill(PROMPT, Colour, purpose="plan")).name == "blue"


async def test_what_an_address_cannot_do_is_tried_once_only() -> None:
    def script(request: dict) -> Reply:
        if "response_format" in request and request["response_format"]["type"] == "json_schema":
            return Reply("json_schema unsupported", status=400)
        if request.get("tools"):
            return Reply("I would say blue")
        return Reply('```json\n{"reason": "sky", "name": "blue"}\n```')

    with model_server(script) as server:
        model = opened(server.base_url)
        assert (await model.fill(PROMPT, Colour, purpose="plan")).name == "blue"
        tried = len(server.requests)
        assert (await model.fill(PROMPT, Colour, purpose="plan")).name == "blue"
        assert len(server.requests) == tried + 1
        assert wanted_form(server.requests[0]) == "Colour"


async def test_no_form_at_all_is_a_model_error() -> None:
    with model_server(lambda _: Reply("blue, I think")) as server, pytest.raises(ModelError):
        await opened(server.base_url).fill(PROMPT, Colour, purpose="plan")


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": "k"}, "gpt-4o-mini"),
        ({"DASHSCOPE_API_KEY": "k", "DASH_MODEL_NAME": "qwen-plus"}, "qwen-plus"),
        ({"OPENAI_API_KEY": "k", "CITEWISE_LLM_MODEL": "own", "CITEWISE_LLM_BASE_URL": "http://x/v1"}, "own"),
    ],
)
async def test_a_key_alone_is_enough(variables: dict[str, str], name: str | None) -> None:
    model = Chain(Settings.from_mapping(variables)).model()
    assert (model and model.name) == name
