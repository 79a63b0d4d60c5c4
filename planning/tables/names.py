"""What the columns, values and rows of a table may be called in a question, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from planning.tables.currencies import PAID, currency_column
from planning.tables.directions import Direction, directions
from planning.tables.families import families
from planning.tables.operators import ADDITIVE, CONCEPTS, NO, PEOPLE, YES, concepts_of, tokens
from planning.tables.row_nouns import ID_WORDS, about, name_word, row_nouns
from planning.tables.senses import senses, translations
from planning.tables.to_do import verb_of
from planning.tables.values import MOST_TRANSLATED, called_values, is_personal
from schema import TableInfo
from tables.cell_readers import CellReader, cell_readers, with_minutes
from tables.cells import CURRENCIES
from tables.columns import bare_name
from tables.measures import measured
from tables.ranges import counted_in
from text import detect_language

_TOTALS = frozenset(tokens(name) for name in ("total", "grand total", "总计", "合计", "total paid", "total cost"))
_CROWDS = frozenset({"visitors", "attendance", "passengers"})
_FLAG = 0.65  # of a part of a name like "Fee paid?": more than a word that computes
HOW_MANY = ("数量", "数")  # behind what rows are called: “订单数量”
_LINKS = frozenset(tokens(word) for word in "per of and the".split())
_EACH = frozenset("各每")  # with which no name begins: it says by what is grouped
_LONGEST = 12  # tokens of a name
WHOLE = 0.7  # a phrase of less weight is a part of a column's name
_counted = re.compile(
    r"(?:[人次件户单台份个时钟天晚]数|数量|总[数量额]|[量额费]|费用|收入|支出|成本|金额)$"
    r"|\b(?:count|number of|visits|clicks|views|sessions|orders|users|visitors|conversions|sign-?ups|registrations"
    r"|downloads|units|revenue|amount|spend|cost|hours|passengers|guests|attendees|participants|calls|votes|goals|donations|seats|rainfall|days)\b",
    re.IGNORECASE,
)
_ratio = re.compile(r"率|均|价|龄|比|余额|\b(?:rate|average|avg|mean|price|per|unit|balance|level)\b", re.IGNORECASE)
_of_one = re.compile(r"\b(?:unit|per|each)\b|^单[价位]|^每", re.IGNORECASE)
_of_person = re.compile(r"[^个每]人员?$|[^人成委会]员$|者$")
_PERSONS = tuple((word, 0.75) for word in "人 人员 person people".split()) + tuple(
    (word, 0.65) for word in "员工 同事 employee staff colleague".split()
)
_asks_whether = re.compile(
    r"(?:[可能是]否|是不是|能不能|可不可以|is[ _]|can[ _]be[ _])\s*", re.IGNORECASE
)  # begins a title
_goes_on = re.compile(r"[，,;；(（:：]|\s[-–—]\s")  # behind yes or no
_of_which = re.compile(r"(?:of which|thereof|其中|其中：|其中:)\s*(\S.*)", re.IGNORECASE)
_MONEY = frozenset([*CURRENCIES, *CURRENCIES.values(), "万元", "亿元", "美元", "欧元", "英镑"])


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
    flags: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)  # yes and no: cells of both
    longest: int = 1
    words: set[str] = field(default_factory=set)  # of the columns' names, as they are written
    titles: list[str] = field(default_factory=list)  # the columns' names without their units
    numbers: frozenset[int] = frozenset()  # columns of numbers
    dates: frozenset[int] = frozenset()
    money: frozenset[int] = frozenset()  # amounts, and neither prices nor salaries
    additive: frozenset[int] = frozenset()  # those whose sum means something
    directions: dict[int, Direction] = field(default_factory=dict)
    senses: dict[tuple[str, ...], Meaning] = field(default_factory=dict)  # what one column or value says in English
    families: dict[str, list[int]] = field(default_factory=dict)  # columns by the roots of their words
    about: frozenset[str] = frozenset()  # characters of what a row is called
    counted_in: dict[int, str] = field(default_factory=dict)  # the units of the columns of numbers
    units: dict[str, int] = field(default_factory=dict)  # the column that alone is counted in a unit
    fits: dict[str, int] = field(default_factory=dict)  # the column that alone tells for which age, or how many people
    readers: dict[int, CellReader] = field(default_factory=dict)  # of columns that are shown as they are written

    def read_as(self, reader: CellReader) -> frozenset[int]:
        """The columns whose cells are so read."""
        return frozenset(at for at, by in self.readers.items() if by == reader)

    def add(self, phrase: tuple[str, ...], meaning: Meaning) -> None:
        if not phrase or len(phrase) > _LONGEST or phrase[0] in _EACH:
            return
        self.longest = max(self.longest, len(phrase))
        known = self.phrases.setdefault(phrase, {})
        key = (meaning.kind, meaning.column, meaning.value)
        if key not in known or known[key].weight < meaning.weight:
            known[key] = meaning


@lru_cache(maxsize=500)
def names_of_table(table: TableInfo) -> TableNames:
    names = TableNames(readers=cell_readers(table.columns))
    table = with_minutes(table, names.readers)
    names.numbers = frozenset(at for at, column in enumerate(table.columns) if column.kind == "number")
    names.dates = frozenset(at for at, column in enumerate(table.columns) if column.kind == "date")
    counted = [table.columns[at].unit for at in names.numbers]
    names.units = {table.columns[at].unit: at for at in names.numbers if counted.count(table.columns[at].unit) == 1}
    names.counted_in = {at: table.columns[at].unit for at in names.numbers}
    for at in range(len(table.columns)):
        _add_column(names, table, at)
    told = currency_column(table) is not None
    names.money = frozenset(
        at
        for at in names.numbers
        if (
            table.columns[at].unit.lower().partition("/")[0] in _MONEY
            or (told and not table.columns[at].unit and bool(names.concepts[at].keys() & PAID))
        )
        and "price" not in names.concepts[at]
        and not _is_wage(names.concepts[at], table, names)
    )
    names.additive = frozenset(
        at
        for at in names.numbers
        if (at in names.money or names.concepts[at].keys() & ADDITIVE or _adds_up(names.titles[at]))
        and "/" not in table.columns[at].unit
        and not table.columns[at].holds_percentages
        and not is_of_one(names.titles[at])
    )
    units = {at: counted_in(names.titles[at], table.columns[at].values) for at in names.read_as("range")}
    names.fits = {unit: at for at, unit in units.items() if unit and [*units.values()].count(unit) == 1}
    _add_whole(names, table)
    return names


def _add_column(names: TableNames, table: TableInfo, at: int) -> None:
    """What a column may be called, and its values; of yes and no the column alone, which then is a condition."""
    column, title = table.columns[at], bare_name(table.columns[at].name)
    names.titles.append(title)
    names.words.update(name_word.findall(title.replace("_", " ").lower()))
    names.concepts.append(_concepts(title))
    for phrase, weight in _called(title, names.concepts[at]):
        names.add(phrase, Meaning("column", weight, at))
    if column.name != title:  # with its unit
        names.add(tokens(column.name.replace("_", " ")), Meaning("column", 1.0, at))
    if measured(column.unit) == "time":
        for suffix in (" time", "时间", "时长"):
            names.add(tokens(title + suffix), Meaning("column", 0.9, at))
    if at and (part := _of_which.match(title)) and column.kind == "number":  # “其中女性”, of the column before
        of = names.titles[at - 1]
        for whole in (of, *(" ".join(words) for words, _ in _parts(of) if words[0].isascii())):
            names.add(tokens(f"{part[1]} {whole}"), Meaning("column", 0.9, at))
    if column.kind == "text" and (sides := _yes_and_no(title, column.values)):
        names.flags[at] = sides
        predicate = _asks_whether.sub("", title)
        for phrase, weight in _called(predicate, {}):
            names.add(phrase, Meaning("column", max(weight, _FLAG), at))
        names.add(tokens(verb_of(title)), Meaning("column", _FLAG, at))
        return
    for phrase, value, weight in called_values(column.values, title, is_personal(title, names.concepts[at])):
        names.add(phrase, Meaning("value", weight, at, value))


def _yes_and_no(title: str, values: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The cells that say yes and those that say no, where a column has no others. Under a title that asks they may go
    on: “可否转让” is “是，免费”."""
    asks = _asks_whether.match(title) is not None
    heads = {value: (_goes_on.split(value, maxsplit=1)[0] if asks else value).strip().lower() for value in values}
    yes, no = (tuple(value for value, head in heads.items() if head in words) for words in (YES, NO))
    plain = 0 < len(heads) <= 2 and len(yes) <= 1 and len(no) <= 1
    return (yes, no) if heads and len(yes) + len(no) == len(heads) and (asks or plain) else None


