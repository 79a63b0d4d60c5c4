"""A question as a row of items: what of it names columns, values and rows of a table, what computes, what is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

from planning.tables.cell_items import written_item
from planning.tables.directions import told_direction
from planning.tables.items import Item
from planning.tables.names import HOW_MANY, Meaning, TableNames
from planning.tables.operators import operator_phrases, token_spans, tokens
from planning.tables.periods import period_at
from planning.tables.senses import senses
from planning.tables.unnamed import columns_counted_in, explained, said_most
from tables.cells import CellNumber, number_at
from tables.durations import duration_at
from tables.measures import measured
from tables.numerals import CARDINALS
from text import CJK, FUNCTION_WORDS_ZH, STOP_WORDS, fold

_WORDS = {tokens(word)[0]: value for word, value in {**CARDINALS, "hundred": 100}.items()}
_FUNCTION = {tokens(word) for word in FUNCTION_WORDS_ZH} | {tokens(word) for word in STOP_WORDS}
_ALIKE = 0.5  # of the weight of what a phrase means first
_WEAK = 0.6  # of a part or a translation of a name: a word that computes is no such thing
_OF_ROWS = frozenset("笔条次单趟回户")  # by which rows are counted, and no amounts
_plural_of_capitals = re.compile(r"\b([A-Z]{2,10})s\b")  # SKUs
_one_unit = re.compile(
    r"(?:(?P<half>half )?an?|半个?)\s?(?P<unit>second|minute|hour|day|week|month|year|kilo|ton|mile"
    r"|小时|天|年|月|公斤|吨|公里)(?![a-z])"
)
_comparing = re.compile(r"(?:than|over|under|least|most|above|below|exceed(?:s|ed|ing)?|within)\s$|[过于足到少多]$")
_asks_meaning = re.compile(r"\b(?:do|does|did)\b.*\bmean\W*\Z")  # "what does the light mean": no average
_past = re.compile(r"[考得]?过了?")
_of_money = re.compile(r"[收花付交挣赚缴]了?多少\W{0,3}$|(?:报销|消费|支付)了?多少\W{0,3}$")
_BOUNDS = {"最晚": "le", "最迟": "le", "最早": "ge"}  # before a day
_LONGEST_WORD = 5
_NO_VERB = ("ed", "er", "ers")  # "handled", "producer"
_han_word = re.compile(f"[{CJK}]+")
_unit_behind = re.compile(
    r"[\s-](seconds?|minutes?|hours?|days?|weeks?|months?|years?|kilos?|tons?|miles?|kg|km)(?![a-z])"
)
_OWN = 0.95  # of the whole name of a column
_SURELY = 0.8  # of what a column or a value is called
_OF_TITLE = 0.7
_VAGUE = 0.6  # a noun of the title that says what rows are about, and not what they are


class QuestionItems(NamedTuple):
    items: list[Item]  # without fillers
    unknown: list[Item]
    text: str
    weight: float  # how much of the question the table explains


def read_question(question: str, names: TableNames) -> QuestionItems:
    """By the longest phrase at each place, in time linear in the question's length."""
    folded = _plural_of_capitals.sub(r"\1 ", fold(question))
    lower = folded.lower()
    if len(lower) != len(folded):  # no offset would be right
        folded = lower
    spans = [*token_spans(lower)]
    words = tuple(word for word, _, _ in spans)
    starts = {start: at for at, (_, start, _) in enumerate(spans)}
    items: list[Item] = []
    at = 0
    while at < len(spans):
        item = _item_at(folded, lower, spans, words, at, names)
        if item.kind == "value" and names.directions:
            item = _directed(item, lower, names)
        items = _passed(items, item, lower)
        items.append(item)
        at = starts.get(item.end) or next((n for n in range(at + 1, len(spans)) if spans[n][1] >= item.end), len(spans))
    kept = [*_told_by_neighbours(explained(items, names), names, lower)]
    if kept and kept[-1].text.endswith("多少") and _of_money.search(lower):
        kept[-1] = kept[-1]._replace(kind="spend")
    weight = sum(
        max(one.weight for one in item.meanings) * (item.end - item.start) ** 0.5 for item in kept if item.meanings
    )
    return QuestionItems(
        [item for item in kept if item.kind != "unknown"], [i for i in kept if i.kind == "unknown"], folded, weight
    )


