"""Which language of a library holds what is asked, where the question's own words find little.

A dictionary finds common words anywhere, so how much of a question a passage of the other language says in translation
is no measure of the passages of its own. What they mean is: the sentence encoder reads both. Where it is clear from
that, and from what each says of the question, the passages of that language come first.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from retrieval.by_meaning import WEAK, nearness_of
from retrieval.confidence import QuestionForm, coverage_beside
from retrieval.passages import passage_language
from schema import Hit, Language

# The other language, the question's own, or its own right behind the best passage of the other one.
Lead = Literal["other", "own", "own behind"]

_READ = 6  # passages of each language
_SAID = 0.55  # what it counts beside a cosine of 1 that passages say all of the question in its own words
_TRANSLATED = 0.01  # and each unit of weight (idf) that the best passage of the other language says
_OTHER, _OWN = 0.0, 0.1  # of the balance: below, and from which on, it is clear
_NEARLY_ALL = 0.7  # of a translation: a passage that says as much stays first
_BESIDE = 0.5  # of the best score, for the best passage of the language that does not lead
_BEHIND = 0.99


def lead(
    question: str,
    language: Language,
    own: QuestionForm,
    translated: QuestionForm,
    hits: Sequence[Hit],
    led: Container[int] = (),
) -> Lead | None:
    """None where the question's own words suffice, one language alone was found, or it is not clear. Those that names
    `led` to say nothing about it. Blocks."""
    if own.confidence >= WEAK:
        return None
    is_own, found = _test_of(language), [hit for hit in hits if hit.chunk_id not in led]
    ours = [*islice(filter(is_own, found), _READ)]
    theirs = [*islice((hit for hit in found if not is_own(hit)), _READ)]
    if not ours or not theirs:
        return None
    near, others = nearness_of(question, ours), nearness_of(question, theirs)
    nearer = max(near) - (max(others) + others[0]) / 2  # of translated words the first tells more than that any is near
    best = translated.query.hits([translated.candidates[0].chunk_id]).values()
    terms = translated.query.terms
    said = max((terms.share(hit.indexed_text) * terms.total for hit in best), default=0.0)
    balance = nearer + _SAID * coverage_beside(own, translated) - _TRANSLATED * said
    if balance < _OTHER:
        return "other"
    if balance <= _OWN:
        return None
    return "own behind" if translated.confidence >= _NEARLY_ALL else "own"


def led_by(first: Lead, language: Language, hits: Sequence[Hit], led: Container[int] = ()) -> tuple[Hit, ...]:
    """The hits, of which each language keeps its order, and the one that leads the best score."""
    is_own, found = _test_of(language), [hit for hit in hits if hit.chunk_id not in led]
    ours, theirs = [hit for hit in found if is_own(hit)], [hit for hit in found if not is_own(hit)]
    if not ours or not theirs or (first == "own behind" and is_own(hits[0])):
        return tuple(hits)
    best = max(hit.score for hit in hits)
    if first == "own behind":
        scores = {hit.chunk_id: max(score, hit.score) for hit, score in _shares(ours, _BEHIND * best)}
    else:
        leading, others = (theirs, ours) if first == "other" else (ours, theirs)
        scores = {hit.chunk_id: score for hit, score in _shares(leading, best)}
        scores |= {hit.chunk_id: min(score, hit.score) for hit, score in _shares(others, _BESIDE * best)}
    placed = [replace(hit, score=scores.get(hit.chunk_id, hit.score)) for hit in hits]
    return tuple(sorted(placed, key=lambda hit: -hit.score))


def _shares(hits: Sequence[Hit], top: float) -> list[tuple[Hit, float]]:
    """Each with its share of the score that the best of them is given."""
    best = max(hit.score for hit in hits) or 1.0
    return [(hit, top * hit.score / best) for hit in hits]


def _test_of(language: Language) -> Callable[[Hit], bool]:
    """Whether a hit is in this language, or in none."""
    return lambda hit: passage_language(hit.text) in (language, None)
