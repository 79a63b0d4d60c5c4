"""What the columns, values and rows of a table may be called in a question, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from typing import Literal, NamedTuple

from planning.tables.operators import ADDITIVE, CONCEPTS, GENDERS, NO, YES, concepts_of, tokens
from schema import TableInfo
from tables.cells import CURRENCIES
from tables.columns import bare_name
from text import CJK, detect_language
from translation.dictionary import shipped

_MOST_TRANSLATED = 60  # different values of a column that are translated
_TRANSLATIONS = 6
_LEADING = 3  # columns among which the name of a row stands
_LONGEST = 12  # tokens of a name
WHOLE = 0.7  # a phrase of less weight is a part of a column's name
_word = re.compile(rf"[{CJK}]+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_id_words = frozenset(tokens("id no nr number code name key index 编 号 码 代 名 称 姓"))
_identifier = re.compile(
    r"编号|编码|代码|单号|号$|(?:^|[\s_])(?:id|no\.?|nr\.?|code|number|sku)$|名称|(?:^|[\s_])name$", re.IGNORECASE
)
_names = re.compile(r"名|name|title", re.IGNORECASE)
_suffix = re.compile(r"(?<=..)(?:部门|[部省市店组区县科室类]|公司)$")
_counted = re.compile(
    r"(?:[人次件户单台份个]数|数量|总[数量额]|[量额费]|费用|收入|支出|成本|金额)$"
    r"|\b(?:count|number of|visits|clicks|views|sessions|orders|users|visitors|conversions|sign-?ups|registrations"
    r"|downloads|units|revenue|amount|spend|cost|hours|passengers|guests|attendees|participants|calls|votes|goals|donations|seats|rainfall|days)\b",
    re.IGNORECASE,
)
_ratio = re.compile(r"率|均|价|龄|比|余额|\b(?:rate|average|avg|mean|price|per|unit|balance|level)\b", re.IGNORECASE)
_document_words = frozenset(tokens("list table data sheet register report export large small new file the of"))
_MONEY = frozenset([*CURRENCIES, *CURRENCIES.values(), "万元", "亿元", "美元", "欧元", "英镑"])
_PERSONAL = frozenset({"salary", "age", "gender", "hired", "born", "department", "job", "performance", "education"})


class Meaning(NamedTuple):
    """What a phrase may stand for: a column, a value of one, the rows themselves."""

    kind: Literal["column", "value", "rows"]
    weight: float
    column: int = -1
    value: str = ""


@dataclass
class TableNames:
    phrases: dict[tuple[str, ...], dict[tuple[str, int, str], Meaning]] = field(default_factory=dict)
    concepts: list[dict[str, float]] = field(default_factory=list)  # of each column
    flags: dict[int, tuple[str, str]] = field(default_factory=dict)  # columns of yes and no, with both values
    longest: int = 1
    words: set[str] = field(default_factory=set)  # of the columns' names, as they are written
    titles: list[str] = field(default_factory=list)  # the columns' names without their units
    numbers: frozenset[int] = frozenset()  # columns of numbers
    dates: frozenset[int] = frozenset()
    money: frozenset[int] = frozenset()  # amounts, and neither prices nor salaries
    additive: frozenset[int] = frozenset()  # those whose sum means something
    units: dict[str, int] = field(default_factory=dict)  # the column that alone is counted in a unit

    def add(self, phrase: tuple[str, ...], meaning: Meaning) -> None:
        if not phrase or len(phrase) > _LONGEST:
            return
        self.longest = max(self.longest, len(phrase))
        known = self.phrases.setdefault(phrase, {})
        key = (meaning.kind, meaning.column, meaning.value)
        if key not in known or known[key].weight < meaning.weight:
            known[key] = meaning


@lru_cache(maxsize=500)
def names_of_table(table: TableInfo) -> TableNames:
    names = TableNames()
    names.numbers = frozenset(at for at, column in enumerate(table.columns) if column.kind == "number")
    names.dates = frozenset(at for at, column in enumerate(table.columns) if column.kind == "date")
    counted = [table.columns[at].unit for at in names.numbers]
    names.units = {table.columns[at].unit: at for at in names.numbers if counted.count(table.columns[at].unit) == 1}
    for at, column in enumerate(table.columns):
        title = bare_name(column.name)
        names.titles.append(title)
        names.words.update(_word.findall(title.replace("_", " ").lower()))
        names.concepts.append(_concepts(title))
        for phrase, weight in _called(title, names.concepts[at]):
            names.add(phrase, Meaning("column", weight, at))
        known = {value.lower(): value for value in column.values}
        yes, no = (next((known[word] for word in words if word in known), "") for words in (YES, NO))
        if column.kind == "text" and 0 < len(known) <= 2 and len(known) == bool(yes) + bool(no):
            names.flags[at] = yes, no
            predicate = re.sub(r"^(?:是否|是不是|is[ _])", "", title, flags=re.IGNORECASE)
            for phrase, weight in _called(predicate, {}):
                names.add(phrase, Meaning("column", weight, at))
            continue
        for phrase, value, weight in _values(column.values, title):
            names.add(phrase, Meaning("value", weight, at, value))
    names.money = frozenset(
        at
        for at in names.numbers
        if table.columns[at].unit.lower() in _MONEY and not names.concepts[at].keys() & {"price", "salary"}
    )
    names.additive = names.money | frozenset(
        at for at in names.numbers if names.concepts[at].keys() & ADDITIVE or _adds_up(names.titles[at])
    )
    for phrase, weight in _rows(table, names.concepts):
        names.add(phrase, Meaning("rows", weight))
    return names


def _adds_up(name: str) -> bool:
    return _counted.search(name) is not None and _ratio.search(name) is None


def label_column(table: TableInfo) -> int:
    """By which a row is called: a column of words whose cells all differ, one of names before one of numbers."""
    texts = [at for at, column in enumerate(table.columns) if column.kind == "text"]
    called = {at: bare_name(table.columns[at].name) for at in texts}
    unique = [at for at in texts if is_unique(table, at)]
    named = [at for at in unique if _names.search(called[at])]
    named += [at for at in unique[:2] if at < _LEADING and not _identifier.search(called[at])]
    nearly = [at for at in texts if table.columns[at].distinct > 0.9 * table.rows and _names.search(called[at])]
    return next(iter([*named[:1], *nearly[:1], *unique[:1], *texts[:1]]), 0)


def is_unique(table: TableInfo, at: int) -> bool:
    column = table.columns[at]
    return column.kind == "text" and column.blank == 0 and column.distinct == table.rows


def _concepts(name: str) -> dict[str, float]:
    """The kinds that a column's name tells: by the whole of it, else by its parts, the last one first."""
    known = concepts_of()
    if whole := known.get(tokens(name)):
        return dict.fromkeys(whole, 1.0)
    found: dict[str, float] = {}
    for part, weight in _parts(name):
        for concept in known.get(part, ()):
            found.setdefault(concept, weight)
    return found