def _passed(items: list[Item], number: Item, lower: str) -> list[Item]:
    """The items before a number: between it and a column's name, 过 is more than, as in 数学过80."""
    column = next((item for item in reversed(items) if item.kind == "column"), None)
    if number.kind != "number" or column is None or not _past.fullmatch(lower, column.end, number.start):
        return items
    before = [item for item in items if item.end <= column.end]
    return [*before, Item("gt", column.end, number.start, lower[column.end : number.start])]


def _directed(item: Item, lower: str, names: TableNames) -> Item:
    """A place of a way: that it goes from, or to."""
    if len({one.column for one in item.meanings}) < 2:
        return item
    side = told_direction(lower, item.start, item.end)
    kept = tuple(one for one in item.meanings if side is not None and names.directions.get(one.column) == side)
    return item._replace(meanings=kept or item.meanings)


def _told_by_neighbours(items: list[Item], names: TableNames, text: str) -> Iterator[Item]:
    """What an item means beside others: “销售记录” are rows, “多少件” asks for the column counted in 件, “总金额” of a
    column “金额” for a sum as well, and “订单数量” for the number of orders."""
    named = any(m.column in names.numbers for item in items if item.kind == "column" for m in item.meanings)
    before: Item | None = None
    for at, item in enumerate(items):
        counted = item.kind in ("filler", "unknown") and before is not None and before.kind == "count"
        behind = items[at + 1] if at + 1 < len(items) else None
        word = item.text.lower()
        beside = before is not None and before.end == item.start
        if item.kind == "rows" and item.meanings[0].weight < _OF_TITLE:
            asked = next((one for one in reversed(items[:at]) if one.kind != "filler"), None)
            vague = item.meanings[0].weight < _VAGUE
            if before is not None and asked is not None and asked.kind in ("each", "which"):  # “每辆车” of 车牌号
                part = _named_in_part(item._replace(kind="unknown", meanings=()), before, items[:at], names)
                item = part if vague or part.kind == "column" else item
            elif vague:
                continue
        if (item.kind == "records" and word.endswith("ed")) or (before is not None and word == "whose"):
            item = item._replace(kind="filler")
        if item.kind == "avg" and word == "mean" and _asks_meaning.search(text):
            item = item._replace(kind="unknown")
        if item.concept == "date" and behind and behind.kind == "period" and (bound := _BOUNDS.get(word)):
            item = Item(bound, item.start, item.end, item.text)  # “最晚11月10日”
        if item.kind == "distinct" and word.startswith("differ") and not word.startswith("different"):
            item = item._replace(kind="diff")  # "difference" has the same stem
        if item.kind == "column" and behind and _are_records(behind) and item.meanings[0].weight < 1:
            item = Item("rows", item.start, item.end, item.text, (Meaning("rows", item.meanings[0].weight),))
        elif item.kind == "column" and before and before.kind == "rows" and beside and word in HOW_MANY:
            item = Item("count", item.start, item.end, item.text)
        elif item.kind == "column" and word.startswith(("总", "total ")) and word not in map(str.lower, names.titles):
            yield Item("sum", item.start, item.start, "")
        elif counted and word in _OF_ROWS - names.units.keys():
            item = Item("rowcount", item.start, item.end, item.text)
        elif counted and (of := columns_counted_in(word, names)):
            named_by = [one.text.lower() for one in items if one.kind in ("column", "value") and len(one.text) > 1]
            of = said_most(of, reduce(lambda rest, name: rest.replace(name, ""), named_by, text), names)
            if not named and len(of) == 1:
                item = Item("column", item.start, item.end, item.text, (Meaning("column", 0.7, of[0]),))
            elif not named:
                item = item._replace(kind="unknown")  # “多少公斤” asks for no number of rows
        elif counted and measured(word) not in ("", "time"):
            item = item._replace(kind="unknown")  # nor does “多少度” where no column is counted in it
        elif item.kind == "verb":  # "did Omar handle", and not "are handled": that is a condition
            item = item._replace(kind="unknown" if word.endswith(_NO_VERB) else "filler")
        elif item.kind == "unknown" and before is not None:
            item = _named_in_part(item, before, items[:at], names)
        if item.kind != "filler":
            yield item
        before = item


