"""Forms: every way to ask for one, and every way in which models get it almost right."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from evaluation.judges import Judgement
from planning.model_form import FilledPlan
from providers.rerankers.llm import Ranking
from providers.structured import (
    AFTER_AN_ERROR,
    WAYS,
    ModelReply,
    StructuredModes,
    UnfilledError,
    _instruction,
    _request,
    parse,
)
from tests.each_row import each_row
from web.extracting.model import About


class Inner(BaseModel):
    default: str = ""
    size: int | None = None


class Colour(BaseModel):
    """A colour and why."""

    reason: str
    name: str
    depth: int = Field(3, ge=1, le=5)
    parts: list[Inner] = Field(default_factory=list)


WRAPPED = [
    '{"reason": "sky", "name": "blue"}',
    'Here it is:\n```json\n{"reason": "sky", "name": "blue"}\n```\nAnything {else}?',
    '<think>{"reason": "no", "name": "red"}</think>{"reason": "sky", "name": "blue"}',
    'It must be blue\n</think>\n\n{"reason": "sky", "name": "blue"}',
    '{"reason": "sky", "name": "blue",}',
    "{'reason': 'sky', 'name': 'blue'}",
    '{"reason": "sky", "name": "blue"',
    "{reason: sky, name: blue}",
    '{"reason": "sky" "name": "blue"}',
    "{“reason”：“sky”，“name”：“blue”}",
    '｛"reason"："sky"，"name"："blue"｝',
    '[{"reason": "sky", "name": "blue"}]',
    '{"Colour": {"reason": "sky", "name": "blue"}}',
    '<tool_call>{"name": "Colour", "arguments": {"reason": "sky", "name": "blue"}}</tool_call>',
    '{"step": 1}\n{"reason": "sky", "name": "blue"}',
    '{"reason": "sky", "name": "blue", "depth": "4", "more": [1]}',
    'Of {a set} of colours: {"reason": "sky", "name": "blue"}',
    "Of {a set} of colours: {'reason': 'sky', 'name': 'blue'}",
    '{"reason": "sky", // above\n "name": "blue" /* so */}',
]


@each_row("text", WRAPPED)
def test_what_is_almost_the_form_is_the_form(text: str) -> None:
    filled = parse(ModelReply(text), Colour)
    assert (filled.reason, filled.name) == ("sky", "blue")


@each_row("text", ["", "blue, I think", "null", "[1, 2]", "{}", "I think {the blue} one", "<think>{"])
def test_a_text_without_an_object_is_none(text: str) -> None:
    with pytest.raises(UnfilledError) as caught:
        parse(ModelReply(text), Colour)
    assert caught.value.empty


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(UnfilledError, match=r"name: Field required; depth: .*less than or equal to 5") as caught:
        parse(ModelReply('{"reason": "sky", "depth": 9}'), Colour)
    assert not caught.value.empty


def test_arguments_of_a_tool_come_before_the_text() -> None:
    assert parse(ModelReply("I call it", '{"reason": "sky", "name": "blue"}'), Colour).name == "blue"


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=30)
DECORATIONS = [
    lambda text: text,
    lambda text: f"```json\n{text}\n```",
    lambda text: f"<think>hm {{ not this }}</think>\n{text}",
    lambda text: f"\ufeff \n{text}\n\n",
    lambda text: text[:-1] + ",}",
]


@given(TEXTS, TEXTS, st.integers(1, 5), st.sampled_from(DECORATIONS), st.booleans())
def test_values_survive_every_wrapping(reason: str, name: str, depth: int, wrapped, ascii_only: bool) -> None:
    text = json.dumps({"reason": reason, "name": name, "depth": depth}, ensure_ascii=ascii_only)
    if wrapped is DECORATIONS[2] and "</think>" in reason + name:
        return
    assert parse(ModelReply(wrapped(text)), Colour) == Colour(reason=reason, name=name, depth=depth)


@given(st.text(alphabet="{}[]\"'`:,，：“”｛｝ab1\\\n</think>", max_size=60))
def test_no_text_breaks_the_reading(text: str) -> None:
    with contextlib.suppress(UnfilledError):
        assert isinstance(parse(ModelReply(text), Colour), Colour)


@each_row("endless", ['{"reason": "' + '\\"' * 50_000, '{"reason": ' + "[" * 100_000, "{'reason': 'sky', " * 6_000])
def test_what_does_not_come_to_an_end_holds_nobody_up(endless: str) -> None:
    with pytest.raises(UnfilledError):
        parse(ModelReply(endless), Colour)


def test_deep_nesting_is_no_form() -> None:
    with pytest.raises(UnfilledError):
        parse(ModelReply("{" * 5000), Colour)


def test_a_strict_schema_requires_everything_and_holds_no_defaults() -> None:
    described = _request(Colour, "json_schema")["response_format"]["json_schema"]
    schema = described["schema"]
    assert (described["name"], described["strict"]) == ("Colour", True)
    assert set(schema["required"]) == {"reason", "name", "depth", "parts"}
    assert schema["additionalProperties"] is False
    assert "default" not in schema["properties"]["depth"]
    assert "default" in schema["$defs"]["Inner"]["properties"]  # a property of that name stays


def arrays(schema: object) -> list[dict]:
    inner = [*schema.values()] if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    own = [schema] if isinstance(schema, dict) and schema.get("type") == "array" else []
    return own + [found for one in inner for found in arrays(one)]


@each_row("form", [FilledPlan, Judgement, Ranking, About])
def test_no_model_fills_a_form_without_end(form: type[BaseModel]) -> None:
    """Random weights went on with `urls` until the time-out."""
    assert all("max_tokens" in _request(form, way) for way in (*WAYS, *AFTER_AN_ERROR))
    schema = _request(form, "json_object")["response_format"]["schema"]
    assert arrays(schema)
    assert all(one["maxItems"] <= 100 for one in arrays(schema))
    assert "maxLength" not in json.dumps(schema)  # llama-cpp-python dies of a large one
    assert "maxItems" not in json.dumps(_request(form, "json_schema"))  # strict mode may refuse it


def test_a_list_past_its_bound_is_cut() -> None:
    said = {"intent": "retrieve", "urls": [f"https://x.example/{number}" for number in range(99)], "files": "a.md"}
    filled = parse(ModelReply(json.dumps(said)), FilledPlan)
    assert (filled.urls, filled.files) == (said["urls"][:10], ["a.md"])
    assert parse(ModelReply(json.dumps({"ranking": [*range(99)]})), Ranking).ranking == [*range(60)]


@each_row("way", WAYS)
def test_a_request_is_made_once(way) -> None:
    assert _request(Colour, way) is _request(Colour, way)
    assert _instruction(Colour, way, "zh") is _instruction(Colour, way, "zh")


def test_the_way_that_worked_comes_first_for_other_forms_too() -> None:
    ways = StructuredModes()
    assert ways.order(Colour) == list(WAYS)
    ways.worked(Colour, "json_mode")
    assert ways.order(Inner)[0] == "json_mode"
    assert not ways.knows(Inner)
    ways.worked(Inner, "text")
    assert ways.order(Colour)[0] == "json_mode"
