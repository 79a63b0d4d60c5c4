"""Forms that a model fills: one function for all of them, whatever the address understands."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from providers.failures import Failure, ProviderError
from providers.thoughts import without_thoughts
from schema import Language, Message
from text import detect_language

log = logging.getLogger(__name__)

Form = TypeVar("Form", bound=BaseModel)
Prompt = Sequence[tuple[str, str]]  # (role, text): role is "system", "user" or "assistant"
Way = Literal["json_schema", "function_calling", "json_mode", "text", "json_object"]
WAYS: tuple[Way, ...] = ("json_schema", "function_calling", "json_mode", "text")
AFTER_AN_ERROR: tuple[Way, ...] = ("json_object", "text")  # few: the server itself may be broken
# A weak model may list things without end, and a server with one thread answers nobody meanwhile.
MOST_TOKENS = 1500  # of a form that is written by a grammar: the longest, of a judge, has about 1,000
MOST_WITH_THOUGHTS = 8000  # where a model may think aloud first
_DEEPEST = 1000  # brackets of a text that is worth repairing: nested deeper it would take seconds
_LONGEST = 16_000  # characters of it: escaped quotes without end take the square of their number
_SHOWN = 4000  # characters of a wrong answer that the model sees again


class ModelReply(NamedTuple):
    """A whole reply: its text, or the arguments of the tool that it calls."""

    text: str
    arguments: str = ""


Ask = Callable[[Prompt, dict[str, Any]], Awaitable[ModelReply]]  # raises ProviderError


class UnfilledError(ValueError):
    """A reply that is not the form; `empty` when it holds no JSON object at all."""

    def __init__(self, reason: str, *, empty: bool = False) -> None:
        super().__init__(reason)
        self.empty = empty


@dataclass
class StructuredModes:
    """Which way to a form works at one address: found out once, remembered for every turn while the program runs.

    It is not kept on disk: asking anew costs one refused request, and a server may have been changed meanwhile.
    """

    first: Way = "json_schema"
    _known: dict[type[BaseModel], Way] = field(default_factory=dict)

    def order(self, form: type[BaseModel]) -> list[Way]:
        """The way that worked for this form, or for the last one, then the others."""
        first = self._known.get(form) or self.first
        return [first, *(way for way in WAYS if way != first)]

    def knows(self, form: type[BaseModel]) -> bool:
        return form in self._known

    def worked(self, form: type[BaseModel], way: Way) -> None:
        self._known[form] = self.first = way

    def forget(self, form: type[BaseModel]) -> None:
        self._known.pop(form, None)


async def fill(ask: Ask, prompt: Prompt, form: type[Form], ways: StructuredModes) -> Form:
    """The form, filled. Raises ProviderError when the address does not answer, UnfilledError when it answers nonsense.

    A way that the address refuses, or takes no notice of, is followed by the next one, and one that makes its server
    fail by those that ask least of it; an answer that almost fits is sent back once with what is wrong with it.
    """
    problem: ProviderError | UnfilledError | None = None
    language = _language(prompt)
    left, tried = ways.order(form), list[Way]()
    while left:
        tried.append(way := left.pop(0))
        asked, body = [*prompt, *_instruction(form, way, language)], _request(form, way)
        try:
            reply = await ask(asked, body)
        except ProviderError as error:
            if may_be_the_form(error.failure):
                if ways.knows(form):  # it has just worked so: the next time others are tried as well
                    ways.forget(form)
                    raise
                left = [other for other in AFTER_AN_ERROR if other not in tried]
            elif error.failure.kind not in ("refused", "empty"):
                raise
            problem = error
            continue
        try:
            filled = parse(reply, form)
        except UnfilledError as error:
            if error.empty and not ways.knows(form) and way != WAYS[-1]:
                problem = error
                continue
            log.info("%s by %s: %s", form.__name__, way, error)
            ways.forget(form)
            filled = parse(await ask([*asked, *_complaint(reply, error, language)], body), form)
        ways.worked(form, way)
        return filled
    assert problem is not None
    raise problem


def may_be_the_form(failure: Failure) -> bool:
    """Whether a server may have failed for the way in which a form was asked for: some answer 500 to what they do not
    know. One that says when to come again is busy."""
    return failure.kind == "server" and failure.retry_after is None


def parse(reply: ModelReply, form: type[Form]) -> Form:
    """The form in a reply, however it is wrapped. Raises UnfilledError."""
    reason: str | None = None
    for candidate in _candidates(reply.arguments or reply.text, form.__name__):
        try:
            return form.model_validate(candidate)
        except ValidationError as error:
            lines = [f"{'.'.join(map(str, one['loc'])) or 'form'}: {one['msg']}" for one in error.errors()[:8]]
            reason = reason or "; ".join(lines)
    raise UnfilledError(reason or "there is no JSON object in it", empty=reason is None)


def _candidates(text: str, name: str) -> Iterator[dict[str, Any]]:
    """Every object that the text may mean, likeliest first: strict JSON as it stands, then what can be repaired."""
    found = _objects(text)
    for one in found:
        yield one
    for one in found:  # wrapped: {"Plan": {...}}, or a tool call written out as text
        for key in (name, "arguments", "parameters", "properties"):
            if isinstance(inner := one.get(key), dict):
                yield inner


def _objects(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        plain = without_thoughts(text)
        found = _whole(plain) or _repaired(plain)
    return [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict) and one]


_strings_or_comma = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|,(?=\s*+[}\]])', re.DOTALL)
_begin = re.compile(r"\{(?=\s*[\"“'])")  # of an object: braces in prose are followed by something else


def _whole(text: str) -> list[Any]:
    """Objects that stand in the text without a fault, but for the commonest: a comma before the end."""
    text = _strings_or_comma.sub(lambda match: match[1] or "", text)
    found, decoder, end = [], json.JSONDecoder(strict=False), 0
    while begin := _begin.search(text, end):
        try:
            one, end = decoder.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            return []  # what begins here is broken: its inner objects are not the form
        found.append(one)
    return found


_pair = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_colon = re.compile(r"(?<!\\)([\"”'])\s*：")
_comma = re.compile(r"(?<!\\)([\"”'\]}\w])\s*，(?=\s*[\"“'])")


def _repaired(text: str) -> Any:
    """What can be made of it: single quotes, Chinese punctuation, a trailing comma, no end, words around it ..."""
    if "{" not in text:
        text = text.replace("｛", "{").replace("｝", "}")
    begin = _begin.search(text)
    start = begin.start() if begin else text.find("{")
    if start < 0 or len(text) - start > _LONGEST or text.count("[") + text.count("{") > _DEEPEST:
        return None
    from json_repair import loads

    text = _comma.sub(r"\1,", _colon.sub(r"\1:", text[start:]))
    try:
        return loads(_pair.sub(lambda pair: str(json.loads(f'"{pair[0]}"')), text))
    except (ValueError, RecursionError):
        return None


@lru_cache(maxsize=64)
def _request(form: type[BaseModel], way: Way) -> dict[str, Any]:
    """What the request's body says of the form, and where it has to end."""
    asked: dict[str, Any] = {"max_tokens": MOST_TOKENS if way == "json_object" else MOST_WITH_THOUGHTS}
    if way == "json_schema":
        from openai import pydantic_function_tool

        strict: Any = pydantic_function_tool(form)["function"]  # every field required, no others
        schema = {"name": form.__name__, "schema": _in_strict_mode(strict["parameters"]), "strict": True}
        return {**asked, "response_format": {"type": "json_schema", "json_schema": schema}}
    if way == "function_calling":
        from langchain_core.utils.function_calling import convert_to_openai_function

        described = convert_to_openai_function(form)
        chosen = {"type": "function", "function": {"name": described["name"]}}
        return {**asked, "tools": [{"type": "function", "function": described}], "tool_choice": chosen}
    if way == "json_object":  # as llama.cpp and what is built on it take a schema
        return {**asked, "response_format": {"type": "json_object", "schema": form.model_json_schema()}}
    return {**asked, "response_format": {"type": "json_object"}} if way == "json_mode" else asked


