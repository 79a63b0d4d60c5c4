"""What a sensible model would say, made from the request alone: the script of the scripted server.

Plans restate the question and translate it, a hypothetical passage is about the question, an answer quotes the sources
it was given with their numbers, a judge counts the answer's words in the sources. Good for plumbing, not for quality.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from benchmarks.manuals import manuals
from benchmarks.model_server import Reply, filled, wanted_form
from schema import Message
from text import detect_language, search_tokens, sentences

PIECES = 120  # of an answer, the last sentence being finished
_TRANSLATED_MANUALS = 400  # whose questions this model can translate
_fenced = re.compile(r"<([\w-]+)([^>]*)>\n(.*?)\n</\1>", re.DOTALL)
_lead_in = re.compile(r"^(?:[^:：]{1,80}[:：]\s*)+(?=\S)")

Form = dict[str, Any]


def reply(request: dict[str, Any]) -> Reply:
    """The request is marked with when it came (`arrived`, monotonic seconds): thus it shows what waited for what."""
    request["arrived"] = time.monotonic()
    asked = "\n\n".join(str(message["content"]) for message in request["messages"])
    if wanted_form(request):
        return filled(request, fill(_schema(request), asked))
    fence = _fenced.search(asked)
    text = answer(asked) if fence and not fence[1].startswith("question") else passage(asked)
    return Reply(text, piece=4 if detect_language(text) == "en" else 2)


EXTRACTION = 4.0  # seconds in which a slow model says what a page is about


def slow_to_extract(request: dict[str, Any]) -> Reply:
    """The same model, but for what pages are about."""
    said = reply(request)
    return replace(said, first_delay=EXTRACTION) if wanted_form(request) == "About" else said


# --- texts -------------------------------------------------------------------------------------------------------


def answer(asked: str) -> str:
    """Sentences of the sources, those that share most with the question first, each with its source's number."""
    question = _fenced.sub("", asked).strip().splitlines()[-1]
    wanted, zh = set(search_tokens(question)), detect_language(question) == "zh"
    found = []
    for place, (_, about, text) in enumerate(_parts(asked), 1):
        number = next(iter(re.findall(r"\d+", about)), None)  # notes have none: their sentences have markers already
        body = (text.partition("\n\n")[2] or text) if number else text
        for start, end in sentences(body):
            sentence = body[start:end].strip()
            if sentence and not sentence.startswith("#"):
                shared = len(wanted & set(search_tokens(sentence)))
                marked = f"{sentence.rstrip('。. ')} [{number}]{'。' if zh else '.'}" if number else sentence
                found.append((-shared, place, start, marked))
    said, length = [], 0
    for *_, sentence in sorted(found):
        if length >= PIECES * (2 if zh else 4):
            break
        said.append(sentence)
        length += len(sentence)
    return ("" if zh else " ").join(said)


class Part(NamedTuple):
    """What stands between fences: its kind, what is said about it, and the text."""

    kind: str
    about: str
    text: str


def _parts(asked: str) -> list[Part]:
    return [Part(match[1].partition("-")[0], match[2].strip(), match[3]) for match in _fenced.finditer(asked)]


def passage(asked: str) -> str:
    """A paragraph that could answer the question, its figures made up."""
    question = _question(asked)
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
    """The message of a plan's request, or the question of another."""
    if found := re.findall(r'"message": "((?:[^"\\]|\\.)*)"', asked):
        return str(found[-1])
    return next((part.text for part in _parts(asked) if part.kind == "question"), asked.strip().splitlines()[-1])


def _question(asked: str) -> str:
    return _lead_in.sub("", _message(asked)).strip()


def _other_language(asked: str) -> str:
    if "leave it empty" in asked:
        return ""
    question = _question(asked)
    known = _questions().get(question)
    if known is None:
        return ""
    return known.en if known.zh == question else known.zh


@cache
def _questions() -> dict[str, Message]:
    facts = [fact for manual in manuals(_TRANSLATED_MANUALS) for fact in manual.facts]
    return {text: fact.question for fact in facts for text in fact.question}


def _judged(asked: str) -> tuple[list[str], list[set[str]]]:
    """The answer's sentences without their numbers, and the words of each source."""
    parts = {about.partition('"')[2].rstrip('"'): text for _, about, text in _parts(asked)}
    said = [re.sub(r"^(?:\d+\.|-) ", "", line) for line in parts.get("answer", "").splitlines() if line.strip()]
    return said, [set(search_tokens(text)) for name, text in parts.items() if name.startswith("source")]


def _held(sentence: str, source: set[str]) -> float:
    words = set(search_tokens(sentence))
    return len(words & source) / len(words) if words else 1.0


def _share(asked: str) -> float:
    """How much of the answer's words the sources hold."""
    said, sources = _judged(asked)
    return _held(" ".join(said), set().union(*sources))


def _ranking(asked: str) -> list[int]:
    """The numbers of the passages, those that share most with the question first."""
    question = set(search_tokens(_question(asked)))
    passages = [part for part in _parts(asked) if part.kind == "passage"]
    shared = {int(re.sub(r"\D", "", part.about)): len(question & set(search_tokens(part.text))) for part in passages}
    return sorted(shared, key=lambda number: -shared[number])


def _sentences(asked: str) -> list[Form]:
    said, sources = _judged(asked)
    judged = []
    for number, sentence in enumerate(said, 1):
        best = max(range(len(sources)), key=lambda index: _held(sentence, sources[index]), default=0)
        supported = bool(sources) and _held(sentence, sources[best]) >= 0.8
        lacking = "" if supported else "some of its words"
        judged.append(
            {"number": number, "lacking": lacking, "supported": supported, "source": best + 1 if supported else None}
        )
    return judged


_FIELDS: dict[str, Callable[[str], Any]] = {
    "reason": lambda asked: "a question about the stored manuals",
    "intent": lambda asked: "retrieve",
    "question": _question,
    "passage": passage,
    "translated": _other_language,
    "translation": _other_language,
    "strategy": lambda asked: "hyde" if "hyde" in _message(asked).lower() else None,
    "ranking": _ranking,
    "sentences": _sentences,
    "faithfulness": lambda asked: 1 + round(4 * _share(asked)),
    "faithfulness_reason": lambda asked: f"{_share(asked):.0%} of the words stand in the sources",
    "relevance": lambda asked: 4,
    "relevance_reason": lambda asked: "it names what was asked",
    "completeness": lambda asked: 4,
    "completeness_reason": lambda asked: "the sources say little more",
}
