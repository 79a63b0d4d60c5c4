"""How far the cosines of a space can be trusted beside BM25: learned from the library itself, without labels.

A sentence of which a quarter is left, scattered words or a run of them, is about as vague as a question for a fact, and
it is known where it comes from. A question about a subject shares no words with its passages but those of the subject:
so does a sentence with the texts before and after its own, which are of the same document as a rule.
For both kinds the weight is the one under which these passages are the most likely among all, by a conditional logit
model of the fused score (McFadden, 1974): unlike nDCG it does not stop telling weights apart where all of them find the
passage.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from providers.base import Embedder
from question_words import question_terms
from schema import Language, Vectors
from text import detect_language, search_tokens, sentences

_TEXTS = 1_500  # sampled, to search in
_QUESTIONS = 200  # of each language
_FEWEST = 20  # with fewer questions nothing is learned
_KEPT = 0.25  # of a sentence's words
_SHORTEST = 6  # search tokens of a sentence
_CANDIDATES = 50  # of each ranking, as many as a search fuses
_WEIGHTS = np.linspace(0, 1, 41)
_SHARPNESS = np.geomspace(2, 300, 16)  # of the model: how much likelier a better score makes a passage
_VAGUE = np.geomspace(0.1, 300, 24)  # the same for a subject: neighbours may have nothing in common
_USUAL, _SPREAD = 0.3, 0.4  # what is expected of the weight before anything is seen: mean and standard deviation
_CREDIT = 0.5  # what a question made here says beside one that a person would ask

Floats = npt.NDArray[np.floating[Any]]
Pairs = list[tuple[str, str]]  # a question, and a sentence of the texts that it should find


@dataclass(frozen=True)
class CalibrationTrial:
    """What a space is tried with."""

    texts: list[str]  # to search in
    pairs: dict[Language, Pairs]  # (question, the sentence it was made of)
    subjects: dict[Language, list[tuple[str, int]]]  # (a sentence, the place of its text)
    terms: list[str]  # search tokens of each text, joined by spaces

    @property
    def questions(self) -> list[str]:
        """Of each language those for a fact, then those about a subject."""
        return [
            question
            for language, pairs in self.pairs.items()
            for question, _ in (*pairs, *self.subjects.get(language, ()))
        ]


def calibrate(embedder: Embedder, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each language of the texts: "vector_weight" beside the keyword score where a question asks for a fact,
    "subject_weight" where it asks about a subject; "background", the mean cosine of a question and any text; "match",
    the median cosine of a question and the text it comes from. Deterministic. A language with too few sentences has no
    entry."""
    trial = prepare(texts)
    return learn(trial, embedder.embed(trial.texts), embedder.embed_questions(trial.questions))


