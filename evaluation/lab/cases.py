"""Question sets: what is asked, what is right, and where the library says it.

Evidence is a document and a literal quote of it, never the id of a chunk, so that a set outlives every way to cut the
documents. The canonical form is JSON lines in UTF-8, one case a line; fields that are not ours are kept as they came.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from errors import FileError
from schema import Message

CaseKind = Literal["text", "number", "math", "choice", "yes_no", "list", "refuse"]
KINDS: tuple[CaseKind, ...] = get_args(CaseKind)
SELF_MADE = "self-made"  # tag of cases that a program has made of the library itself
SENTENCE_MADE = "sentence"  # and of those among them that are words of one sentence: literal words favour BM25
THUMB_DOWN = "thumb-down"  # tag of cases without a reference, to be completed by a person


class GoldPassage(BaseModel):
    """A passage that an answer has to rest on: literal text of a document, or the document as a whole."""

    model_config = ConfigDict(frozen=True, extra="allow")

    document: str
    quote: str = ""
    grade: int = 1  # how relevant it is, where that is told


class LabCase(BaseModel):
    """One question with what is right. Without evidence a passage is right that holds the answer."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str = Field(min_length=1)
    question: str
    answer: str | tuple[str, ...] = ""  # several: each is right; of a list: its items
    evidence: tuple[GoldPassage, ...] = ()
    kind: CaseKind = "text"
    tolerance: float | None = Field(None, ge=0)  # of a number, as a share of it
    tags: tuple[str, ...] = ()
    doc_set: str = ""  # where it is asked; "": everywhere
    exclude: tuple[str, ...] = ()  # documents that it is asked without
    after: tuple[str, ...] = ()  # earlier turns that the question leans on

    @field_validator("answer", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        """Tables and YAML hand in numbers and truth values."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int | float):
            return f"{value:.15g}"
        return "" if value is None else value

    @property
    def references(self) -> tuple[str, ...]:
        """The right answers, those that say something."""
        given = (self.answer,) if isinstance(self.answer, str) else self.answer
        return tuple(one for one in given if one.strip())


def case_id(question: str, *more: str) -> str:
    """The same for the same question, in every set."""
    return "q" + hashlib.sha256("\n".join((question, *more)).encode()).hexdigest()[:12]


def case_of(row: dict[str, Any], place: str) -> LabCase:
    """A case of a mapping; without an id it goes by its question. Raises FileError that says where the row stands."""
    try:
        return LabCase.model_validate({"id": case_id(str(row.get("question", ""))), **row})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FileError(
            Message(zh=f"{place}：{where} 不对（{first['msg']}）。", en=f"{place}: {where}: {first['msg']}."),
            Message(
                zh="每个问题至少要有 question；docs/lab.md 列出了全部字段。",
                en="A case needs at least a question; docs/lab.md lists the fields.",
            ),
        ) from error


def distinct_ids(cases: Iterable[LabCase]) -> list[LabCase]:
    """Each with an id of its own: a repeated one gets a number."""
    known: dict[str, int] = {}
    named = []
    for case in cases:
        known[case.id] = nth = known.get(case.id, 0) + 1
        named.append(case if nth == 1 else case.model_copy(update={"id": f"{case.id}-{nth}"}))
    return named


def as_row(case: LabCase) -> dict[str, Any]:
    """The fields that say something, as JSON."""
    return case.model_dump(mode="json", exclude_defaults=True)


def to_jsonl(cases: Iterable[LabCase]) -> str:
    return "".join(json.dumps(as_row(case), ensure_ascii=False) + "\n" for case in cases)


def set_digest(cases: Sequence[LabCase]) -> str:
    """What two runs over the same cases have in common, whatever their order."""
    rows = sorted(json.dumps(as_row(case), ensure_ascii=False, sort_keys=True) for case in cases)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]
