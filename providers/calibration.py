"""How far the cosines of a space can be trusted beside BM25: learned from the library itself, without labels.

A sentence of which a quarter is left, scattered words or a run of them, is about as vague as a real question, and it is
known where it comes from. The weight is the one under which these passages are the most likely among all, by a
conditional logit model of the fused score (McFadden, 1974): unlike nDCG it does not stop telling weights apart where
all of them find the passage.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from providers.base import Embedder
from schema import Language, Vectors
from text import detect_language, question_terms, search_tokens, sentences

_TEXTS = 1_500  # sampled, to search in
_QUESTIONS = 200  # of each language
_FEWEST = 20  # with fewer questions nothing is learned
_KEPT = 0.25  # of a sentence's words
_SHORTEST = 6  # search tokens of a sentence
_CANDIDATES = 50  # of each ranking, as many as a search fuses
_WEIGHTS = np.linspace(0, 1, 41)
_SHARPNESS = np.geomspace(2, 300, 16)  # of the model: how much likelier a better score makes a passage
_USUAL, _SPREAD = 0.3, 0.4  # what is expected of the weight before anything is seen: mean and standard deviation
_CREDIT = 0.5  # what a question made here says beside one that a person would ask

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Trial:
    """What a space is tried with."""

    texts: list[str]  # to search in
    pairs: dict[Language, list[tuple[str, str]]]  # (question, the sentence it was made of)
    terms: list[str]  # search tokens of each text, joined by spaces

    @property
    def questions(self) -> list[str]:
        return [question for pairs in self.pairs.values() for question, _ in pairs]


def calibrate(embedder: Embedder, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each language of the texts: "vector_weight" beside the keyword score; "background", the mean cosine of a
    question and any text; "match", the median cosine of a question and the text it comes from. Deterministic.
    A language with too few sentences has no entry."""
    trial = prepare(texts)
    return learn(trial, embedder.embed(trial.texts), embedder.embed_questions(trial.questions))


def tried_every(count: int) -> int:
    """The step from one sampled text to the next."""
    return max(1, -(-count // _TEXTS))


def prepare(texts: Sequence[str], terms: Sequence[str] | None = None) -> Trial:
    """Without texts where they have too few sentences to learn from. `terms`: the search tokens of each text, joined by
    spaces, where they are known."""
    step = tried_every(len(texts))
    sample = list(dict.fromkeys(texts[::step]))
    asked = _questions(sample, random.Random(0))
    enough = {language: pairs for language, pairs in asked.items() if len(pairs) >= _FEWEST}
    if not enough:
        return Trial([], {}, [])
    known = dict(zip(texts[::step], terms[::step], strict=True)) if terms is not None else {}
    return Trial(sample, enough, [known[text] if known else " ".join(search_tokens(text)) for text in sample])


def learn(trial: Trial, texts: Vectors, questions: Vectors) -> dict[str, dict[str, float]]:
    """What `calibrate` says, from the vectors of the trial's texts and questions."""
    learned: dict[str, dict[str, float]] = {}
    search, begin = _Search(trial.terms) if trial.texts else None, 0
    for language, pairs in trial.pairs.items():
        assert search is not None
        cosines = questions[begin : begin + len(pairs)] @ texts.T
        begin += len(pairs)
        right = np.array([[sentence in text for text in trial.texts] for _, sentence in pairs])
        background = float(np.clip(cosines.mean(), 0, 0.9))
        shares = np.maximum((cosines - background) / (1 - background), 0)
        scores = np.array([search.scores(question) for question, _ in pairs])
        match = float(np.median(np.where(right, cosines, -1).max(axis=1)))
        learned[language] = {
            "vector_weight": _weight(scores, shares, right),
            "background": round(background, 4),
            "match": round(max(match, background), 4),
        }
    return learned


def _questions(texts: Sequence[str], chance: random.Random) -> dict[Language, list[tuple[str, str]]]:
    """Per language (question, the sentence it was made of)."""
    import rjieba

    found: dict[Language, list[tuple[str, str]]] = {"zh": [], "en": []}
    for text in chance.sample(texts, len(texts)):
        if all(len(pairs) >= _QUESTIONS for pairs in found.values()):
            break
        whole = [text[start:end] for start, end in sentences(text)]
        usable = [sentence for sentence in whole if len(search_tokens(sentence)) >= _SHORTEST]
        if usable:
            sentence = chance.choice(usable)
            language = detect_language(sentence) or "en"
            joint = "" if language == "zh" else " "
            words = [word for word in rjieba.cut(sentence) if word.strip()]
            question = joint.join(_scattered(words, chance) if chance.random() < 0.5 else _run(words, chance))
            if len(found[language]) < _QUESTIONS and question_terms(question):
                found[language].append((question, sentence))
    return found


def _scattered(words: list[str], chance: random.Random) -> list[str]:
    return [word for word in words if chance.random() < _KEPT]


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
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, part in enumerate(tokens):
            for term, count in Counter(part).items():
                self._postings[term].append((place, count))

    def scores(self, question: str) -> Floats:
        scores = np.zeros(len(self._norms))
        for term in question_terms(question):
            if term in self._postings:
                places, counts = np.array(self._postings[term]).T
                idf = np.log1p((len(scores) - len(places) + 0.5) / (len(places) + 0.5))
                scores[places] += idf * 2.2 * counts / (counts + self._norms[places])
        return scores


def _weight(scores: Floats, shares: Floats, right: npt.NDArray[np.bool_]) -> float:
    """The weight to expect of the vectors; all are (questions, texts), fused as `retrieval.fusion` does.

    Each weight counts by how usual it is and by how likely it makes the right texts (several where chunks overlap).
    """
    places = _candidates(scores, shares, right)
    best = np.maximum(scores.max(axis=1, keepdims=True), 1e-9)
    keyword, vector, own = (np.take_along_axis(of, places, axis=1) for of in (scores / best, shares, right))
    twice = np.hstack([np.zeros((len(places), 1), bool), places[:, 1:] == places[:, :-1]])
    likelihoods = np.array([_likelihood((1 - weight) * keyword + weight * vector, own, twice) for weight in _WEIGHTS])
    beliefs = _CREDIT * likelihoods - ((_WEIGHTS - _USUAL) / _SPREAD) ** 2 / 2
    chances = np.exp(beliefs - beliefs.max())
    return round(float(chances @ _WEIGHTS / chances.sum()), 3)


def _candidates(scores: Floats, shares: Floats, right: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """(questions, places): the best texts of each ranking and the right ones, sorted, some of them twice."""
    count = min(_CANDIDATES, scores.shape[1])
    best = [np.argpartition(of, -count, axis=1)[:, -count:] for of in (scores, shares)]
    most = int(right.sum(axis=1).max())
    return np.sort(np.hstack([*best, np.argpartition(right, -most, axis=1)[:, -most:]]), axis=1)


def _likelihood(fused: Floats, right: npt.NDArray[np.bool_], twice: npt.NDArray[np.bool_]) -> float:
    """Of all right texts, logarithmic, at the sharpness that suits these scores best."""
    height = np.where(twice, -np.inf, fused - fused.max(axis=1, keepdims=True))
    own = np.where(right, height, -np.inf)
    best = own.max(axis=1, keepdims=True)
    shares = (
        sharp * best[:, 0] + np.log(np.exp(sharp * (own - best)).sum(axis=1) / np.exp(sharp * height).sum(axis=1))
        for sharp in _SHARPNESS
    )
    return max(float(share.sum()) for share in shares)
