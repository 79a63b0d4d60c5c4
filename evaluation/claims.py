"""What a sentence claims: its terms in order, its numbers, its names and what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

from schema import Language
from tables.numbers import Quantity, numbers
from text import CJK, STOP_WORDS, detect_language, fold

NOT = "¬"  # the term that stands for every way to deny

_word = re.compile(
    rf"(?P<cjk>[{CJK}]+)|(?P<word>[^\W{CJK}]+(?:['’][^\W{CJK}]+)*)|(?P<stop>[.,;:!?。，；：！？、()（）—\n])"
)
_not_en = frozenset(
    """not no never cannot without neither nor none nobody nothing nowhere unable fail fails failed failing lack
    lacks lacked lacking refuse refuses refused""".split()
)
_opening = re.compile(r"(?<![\s\"'“‘*_#>-])[\s\"'“‘*_#>-]*+\Z")  # what may stand between a sentence and the next one
_not_just = re.compile(
    r"\b(?:not (?:only|just|merely|simply)|no (?:doubt|matter)|nothing but|without (?:a )?doubt|cannot but)\b", re.I
)
_not_zh = re.compile(
    "并非|绝非|从未|尚未|未曾|未能|没有|并未|严禁|禁止|切勿|无法|无须|无需|拒绝|缺乏|[不没未无非勿]|莫(?=要)|别(?=再|让)"
)
_DENIES = frozenset("没不未无非勿莫别")
# Words in which the sign denies nothing, or nothing that could be left out.
_not_a_denial = re.compile(
    "|".join(
        """不仅 不但 不断 不过 不少 不久 不论 不管 不得不 不由得 不禁 不时 不只 不光 不单 不惜 不妨 不料 不愧
        不止 差不多 不一会儿 了不起 对不起 要不是 好不容易 不幸 不同 不良 不满 不足 不安 不锈 无论 无疑 无线
        无数 无非 无比 无锡 无意间 无辜 无奈 无偿 莫不 无不 未来 未婚 没收 没落 埋没 淹没 出没 沉没 非常 非洲
        南非 北非 东非 西非 非得 非法 莫非 是非 除非""".split()
    )
)
_function_zh = frozenset(
    """的 了 着 过 地 得 是 在 和 与 及 或 而 且 但 但是 并 并且 也 都 就 还 又 才 只 这 那 这个 那个 这些 那些
    其 其中 他 她 它 他们 她们 它们 我 我们 你 你们 您 自己 之 于 以 为 对 从 由 被 把 将 让 向 到 至 给 跟 同
    比 因 因为 因此 所以 如果 则 若 虽然 等 等等 个 一个 一种 一些 一 有 会 能 可 可以 要 应 应该 很 更 最 上 下
    中 里 内 外 时 后 前 来 去 说 吗 呢 吧 啊 什么 怎么 哪 哪些 哪个 谁 多少 几 如何 为什么 请问 根据 按照 通过
    关于 以及 进行 此 该 各 每 某 另 者 所 即 便 却 已 已经 曾 正 正在 位 名 年 月 日""".split()
)
_speaker = frozenset("i me my mine myself we us our ours you your yours".split())
_pronouns = frozenset("he she it they him her them his hers its their theirs this that these those there".split())
_openers = frozenset("yes yeah yep okay ok oh wow well sure absolutely indeed really actually hi hello thanks".split())
_more_function = frozenset(
    "although though however thus therefore yet may might must shall upon since whether s t".split()
)
_MAY_BE_NAMES = frozenset({"may", "will"})  # May 2016, Will Smith
# What points back or holds the sentence together says little; who says "I" or "you" says something of his own.
_LIGHT = (
    dict.fromkeys(STOP_WORDS | _more_function | _openers, 0.2)
    | dict.fromkeys(_pronouns, 0.05)
    | dict.fromkeys(_speaker, 0.5)
)
_surnames = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳"
    "鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞"
    "熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫经房裘缪干解应宗丁宣邓郁单"
    "杭洪包诸左石崔吉龚程邢裴陆荣翁荀羊惠甄曲家封储靳段焦巴侯宓蓬全班仰秋仲伊宫宁仇栾甘厉戎祖武符刘景詹束龙叶幸司韶黎薄印宿白"
    "怀蒲从鄂索咸籍赖卓蔺屠蒙池乔阴闻党翟谭贡劳姬申扶冉宰雍桑桂牛寿通边扈燕冀尚农温庄晏柴瞿阎充慕连习艾鱼容向古易廖耿满匡"
    "国文寇广禄东欧沃利蔚越师巩聂晁勾敖融冷辛阚那简饶空曾沙养鞠须丰关查游竺权盖益桓公肖覃付"
)


class Term(NamedTuple):
    """One term of a text. Function words weigh little: they hold the order, not the content."""

    form: str  # stem, Chinese word, "#30" for a number, NOT
    weight: float
    clause: int  # counts the punctuation before it
    start: int  # where it stands in the folded text
    end: int
    written: str


@dataclass(frozen=True, slots=True)
class Claims:
    """A text's terms, and which of them are numbers (index, value) and names (indices)."""

    terms: tuple[Term, ...]
    numbers: tuple[tuple[int, Quantity], ...] = ()
    names: tuple[tuple[int, ...], ...] = ()
    text: str = ""  # folded

    @property
    def language(self) -> Language | None:
        return detect_language(self.text)

    @property
    def checkable(self) -> bool:
        """False for what asserts nothing that a source could hold: Yes, it does. 好的。"""
        return any(term.weight > 0.5 and term.form != NOT for term in self.terms)

    def written(self, indices: Sequence[int]) -> str:
        """The part of the text that these adjacent terms span."""
        return self.text[self.terms[indices[0]].start : self.terms[indices[-1]].end]


