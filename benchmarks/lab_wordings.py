"""The lab's exact match and F1 beside rows that were counted by hand, by the scripts of SQuAD and CMRC 2018."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.report import DATA
from benchmarks.retrieval import rows
from evaluation.lab.published_scores import PublishedScores, cmrc_scores, squad_scores

COUNTED = DATA / "wording_rows.jsonl"
_SCRIPTS = {"squad": squad_scores, "cmrc": cmrc_scores}


def counted_apart() -> dict[str, tuple[int, float]]:
    """By script: how many rows, and the largest difference of exact match or F1."""
    told = rows(COUNTED)
    counted = {name: [apart_of(row) for row in told if row["script"] == name] for name in _SCRIPTS}
    return {name: (len(found), max(found)) for name, found in counted.items()}


def apart_of(row: Mapping[str, Any]) -> float:
    ours, counted = _SCRIPTS[row["script"]](row["said"], row["gold"]), _by_hand(row)
    return max(abs(ours.exact - counted.exact), abs(ours.f1 - counted.f1))


def _by_hand(row: Mapping[str, Any]) -> PublishedScores:
    """What follows from the counts: tokens that were said, tokens of the gold answer, tokens in common."""
    said, gold, common = row["counts"]
    f1 = 2 * common / (said + gold) if said and gold else float(said == gold)
    return PublishedScores(float(row["exact"]), f1)
