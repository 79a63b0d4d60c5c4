"""Numbers and formulas as answers: read in one form, whatever digits, signs and units they are written with.

What is read: full width, the true minus, thousands commas, 1e3, 25 %, fractions, Chinese numerals (十八, 1.2万,
三分之一, 百分之五), LaTeX fractions. The final answer is what stands in a box, behind `####`, behind "the answer is" or
答案是; else the last number of a formula's answer, the first of a sentence's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tables.numerals import DIGITS, GROUPS, PLACES, by_places

_numeral = "零〇一二两三四五六七八九十百千万亿"
_unit = (
    "个只条张本件台辆头棵位名人天日周月年岁小时分钟秒元块角斤克吨米里倍次场层页题道"
    "组队份盒袋瓶箱支枝朵行排双对套升户所间家"
)
_chinese = re.compile(
    rf"(?<![{_numeral}\w.])(?:百分之(?P<percent>[{_numeral}]+|\d+(?:\.\d+)?)"
    rf"|(?P<below>[{_numeral}]+)分之(?P<above>[{_numeral}]+)"
    rf"|(?P<whole>[{_numeral}]+)(?=[{_unit}\s,，。;；、!！?？)）]|$))"
)
_in_sentence = re.compile(  # of one sign only where nothing else can be meant: 有三个, and not 一起
    rf"(?:(?<=[是为有共约即得:：=])(?=[{_numeral}])|(?=[{_numeral}]{{2}}))(?<![{_numeral}])(?P<whole>[{_numeral}]+)"
    rf"(?=[{_unit}\s,，。;；、!！?？)）]|$)"
)
_number = re.compile(
    r"(?<![\w.])(?P<sign>[-+]?)\s?[$￥¥€£]?(?P<whole>\d+(?:\.\d+)?|\.\d+)(?P<exponent>[eE][-+]?\d+)?"
    r"(?:\s?/\s?(?P<below>\d+(?:\.\d+)?))?\s?(?P<percent>%)?(?P<group>万|亿)?"
)
_unit_text = re.compile(r"\s*(?P<unit>[^\W\d_]+(?:/[^\W\d_]+)?|°C|°F|°)")
_boxed = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_marked = re.compile(
    r"####\s*+(?P<hash>[^\n]+)|(?:最终答案|答案|结果|故选|选|answer|result)"
    r"\s*+(?:(?:是|为|is|was)\s*+)?+(?:[:：=]\s*+)?+(?P<said>[^\n]+)",
    re.IGNORECASE,
)
_fraction = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_bare_latex = re.compile(r"\\(?:text|mathrm|mathbf|left|right|displaystyle)\b|\\[,;!: ]|[${}]")
_RELATIVE = Fraction(1, 10**6)


class WrittenNumber(NamedTuple):
    value: Fraction
    unit: str = ""  # as it is written behind the number


def chinese_number(word: str) -> int:
    """Of 十八, 二〇二四, 一千零五, 三万."""
    if len(word) > 1 and not set(word) & (PLACES.keys() | GROUPS.keys()):
        return int("".join(str(DIGITS[sign]) for sign in word))
    return by_places(word)


def plain_numbers(text: str) -> str:
    """The text with its numbers in ASCII digits."""
    text = unicodedata.normalize("NFKC", text).translate({0x2212: "-", 0x2013: "-", 0xD7: "*", 0xF7: "/"})
    text = _fraction.sub(r"\1/\2", text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = _chinese.sub(_in_digits, text)
    text = _in_sentence.sub(_in_digits, text)
    return re.sub(r"(?<=[\u4e00-\u9fff])(?=[-+\d.A-Za-z$\\])", " ", text)


def _in_digits(found: re.Match[str]) -> str:
    parts = found.groupdict()
    if percent := parts.get("percent"):
        return f"{percent if percent[0].isdigit() else chinese_number(percent)}%"
    if parts.get("below"):
        return f"{chinese_number(parts['above'])}/{chinese_number(parts['below'])}"
    return str(chinese_number(parts["whole"]))


def quantities(text: str) -> Iterator[WrittenNumber]:
    """Every number of a text, in order, with what stands behind it."""
    plain = plain_numbers(text)
    for found in _number.finditer(plain):
        value = Fraction(found["whole"]) * Fraction(10) ** int((found["exponent"] or "e0")[1:])
        if found["below"] and Fraction(found["below"]):
            value /= Fraction(found["below"])
        value *= GROUPS.get(found["group"] or "", 1) * (-1 if found["sign"] == "-" else 1)
        unit = _unit_text.match(plain, found.end())
        yield WrittenNumber(value / 100 if found["percent"] else value, unit["unit"].casefold() if unit else "")


def final_answer(text: str) -> tuple[str, bool]:
    """What a worked solution comes to, and whether it says that this is its answer."""
    if boxes := _boxed.findall(text):
        return boxes[-1], True
    marked = [found["hash"] or found["said"] for found in _marked.finditer(text)]
    return (marked[-1], True) if marked else (text, False)


def same_number(answer: str, reference: str, tolerance: float | None = None, *, last: bool = False) -> bool:
    """Whether the answer's number is that of the reference, within a share of it; a unit that both name is the same.

    Of several numbers the first that has the reference's unit counts; with `last` the last one, as worked solutions
    end with theirs.
    """
    wanted = next(quantities(reference), None)
    said, marked = final_answer(answer)
    given = list(quantities(said)) or list(quantities(answer))
    if wanted is None or not given:
        return False
    same_unit = [one for one in given if _same_unit(one.unit, wanted.unit)]
    candidates = same_unit or ([] if wanted.unit and all(one.unit for one in given) else given)
    if not candidates:
        return False
    one = candidates[-1 if last and not marked else 0]
    within = _RELATIVE if tolerance is None else Fraction(tolerance)
    return abs(one.value - wanted.value) <= within * abs(wanted.value)


def _same_unit(one: str, other: str) -> bool:
    """Chinese runs on behind its units: one may begin with the other."""
    if not one or not other:
        return True
    if one.isascii() and other.isascii():
        return one.rstrip("s") == other.rstrip("s")
    return one.startswith(other) or other.startswith(one)


def same_formula(answer: str, reference: str) -> bool:
    """Whether both come to the same: as numbers where they are numbers, else sign by sign without LaTeX's dress."""
    said, _ = final_answer(answer)
    if _is_number(reference):
        return same_number(answer, reference, last=True)
    return _undressed(said) == _undressed(reference) or _undressed(reference) in _undressed(said).split("=")[-1:]


def formulas_to_compare(answer: str, reference: str) -> tuple[str, str] | None:
    """Both where only algebra can tell whether they are the same; None where signs and numbers have told it."""
    said, _ = final_answer(answer)
    if same_formula(answer, reference) or not any(sign in f"{said}{reference}" for sign in "\\^"):
        return None
    return _readable(said), _readable(reference)


def _readable(formula: str) -> str:
    """For a program that takes full width and the true minus for letters, and Chinese for part of a name."""
    text = unicodedata.normalize("NFKC", formula).translate({0x2212: "-", 0xD7: "*", 0xF7: "/"})
    return re.sub(r"[\u4e00-\u9fff，。；：！？、]+", " ", text).strip()


def _is_number(text: str) -> bool:
    bare = _bare_latex.sub("", plain_numbers(text)).strip()
    found = _number.match(bare)
    return found is not None and not re.search(r"[\\^*()=+]|[a-z]\b(?=\s*[-+*/^])", bare[found.end() :])


def _undressed(text: str) -> str:
    return re.sub(r"\s+", "", _bare_latex.sub("", plain_numbers(text))).rstrip(".。").casefold()