def is_of_one(title: str) -> bool:
    """Whether a column tells what one of something costs or takes: "Unit cost", “单价”."""
    return _of_one.search(title) is not None


def _is_wage(known: dict[str, float], table: TableInfo, names: TableNames) -> bool:
    """ "Income" of people, and not the "ticket income" of a house."""
    return "salary" in known and (_lists_people(table, names) or known["salary"] == 1)


def _lists_people(table: TableInfo, names: TableNames) -> bool:
    pairs = zip(table.columns, names.concepts, strict=True)
    return any(column.kind == "text" and known.keys() & PEOPLE for column, known in pairs)


def _add_whole(names: TableNames, table: TableInfo) -> None:
    """What all columns together tell: the rows, both ends of a way, words that lead to one column."""
    for phrase, weight in row_nouns(table, names.concepts, names.read_as("clock")):
        names.add(phrase, Meaning("rows", weight))
        for at in names.numbers if not phrase[0].isascii() else ():  # “捐款金额”, of gifts with a column 金额
            if names.titles[at] not in HOW_MANY:
                names.add((*phrase, *tokens(names.titles[at])), Meaning("column", 1.0, at))
    texts = {at: names.titles[at] for at, column in enumerate(table.columns) if column.kind == "text"}
    names.directions = directions(texts)
    for at, side in names.directions.items():
        for called in CONCEPTS["origin" if side == "from" else "destination"]:
            names.add(tokens(called), Meaning("column", 0.7, at))
    amounts = [at for at in names.money if "amount" in names.concepts[at]]
    if len(amounts) == 1 and not any("sales" in known for known in names.concepts):  # "revenue" of "Total (€)"
        for called in CONCEPTS["sales"]:
            names.add(tokens(called), Meaning("column", 0.5, amounts[0]))
    _add_persons(names, table)
    ways = [at for at, known in enumerate(names.concepts) if "destination" in known]
    if len(ways) == 1 and not any("city" in known for known in names.concepts):  # “哪个城市” of 目的地
        for called in ("city", "town", "place", "城市", "地方"):
            names.add(tokens(called), Meaning("column", 0.6, ways[0]))
    crowds = [at for at in names.numbers if names.concepts[at].keys() & _CROWDS]
    if len(crowds) == 1 and not _lists_people(table, names):
        names.add(tokens("people"), Meaning("column", 0.7, crowds[0]))
    names.about = about(table)
    names.senses = _senses_of(table, names)
    names.families = families(names.titles)