def denials(terms: Sequence[Term]) -> list[tuple[int, int]]:
    """(denial, denied) as indices: a denial reaches the next content term of its clause, else the one before."""
    found: list[tuple[int, int]] = []
    waiting: list[int] = []  # denials that nothing has followed yet
    last: int | None = None  # the content term before
    for i, term in enumerate(terms):
        if i and term.clause != terms[i - 1].clause:
            found += [(denial, last) for denial in waiting if last is not None]
            waiting, last = [], None
        if term.form == NOT:
            waiting.append(i)
        elif term.weight > 0.2:
            found += [(denial, i) for denial in waiting]
            waiting, last = [], i
    return found + [(denial, last) for denial in waiting if last is not None]


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


def stem(word: str) -> str:
    """The form under which an English word is compared; a Chinese word stays as it is."""
    return str(_stemmer().stemWord(word)) if word.isascii() else word


def read(text: str, names: bool = True) -> Claims:
    """What the text claims. Without `names` (a source needs none) it is several times faster on Chinese."""
    text = fold(text).replace("**", "")  # bold type may end within a number: **238**千帕
    terms: list[Term] = []
    numbered = []
    clause = position = 0
    not_just = _covered(_not_just, text)
    for number in [*numbers(text), None]:
        before = number.start if number else len(text)
        for match in _word.finditer(text, position, before) if position < before else ():
            if match.lastgroup == "stop":
                clause += 1
                continue
            if match.lastgroup == "cjk":
                forms = _chinese_forms(match)
            elif form := _content_form(match[0]):
                terms.append(Term(form, 1.0, clause, *match.span(), match[0]))
                continue
            else:
                forms = _english_forms(match, not_just)
            terms += [Term(form, weight, clause, start, end, text[start:end]) for form, weight, start, end in forms]
        if number:
            numbered.append((len(terms), number))
            written = text[number.start : number.end]
            terms.append(Term(number.form, 1.5, clause, number.start, number.end, written))
            position = number.end
    return Claims(tuple(terms), tuple(numbered), tuple(_names(text, terms)) if names else (), text)


def _covered(pattern: re.Pattern[str], text: str) -> set[int]:
    """The offsets that its matches cover."""
    return {place for match in pattern.finditer(text) for place in range(*match.span())}


def _english_forms(match: re.Match[str], not_just: set[int]) -> Iterator[tuple[str, float, int, int]]:
    start, end = match.span()
    word = match[0].lower().replace("’", "'")
    base = word.removesuffix("n't")
    denial = base != word or base in _not_en
    named = (denial or base in _MAY_BE_NAMES) and match[0][0].isupper() and not _opens(match.string, start)
    denies = denial and not named and start not in not_just  # Never Shout Never
    if base != word and base not in {"", "ca", "wo"}:
        yield base, 0.2, start, end
    if denies:
        yield NOT, 1.0, start, end
    elif (weight := _LIGHT.get(base)) is not None:
        yield base, 1.0 if named and base in _MAY_BE_NAMES else weight, start, end
    else:  # a name that is written as a denial
        yield stem(base), 1.0, start, end