def tried_every(count: int) -> int:
    """The step from one sampled text to the next."""
    return max(1, -(-count // _TEXTS))


def prepare(texts: Sequence[str], terms: Sequence[str] | None = None) -> CalibrationTrial:
    """Without texts where they have too few sentences to learn from. `terms`: the search tokens of each text, joined by
    spaces, where they are known."""
    step = tried_every(len(texts))
    sample = list(dict.fromkeys(texts[::step]))
    asked = _questions(sample, random.Random(0))
    enough = {language: pairs for language, pairs in asked.items() if len(pairs) >= _FEWEST}
    if not enough:
        return CalibrationTrial([], {}, {}, [])
    about = _subjects(sample, random.Random(1))
    known = dict(zip(texts[::step], terms[::step], strict=True)) if terms is not None else {}
    found = [known[text] if known else " ".join(search_tokens(text)) for text in sample]
    return CalibrationTrial(sample, enough, {language: about[language] for language in enough}, found)


def learn(trial: CalibrationTrial, texts: Vectors, questions: Vectors) -> dict[str, dict[str, float]]:
    """What `calibrate` says, from the vectors of the trial's texts and questions."""
    learned: dict[str, dict[str, float]] = {}
    search, begin = _Search(trial.terms) if trial.texts else None, 0
    for language, pairs in trial.pairs.items():
        assert search is not None
        cosines = questions[begin : begin + len(pairs)] @ texts.T
        begin += len(pairs)
        right = np.array([[sentence in text for text in trial.texts] for _, sentence in pairs])
        background = float(np.clip(cosines.mean(), 0, 0.9))
        scores = np.array([search.scores(question) for question, _ in pairs])
        match = float(np.median(np.where(right, cosines, -1).max(axis=1)))
        about = trial.subjects[language]
        nearby = questions[begin : begin + len(about)] @ texts.T
        begin += len(about)
        weight = _weight(scores, _shares(cosines, background), right)
        enough = len(about) >= _FEWEST
        learned[language] = {
            "vector_weight": weight,
            "subject_weight": _subject_weight(trial.texts, about, search, _shares(nearby, background))
            if enough
            else weight,
            "background": round(background, 4),
            "match": round(max(match, background), 4),
        }
    return learned


def _shares(cosines: Floats, background: float) -> Floats:
    shares: Floats = np.maximum((cosines - background) / (1 - background), 0)
    return shares


def _subject_weight(texts: Sequence[str], about: Sequence[tuple[str, int]], search: _Search, shares: Floats) -> float:
    """Where the texts that hold the sentence itself are out of the question."""
    scores = np.array([search.scores(sentence) for sentence, _ in about])
    places, own = np.arange(len(texts)), np.array([place for _, place in about])
    right = np.abs(places - own[:, None]) == 1
    holds = np.array([[sentence in text for text in texts] for sentence, _ in about])
    scores = np.where(holds, 0, scores)
    covered = [search.coverage(sentence, int(row.argmax())) for (sentence, _), row in zip(about, scores, strict=True)]
    return _weight(scores, np.where(holds, 0, shares), right & ~holds, np.sqrt(covered), _VAGUE)


def _subjects(texts: Sequence[str], chance: random.Random) -> dict[Language, list[tuple[str, int]]]:
    """Per language (a sentence that a neighbour of its text does not repeat, the place of its text)."""
    found: dict[Language, list[tuple[str, int]]] = {"zh": [], "en": []}
    for place in chance.sample(range(len(texts)), len(texts)):
        if all(len(pairs) >= _QUESTIONS for pairs in found.values()):
            break
        near = [*texts[max(place - 1, 0) : place], *texts[place + 1 : place + 2]]
        own = texts[place].strip()  # asked for whole, a text would be embedded twice
        usable = [
            sentence
            for sentence in _usable(own)
            if sentence.strip() != own and not all(sentence in text for text in near)
        ]
        if usable:
            sentence = chance.choice(usable)
            pairs = found[detect_language(sentence) or "en"]
            if len(pairs) < _QUESTIONS:
                pairs.append((sentence, place))
    return found


def _usable(text: str) -> list[str]:
    whole = [text[start:end] for start, end in sentences(text)]
    return [sentence for sentence in whole if len(search_tokens(sentence)) >= _SHORTEST]


def _questions(texts: Sequence[str], chance: random.Random) -> dict[Language, Pairs]:
    """Per language (question, the sentence it was made of)."""
    import rjieba

    found: dict[Language, Pairs] = {"zh": [], "en": []}
    for text in chance.sample(texts, len(texts)):
        if all(len(pairs) >= _QUESTIONS for pairs in found.values()):
            break
        usable = _usable(text)
        if usable:
            sentence = chance.choice(usable)
            language = detect_language(sentence) or "en"
            joint = "" if language == "zh" else " "
            words = [word for word in rjieba.cut(sentence) if word.strip()]
            question = joint.join(
                [word for word in words if chance.random() < _KEPT] if chance.random() < 0.5 else _run(words, chance)
            )
            if len(found[language]) < _QUESTIONS and question_terms(question):
                found[language].append((question, sentence))
    return found


def _run(words: list[str], chance: random.Random) -> list[str]:
    length = max(1, round(_KEPT * len(words)))
    start = chance.randint(0, len(words) - length)
    return words[start : start + length]


class _Search:
    """BM25 (k1 1.2, b 0.75) over the sample."""

    def __init__(self, terms: Sequence[str]) -> None:
        tokens = [joined.split() for joined in terms]
        lengths = np.array([len(part) for part in tokens])
        self._norms = 1.2 * (0.25 + 0.75 * lengths / max(lengths.mean(), 1))
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, part in enumerate(tokens):
            for term, count in Counter(part).items():
                postings[term].append((place, count))
        self._postings = postings
        self._arrays = cache(lambda term: np.array(postings[term]).T)  # questions share their terms

    def coverage(self, question: str, place: int) -> float:
        """The share of the question's weight that a text says, in [0, 1]."""
        said = total = 0.0
        for term in {*question_terms(question)}:
            found = self._postings.get(term, [])
            idf = float(np.log1p((len(self._norms) - len(found) + 0.5) / (len(found) + 0.5)))
            total += idf
            said += idf * any(one == place for one, _ in found)
        return said / total if total else 0.0

    def scores(self, question: str) -> Floats:
        scores = np.zeros(len(self._norms))
        for term in question_terms(question):
            if term in self._postings:
                places, counts = self._arrays(term)
                idf = np.log1p((len(scores) - len(places) + 0.5) / (len(places) + 0.5))
                scores[places] += idf * 2.2 * counts / (counts + self._norms[places])
        return scores


def _weight(
    scores: Floats,
    shares: Floats,
    right: npt.NDArray[np.bool_],
    trust: Floats | float = 1.0,
    sharpness: Floats = _SHARPNESS,
) -> float:
    """The weight to expect of the vectors; all are (questions, texts), fused as `retrieval.fusion` does. `trust` in the
    best keyword score of each question.

    Each weight counts by how usual it is and by how likely it makes the right texts (several where chunks overlap).
    """
    places, twice = _candidates(scores, shares, right)
    best = np.maximum(scores.max(axis=1, keepdims=True), 1e-9)
    scores = scores / best * np.reshape(trust, (-1, 1))
    keyword, vector = (np.take_along_axis(of, places, axis=1) for of in (scores, shares))
    own = np.take_along_axis(right, places, axis=1)
    likelihoods = np.array(
        [_likelihood((1 - weight) * keyword + weight * vector, own, twice, sharpness) for weight in _WEIGHTS]
    )
    beliefs = _CREDIT * likelihoods - ((_WEIGHTS - _USUAL) / _SPREAD) ** 2 / 2
    chances = np.exp(beliefs - beliefs.max())
    return round(float(chances @ _WEIGHTS / chances.sum()), 3)


def _candidates(
    scores: Floats, shares: Floats, right: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """(questions, places): the best texts of each ranking and the right ones, sorted; then, where a question has fewer
    than another, some of them twice, which is said beside."""
    count = min(_CANDIDATES, scores.shape[1])
    best = [np.argpartition(of, -count, axis=1)[:, -count:] for of in (scores, shares)]
    most = int(right.sum(axis=1).max())
    places = np.sort(np.hstack([*best, np.argpartition(right, -most, axis=1)[:, -most:]]), axis=1)
    twice = np.hstack([np.zeros((len(places), 1), bool), places[:, 1:] == places[:, :-1]])
    widest = int((~twice).sum(axis=1).max())
    once_first = np.argsort(twice, axis=1, kind="stable")[:, :widest]
    return np.take_along_axis(places, once_first, axis=1), np.take_along_axis(twice, once_first, axis=1)


def _likelihood(fused: Floats, right: npt.NDArray[np.bool_], twice: npt.NDArray[np.bool_], sharpness: Floats) -> float:
    """Of all right texts, logarithmic, at the sharpness that suits these scores best."""
    height = np.where(twice, -np.inf, fused - fused.max(axis=1, keepdims=True))
    most = int(right.sum(axis=1).max())
    own = np.partition(np.where(right, height, -np.inf), -most, axis=1)[:, -most:]
    best = own.max(axis=1, keepdims=True)
    sharp = sharpness[:, None, None]
    ours = np.exp(sharp * (own - best)).sum(axis=2)
    whole = np.array([np.exp(one * height).sum(axis=1) for one in sharpness])  # at once they would be megabytes
    return float((sharp[:, 0] * best[:, 0] + np.log(ours / whole)).sum(axis=1).max())
