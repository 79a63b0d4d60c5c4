"""How an answer agrees with a reference, leniently: whether it is contained, ROUGE-L, lists, choices, yes or no.

English is compared by words without articles, Chinese by characters. Width, case, punctuation, accents and traditional
script do not count, nor do spaces between Chinese characters; the point of a decimal does: 3.5 is not 35. What is
compared with published figures is `published_scores`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from text import detect_language, fold

_PUNCTUATION = frozenset(string.punctuation)
_SIGNS = frozenset("@#$%&<>")  # each a token in Chinese, as CMRC's script has it; in English none, as SQuAD's has it
_articles = re.compile(r"\b(?:a|an|the)\b")
_point = re.compile(r"(?<=\d)\.(?=\d)")
_piece = re.compile(r"[\u3400-\u9fff\uf900-\ufaff@#$%&<>]|[^\s\u3400-\u9fff\uf900-\ufaff@#$%&<>]+")
_choice = re.compile(r"(?<![A-Za-z])([A-H])(?![A-Za-z])")
_letter = re.compile(  # that names one of several: vitamin A, 维生素 A, C#; no article, no initial of a name
    r"(?<![A-Za-z0-9.'&])[A-Z](?:#|\+\+|(?![A-Za-z0-9#'&]|\+\+|[-/]\w|\s+[A-Za-z0-9]|\.\s*\w))"
)
_standing = re.compile(r"(?<![A-Za-z0-9])[A-Z](?:#|\+\+)?(?![A-Za-z0-9#+])")
_no = re.compile(
    r"\A\W*(?:no\b|not\b|false\b|never\b|否|不|没|错|并非|非也)|\b(?:cannot|isn't|aren't|doesn't|don't|is not|are not"
    r"|does not|do not|may not|must not)\b|不(?:可以|能|是|会|需要|允许|得)|没有|无需|禁止",
    re.IGNORECASE,
)
_yes = re.compile(r"\A\W*(?:yes\b|true\b|correct\b|是|对|可以|能|会|有|正确|需要|允许)", re.IGNORECASE)
_parts = re.compile(r"[,;，；、\n]|\band\b|(?<=[\u4e00-\u9fff])[和与及](?=[\u4e00-\u9fff])", re.IGNORECASE)


@lru_cache(maxsize=4096)
def tokens(text: str, chinese: bool = False) -> tuple[str, ...]:
    """What is compared: words, and each Chinese character by itself. In Chinese "a" is a letter and no article, as in
    维生素 A, and signs like % count."""
    folded = fold(text).lower()
    counts = {sign for sign in set(folded) if not _is_punctuation(sign) or (chinese and sign in _SIGNS)}
    bare = ".".join("".join(filter(counts.__contains__, part)) for part in _point.split(folded))
    return tuple(_piece.findall(bare if chinese else _articles.sub(" ", bare)))


def _is_punctuation(sign: str) -> bool:
    return sign in _PUNCTUATION or unicodedata.category(sign).startswith("P")


def _in_chinese(answer: str, reference: str) -> bool:
    """The reference tells it, and where it is a mere number ("12%") the answer."""
    return (detect_language(reference) or detect_language(answer)) == "zh"


def _both(answer: str, reference: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    chinese = _in_chinese(answer, reference)
    return tokens(answer, chinese), tokens(reference, chinese)


def contains(answer: str, references: Sequence[str]) -> float:
    """Whether the words of a reference stand in the answer, one after the other."""
    pairs = (_both(answer, reference) for reference in references)
    return float(any(_stands_in(wanted, said) for said, wanted in pairs))


def _stands_in(wanted: tuple[str, ...], said: tuple[str, ...]) -> bool:
    return bool(wanted) and any(said[n : n + len(wanted)] == wanted for n in range(len(said) - len(wanted) + 1))


def names_the_same(answer: str, reference: str) -> bool:
    """Whether a letter by which the reference names one of several (vitamin A, 维生素 A, C#) stands in the answer:
    to the measures of words it is an article or a sign."""
    wanted, said = (unicodedata.normalize("NFKC", text) for text in (reference, answer))
    return set(_letter.findall(wanted)) <= {*_standing.findall(said), *_letter.findall(said.upper())}


def rouge_l(answer: str, references: Sequence[str]) -> float:
    """The F measure of the longest common subsequence, of the reference that it agrees with most."""
    return max((_rouge_l(*_both(answer, one)) for one in references), default=0.0)


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
    chinese = _in_chinese(answer, " ".join(items))
    wanted = [
        tokens(part, chinese)
        for item in items
        for part in ([item] if len(items) > 1 else _parts.split(item))
        if part.strip()
    ]
    given = [said for part in _parts.split(answer) if (said := tokens(part, chinese))]
    if not wanted or not given:
        return float(not wanted and not given)
    whole = tokens(answer, chinese)
    named = sum(_stands_in(one, whole) for one in wanted)
    right = sum(any(_stands_in(one, said) for one in wanted) for said in given)
    recall, precision = named / len(wanted), right / len(given)
    return 2 * recall * precision / (recall + precision) if named and right else 0.0