def _parts(name: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Shorter names of a column, with how well they stand for it: its ends before its beginnings."""
    words = [tokens(word) for word in _word.findall(name.replace("_", " "))]
    if len(words) == 1 and len(words[0]) > 2 and not words[0][0].isascii():
        chars = words[0]
        for size in range(len(chars) - 1, 1, -1):
            yield chars[-size:], 0.6
        for size in range(len(chars) - 1, 1, -1):
            yield chars[:size], 0.55
        return
    for size in range(len(words) - 1, 0, -1):
        for begin in range(len(words) - size, -1, -1):
            part = tuple(token for word in words[begin : begin + size] for token in word)
            yield part, 0.6 if begin + size == len(words) else 0.55


def _called(name: str, concepts: dict[str, float]) -> Iterator[tuple[tuple[str, ...], float]]:
    whole = tokens(name.replace("_", " "))
    yield whole, 1.0
    if name.rstrip().endswith("%"):
        yield from ((tokens(name.replace("%", word)), 0.95) for word in ("", " percentage", " percent", " rate"))
    for part, weight in _parts(name):
        if not set(part) <= _id_words:
            yield part, weight
    for concept, weight in concepts.items():
        yield from ((tokens(phrase), 0.8 * weight) for phrase in CONCEPTS[concept])
    translated = [(name, 1.0), *(("".join(part), weight) for part, weight in _parts(name) if not part[0].isascii())]
    for text, weight in translated:
        yield from ((phrase, 0.6 * weight) for phrase in _translations(text))


@lru_cache(maxsize=5_000)
def _translations(text: str) -> tuple[tuple[str, ...], ...]:
    dictionary = shipped()
    if detect_language(text) == "zh":
        return tuple(tokens(one.text) for one in dictionary.english(text)[:_TRANSLATIONS])
    return tuple(tokens(one.text) for one in dictionary.chinese(" ".join(tokens(text)))[:_TRANSLATIONS])


def _values(values: Iterable[str], column: str) -> Iterator[tuple[tuple[str, ...], str, float]]:
    listed = [*values]
    lower = {value.lower() for value in listed}
    begins: dict[tuple[str, ...], list[str]] = {}
    ends: dict[tuple[str, ...], list[str]] = {}  # "chairs", of "Office chair"
    for value in listed:
        whole = tokens(value)
        yield whole, value, 1.0
        if len(whole) > 1 and whole[0].isalpha() and len(whole[0]) > 3:
            begins.setdefault(whole[:1], []).append(value)
        if len(whole) > 1 and whole[-1].isalpha() and len(whole[-1]) > 3:
            ends.setdefault(whole[-1:], []).append(value)
        if not value.isascii() and (short := _suffix.sub("", value)) != value:
            yield tokens(short), value, 0.9
            yield tokens(short + column), value, 0.95
        if not value.isascii():
            yield tokens(value + "费"), value, 0.8  # “差旅费”, where the table writes 差旅
            if (done := value.removeprefix("已").removeprefix("被")) != value and len(done) > 1:
                yield tokens(done), value, 0.8  # “驳回的”, “被驳回的”
                yield tokens("被" + done), value, 0.85
        if value.lower() in GENDERS and len(lower) <= 3:
            yield from ((tokens(phrase), value, 0.9) for phrase in GENDERS[value.lower()].split("|"))
        if len(listed) <= _MOST_TRANSLATED:
            yield from ((phrase, value, 0.6) for phrase in _translations(value))
    for part, called in [*begins.items(), *ends.items()]:
        if len(called) == 1:
            yield part, called[0], 0.7


def _rows(table: TableInfo, concepts: list[dict[str, float]]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Nouns for a row: what its key and its title speak of."""
    nouns: dict[tuple[str, ...], float] = {}
    all_concepts = {concept for each in concepts for concept in each}
    for at, column in enumerate(table.columns):
        if is_unique(table, at):
            words = [part for part in _noun_parts(bare_name(column.name)) if not set(part) <= _id_words]
            nouns |= dict.fromkeys(words, 1.0)
            nouns |= dict.fromkeys(
                (tokens(p) for c, w in concepts[at].items() if w == 1 and c != "title" for p in CONCEPTS[c]),
                0.8,
            )
        elif column.kind == "date":  # of "order date" an order
            parts = [part for part in _noun_parts(bare_name(column.name)) if _ENTITIES & {*concepts_of().get(part, ())}]
            nouns |= dict.fromkeys(parts, 0.7)
    for text in (PurePath(table.document).stem, table.title):
        for part in _noun_parts(text):
            if not set(part) <= _document_words:
                nouns.setdefault(part, 0.7)  # less than what a column may be called
    if all_concepts & {"person"} or (
        all_concepts & _PERSONAL and any(c.name.lower() in ("name", "full name") for c in table.columns)
    ):
        nouns |= {tokens(phrase): 0.8 for phrase in CONCEPTS["person"]}
    known = concepts_of()
    for noun, weight in [*nouns.items()]:
        for concept in known.get(noun, ()):
            for other in CONCEPTS[concept]:
                nouns.setdefault(tokens(other), (0.8 if concept in _ENTITIES else 0.5) * weight)
        if noun not in known:
            for translated in _translations(" ".join(noun) if noun[0].isascii() else "".join(noun)):
                nouns.setdefault(translated, 0.6 * weight)
    yield from nouns.items()


_ENTITIES = frozenset(
    """person student customer supplier carrier product store school book film device order invoice shipment project
    event transaction city country province teacher course patient ticket hotel room vehicle seller doctor
    region""".split()
)


def _noun_parts(text: str) -> Iterator[tuple[str, ...]]:
    words = [tokens(word) for word in _word.findall(text.replace("_", " "))]
    for word in words:
        if word and not word[0].isascii():
            yield from (word[a:b] for a in range(len(word)) for b in range(a + 2, min(len(word), a + 4) + 1))
            continue
        yield word
    if 1 < len(words) <= 3:
        yield tuple(token for word in words for token in word)
