"""The lab's exact match and F1 beside the scripts of SQuAD and CMRC 2018, over rows counted by hand and made ones."""

from __future__ import annotations

import random
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import DATA
from benchmarks.retrieval import rows
from evaluation.lab.wording import exact, f1
from text import detect_language, fold

COUNTED = DATA / "wording_rows.jsonl"
_CMRC_DROPS = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")  # its "……" is two signs and never met
_han = re.compile(r"[\u4e00-\u9fa5]")
_nltk_parts = re.compile(
    r"[;@#$%&?!\[\](){}<>\"«»“”‘„—]|,(?!\d)|\.{2,}|\.(?=\s*(?:\Z|[\u4e00-\u9fa5]))|'(?:s|m|d|ll|re|ve)\b|n't\b|(?<!\w)'|'(?!\w)"
)  # what its word_tokenize cuts off
_left_out_in_chinese = re.compile(
    r"(?<=[\u4e00-\u9fa5])\s+|\s+(?=[\u4e00-\u9fa5])|(?<!\d)\.|\.(?!\d)|[,;?!\"'()\[\]{}]"
)

Figures = tuple[float, float]  # exact match, F1


class WordingCheck(NamedTuple):
    """Largest differences of exact match or F1, of the rows of one script."""

    rows: int
    ours: float  # ours from what was counted by hand
    script: float  # the script from what was counted by hand
    differ: int  # rows in which ours is meant to differ from the script


def counted_apart() -> dict[str, WordingCheck]:
    """By script, over the rows that were counted by hand."""
    told = rows(COUNTED)
    return {name: _counted([row for row in told if row["script"] == name]) for name in SCRIPTS}


def _counted(some: Sequence[Mapping[str, Any]]) -> WordingCheck:
    ours = (_apart(ours_of(row["said"], row["gold"]), by_hand(row.get("here", row))) for row in some)
    theirs = (_apart(SCRIPTS[row["script"]](row["said"], row["gold"]), by_hand(row)) for row in some)
    return WordingCheck(len(some), max(ours), max(theirs), sum("here" in row for row in some))


def ours_of(said: str, gold: Sequence[str]) -> Figures:
    return exact(said, gold), f1(said, gold)


def by_hand(counted: Mapping[str, Any]) -> Figures:
    """What follows from the counts: tokens that were said, tokens of the gold answer, tokens in common."""
    said, gold, common = counted["counts"]
    return float(counted["exact"]), 2 * common / (said + gold) if said and gold else float(said == gold)


def _apart(one: Figures, other: Figures) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def made_apart(folder: Path, count: int = 200) -> float:
    """The largest difference between ours and the scripts, over right answers of a folder's questions and answers that
    were spoilt; what ours forgives is taken out before the scripts see them."""
    chance, worst = random.Random(0), 0.0
    questions = rows(folder / "queries.jsonl")
    for row in (questions * (count // len(questions) + 1))[:count]:
        gold = [str(one) for one in row["answers"]]
        chinese = detect_language(gold[0]) == "zh"
        said = _spoilt(gold[0], chinese, chance)
        script = SCRIPTS["cmrc" if chinese else "squad"]
        official = script(_forgiven(said, chinese), [_forgiven(one, chinese) for one in gold])
        worst = max(worst, _apart(official, ours_of(said, gold)))
    return worst


def _spoilt(answer: str, chinese: bool, chance: random.Random) -> str:
    """Right, cut short, with words around it, in another case, with punctuation, or something else."""
    joint = "" if chinese else " "
    parts = list(answer) if chinese else answer.split()
    around = f"是{answer}，没错" if chinese else f"the {answer}, indeed"
    return chance.choice(
        [
            answer, joint.join(parts[: max(1, len(parts) // 2)]), around, answer.upper(), f"“{answer}”。",
            joint.join([*parts[1:], parts[0]]), "nothing of the kind", "不是这样",
        ]
    )  # fmt: skip


def _forgiven(text: str, chinese: bool) -> str:
    """The text in one script and width, without punctuation that only ours leaves out."""
    bare = "".join(one for one in fold(text) if one.isascii() or not unicodedata.category(one).startswith("P"))
    return _left_out_in_chinese.sub("", bare) if chinese else bare


def _squad(said: str, gold: Sequence[str]) -> Figures:
    """evaluate-v1.1.py of SQuAD, and where nothing is left of an answer what evaluate-v2.0.py says to that."""

    def normal(text: str) -> list[str]:
        bare = "".join(sign for sign in text.lower() if sign not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", bare).split()

    def score(one: list[str], other: list[str]) -> float:
        if not one or not other:
            return float(one == other)
        return 2 * sum((Counter(one) & Counter(other)).values()) / (len(one) + len(other))

    given, wanted = normal(said), [found for one in gold if (found := normal(one))] or [[]]
    return float(given in wanted), max(score(given, one) for one in wanted)


def _cmrc(said: str, gold: Sequence[str]) -> Figures:
    """cmrc2018_evaluate.py: each Chinese character, and what nltk's tokeniser makes of all between; the longest common
    run counts. Its exact match compares strings, so white space within them counts."""

    def plain(text: str) -> str:
        return "".join(sign for sign in text.lower().strip() if sign not in _CMRC_DROPS)

    def segments(text: str) -> list[str]:
        return _nltk_parts.sub(r" \g<0> ", _han.sub(r" \g<0> ", plain(text))).split()

    def score(one: list[str], other: list[str]) -> float:
        same = _run(one, other)
        return 2 * same / (len(one) + len(other)) if same else 0.0

    return float(plain(said) in map(plain, gold)), max(score(segments(said), segments(one)) for one in gold)


def _run(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest run that both have."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for a, first in enumerate(one):
        for b, second in enumerate(other):
            if first == second:
                table[a + 1][b + 1] = table[a][b] + 1
    return max(map(max, table))


SCRIPTS: dict[str, Callable[[str, Sequence[str]], Figures]] = {"squad": _squad, "cmrc": _cmrc}