def _named_in_part(item: Item, before: Item, earlier: list[Item], names: TableNames) -> Item:
    """“多少度电” of a column “用电量”, “哪栋楼” of “楼栋”: one character of a name, where it can be no other."""
    if item.text.isascii():
        return item
    if before.kind == "column" and before.end == item.start and len(before.text) <= 2:
        known = names.titles[before.meanings[0].column]
        return item._replace(kind="filler") if item.text in known else item
    asked = next((one for one in reversed(earlier) if one.kind != "filler"), None)
    if asked is not None and asked.kind in ("which", "each"):
        named = [at for at, title in enumerate(names.titles) if item.text in title and at not in names.numbers]
        if len(named) == 1:
            return item._replace(kind="column", meanings=(Meaning("column", 0.5, named[0]),))
    return item


def _are_records(item: Item) -> bool:
    return item.kind == "records" and not item.text.lower().endswith("ed")  # "recorded" has the same stem


def _item_at(
    folded: str, lower: str, spans: list[tuple[str, int, int]], words: tuple[str, ...], at: int, names: TableNames
) -> Item:
    start = spans[at][1]
    best = Item("unknown", start, spans[at][2], folded[start : spans[at][2]])
    longest, operators = min(max(names.longest, 6), len(spans) - at), operator_phrases()
    for size in range(longest, 0, -1):
        phrase, end = words[at : at + size], spans[at + size - 1][2]
        operator = operators.get(phrase)
        meanings = _meanings(names, phrase, folded, start, folded[start:end]) if phrase in names.phrases else ()
        if meanings and meanings[0].kind == "rows" and _hides_a_name(phrase, meanings[0], names):
            continue
        if meanings and not (operator and operator[0] != "worth" and meanings[0].weight <= _WEAK):
            best = Item(meanings[0].kind, start, end, folded[start:end], meanings)
            break
        if operator and size > 2 and _begins_a_name(words, at + size - 1, phrase, names):
            continue
        if operator and (size > 1 or phrase[0] not in "0123456789"):
            best = Item(operator[0], start, end, folded[start:end], concept=operator[1])
            break
        if size <= 2 and phrase in _FUNCTION:
            best = Item("filler", start, end, folded[start:end])
            break
    length = best.end - start if best.kind != "unknown" else 0
    if best.kind in ("unknown", "filler") and (known := _in_other_words(lower, start, length, names)) is not None:
        [meaning, end] = known
        return Item(meaning.kind, start, end, folded[start:end], (meaning,))
    if (written := written_item(lower, start, length, names)) is not None:
        return written
    if (period := period_at(lower, start)) and period[1] - start > length:
        return Item("period", start, period[1], folded[start : period[1]], period=period[0])
    if best.kind in ("filler", "unknown") and (found := _one_of(lower, start)) is not None:
        return Item("number", start, found[1], folded[start : found[1]], number=found[0])
    if (number := _number(lower, start, spans[at])) and number[1] - start > length + (best.kind == "value"):
        return Item("number", start, number[1], folded[start : number[1]], number=number[0])
    return best


def _begins_a_name(words: tuple[str, ...], last: int, phrase: tuple[str, ...], names: TableNames) -> bool:
    """“平均数” of “平均数量”, where a column is called 数量."""
    if phrase[-1].isascii() or phrase[:-1] not in operator_phrases():
        return False
    following = words[last : last + names.longest]
    return any(following[:size] in names.phrases for size in range(2, len(following) + 1))


