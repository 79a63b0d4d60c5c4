"""Pseudo-relevance feedback: what the best passages say often is asked for as well.

Vectors: Rocchio, "Relevance Feedback in Information Retrieval" (1971), with the best passages in place of those that a
reader has judged.
RM3: Lavrenko & Croft, "Relevance-based language models" (SIGIR 2001); the mixture with the question and the settings
as in Abdul-Jaleel et al., "UMass at TREC 2004: Novelty and HARD".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from retrieval.lexical import WeightedTerms, chunks_in
from retrieval.passages import tokens_of
from schema import Vectors
from stores.base import Store

_TERMS = 20  # that are asked for beside the question
_MOST_FREQUENT = 0.1  # share of the library's chunks that may say a term: what is said everywhere expands nothing
_FEW = 10  # chunks that may in any case
_ASKED = 60  # occurrences of all terms together, in proportion to their weights


def towards(vector: Vectors, vectors: Vectors, scores: Sequence[float], weight: float) -> Vectors:
    """The vector of a question, moved towards those of passages, each as far as its score says: together they have this
    weight beside the question."""
    shares = np.maximum(np.array(scores, np.float32), 0)
    if not shares.any():
        return vector
    moved: Vectors = vector + weight * (shares / shares.sum()) @ vectors
    return np.asarray(moved / max(float(np.linalg.norm(moved)), 1e-9), np.float32)


def expansion(passages: Sequence[tuple[str, float]], store: Store) -> WeightedTerms:
    """The terms of a relevance model of these passages, (text, score) each, as often as they weigh."""
    model: defaultdict[str, float] = defaultdict(float)
    for text, score in passages:
        tokens = tokens_of(text)
        for term, count in Counter(tokens).items() if score > 0 else ():
            model[term] += score * count / len(tokens)
    likely = sorted(model, key=lambda term: (-model[term], term))[: 10 * _TERMS]
    most = max(_FEW, _MOST_FREQUENT * chunks_in(store))
    found = zip(likely, store.document_frequencies(likely), strict=True)
    kept = [term for term, count in found if count <= most][:_TERMS]
    weight = sum(model[term] for term in kept)
    asked = [term for term in kept for _ in range(max(1, round(_ASKED * model[term] / weight)))]
    return WeightedTerms.of(asked, store)
