"""What one request has in place of the settings: each option has its effect at every door."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import ValidationError

import citewise
import schema
from answering.confidence import UNCERTAIN
from benchmarks.model_server import ModelServer, model_server
from doors.mcp_server import calling
from doors.openai_api import openai_door
from doors.services import SERVICES, Services
from errors import CitewiseError
from nodes.answer import AS_WRITTEN
from nodes.events import Answered
from nodes.overrides import Overrides
from settings import Settings
from tests.each_row import each_row
from tests.graph.turn_cases import GUIDE, Script, assistant_of, of, say
from ui.api import _endpoint
from validation import bounds, validation_error

QUESTION = "What do the rules of Reykjavik say about annual leave in winter?"
TEXTS = [
    "# Offices\n\nAnnual leave of the offices is fifteen days by the rules.\n",
    "# Drivers\n\nWho drives a truck has annual leave of thirty days; the rules of the road apply.\n",
    "# Guests\n\nThe rules say that guests have no annual leave at all.\n",
    "# Kitchen\n\nCooks take their annual leave in August, when the kitchen is closed.\n",
    "# Archive\n\nManuals say: leavers return the rulers annually to the archive.\n",
    "# Annuals\n\nAnnualised leavetaking: ruled by Annalise.\n",
]
SAID = "There is annual leave [1]. It is in the rules [2]. So they say [3]. And so on [4]. And on [5]."


@dataclass
class Shape:
    """What a door has given, as far as options can change it."""

    passages: int  # that it cites or lists
    notices: str
    calls: int = 0  # of the model
    chinese: bool = False  # what the model is told


@dataclass
class House:
    library: citewise.AsyncCitewise
    model: ModelServer
    question: str = QUESTION

    @property
    def services(self) -> Services:
        return Services(self.library.assistant)


Asker = Callable[..., Awaitable[Shape]]


@pytest.fixture
async def house(make_settings, bare_environment) -> AsyncIterator[House]:
    with model_server(Script(answer=SAID, note=SAID, merge=SAID)) as server:
        how = {"llm_model": "m", "llm_base_url": server.base_url, "strategy": "vector", "embedding": "hashing"}
        async with citewise.aopen(make_settings().data_dir, web="never", answer_cache=0, **how) as library:
            for n, text in enumerate(TEXTS):
                await library.add_content(f"rules{n}.md", text)
            yield House(library, server)


def cited(fields: dict[str, Any]) -> Shape:
    return Shape(len({source["document"] for source in fields["sources"]}), " ".join(fields["notices"]))


def of_answer(answer: schema.Answer) -> Shape:
    sources = {citation.source for statement in answer.statements for citation in statement.citations}
    return Shape(len(sources), " ".join(one.to(answer.language) for one in answer.notices))


# --- the doors, each as a function of a house and options ------------------------------------------------------------


async def python_ask(house: House, **options: Any) -> Shape:
    return of_answer(await house.library.ask(house.question, **options))


async def python_stream(house: House, **options: Any) -> Shape:
    events = [event async for event in house.library.stream(house.question, **options)]
    [answered] = [event.answer for event in events if isinstance(event, Answered)]
    return of_answer(answered)


async def python_search(house: House, **options: Any) -> Shape:
    return Shape(len(await house.library.search(house.question, **options)), "")


async def python_handle_query(house: House, **options: Any) -> Shape:
    found = await house.library.handle_query(house.question, use_web_if_needed=False, **options)
    return Shape(len(found["retrieved_documents"]), " ".join(found["notices"]))


async def python_retrieve(house: House, **options: Any) -> Shape:
    found = await house.library.retrieve(house.question, **options)
    return Shape(len(found["documents"]), " ".join(found["notices"]))


async def chat(house: House, **options: Any) -> Shape:
    site = FastAPI()
    site.include_router(openai_door(house.services))
    asked = {"messages": [{"role": "user", "content": house.question}], **options}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
        return cited((await client.post("/v1/chat/completions", json=asked)).json()["choices"][0]["message"])


async def mcp(house: House, name: str, options: dict[str, Any]) -> dict[str, Any]:
    done = await calling(house.services)(name, {"question": house.question, **options}, "")
    assert done.structured_content
    return done.structured_content


async def mcp_ask(house: House, **options: Any) -> Shape:
    return cited(await mcp(house, "ask", options))


async def mcp_search(house: House, **options: Any) -> Shape:
    found = await mcp(house, "search", options)
    return Shape(len(found["passages"]), " ".join(found["notices"]))


async def gradio_ask(house: House, **options: Any) -> Shape:
    endpoint = _endpoint(house.services, "ask", SERVICES["ask"])
    bound = inspect.signature(endpoint).bind(
        SimpleNamespace(request=SimpleNamespace(scope={})), house.question, **options
    )
    bound.apply_defaults()
    return cited(await endpoint(*bound.args))


ANSWERS: dict[str, Asker] = {
    "ask": python_ask, "stream": python_stream, "handle_query": python_handle_query, "/v1": chat, "mcp ask": mcp_ask,
    "gradio": gradio_ask,
}  # fmt: skip
DOORS: dict[str, Asker] = {**ANSWERS, "search": python_search, "mcp search": mcp_search, "retrieve": python_retrieve}

# --- the options, each with a value and what it must bring about -----------------------------------------------------

Effect = Callable[[Shape, Shape], bool]  # without it, with it
TABLE: dict[str, tuple[dict[str, Any], Effect]] = {
    "top_k": ({"top_k": 1}, lambda before, after: before.passages > after.passages == 1),
    "min_similarity": ({"min_similarity": 1.0}, lambda before, after: before.passages > after.passages),
    "max_context_length": (
        {"max_context_length": 100},
        lambda before, after: before.passages > after.passages or after.calls > before.calls,
    ),
    "min_confidence": (
        {"min_confidence": 1.0},
        lambda before, after: UNCERTAIN.en not in before.notices and UNCERTAIN.en in after.notices,
    ),
    "rerank": (
        {"rerank": "onnx"},
        lambda before, after: "Not reranked" not in before.notices and "Not reranked" in after.notices,
    ),
    "language": (
        {"language": "zh-CN", "rerank": "onnx"},
        lambda before, after: "没有重排" in after.notices and not before.chinese and after.chinese == bool(after.calls),
    ),
}
SILENT = {"min_confidence", "rerank", "language"}  # what a bare list of passages cannot show


async def measured(house: House, door: str, **options: Any) -> Shape:
    before = len(house.model.requests)
    shape = await DOORS[door](house, **options)
    asked = house.model.requests[before:]
    told = "".join(message["content"] for request in asked for message in request["messages"])
    return replace(shape, calls=len(asked), chinese=any("一" <= char <= "鿿" for char in told))


@pytest.mark.parametrize("door", DOORS)
async def test_each_option_has_its_effect(house: House, door: str) -> None:
    before = await measured(house, door)
    for name, (options, effect) in TABLE.items():
        if door != "search" or name not in SILENT:
            after = await measured(house, door, **options)
            assert effect(before, after), (name, before, after)


@pytest.mark.parametrize("door", ANSWERS)
async def test_the_language_of_the_answer_is_asked_for_in_words_or_as_an_argument(house: House, door: str) -> None:
    for words, options in (
        (" Answer in Chinese.", {}),
        ("", {"language": "中文"}),
        (" 用英文回答", {"language": "zh"}),
    ):
        before, asked = len(house.model.requests), replace(house, question=f"{QUESTION}{words}")
        await DOORS[door](asked, **options)
        told = ["".join(message["content"] for message in one["messages"]) for one in house.model.requests[before:]]
        answering = [one for one in told if QUESTION in one and "用中文" in one]
        assert answering, (words, told)
        assert not words or words.strip() not in "".join(answering)


def test_the_bounds_are_those_of_the_settings() -> None:
    for name in ("top_k", "min_similarity", "min_confidence", "max_context_length"):
        own, set_to = bounds((name,), Overrides), bounds((name,), Settings)
        assert own[0] == set_to[0]
        assert own[1] == set_to[1] or set_to[1] is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"top_k": True}, ("top_k 须为整数", "top_k must be a whole number")),
        ({"top_k": 51}, ("top_k 须在 1 到 50 之间", "top_k must be between 1 and 50")),
        ({"top_k": "many"}, ("top_k 须为整数", "top_k must be a whole number")),
        ({"min_similarity": False}, ("min_similarity 须为数字", "min_similarity must be a number")),
        ({"min_confidence": -0.1}, ("min_confidence 须在 0 到 1 之间", "min_confidence must be between 0 and 1")),
        ({"max_context_length": 1}, ("max_context_length 须在 100 到 1000000 之间", "between 100 and 1000000")),
        ({"language": "klingon"}, ("language 可用的值：zh, en", "language must be one of zh, en")),
        ({"rerank": "best"}, ("rerank 可用的值：on, off, llm", "rerank must be one of on, off, llm")),
        ({"topk": 3}, ("没有参数 topk", "there is no parameter topk")),
    ],
)
async def test_what_does_not_fit_is_said_in_both_languages(given: dict[str, Any], said: tuple[str, str]) -> None:
    services = Services(SimpleNamespace())  # type: ignore[arg-type]  # it is not asked
    with pytest.raises(CitewiseError) as at_a_door:
        await services.call("ask", {"question": "?", **given})
    with pytest.raises(ValidationError) as in_python:
        Overrides.model_validate(given)
    for wrong in (at_a_door.value, validation_error(in_python.value, Overrides)):
        assert said[0] in wrong.message.zh
        assert said[1] in wrong.message.en


@pytest.mark.parametrize(
    ("given", "reranker", "model", "used"),
    [
        (True, "none", None, "llm"),
        ("on", "auto", "some/model", "auto"),
        ("on", "onnx", "some/model", "onnx"),
        (False, "llm", None, "none"),
        ("OFF", "auto", "some/model", "none"),
        ("cross-encoder", "llm", None, "cross-encoder"),
        ("auto", "llm", None, "llm"),
        ("", "llm", None, "llm"),
    ],
)
def test_reranking_is_switched_or_chosen(
    make_settings, given: Any, reranker: str, model: str | None, used: str
) -> None:
    settings = make_settings().model_copy(update={"reranker": reranker, "reranker_model": model})
    assert Overrides(rerank=given).over(settings).reranker == used


@each_row(("given", "code"), [("cn", "zh"), ("zh_TW", "zh"), ("EN-us", "en"), ("", None), (None, None)])
def test_a_language_is_told_in_any_spelling(given: Any, code: str | None) -> None:
    assert Overrides(language=given).language == code


async def test_as_many_passages_as_are_asked_for_reranked_or_not(make_settings) -> None:
    settings = Overrides(top_k=8).over(make_settings())
    assert (settings.top_k, settings.rerank_top_k) == (8, 8)


async def test_without_a_model_it_is_said_that_nothing_is_translated(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        for language, said in (("zh", True), ("en", False)):
            asked = await say(assistant, "How long is the wait?", overrides={"language": language})
            [answered] = of(asked, Answered)
            assert (AS_WRITTEN in answered.answer.notices) is said
            assert answered.answer.language == language