@lru_cache(8_192)
def _content_form(written: str) -> str:
    """The form of an English word that says what a text is about; "" for one that denies, or that holds it together."""
    word = written.lower().replace("’", "'")
    light = word.endswith("n't") or word in _not_en or word in _LIGHT
    return "" if light else stem(word.removesuffix("'s"))


def _chinese_forms(match: re.Match[str]) -> Iterator[tuple[str, float, int, int]]:
    start = match.start()
    return ((form, weight, start + begin, start + end) for form, weight, begin, end in _forms_of_run(match[0]))


@lru_cache(2_048)
def _forms_of_run(run: str) -> tuple[tuple[str, float, int, int], ...]:
    """Each term of a run of Chinese characters, what it weighs and where it stands in it."""
    if len(run) == 1 and run not in _DENIES:
        return ((run, 0.2 if run in _function_zh else 0.5, 0, 1),)
    cues = [found.span() for found in _not_zh.finditer(run)]
    if cues:
        kept = _covered(_not_a_denial, run)
        cues = [cue for cue in cues if kept.isdisjoint(range(*cue))]
    forms: list[tuple[str, float, int, int]] = []
    position = 0
    for a, b in [*cues, (len(run), len(run))]:
        at = position
        for word in _words(run[position:a]):
            weight = 0.2 if word in _function_zh else 0.5 if len(word) == 1 else 1.0
            forms.append((word, weight, at, at + len(word)))
            at += len(word)
        if a < b:
            forms.append((NOT, 1.0, a, b))
        position = b
    return tuple(forms)


def _words(chinese: str) -> Sequence[str]:
    import rjieba

    return rjieba.cut(chinese) if len(chinese) > 1 else chinese


def _opens(text: str, start: int) -> bool:
    """Whether a word there opens its sentence; of long rows of quotes and blanks the last forty are looked at."""
    before = text[max(0, start - 40) : start]
    opening = _opening.search(before)
    place = opening.start() if opening else 0
    ended = before[place - 1 : place] in {*".!?。！？:："} and before[place : place + 1].isspace()
    return ended or "\n" in before[place:] or (place == 0 and start <= 40)


def _names(text: str, terms: list[Term]) -> Iterator[tuple[int, ...]]:
    """Runs of capitalised words that do not merely open a sentence, and Chinese names by their tags."""
    words = [i for i, term in enumerate(terms) if term.weight >= 1 and term.form != NOT and term.written[0].isalpha()]
    latin = [i for i in words if terms[i].written.isascii()]
    capital = {i for i in latin if terms[i].written[0].isupper()}
    if len(words) <= 3 or len(capital) < len(words):  # else it is a title
        run: list[int] = []
        for i in [*sorted(capital), -1]:
            if run and (i != run[-1] + 1 or terms[i].clause != terms[run[-1]].clause):
                if len(run) > 1 or not _opens(text, terms[run[0]].start):
                    yield tuple(run)
                run = []
            run.append(i)
    if len(latin) < len(words):
        yield from _chinese_names(text, terms)


def is_name(terms: Sequence[Term]) -> bool:
    """True when the terms look like one name: all capitalised, or a Chinese name by its tag."""
    written = "".join(term.written for term in terms)
    if written.isascii():
        return all(term.written[0].isupper() and term.weight >= 1 for term in terms)
    return any(len(name) == len(terms) for name in _chinese_names(written, _at_zero(terms)))


def _at_zero(terms: Sequence[Term]) -> list[Term]:
    """The terms as they stand in their own text, set side by side."""
    placed, at = [], 0
    for term in terms:
        placed.append(term._replace(start=at, end=at + len(term.written)))
        at += len(term.written)
    return placed


def _chinese_names(text: str, terms: Sequence[Term]) -> Iterator[tuple[int, ...]]:
    import rjieba

    index = {term.start: i for i, term in enumerate(terms)}
    at = 0
    for word, tag in rjieba.tag(text):
        person = tag.startswith("nr") and (word[0] in _surnames or len(word) > 2)  # shorter ones are often mistagged
        if len(word) > 1 and (person or tag in {"ns", "nt", "nz"}):
            inside = tuple(index[start] for start in range(at, at + len(word)) if start in index)
            if inside:
                yield inside
        at += len(word)
