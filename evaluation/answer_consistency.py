"""Whether what is shown goes against its question: one that asks what was never built is not answered by what was."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.blocks import SourceUnit
from evaluation.claims import NOT, read
from evaluation.support import SourceText, judge
from schema import Hit

_LOOKED_AT = 8_000  # characters of a hit
_DENIED = 0.5  # what is left where the question denies something, and nothing that is shown does


def consistency(question: str, shown: Sequence[SourceUnit], hit: Hit) -> float:
    """In [0, 1]: what contradictions leave of the question, read as a claim about the hit that is shown from."""
    claim = question.rstrip("?？ ")
    left = judge(claim, [SourceText(hit.text[:_LOOKED_AT], " > ".join(hit.headings))]).left
    said = "\n".join(f"{unit.context}\n{unit.text}" for unit in shown)
    return left * (_DENIED if _denies(claim) and not _denies(said[:_LOOKED_AT]) else 1.0)


def _denies(text: str) -> bool:
    return any(term.form == NOT for term in read(text, names=False).terms)
