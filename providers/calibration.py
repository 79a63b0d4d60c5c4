"""How far the cosines of a space can be trusted beside BM25: learned from the library itself, without labels.

A sentence of which only a quarter of the words are left is about as vague as a real question, and it is known where it
comes from. On six sets (English, Chinese, both) the weights that find such sentences best are those that answer the
real questions best, within what the number of questions lets one tell.
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
_WEIGHTS = np.array([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6])
_USUAL, _SPREAD = 0.1, 0.15  # what is expected of the weight before anything is seen: mean and standard deviation

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Trial:
    """What a space is tried with."""

    texts: list[str]  # to search in
    pairs: dict[Language, list[tuple[str, str]]]  # (question, the sentence it was made of)

    @property
    def questions(self) -> list[str]:
        return [question for pairs in self.pairs.values() for question, _ in pairs]


def calibrate(embedder: Embedder, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each language of the texts: "vector_weight" beside the keyword score; "background", the mean cosine of a
    question and any text; "match", the median cosine of a question and the text it comes from. Deterministic.
    A language with too few sentences has no entry."""
    trial = prepare(texts)
    return learn(trial, embedder.embed(trial.texts), embedder.embed_questions(trial.questions))


def prepare(texts: Sequence[str]) -> Trial:
    """Without texts where they have too few sentences to learn from."""
    step = max(1, -(-len(texts) // _TEXTS))
    sample = list(dict.fromkeys(texts[::step]))
    asked = _questions(sample, random.Random(0))
    enough = {language: pairs for language, pairs in asked.items() if len(pairs) >= _FEWEST}
    return Trial(sample if enough else [], enough)


def learn(trial: Trial, texts: Vectors, questions: Vectors) -> dict[str, dict[str, float]]:
    """What `calibrate` says, from the vectors of the trial's texts and questions."""
    learned: dict[str, dict[str, float]] = {}
    search, begin = _Search(trial.texts) if trial.texts else None, 0
    for language, pairs in trial.pairs.items():
        assert search is not None
        cosines = questions[begin : begin + len(pairs)] @ texts.T
        begin += len(pairs)
        right = np.array([[sentence in text for text in trial.texts] for _, sentence in pairs])
        background = float(np.clip(cosines.mean(), 0, 0.9))
        gains = [
            _gains(search.scores(question), (cosine - background) / (1 - background), own)
            for (question, _), cosine, own in zip(pairs, cosines, right, strict=True)
        ]
        match = float(np.median(np.where(right, cosines, -1).max(axis=1)))
        learned[language] = {
            "vector_weight": _expected(np.array(gains)),
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
            question = joint.join(word for word in words if chance.random() < _KEPT)
            if len(found[language]) < _QUESTIONS and question_terms(question):
                found[language].append((question, sentence))
    return found


class _Search:
    """BM25 (k1 1.2, b 0.75) over the sample."""

    def __init__(self, texts: Sequence[str]) -> None:
        tokens = [search_tokens(text) for text in texts]
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


def _gains(keyword: Floats, similarity: Floats, right: npt.NDArray[np.bool_]) -> Floats:
    """nDCG@10 of one question at each weight, fused as `retrieval.fusion` does. Overlapping chunks share sentences:
    the best placed of the right ones counts."""
    gains = np.zeros(len(_WEIGHTS))
    for place, weight in enumerate(_WEIGHTS):
        fused = (1 - weight) * keyword / max(keyword.max(), 1e-9) + weight * np.maximum(similarity, 0)
        rank = 1 + np.count_nonzero(fused[~right] >= fused[right].max())
        gains[place] = 1 / np.log2(rank + 1) if rank <= 10 else 0.0
    return gains


def _expected(gains: Floats) -> float:
    """The weight to expect: each counts by how usual it is and by its mean gain, in standard errors."""
    means = gains.mean(axis=0)
    usual = int(np.argmin(abs(_WEIGHTS - _USUAL)))
    errors = (gains - gains[:, [usual]]).std(axis=0) / np.sqrt(len(gains))
    shares = np.exp((means - means.max()) / max(errors.mean(), 1e-6) - ((_WEIGHTS - _USUAL) / _SPREAD) ** 2 / 2)
    return round(float(shares @ _WEIGHTS / shares.sum()), 3)