def _hides_a_name(phrase: tuple[str, ...], rows: Meaning, names: TableNames) -> bool:
    """“会议室预” of a file 会议室预订, where a column is called 会议室."""
    if rows.weight > _OF_TITLE or phrase[0].isascii():
        return False
    shorter = (names.phrases.get(phrase[:size], {}) for size in range(2, len(phrase)))
    return any(one.kind != "rows" and one.weight >= _SURELY for known in shorter for one in known.values())


def _meanings(names: TableNames, phrase: tuple[str, ...], folded: str, start: int, text: str) -> tuple[Meaning, ...]:
    """Of the kind that fits best; a single letter is a value only as a capital."""
    found = [*names.phrases[phrase].values()]
    if len(phrase) == 1 and len(phrase[0]) == 1 and phrase[0].isascii() and phrase[0].isalpha():
        alone = not folded[start + 1 : start + 2].isalpha() or not folded[start + 1 : start + 2].isascii()
        found = [one for one in found if one.kind == "value" and folded[start].isupper() and alone]
    if not found:
        return ()
    if text.isascii() and text.isalpha():
        found = _as_written(found, text.lower(), names)
    order = {"value": 2, "column": 1, "rows": 0}
    best = max(found, key=lambda one: (one.weight, order[one.kind]))
    exact = [one for one in found if one.kind == "value" and one.value.lower() == text.lower()]
    if exact and best.kind == "value":
        return tuple(exact)
    alike = (one for one in found if one.kind == best.kind and one.weight >= _ALIKE * best.weight)
    return tuple(sorted(alike, key=lambda one: -one.weight))


def _as_written(found: list[Meaning], word: str, names: TableNames) -> list[Meaning]:
    """Of what has the same stem, what is written so: "claims" are no column "Claimed", "opened" is no state "Open", and
    "departed" is no "Department"."""
    kinds = {one.kind for one in found}
    so = {at for at, title in enumerate(names.titles) if title.lower() in (word, word.removesuffix("s"))}
    if kinds == {"column"} and any(one.column in so for one in found):
        return [one for one in found if one.column in so]
    if word in names.words:
        if "column" in kinds and not any(one.kind == "value" and one.value.lower() == word for one in found):
            return [one for one in found if one.kind != "value"]
    elif "rows" in kinds and not any(
        one.kind == "column" and names.titles[one.column].lower() == word.removesuffix("s") for one in found
    ):
        return [one for one in found if one.kind != "column" or one.weight < _OWN]
    return found


def _in_other_words(lower: str, start: int, length: int, names: TableNames) -> tuple[Meaning, int] | None:
    """By the longest Chinese word that means in English what one column or value of the table does."""
    if lower[start].isascii():
        return None
    for size in range(_LONGEST_WORD, max(length, 1), -1):
        word = lower[start : start + size]
        if len(word) < size or not _han_word.fullmatch(word):
            continue
        found = {names.senses[sense] for sense in senses(word) if sense in names.senses}
        if len(found) == 1:
            return found.pop(), start + size
    return None


def _one_of(lower: str, start: int) -> tuple[CellNumber, int] | None:
    """ "More than an hour", “超过半小时”: one of a unit, or the half of one, behind a comparison."""
    found = _one_unit.match(lower, start)
    if found is None or not _comparing.search(lower[max(0, start - 20) : start]):
        return None
    return CellNumber(0.5 if found["half"] or found[0][0] == "半" else 1, found["unit"]), found.end()


def _number(lower: str, start: int, token: tuple[str, int, int]) -> tuple[CellNumber, int] | None:
    if token[0] in _WORDS:
        unit = _unit_behind.match(lower, token[2])
        return CellNumber(_WORDS[token[0]], unit[1] if unit else ""), unit.end() if unit else token[2]
    if start and lower[start - 1].isalpha() and lower[start - 1].isascii():
        return None
    return duration_at(lower, start) or number_at(lower, start)
