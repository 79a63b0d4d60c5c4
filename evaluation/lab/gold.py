"""Where the library says what is right: quotes become spans of stored text, and hits cover them or do not."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from evaluation.lab.cases import GoldPassage, LabCase
from evaluation.lab.wording import contains
from text import fold

_KEPT = 32  # texts of documents in memory


class PassageSpan(Protocol):
    """What a hit is, as far as it can cover something."""

    @property
    def document(self) -> str: ...
    @property
    def doc_set(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class GoldSpan(NamedTuple):
    """A passage that is to be found, or a whole document (`end` 0); `grade` as BEIR has it."""

    document: str
    doc_set: str
    start: int = 0
    end: int = 0
    grade: int = 1

    def covered_by(self, hit: PassageSpan) -> bool:
        """Whether they share at least half of the shorter one."""
        if (hit.document, hit.doc_set) != (self.document, self.doc_set):
            return False
        shared = min(hit.end, self.end) - max(hit.start, self.start)
        return not self.end or (shared > 0 and 2 * shared >= min(hit.end - hit.start, self.end - self.start))


class GoldAnswer(NamedTuple):
    """An answer without evidence: any passage is right that holds it."""

    references: tuple[str, ...]
    grade: int = 1

    def covered_by(self, hit: PassageSpan) -> bool:
        return bool(contains(hit.text, self.references))


Gold = GoldSpan | GoldAnswer


@dataclass(frozen=True, slots=True)
class CaseGold:
    """All that is to be found for a case, and the passages that the library no longer has."""

    gold: tuple[Gold, ...] = ()
    lost: tuple[GoldPassage, ...] = ()

    @property
    def stale(self) -> bool:
        return bool(self.lost)


class GoldFinder:
    """Finds the evidence of cases in a library. `text_of` gives a document's text by its name and set, None for one
    that is not there; `sets` has for each name of a document its sets."""

    def __init__(self, text_of: Callable[[str, str], str | None], sets: Mapping[str, Sequence[str]]) -> None:
        self._text_of, self._sets = text_of, sets
        self._texts: dict[tuple[str, str], str | None] = {}

    def find(self, case: LabCase) -> CaseGold:
        """Of a case without evidence its answer is gold; a refusal has none."""
        if case.kind == "refuse":
            return CaseGold()
        if not case.evidence:
            short = case.references if case.kind != "list" else ()
            return CaseGold((GoldAnswer(short),) if short else ())
        found, lost = [], []
        for passage in case.evidence:
            span = self._span(passage, case.doc_set)
            if span is None:
                lost.append(passage)
            else:
                found.append(span)
        return CaseGold(tuple(dict.fromkeys(found)), tuple(lost))

    def _span(self, passage: GoldPassage, doc_set: str) -> GoldSpan | None:
        known = self._sets.get(passage.document, ())
        for owner in [doc_set] if doc_set in known else known:
            if not passage.quote:
                return GoldSpan(passage.document, owner, grade=passage.grade)
            text = self._text(passage.document, owner)
            if text is not None and (place := locate(passage.quote, text)):
                return GoldSpan(passage.document, owner, *place, passage.grade)
        return None

    def _text(self, document: str, doc_set: str) -> str | None:
        key = document, doc_set
        if key not in self._texts:
            if len(self._texts) >= _KEPT:
                self._texts.pop(next(iter(self._texts)))
            self._texts[key] = self._text_of(document, doc_set)
        return self._texts[key]


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where the quote stands: as it is, else whatever its white space, width and script."""
    quote = quote.strip()
    if quote and (place := text.find(quote)) >= 0:
        return place, place + len(quote)
    wanted = "".join(_folded(quote))
    if not wanted:
        return None
    kept = [n for n, sign in enumerate(text) if not sign.isspace()]
    signs = _folded(text)
    joined, starts = [], []
    for n, sign in zip(kept, signs, strict=True):
        joined.append(sign)
        starts += [n] * len(sign)
    at = "".join(joined).find(wanted)
    return (starts[at], starts[at + len(wanted) - 1] + 1) if at >= 0 else None


def _folded(text: str) -> list[str]:
    """Each sign of the text that is no white space, in one form. The script is folded for all of them at once."""
    signs = [unicodedata.normalize("NFKC", sign) for sign in text if not sign.isspace()]
    if all(sign.isascii() for sign in signs):
        return signs
    simplified = fold("".join(sign if len(sign) == 1 else "·" for sign in signs))
    return (
        [one if len(sign) == 1 else sign for sign, one in zip(signs, simplified, strict=True)]
        if len(simplified) == len(signs)
        else signs
    )