def _add_persons(names: TableNames, table: TableInfo) -> None:
    """Of a column of people that no concept tells: “出差人”, “值班人员”. Where people are counted they are numbers."""
    counted = any("人" in names.titles[at] or "人" in table.columns[at].unit for at in names.numbers)
    for at, title in enumerate(names.titles):
        text = table.columns[at].kind == "text" and at not in names.flags  # “是否团员” says of whom it is so
        if text and not counted and _of_person.search(title) and not names.concepts[at].keys() & PEOPLE:
            for word, weight in _PERSONS:
                names.add(tokens(word), Meaning("column", weight, at))


def _senses_of(table: TableInfo, names: TableNames) -> dict[tuple[str, ...], Meaning]:
    """Only those that no two columns or values share."""
    found: dict[tuple[str, ...], set[Meaning]] = {}
    for at, column in enumerate(table.columns):
        for sense in _said(names.titles[at]):
            found.setdefault(sense, set()).add(Meaning("column", 0.5, at))
        if at not in names.flags and len(column.values) <= MOST_TRANSLATED:
            for value in column.values:
                for sense in _said(value):
                    found.setdefault(sense, set()).add(Meaning("value", 0.55, at, value))
    return {sense: next(iter(meant)) for sense, meant in found.items() if len(meant) == 1}


def _said(text: str) -> frozenset[tuple[str, ...]]:
    if detect_language(text) == "zh":
        return senses(text) | senses(text.removeprefix("已").removeprefix("被"))
    return frozenset({tokens(text)} - {()})


def _adds_up(name: str) -> bool:
    return _counted.search(name) is not None and _ratio.search(name) is None


def _concepts(name: str) -> dict[str, float]:
    """The kinds that a column's name tells: by the whole of it, else by its parts, the last one first."""
    known = concepts_of()
    if tokens(name) in _TOTALS:
        return {"amount": 1.0}
    if whole := known.get(tokens(name)):
        written = [
            concept for concept in whole if name.lower() in CONCEPTS[concept]
        ]  # of "Department" none of "departed"
        return dict.fromkeys(written or whole, 1.0)
    found: dict[str, float] = {}
    for part, weight in _parts(name):
        for concept in known.get(part, ()):
            found.setdefault(concept, weight)
    return found


def _parts(name: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Shorter names of a column, with how well they stand for it: its ends before its beginnings."""
    words = [tokens(word) for word in name_word.findall(name.replace("_", " "))]
    if len(words) == 1 and len(words[0]) > 2 and not words[0][0].isascii():
        chars = words[0]
        for size in range(len(chars) - 1, 1, -1):
            yield chars[-size:], 0.6
        for size in range(len(chars) - 1, 1, -1):
            yield chars[:size], 0.55
        return
    for size in range(len(words) - 1, 0, -1):
        for begin in range(len(words) - size, -1, -1):
            if {words[begin], words[begin + size - 1]} & _LINKS:
                continue
            part = tuple(token for word in words[begin : begin + size] for token in word)
            yield part, 0.6 if begin + size == len(words) else 0.55


def _called(name: str, concepts: dict[str, float]) -> Iterator[tuple[tuple[str, ...], float]]:
    whole = tokens(name.replace("_", " "))
    yield whole, 1.0
    if name.rstrip().endswith("%"):
        yield from ((tokens(name.replace("%", word)), 0.95) for word in ("", " percentage", " percent", " rate"))
    for part, weight in _parts(name):
        if not set(part) <= ID_WORDS:
            yield part, weight
    for concept, weight in concepts.items():
        yield from ((tokens(phrase), 0.8 * weight) for phrase in CONCEPTS[concept])
    translated = [(name, 1.0), *(("".join(part), weight) for part, weight in _parts(name) if not part[0].isascii())]
    for text, weight in translated:
        yield from ((phrase, 0.6 * weight) for phrase in translations(text))
