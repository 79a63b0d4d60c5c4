"""How an answer agrees with a reference: exact match, token F1, ROUGE-L, lists, choices, yes or no.

English is compared by words without articles, as SQuAD's script does; Chinese by characters, and its F1 by the longest
run of characters that both have, as CMRC's does. Width, case, punctuation and traditional script do not count.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from text import detect_language, fold

_PUNCTUATION = frozenset(string.punctuation)
_articles = re.compile(r"\b(?:a|an|the)\b")
_piece = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\s\u3400-\u9fff\uf900-\ufaff]+")
_choice = re.compile(r"(?<![A-Za-z])([A-H])(?![A-Za-z])")
_no = re.compile(
    r"\A\W*(?:no\b|not\b|false\b|never\b|否|不|没|错|并非|非也)|\b(?:cannot|isn't|aren't|doesn't|don't|is not|are not"
    r"|does not|do not|may not|must not)\b|不(?:可以|能|是|会|需要|允许|得)|没有|无需|禁止",
    re.IGNORECASE,
)
_yes = re.compile(r"\A\W*(?:yes\b|true\b|correct\b|是|对|可以|能|会|有|正确|需要|允许)", re.IGNORECASE)
_parts = re.compile(r"[,;，；、\n]|\band\b|(?<=[\u4e00-\u9fff])[和与及](?=[\u4e00-\u9fff])", re.IGNORECASE)


@lru_cache(maxsize=4096)
def tokens(text: str, articles: bool = False) -> tuple[str, ...]:
    """What is compared: words, and each Chinese character by itself; English articles only where they count."""
    folded = fold(text).lower()
    bare = "".join(one for one in folded if one not in _PUNCTUATION and not unicodedata.category(one).startswith("P"))
    return tuple(_piece.findall(bare if articles else _articles.sub(" ", bare)))


def exact(answer: str, references: Sequence[str]) -> float:
    return float(any(tokens(answer) == tokens(reference) for reference in references))


def contains(answer: str, references: Sequence[str]) -> float:
    """Whether the words of a reference stand in the answer, one after the other."""
    said = tokens(answer)
    return float(any(_stands_in(tokens(reference), said) for reference in references))


def _stands_in(wanted: tuple[str, ...], said: tuple[str, ...]) -> bool:
    return bool(wanted) and any(said[n : n + len(wanted)] == wanted for n in range(len(said) - len(wanted) + 1))


def f1(answer: str, references: Sequence[str]) -> float:
    """Of the reference that it agrees with most."""
    return max((_f1(answer, one, detect_language(one) == "zh") for one in references), default=0.0)


def _f1(answer: str, reference: str, chinese: bool) -> float:
    said, wanted = (tokens(text, articles=chinese) for text in (answer, reference))
    if not said or not wanted:
        return float(said == wanted)
    same = longest_run(said, wanted) if chinese else sum((Counter(said) & Counter(wanted)).values())
    return 2 * same / (len(said) + len(wanted))


def longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest run of tokens that both have."""
    longest, before = 0, [0] * (len(other) + 1)
    for token in one:
        row = [0] * (len(other) + 1)
        for n, beside in enumerate(other, 1):
            if token == beside:
                row[n] = before[n - 1] + 1
        longest, before = max(longest, *row), row
    return longest


def rouge_l(answer: str, references: Sequence[str]) -> float:
    """The F measure of the longest common subsequence, of the reference that it agrees with most."""
    return max((_rouge_l(tokens(answer), tokens(one)) for one in references), default=0.0)


def _rouge_l(said: tuple[str, ...], wanted: tuple[str, ...]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    before = [0] * (len(wanted) + 1)
    for token in said:
        row = [0]
        for n, beside in enumerate(wanted, 1):
            row.append(before[n - 1] + 1 if token == beside else max(before[n], row[-1]))
        before = row
    return 2 * before[-1] / (len(said) + len(wanted))


def same_choice(answer: str, references: Sequence[str]) -> bool:
    """Whether the letter that stands alone in the answer, the last one, is the reference's."""
    said = _choice.findall(unicodedata.normalize("NFKC", answer))
    wanted = {found for one in references for found in _choice.findall(unicodedata.normalize("NFKC", one).upper())}
    return bool(said) and said[-1] in wanted


def says_yes(answer: str) -> bool | None:
    """None where it says neither yes nor no."""
    if _no.search(answer):
        return False
    return True if _yes.search(answer) else None


def list_f1(answer: str, items: Sequence[str]) -> float:
    """F1 of the items as sets: named among the items, and items of the answer that are named."""
    wanted = [
        tokens(part) for item in items for part in ([item] if len(items) > 1 else _parts.split(item)) if part.strip()
    ]
    given = [said for part in _parts.split(answer) if (said := tokens(part))]
    if not wanted or not given:
        return float(not wanted and not given)
    named = sum(any(_stands_in(one, said) for said in [tokens(answer)]) for one in wanted)
    right = sum(any(_stands_in(one, said) for one in wanted) for said in given)
    recall, precision = named / len(wanted), right / len(given)
    return 2 * recall * precision / (recall + precision) if named and right else 0.0
