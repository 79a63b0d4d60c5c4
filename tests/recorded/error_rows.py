"""What a person is told where something cannot be done, in both languages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from errors import CitewiseError
from evaluation.lab.cases import LabCase, as_row
from evaluation.lab.choosing import refuse_unfit
from evaluation.lab.comparing import RunInfo, compare_runs, parse_gate
from evaluation.lab.published_sets import about_passages, passage_file, passages_of, published
from evaluation.lab.reading import parse_set
from evaluation.lab.results import CaseResult
from retrieval.langchain import problems
from schema import Chunking, DocumentInfo
from tests.recorded.evidence_rows import told
from tests.recorded.normal import Json

_SENTENCES = [LabCase(id="1", question="a", tags=("sentence",))]
_INFO = RunInfo(name="r")
_ROW = [CaseResult(case="1", figures={"correct": 1.0}), CaseResult(case="2", figures={"f1": 0.5})]
FAILING: dict[str, Callable[[], Any]] = {
    "gate": lambda: parse_gate("recall@5 = high"),
    "gate of no figure": lambda: compare_runs(_INFO, _ROW, _INFO, _ROW, [parse_gate("mrr >= 0")]),
    "sentences alone": lambda: refuse_unfit(_SENTENCES),
    "too few": lambda: refuse_unfit([LabCase(id="1", question="a")]),
    "unknown set": lambda: published("nothing"),
    **{
        f"set {number}": lambda name=name, text=text: parse_set(name, text)
        for number, (name, text) in enumerate(
            [
                ("a.jsonl", b'{"question": "a"}\n{"question": '), ("a.jsonl", b"[1]"),
                ("a.json", b"{}"), ("a.json", b"{"),
                ("a.csv", b"a,b\n1,2\n"), ("a.csv", b"question,tolerance\nwhy,-1\n"),
                ("a.yaml", b"- [: x"), ("a.yaml", b"a: 1"), ("a.txt", b"why?"), ("a.jsonl", b'{"answer": "a"}\n'),
                ("a.jsonl", b'{"question": "a", "kind": "riddle"}'), ("a.csv", b""), ("a.jsonl", b""),
            ]
        )
    },
}  # fmt: skip
_DOCUMENT = DocumentInfo(1, "a.md", "set", "text", "en", 9, 3, Chunking(), "", "")
OF_LANGCHAIN: dict[str, Callable[[], CitewiseError]] = {
    "other model": lambda: problems.other_model("a", "b"),
    "nobody embeds": lambda: problems.nobody_embeds(),
    "unusable": lambda: problems.unusable("m"),
    "other length": lambda: problems.other_length(64, 32),
    "not JSON": lambda: problems.not_json("a.md", "when"),
    "unfit filter": lambda: problems.unfit_filter({1}),
    "no ids": lambda: problems.no_ids(),
    "part of": lambda: problems.part_of("a.md#2", _DOCUMENT),
    "own loop": lambda: problems.on_its_own_loop(),
}

# Question sets as others publish them, each with what the readers look for.
PUBLISHED = {
    "hotpot.json": [
        {"_id": "h1", "question": "Which came first?", "answer": "yes", "type": "comparison", "level": "hard",
         "supporting_facts": [["Oslo", 0], ["Oslo", 3], ["Bergen", 1]],
         "context": [["Oslo", [" Oslo is old. ", "It is big."]], ["Bergen", ["Rain.", " Much rain. "]]]},
        {"question": "Who?", "answer": "Ana", "supporting_facts": {"title": ["Oslo"], "sent_id": [1]},
         "context": {"title": ["Oslo"], "sentences": [["One.", "Two."]]}},
    ],
    "squad.json": {"version": "2", "data": [{"title": "Oslo", "paragraphs": [{"context": "Oslo has 9 trams.", "qas": [
        {"id": "s1", "question": "How many trams?", "answers": [{"text": "9", "answer_start": 9}, {"text": "nine"}]},
        {"id": "s2", "question": "How many ships?", "answers": [], "is_impossible": True}]}]}]},
    "cmrc.json": [{"context_id": "1", "context_text": "灯塔建于1874年。", "title": "灯塔", "qas": [
        {"query_id": "c1", "query_text": "建于哪年？", "answers": ["1874年", "1874"]}]}],
    "gsm.jsonl": [{"question": "2 + 3?", "answer": "It is 2 + 3 = <<2+3=5>>5.\n#### 5"},
                  {"question": "Half of 9?", "answer": "#### 4.5"}],
    "cmath.jsonl": [{"question": "一共几个？", "golden": "12", "grade": 3}, {"input": "几分之几？", "golden": "3/4"}],
    "math.jsonl": [{"problem": "x?", "solution": "So $\\boxed{\\frac12}$", "level": "Level 2", "type": "Algebra"}],
    "ours.json": [{"question": "a?", "answer": ["1"], "evidence": [{"document": "d", "quote": "q"}], "kind": "list"}],
    "ours.yaml": "- question: why?\n  answer: 7\n- question: really?\n  answer: true\n",
}  # fmt: skip


def error_rows() -> Iterator[Json]:
    for name, failing in FAILING.items():
        yield {"row": f"error, {name}", "told": _told(failing)}
    for name, made in OF_LANGCHAIN.items():
        yield {"row": f"error, LangChain: {name}", "told": _in_full(made())}


def published_rows() -> Iterator[Json]:
    """Sets in the forms of others, as they are read."""
    for name, content in PUBLISHED.items():
        lines = "\n".join(map(json.dumps, content)) if name.endswith("jsonl") else json.dumps(content)
        text = content if isinstance(content, str) else lines
        yield {"row": f"published, {name}", "read": _read(name, text.encode())}
    for name in ("hotpot.json", "squad.json"):
        content: Any = PUBLISHED[name]
        texts = passages_of(content[:1] if isinstance(content, list) else content)
        asked = about_passages(parse_set(name, json.dumps(content).encode()), "trams")
        files = [passage_file(title) for title in [*texts, "a/b: c", "  ", "what?"]]
        yield {
            "row": f"published, passages of {name}",
            "texts": texts,
            "files": files,
            "cases": [as_row(one) for one in asked],
        }


def _read(name: str, data: bytes) -> Json:
    try:
        return [case.model_dump(mode="json", exclude_defaults=True) for case in parse_set(name, data)]
    except CitewiseError as error:
        return _in_full(error)


def _told(failing: Callable[[], Any]) -> Json:
    try:
        return ["nothing", repr(failing())]
    except CitewiseError as error:
        return _in_full(error)


def _in_full(error: CitewiseError) -> Json:
    return [error.kind, *told([error.in_full])]
