"""How well what was found covers the question, and hits whose scores mean the same under every strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.passages import passage_language
from retrieval.strategies import JUDGED, Candidate, Query
from schema import Hit
from text import detect_language

_RESORTED = 30  # candidates whose language is looked at
_FOREIGN = 0.8
_IMAGINED = 0.3  # how sure a passage that a model imagined can be at most: what only it speaks for stays uncertain


@dataclass(frozen=True)
class Asked:
    """One form of the question and what it found, best first."""

    query: Query
    candidates: list[Candidate]

    @property
    def confidence(self) -> float:
        return covered(self, [candidate.chunk_id for candidate in self.candidates])


def own_language_first(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with those in another language than the question's taken down by `_FOREIGN`.

    A question that meets both languages of a library does so by names and identifiers, and these say less in a text
    whose other words it could not meet at all. Nothing changes where all candidates are of one language.
    """
    asked = detect_language(query.question)
    found = query.hits(candidate.chunk_id for candidate in candidates[:_RESORTED])
    weighed = [
        replace(one, score=one.score * _FOREIGN)
        if one.chunk_id in found and asked and passage_language(found[one.chunk_id].text) not in {asked, None}
        else one
        for one in candidates[:_RESORTED]
    ]
    return sorted(weighed, key=lambda one: -one.score) + list(candidates[_RESORTED:])


def joined(forms: Sequence[Asked]) -> list[Candidate]:
    """The candidates of all forms of one question: each counts by the form that speaks for it most.

    A form's scores are shares of its confidence, so that the translated question wins where it is the one that the
    library answers, and does not where it is not.
    """
    if len(forms) == 1:
        return forms[0].candidates
    best: dict[int, Candidate] = {}
    for form in forms:
        top = max((candidate.score for candidate in form.candidates), default=0.0)
        trust = form.confidence
        for candidate in form.candidates:
            score = trust * candidate.score / top if top > 0 else 0.0
            if candidate.chunk_id not in best or best[candidate.chunk_id].score < score:
                best[candidate.chunk_id] = replace(candidate, score=score)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.chunk_id))


def judged(forms: Sequence[Asked], candidates: Sequence[Candidate]) -> tuple[tuple[Hit, ...], float]:
    """The candidates as hits, and the confidence that they answer the question, by the form that they cover best.

    The best hit's score is the confidence, the others have their part of it.
    """
    found = forms[0].query.hits(candidate.chunk_id for candidate in candidates)
    kept = [candidate for candidate in candidates if candidate.chunk_id in found]
    best = max((candidate.score for candidate in kept), default=0.0)
    confidence = max(covered(form, [candidate.chunk_id for candidate in kept]) for form in forms)
    hits = []
    for candidate in kept:
        score = confidence * max(0.0, candidate.score) / best if best > 0 else 0.0
        hits.append(replace(found[candidate.chunk_id], score=score, scores=candidate.raw()))
    return tuple(hits), confidence


def covered(form: Asked, chunk_ids: Sequence[int]) -> float:
    """How well the best of these passages cover a form of the question, in [0, 1].

    The share of the question's weight (idf; a word that the library does not know weighs most) that one of the first
    passages says, anywhere and close together; where their cosine is not even that of a usual match, it takes up to
    half away. Of an imagined passage only a part counts.
    """
    query, first = form.query, chunk_ids[:JUDGED]
    cosine = {candidate.chunk_id: candidate.cosine for candidate in form.candidates}
    cosines = [value for chunk in first if (value := cosine.get(chunk)) is not None]
    nearness = query.calibration.similarity(max(cosines)) if cosines else 1.0
    said = query.coverage(first) * (1 + nearness) / 2
    imagined = replace(query, terms=query.imagined).coverage(first) if query.imagined else 0.0
    return max(said, _IMAGINED * imagined)
