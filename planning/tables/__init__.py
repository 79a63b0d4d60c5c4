"""Questions that ask to count, sum, compare or list over the rows of a table, each as one query by rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from planning.tables.arithmetic import with_arithmetic
from planning.tables.formulas import Formula, TableWithFormulas
from planning.tables.items import Item
from planning.tables.names import TableNames, names_of_table
from planning.tables.reading import QuestionItems, read_question
from planning.tables.selection import select
from planning.tables.sides import with_sides
from planning.tables.sql import query_of
from question_words import without_function_words
from schema import Language, TableInfo, TableQuery
from tables.cell_readers import with_minutes
from text import STOP_WORDS, detect_language, search_tokens

LONGEST = 300  # characters of a question that is read


def plan_table_query(question: str, tables: Sequence[TableInfo]) -> TableQuery | None:
    """The one query that answers a question; None where it asks for nothing of the kind, where the rules are not
    certain of it, and where more than one table would do."""
    if len(question) > LONGEST:
        return None
    found: list[tuple[float, bool, TableQuery]] = []
    language = detect_language(question)
    for table, reading in _readings(question, tables):
        names = names_of_table(table)
        table = with_minutes(table, names.readers)
        read = {at: Formula(by, (at,)) for at, by in names.readers.items() if by != "range"}
        played = with_sides(reading.items, reading.unknown, TableWithFormulas(table, names, read))
        items, computed = with_arithmetic(played.items, played.computed)
        reading = reading._replace(items=items, unknown=played.unknown)
        selection = select(reading, computed.table, computed.names, played.conditions)
        if selection is not None and not _counts_others(question, reading, names):
            own = not reading.weight and _language(table) == language  # no word tells the tables apart
            found.append((reading.weight, own, query_of(selection, computed.table, computed.formulas)))
    found.sort(key=lambda one: one[:2], reverse=True)
    if not found or (len(found) > 1 and found[0][:2] <= (found[1][0] * _CLEAR, found[1][1])):
        return None
    return found[0][2]


def _readings(question: str, tables: Sequence[TableInfo]) -> list[tuple[TableInfo, QuestionItems]]:
    """By each table; where one in the language of the question fits as well as any, by such alone: it goes before
    what a dictionary finds. What names the rows of one is no cell of another by its translation either."""
    read = [(table, read_question(question, names_of_table(table))) for table in tables]
    language = detect_language(question)
    own = [one for one in read if _language(one[0]) == language]
    if len(own) in (0, len(read)):
        return read
    other = max((one.weight for table, one in read if _language(table) != language and not one.unknown), default=0.0)
    if any(one.weight >= other and not one.unknown and any(map(_names_it, one.items)) for _, one in own):
        return own
    rows = {item.text for _, reading in own for item in reading.items if item.kind == "rows"}
    return [(table, one) for table, one in read if not _translates(one, rows)]


def _language(table: TableInfo) -> Language | None:
    return detect_language(" ".join(column.name for column in table.columns))


def _names_it(item: Item) -> bool:
    if not item.meanings or item.meanings[0].weight < _LEAST[item.meanings[0].kind]:
        return False
    said, value = item.text.lower(), item.meanings[0].value.lower()
    alike = {said, said.removesuffix("s"), f"{said}s"}  # and not "units", which has the stem of "United"
    return item.kind != "value" or not said.isascii() or said in value or not alike.isdisjoint(value.split())


def _counts_others(question: str, reading: QuestionItems, names: TableNames) -> bool:
    """Whether people are asked for who do something that a table says nothing of: “来了多少人？” beside 陪护人数."""
    named = [item for item in reading.items if item.kind != "count"]
    if len(named) != 1 or named[0].kind != "column" or named[0].text.lower() not in ("people", "人"):
        return False
    title = names.titles[named[0].meanings[0].column].lower()
    said = [question[item.start : item.end] for item in reading.items]
    rest = without_function_words(reduce(lambda left, one: left.replace(one, " ", 1), said, question))
    others = {*search_tokens(rest)} - _TOTAL - STOP_WORDS
    return bool(others) and not any(term in title for term in others)


def _translates(reading: QuestionItems, rows: set[str]) -> bool:
    return any(
        item.kind == "value" and item.text in rows and item.meanings[0].weight <= _TRANSLATED for item in reading.items
    )


_LEAST = {"rows": 0.6, "value": 0.7, "column": 0.95}  # of what names something as the table itself does
_TRANSLATED = 0.6
_TOTAL = frozenset("一共 总共 共 合计 总计 现在 目前 total altogether overall".split())
_CLEAR = 1.05  # how much better a table must fit than the next one
