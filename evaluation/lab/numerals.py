"""Numbers and formulas as answers: read in one form, whatever digits, signs and units they are written with.

What is read: full width, the true minus, thousands commas, 1e3, 25 %, fractions and mixed numbers, 1.5 million, LaTeX,
Chinese numerals (十八, 1.2万, 三分之一, 六又七分之三, 百分之五, 负二点五); number words of English where no figure
stands. The final answer is what stands in a box, behind `####`, behind "the answer is", 答案是 or 答：; else the last
number of a formula's answer, the first of a sentence's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tables.numbers import SCALES, english_value
from tables.numerals import CARDINALS, DIGITS, GROUPS, PLACES, by_places

_numeral = "零〇一二两三四五六七八九十百千万亿"
_after_point = "点[零〇一二三四五六七八九]+"
_unit = (
    "个只条张本件台辆棵头位人名天日周月年岁小时分钟秒元块角斤公克吨米厘毫平立里亩升倍次场层页题道度折成项"
    "组队份盒袋瓶箱支枝朵行排双对套升户所间家颗粒串筐桶杯碗包捆座栋节课圈步级把种班"
)
_end = rf"(?=[{_unit}\s,，。;；、!！?？)）]|$)"
_share = re.compile(
    rf"(?<![{_numeral}\d.])(?:百分之(?P<percent>[{_numeral}]+(?:{_after_point})?|\d+(?:\.\d+)?)"
    rf"|(?:(?P<and>[{_numeral}]+|\d+)又)?(?P<below>[{_numeral}]+|\d+)分之(?P<above>[{_numeral}]+|\d+))"
)
_chinese = re.compile(rf"(?<![{_numeral}\w.])(?P<whole>[{_numeral}]+(?:{_after_point})?){_end}")
_in_sentence = re.compile(  # of one sign only where nothing else can be meant: 有三个, and not 一起
    rf"(?:(?<=[是为有共约即得要需少多用了到剩:：=])(?=[{_numeral}])|(?=[{_numeral}]{{2}})|(?=[{_numeral}]{_after_point}))"
    rf"(?<![{_numeral}])(?P<whole>[{_numeral}]+(?:{_after_point})?){_end}"
)
_below_zero = re.compile(rf"(?:负|零下)(?=[{_numeral}\d])|(?<!\d)(?<!\d )\b(?:minus|negative) (?=[$\d])", re.IGNORECASE)
_words = "|".join(sorted([*CARDINALS, *SCALES], key=len, reverse=True))
_english = re.compile(
    rf"(?<![A-Za-z-])(?:{'|'.join(CARDINALS)})(?:[ -](?:and )?(?:{_words})){{0,12}}(?![A-Za-z-])", re.IGNORECASE
)
_only_one = re.compile(
    r"(?:\A|(?:is|are|was|were)\s|[:：=]\s?)\W{0,3}one(?=\W{0,3}\Z|\s(?!of\b)[a-z]{1,20}\W{0,3}\Z)", re.IGNORECASE
)
_thousands = re.compile(r"(?<=\d)(?:[,，\u00a0\u2009\u202f]|\{,\}|\\[, ])(?=\d{3}(?!\d))")
_vulgar = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_mixed = re.compile(r"(?<![\d./])(\d{1,3})(?:\s?又\s?|\s(?:and\s)?)(\d{1,6})\s?/\s?(\d{1,6})(?![\d/])")
_power = re.compile(r"(?<=\d)\s?(?:\*|\\times|\\cdot)\s?10\^\{?([-+]?\d{1,3})\}?(?!\d)")
_number = re.compile(
    r"(?<![\w.^])(?<!\^\{)(?P<sign>[-+](?=[$￥¥€£.\d])|(?<=[=(]\s)-\s)?[$￥¥€£]?(?P<whole>\d+(?:\.\d+)?|\.\d+)"
    r"(?P<exponent>[eE][-+]?\d{1,3}(?!\d))?(?:\s?/\s?(?P<below>\d+(?:\.\d+)?))?"
    rf"(?:\s?(?P<percent>%|per\s?cent\b)|\s?(?P<group>[百千]?[万亿])|\s(?P<scale>{'|'.join(SCALES)})\b)?",
    re.IGNORECASE,
)
_unit_text = re.compile(r"\s*(?P<unit>[^\W\d_]+(?:/[^\W\d_]+)?|°C|°F|°)")
_boxed = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_marked = re.compile(
    r"####\s*+(?P<hash>[^\n]+)|(?:(?:答案|结果)(?:应该?|应当|就)?(?:[是为]\s*+[:：]?|\s*+[:：=])|答\s*+[:：]"
    r"|选择?(?:[是为:：]\s*+)?(?=[A-HＡ-Ｈ])"
    r"|\b(?:answer|result)\*{0,2}\s{0,3}(?:(?:(?:should|would|must)\sbe|is|was)\b\s*+[:：]?|[:：=]))"
    r"\s*+\**+\s*+(?P<said>[^\n]+)",
    re.IGNORECASE,
)
_clause_end = re.compile(r"[。；;\n]|[,，](?!\d{3})|\.(?=\s|\Z)")
_fraction = re.compile(r"\\[dt]?frac\s*(?:\{([^{}]*)\}\s*\{([^{}]*)\}|(\d)\s*(\d))")
_bare_latex = re.compile(r"\\(?:text|mathrm|mathbf|left|right|displaystyle)\b|\\[,;!: ]|[${}]")
_RELATIVE = Fraction(1, 10**6)


class WrittenNumber(NamedTuple):
    value: Fraction
    unit: str = ""  # as it is written behind the number
    bare: Fraction = Fraction(0)  # without its %, 万 or million


def chinese_number(word: str) -> str:
    """In figures: 十八, 二〇二四, 一千零五, 三万, 二点五."""
    whole, _, after = word.partition("点")
    if len(whole) > 1 and not set(whole) & (PLACES.keys() | GROUPS.keys()):
        value = "".join(str(DIGITS[sign]) for sign in whole)
    else:
        value = str(by_places(whole))
    return f"{int(value)}.{''.join(str(DIGITS[sign]) for sign in after)}" if after else str(int(value))


def plain_numbers(text: str) -> str:
    """The text with its numbers in ASCII digits."""
    text = _vulgar.sub(" ", _thousands.sub("", text))
    text = unicodedata.normalize("NFKC", text).translate({0x2212: "-", 0x2013: "-", 0xD7: "*", 0xF7: "/", 0x2044: "/"})
    text = re.sub(r"\\(?=[%$])", "", re.sub(r"(?<=\d)(?=\\[dt]?frac)", " ", text))
    text = _fraction.sub(lambda found: f"{found[1] or found[3]}/{found[2] or found[4]}", text)
    text = _power.sub(r"e\1", _below_zero.sub(" -", text))
    for expression in (_share, _chinese, _in_sentence):
        text = expression.sub(_in_digits, text)
    text = _mixed.sub(_improper, text)
    if not re.search(r"\d", text):
        text = _english.sub(_in_figures, _only_one.sub(lambda found: found[0][:-3] + "1", text))
    return re.sub(r"(?<=[\u4e00-\u9fff])(?=[-+\d.A-Za-z$\\])", " ", text)


def _in_digits(found: re.Match[str]) -> str:
    parts = {name: _figures(part) for name, part in found.groupdict().items() if part}
    if "percent" in parts:
        return f"{parts['percent']}%"
    if "below" in parts:
        return f"{parts['and'] + ' ' if 'and' in parts else ''}{parts['above']}/{parts['below']}"
    return parts["whole"]


def _figures(part: str) -> str:
    return part if part[0].isdigit() else chinese_number(part)


def _improper(found: re.Match[str]) -> str:
    """6 3/7 as 45/7; two numbers side by side stay."""
    whole, above, below = map(int, found.groups())
    return f"{whole * below + above}/{below}" if above < below else found[0]


def _in_figures(found: re.Match[str]) -> str:
    value = english_value(found[0])
    return found[0] if value is None else str(int(value))


def quantities(text: str) -> Iterator[WrittenNumber]:
    """Every number of a text, in order, with what stands behind it."""
    plain = plain_numbers(text)
    for found in _number.finditer(plain):
        bare = Fraction(found["whole"]) * Fraction(10) ** int((found["exponent"] or "e0")[1:])
        if found["below"] and Fraction(found["below"]):
            bare /= Fraction(found["below"])
        bare *= -1 if found["sign"] and "-" in found["sign"] else 1
        value = bare / 100 if found["percent"] else bare * _scale(found["group"] or found["scale"] or "")
        unit = _unit_text.match(plain, found.end())
        yield WrittenNumber(value, unit["unit"].casefold() if unit else "", bare)


def _scale(name: str) -> int:
    if not name:
        return 1
    return SCALES.get(name.lower()) or PLACES.get(name[0], 1) * GROUPS[name[-1]]


def final_answer(text: str) -> tuple[str, bool]:
    """What a worked solution comes to, and whether it says that this is its answer."""
    if boxes := _boxed.findall(text):
        return boxes[-1], True
    marked = [found["hash"] or found["said"] for found in _marked.finditer(text)]
    return (marked[-1].strip(" *"), True) if marked else (text, False)


def same_number(answer: str, reference: str, tolerance: float | None = None, *, last: bool = False) -> bool:
    """Whether the answer's number is that of the reference, within a share of it; a unit that both name is the same.

    Of several numbers the first that has the reference's unit counts; with `last` the last one, as worked solutions
    end with theirs. A bare reference leaves open what it counts: 60% is right where it says 60, and in a worked
    solution 60万 is, as its question may count in 万.
    """
    wanted = next(quantities(reference), None)
    said, marked = final_answer(answer)
    given = (_claimed(said) if marked and last else list(quantities(said))) or list(quantities(answer))
    if wanted is None or not given:
        return False
    same_unit = [one for one in given if _same_unit(one.unit, wanted.unit)]
    candidates = same_unit or ([] if wanted.unit and all(one.unit for one in given) else given)
    if not candidates:
        return False
    one = candidates[-1 if last and not marked else 0]
    within = (_RELATIVE if tolerance is None else Fraction(tolerance)) * abs(wanted.value)
    open_unit = wanted.value == wanted.bare and (last or abs(one.value) < abs(one.bare))
    return any(abs(value - wanted.value) <= within for value in (one.value, one.bare if open_unit else one.value))


def _claimed(said: str) -> list[WrittenNumber]:
    """The numbers of the first clause that has any, behind its last sign of equality: of 5×3=15（个） 15 alone."""
    clauses = (clause.replace("＝", "=").rpartition("=")[2] for clause in _clause_end.split(plain_numbers(said)))
    return next((found for clause in clauses if (found := list(quantities(clause)))), [])


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
