"""Sentences by what they mean, where the best of them says little of the question in its words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from providers.sentence_encoder import LONGEST, sentence_encoder

_SAID = 0.6  # share of the question, by weight, from which on its words decide
_MOST = 32  # sentences, the likeliest ones by their words
_NEAR = 10.0  # what a cosine of 1 counts beside the logarithm of a probability


def with_meaning(question: str, units: Sequence[SourceUnit], coverage: Array, shares: Array) -> Array:
    """The shares of the likeliest sentences in another order: the nearer one is to the question, by itself or with what
    stands over it, the likelier it is. `coverage` (units,) is what each says of the question's words."""
    places = [place for place in np.argsort(-shares, kind="stable") if shares[place] > 0 and units[place].answers]
    places = places[:_MOST]
    if len(places) < 2 or coverage[places[0]] >= _SAID:
        return shares
    alone = [units[place].text for place in places]
    headed = [f"{units[place].context[-LONGEST // 2 :]} {units[place].text}" for place in places]
    near = sentence_encoder().nearness(question, [*alone, *headed]).reshape(2, -1).max(axis=0)
    first, *rest = np.argsort(-np.log(shares[places]) - _NEAR * near, kind="stable").tolist()
    order = [first, *sorted(rest, key=lambda one: one > 0)]  # what is first by words is second at least
    parted = shares.copy()
    parted[np.array(places)[order]] = shares[places]
    return parted