def _in_strict_mode(schema: Any) -> Any:
    """Without what a strict schema may not hold: defaults and bounds of lists; a property may well be called so."""
    if isinstance(schema, list):
        return [_in_strict_mode(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _in_strict_mode(one) for name, one in inner.items()}
        if key in ("properties", "$defs")
        else _in_strict_mode(inner)
        for key, inner in schema.items()
        if key not in ("default", "maxItems")
    }


@lru_cache(maxsize=64)
def _instruction(form: type[BaseModel], way: Way, language: Language) -> tuple[tuple[str, str], ...]:
    """The schema in words, where the request itself cannot carry it."""
    if way in ("json_schema", "function_calling"):
        return ()
    schema = json.dumps(form.model_json_schema(), ensure_ascii=False)
    return (("user", f"{_AS_JSON.to(language)}\n{schema}"),)


def _complaint(reply: ModelReply, error: UnfilledError, language: Language) -> list[tuple[str, str]]:
    answer = (reply.arguments or reply.text).strip()[:_SHOWN]
    wrong = Message(
        zh=f"这不符合要求的格式：{error}。请重新回答，只输出改正后的 JSON 对象。",
        en=f"That is not the form: {error}. Answer again with nothing but the corrected JSON object.",
    )
    return [("assistant", answer or _NOTHING.to(language)), ("user", wrong.to(language))]


def _language(prompt: Prompt) -> Language:
    """Of what the model is told; its sources may be in another one."""
    return next((found for _, text in prompt if (found := detect_language(text))), "en")


_AS_JSON = Message(
    zh="请只回答一个 JSON 对象，它要符合这个 JSON schema：",
    en="Answer with nothing but one JSON object that fits this JSON schema:",
)
_NOTHING = Message(zh="（没有内容）", en="(nothing)")
