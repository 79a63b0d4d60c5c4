"""What a sensible model would say, made from the request alone: the script of the scripted server.

Plans restate the question and translate it, a hypothetical passage is about the question, an answer quotes the sources
it was given with their numbers, a judge counts the answer's words in the sources. Good for plumbing, not for quality.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.manuals import manuals
from benchmarks.model_server import Reply, filled, wanted_form
from schema import Message
from text import detect_language, search_tokens, sentences

PIECES = 120  # of an answer, the last sentence being finished
_TRANSLATED_MANUALS = 400  # whose questions this model can translate
_fenced = re.compile(r"<([\w-]+)([^>]*)>\n(.*?)\n</\1>", re.DOTALL)
_lead_in = re.compile(r"^[^:：]{1,80}[:：]\s*(?=\S)")

Form = dict[str, Any]


def reply(request: dict[str, Any]) -> Reply:
    """The request is marked with when it came (`arrived`, monotonic seconds): thus it shows what waited for what."""
    request["arrived"] = time.monotonic()
    asked = "\n\n".join(str(message["content"]) for message in request["messages"])
    if wanted_form(request):
        return filled(request, fill(_schema(request), asked))
    text = answer(asked) if _fenced.search(asked) else passage(asked)
    return Reply(text, piece=4 if detect_language(text) == "en" else 2)


# --- texts -------------------------------------------------------------------------------------------------------


def answer(asked: str) -> str:
    """Sentences of the sources, those that share most with the question first, each with its source's number."""
    sources = [match[3] for match in _fenced.finditer(asked)]
    question = _fenced.sub("", asked).strip().splitlines()[-1]
    wanted = set(search_tokens(question))
    found = []
    for number, source in enumerate(sources, 1):
        body = source.partition("\n\n")[2] or source
        for start, end in sentences(body):
            shared = len(wanted & set(search_tokens(body[start:end])))
            found.append((-shared, number, start, body[start:end].strip()))
    zh = detect_language(question) == "zh"
    said, length = [], 0
    for _, number, _, sentence in sorted(found):
        if sentence.lstrip("# ") and not sentence.startswith("#"):
            said.append(f"{sentence.rstrip('。. ')} [{number}]{'。' if zh else '.'}")
            length += len(said[-1])
        if length >= PIECES * (2 if zh else 4):
            break
    return ("" if zh else " ").join(said)


def passage(asked: str) -> str:
    """A paragraph that could answer the question, its figures made up."""
    question = asked.strip().splitlines()[-1]
    question = question.partition("：")[2] or question.partition(": ")[2] or question
    if detect_language(question) == "zh":
        return f"关于{question.rstrip('？?')}，手册规定的数值是十二，操作人员应按照该数值执行，并在记录中签字。"
    return f"On {question.rstrip('?')}: the manual gives a value of twelve, which operators keep to and sign for."


# --- forms -------------------------------------------------------------------------------------------------------


def fill(schema: Form, asked: str) -> Form:
    """Every field of the form, by its name where it is known, else the least that its type allows."""
    definitions = schema.get("$defs", {})
    return {
        name: known(asked) if (known := _FIELDS.get(name)) else _least(wanted, definitions)
        for name, wanted in schema.get("properties", {}).items()
    }


def _schema(request: dict[str, Any]) -> Form:
    if described := (request.get("response_format") or {}).get("json_schema"):
        return dict(described["schema"])
    if tools := request.get("tools"):
        return dict(tools[0]["function"]["parameters"])
    content = str(request["messages"][-1]["content"])
    return dict(json.loads(content[content.index("{") :]))


def _least(wanted: Form, definitions: Form) -> Any:
    if "$ref" in wanted:
        wanted = definitions[wanted["$ref"].rpartition("/")[2]]
    if options := wanted.get("anyOf"):
        return None if {"type": "null"} in options else _least(options[0], definitions)
    if "enum" in wanted or "const" in wanted:
        return wanted["const"] if "const" in wanted else wanted["enum"][0]
    if wanted.get("type") == "object":
        return {name: _least(inner, definitions) for name, inner in wanted.get("properties", {}).items()}
    return {"string": "", "integer": wanted.get("minimum", 1), "number": 0.5, "boolean": False, "array": []}[
        wanted["type"]
    ]


def _message(asked: str) -> str:
    """The message of a plan's request, or the question of any other."""
    found = re.findall(r'"message": "((?:[^"\\]|\\.)*)"', asked)
    return str(found[-1]) if found else asked.strip().splitlines()[-1]


def _question(asked: str) -> str:
    return _lead_in.sub("", _message(asked)).strip()


def _other_language(asked: str) -> str:
    question = _question(asked)
    known = _questions().get(question)
    if known is None:
        return ""
    return known.en if known.zh == question else known.zh


@cache
def _questions() -> dict[str, Message]:
    facts = [fact for manual in manuals(_TRANSLATED_MANUALS) for fact in manual.facts]
    return {text: fact.question for fact in facts for text in fact.question}


def _share(asked: str) -> float:
    """How much of the fenced answer's words stands in the other fenced texts."""
    parts = {match[2].partition('"')[2].rstrip('"'): match[3] for match in _fenced.finditer(asked)}
    said = set(search_tokens(parts.pop("answer", "")))
    held = {token for name, text in parts.items() if name != "question" for token in search_tokens(text)}
    return len(said & held) / len(said) if said else 0.0


def _score(asked: str) -> int:
    return 1 + round(4 * _share(asked))


_FIELDS: dict[str, Callable[[str], Any]] = {
    "reason": lambda asked: "a question about the stored manuals",
    "intent": lambda asked: "retrieve",
    "question": _question,
    "strategy": lambda asked: "hyde" if "hyde" in _message(asked).lower() else None,
    "faithfulness": _score,
    "faithfulness_reason": lambda asked: f"{_share(asked):.0%} of the words stand in the sources",
    "relevance": lambda asked: 4,
    "relevance_reason": lambda asked: "it names what was asked",
    "completeness": lambda asked: 4,
    "completeness_reason": lambda asked: "the sources say little more",
}
