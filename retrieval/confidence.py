"""How well what was found covers the question, and hits whose scores mean the same under every strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, zip_longest

from retrieval.candidates import JUDGED, Candidate, Query
from retrieval.passages import passage_language, tokens_of
from retrieval.translated_terms import TranslatedTerms
from schema import Hit
from text import detect_language

_RESORTED = 30  # candidates whose language is looked at
_FOREIGN = 0.8
_TRANSLATED = 0.8  # what a passage found by the dictionary counts beside one in the question's own words
_NAMELESS = 0.2  # what passages in the question's own words count where only translated ones say what it names
_HEARD = 0.3  # of the best form's confidence: a translation that is covered less is left out
_IMAGINED = 0.3  # how sure a passage that a model imagined can be at most: what only it speaks for stays uncertain


@dataclass(frozen=True)
class QuestionForm:
    """One form of the question and what it found, best first."""

    query: Query
    candidates: list[Candidate]

    @cached_property
    def confidence(self) -> float:
        return form_confidence(self, [candidate.chunk_id for candidate in self.candidates])


def own_language_first(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with those in another language than the question's taken down by `_FOREIGN`.

    A question that meets both languages of a library does so by names and identifiers, and these say less in a text
    whose other words it could not meet at all. Nothing changes where all candidates are of one language.
    """
    asked = detect_language(query.question)
    found = query.hits(candidate.chunk_id for candidate in candidates[:_RESORTED])
    weighed = [
        one.scored(one.score * _FOREIGN)
        if one.chunk_id in found and asked and passage_language(found[one.chunk_id].text) not in {asked, None}
        else one
        for one in candidates[:_RESORTED]
    ]
    return sorted(weighed, key=lambda one: -one.score) + list(candidates[_RESORTED:])


def merge_forms(forms: Sequence[QuestionForm]) -> list[Candidate]:
    """The candidates of all forms of one question, by turns, the form that is covered best first.

    How well a form is covered says little about which language holds the answer: the same words may stand there about
    something else, and a greeting around the question takes half its confidence away. So no form crowds out another,
    unless that one is a translation and finds next to nothing.
    """
    ranked = sorted(forms, key=lambda form: -form.confidence)
    counted = [form for form in ranked if form is forms[0] or form.confidence >= _HEARD * ranked[0].confidence]
    if len(counted) == 1:
        return counted[0].candidates
    best = [max((candidate.score for candidate in form.candidates), default=0.0) for form in counted]
    found: dict[int, Candidate] = {}
    least = 1.0
    for row in zip_longest(*(form.candidates for form in counted)):
        for candidate, top in zip(row, best, strict=True):
            if candidate is not None and candidate.chunk_id not in found:
                least = min(least, candidate.score / top if top > 0 else 0.0)
                found[candidate.chunk_id] = candidate.scored(least)
    return list(found.values())


def with_translated(
    forms: Sequence[QuestionForm], own: Sequence[Candidate], translated: QuestionForm
) -> list[Candidate]:
    """The candidates of the question's own language and those that the dictionary found in the other one, best first.

    Each list counts by shares of its best score. A dictionary guesses, so what it found counts for less, unless its
    best passages cover far more of the question than those of the question's own language do, or say a name of it that
    none of these says: they are about something else of its kind.
    """
    best, most = (max((one.score for one in found), default=0.0) for found in (own, translated.candidates))
    trust = _trust_in_own(forms, _TRANSLATED * translated.confidence)
    trust *= _NAMELESS if _named_elsewhere(forms[0], translated) else 1.0
    found: dict[int, Candidate] = {}
    least = trust
    for one in own:  # they stay in their order, which need not be that of their scores
        score = trust * one.score / best if best > 0 else 0.0
        least = score if score < least else least
        found[one.chunk_id] = one.scored(least)
    for one in translated.candidates:
        score = _TRANSLATED * one.score / most if most > 0 else 0.0
        if one.chunk_id not in found or score > found[one.chunk_id].score:
            found[one.chunk_id] = one.scored(score)
    return sorted(found.values(), key=lambda one: -one.score)


def coverage_beside(own: QuestionForm, translated: QuestionForm) -> float:
    """How much of the question the first passages say in its own words, in [0, 1]; little where only translated ones
    say what it names."""
    return _trust_in_own([own], 1.0) * (_NAMELESS if _named_elsewhere(own, translated) else 1.0)


def _trust_in_own(forms: Sequence[QuestionForm], enough: float) -> float:
    """Which share of `enough` the forms cover, at most 1: with pairs of characters where passages say them, else as a
    translation does, which has none from two words."""
    asked = [(form.query, [one.chunk_id for one in form.candidates[:JUDGED]]) for form in forms]
    sure = max(query.coverage(first) for query, first in asked)
    if sure < enough:
        in_words = ((replace(query, terms=query.terms.of_words()), first) for query, first in asked)
        sure = max(sure, *(query.coverage(first) for query, first in in_words))
    return 1.0 if sure >= enough else sure / enough


def _named_elsewhere(own: QuestionForm, translated: QuestionForm) -> bool:
    """Whether the best translated passage says all names of the question, and the best of its own language lack one."""
    terms, question = translated.query.terms, own.query.question
    if not (isinstance(terms, TranslatedTerms) and (names := terms.names(question)) and translated.candidates):
        return False
    best = own.query.hits([translated.candidates[0].chunk_id]).values()
    if not any(terms.says(hit.indexed_text, names) for hit in best):
        return False
    found = own.query.hits(one.chunk_id for one in own.candidates[:_RESORTED]).values()
    other = passage_language(next(iter(best)).text)
    first = [*islice((hit.indexed_text for hit in found if passage_language(hit.text) != other), JUDGED)]
    said = {token for text in first for token in tokens_of(text)}
    return bool(first) and not all(said.issuperset(tokens) for tokens in names.values())


def scored_hits(forms: Sequence[QuestionForm], candidates: Sequence[Candidate]) -> tuple[tuple[Hit, ...], float]:
    """The candidates as hits, and the confidence that they answer the question, by the form that they cover best.

    The best hit's score is the confidence, the others have their part of it.
    """
    found = forms[0].query.hits(candidate.chunk_id for candidate in candidates)
    kept = [candidate for candidate in candidates if candidate.chunk_id in found]
    best = max((candidate.score for candidate in kept), default=0.0)
    confidence = max(form_confidence(form, [candidate.chunk_id for candidate in kept]) for form in forms)
    hits = []
    for candidate in kept:
        score = confidence * max(0.0, candidate.score) / best if best > 0 else 0.0
        hits.append(replace(found[candidate.chunk_id], score=score, scores=candidate.raw()))
    return tuple(hits), confidence


def form_confidence(form: QuestionForm, chunk_ids: Sequence[int]) -> float:
    """How well the best of these passages cover a form of the question, in [0, 1].

    The share of the question's weight (idf; a word that the library does not know weighs most) that one of the first
    passages says, anywhere and close together; where their cosine is not even that of a usual match, it takes up to
    half away. Of an imagined passage only a part counts.
    """
    query, first = form.query, chunk_ids[:JUDGED]
    cosine = {candidate.chunk_id: candidate.cosine for candidate in form.candidates}
    cosines = [value for chunk in first if (value := cosine.get(chunk)) is not None]
    nearness = query.calibration.similarity(max(cosines)) if cosines else 1.0
    share = query.coverage(first) * (1 + nearness) / 2
    imagined = replace(query, terms=query.imagined).coverage(first) if query.imagined else 0.0
    return max(share, _IMAGINED * imagined)
