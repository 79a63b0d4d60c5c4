"""A second look at what a weak search has found: its passages by what their sentences mean.

Where few of a question's words are said anywhere, neither BM25 nor vectors of words tell which passage answers it. Of
the first passages each sentence is compared with the question then, and the nearest one speaks for its passage.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from providers.sentence_encoder import sentence_encoder
from schema import Hit
from text import detect_language, sentences

WEAK = 0.5  # confidence of a search, below which it is looked at again
MOST = 12  # passages that are looked at, however few of them are wanted
_READ = 1_000  # characters of a passage: a first look takes half a second at most, and mostly a tenth
_NEAR = 4.0  # what a cosine of 1 counts beside the score of the best passage, which is 1
_FOREIGN = 0.8  # how much of that where the passage is in another language than the question


def by_meaning(question: str, hits: Sequence[Hit], led: Container[int] = ()) -> tuple[Hit, ...]:
    """The same hits, the first of them by their scores and by what they mean; each place keeps its score. Those that
    names `led` to stay in their places: what they say is not what was asked, but what leads on from it. Blocks."""
    places = [place for place, hit in enumerate(hits[:MOST]) if hit.chunk_id not in led]
    if len(places) < 2:
        return tuple(hits)
    judged = [hits[place] for place in places]
    near, best = nearness_of(question, judged), max(hit.score for hit in judged) or 1.0
    asked = {detect_language(question), None}
    counts = [
        hit.score / best + _NEAR * one * (1 if detect_language(hit.text) in asked else _FOREIGN)
        for hit, one in zip(judged, near, strict=True)
    ]
    order = np.argsort([-count for count in counts], kind="stable")
    found = list(hits)
    for place, score, which in zip(places, sorted((hit.score for hit in judged), reverse=True), order, strict=True):
        hit = judged[which]
        found[place] = replace(hit, score=score, scores={**hit.scores, "meaning": near[which]})
    return tuple(found)


def nearness_of(question: str, hits: Sequence[Hit]) -> list[float]:
    """Of each hit the cosine of its nearest sentence."""
    said = [[*hit.headings[-1:], *_sentences_of(hit)] or [""] for hit in hits]
    cosines = iter(sentence_encoder().nearness(question, [one for of_hit in said for one in of_hit]).tolist())
    return [max(islice(cosines, len(of_hit))) for of_hit in said]


def _sentences_of(hit: Hit) -> list[str]:
    text = hit.text[:_READ]
    return [text[start:end] for start, end in sentences(text)]
