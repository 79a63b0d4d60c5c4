"""What is made of questions over tables: columns as they are read, what a question names, its query and the answer."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from answering.table_answers import how_computed, result_sentence, result_table
from benchmarks.report import DATA
from benchmarks.tables import judged, store_documents
from ingestion.readers import read_document
from library import Library
from nodes.compute import table_query
from planning.tables import plan_table_query
from planning.tables.items import Item
from planning.tables.model_query import ProposedQuery, accepted_query, likely_tables, query_messages
from planning.tables.names import Meaning, TableNames, names_of_table
from planning.tables.operators import tokens
from planning.tables.reading import read_question
from schema import EVERYWHERE, Document, TableInfo, TableQuery
from tests.recorded.normal import Json, plain
from tests.recorded.product import settings_of
from text import language_of

# `second` and all that is called `blind` is kept back and never read here.
SHOWN = "first third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth".split()
SAID = ("question", "over")  # that a query is made of
_QUESTIONS = "questions.jsonl"
_FURTHER = (1, 4)  # the sets, from one's own, whose tables are asked the same


def tables_of(name: str) -> list[Json]:
    """The tables of one set, with all that they may be called."""
    return [
        {"table": f"{one.document} {one.title}", "columns": [*map(_column, one.columns)], **_named(one)}
        for one in _tables(name)
    ]


def answers_of(name: str) -> list[Json]:
    """The questions of one set, put to its tables."""
    return asyncio.run(_answers(name))


def questions_elsewhere() -> Iterator[Json]:
    """Questions of each set, put to the tables of other sets: few of them are answered there."""
    for at, name in enumerate(SHOWN):
        others = [SHOWN[(at + far) % len(SHOWN)] for far in _FURTHER]
        yield from ({"question": question, "over": others} for question in _questions(name))


def planned_question(said: Json) -> dict[str, Json]:
    """What comes of a question over some tables: the query in SQL and in words, or what is read of it over the first
    of them."""
    tables = [table for one in said["over"] for table in _called(one)]
    if query := plan_table_query(said["question"], tables):
        return {"query": query_of(query)}
    return {"read": read_of(said["question"], tables[0])}


def place_of(name: str, table: TableInfo) -> str:
    """What a table of one set is called in the recording."""
    return f"{name}/{table.document}#{table.position}"


@cache
def _called(place: str) -> list[TableInfo]:
    """One table, or all of a set."""
    name, _, file = place.partition("/")
    return [one for one in _tables(name) if not file or place == place_of(name, one)]


def proposed_over(name: str) -> list[Json]:
    """What a model is told of the tables of one set, and which queries are accepted: those of the rules, and some that
    say more than the rows do."""
    tables = _tables(name)
    found = [query for question in _questions(name)[::3] if (query := plan_table_query(question, tables))]
    asked = {"question": "query", "messages": [text for _, text in query_messages("?", tables, "en")]}
    return [asked, *(_accepted(query, tables, at) for at, query in enumerate(found))]


_TURNED: tuple[Callable[[str], str], ...] = (
    lambda sql: f" {sql}; ",
    lambda sql: sql.lower(),
    lambda sql: sql.replace("SELECT", "SELECT 'so it is',", 1),
    lambda sql: sql.replace('"', ""),
    lambda sql: f"WITH a AS ({sql}) {sql}",
    lambda sql: sql.replace(" FROM ", " || 'x' FROM ", 1),
)


def _accepted(query: TableQuery, tables: Sequence[TableInfo], at: int) -> Json:
    sql = _TURNED[at % len(_TURNED)](query.sql)
    number = next(n for n, one in enumerate(tables, int(at % 7 > 0)) if one.document == query.document)
    accepted = accepted_query(ProposedQuery(table=number, sql=sql), tables)
    return {
        "question": f"{number} {sql}",
        "accepted": accepted and [accepted.document, accepted.words.en, accepted.sql],
    }


async def _answers(name: str) -> list[Json]:
    with tempfile.TemporaryDirectory(prefix="recorded-") as folder:
        async with await Library.open(settings_of(Path(folder)), warm=False) as library:
            store_documents(library, _documents(name))
            return [await _answer(library, row) for row in _rows(name)]


async def _answer(library: Library, row: Json) -> Json:
    question = row["question"]
    query = await table_query(library, question, EVERYWHERE)
    if query is None:
        tables = await library.tables()
        likely = [one.document for one in likely_tables(question, tables)]
        read = [read_of(question, one) for one in tables]
        return {"question": question, "judged": judged(row, None), "read": read, "asks a model of": likely}
    result = await library.run_table_query(query)
    language = language_of(question, "zh")
    told = (
        result_sentence(result, language),
        result_table(result, language),
        how_computed(result, language).partition("\n")[0],
    )
    asked = [one for one in await library.tables() if (one.document, one.position) == (query.document, query.position)]
    return {
        "question": question,
        "judged": judged(row, result),
        "query": query_of(query),
        "answer": plain(told, {}),
        "used": [result.rows_used, *result.used[:3], *result.used[-1:]],
        "read": [read_of(question, one) for one in asked],
    }


def query_of(query: TableQuery) -> Json:
    return [f"{query.document} {query.position} {query.unit}", query.sql, query.words.zh, query.words.en]


def read_of(question: str, table: TableInfo) -> str:
    """What the words of a question are taken for, what is left of them, and how much of it the table explains."""
    read = read_question(question, names_of_table(table))
    unknown = " ".join(item.text for item in read.unknown)
    return f"{' '.join(map(_item, read.items))} | {unknown} | {read.weight:.3f}"


def _item(item: Item) -> str:
    told = [item.concept, *(_number(one) for one in (item.number, item.period) if one)]
    meant = [f"{one.column}{one.value and '='}{one.value}@{one.weight:.2f}" for one in item.meanings]
    return f"{item.kind}:{item.text}{''.join(f'/{one}' for one in [*told, *meant] if one)}"


def _number(value: Any) -> str:
    return ",".join(str(one) for one in value if one not in ("", None))


def _column(column: Any) -> str:
    told = (column.unit, column.distinct, column.blank, column.unread, column.without_year, len(column.values))
    return f"{column.name}: {column.kind} {' '.join(str(one) for one in told if one)}"


def _named(table: TableInfo) -> Json:
    """What its columns and rows are called; of values only what is none of their own words, and no words of two
    languages beside each other, of which there are very many."""
    names = names_of_table(table)
    called: dict[str, list[str]] = {}
    for words, meanings in names.phrases.items():
        for one in meanings.values():
            phrase = " ".join(words)
            own = one.kind == "value" and phrase[:3] in " ".join(tokens(one.value))
            if not own and len({word.isascii() for word in words}) == 1:
                called.setdefault(_meaning(one), []).append(phrase)
    return {"called": {meant: "; ".join(sorted(phrases)) for meant, phrases in called.items()}, **_kinds(names)}


def _meaning(one: Meaning) -> str:
    return f"{one.kind} {one.column} {one.value} {one.weight:.3f}"


def _kinds(names: TableNames) -> Json:
    sets = (names.numbers, names.dates, names.money, names.additive, names.words, names.about)
    return {
        "concepts": [" ".join(f"{concept}@{weight:.2f}" for concept, weight in one.items()) for one in names.concepts],
        "sets": [" ".join(sorted(map(str, one))) for one in sets],
        "maps": plain([names.flags, names.directions, names.families, names.counted_in, names.units], {}),
        "titles": [*names.titles, names.longest],
    }


def asked_of(name: str) -> list[tuple[str, str]]:
    """The questions of one set with the file that answers each; "" where none does."""
    return [(row["question"], row["file"] or "") for row in _rows(name)]


def _questions(name: str) -> list[str]:
    return [row["question"] for row in _rows(name)]


@cache
def _rows(name: str) -> list[Json]:
    lines = (DATA / "tables" / name / _QUESTIONS).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def tables_of_file(name: str, file: str) -> list[TableInfo]:
    """The tables of a file of one set."""
    return [one for one in _tables(name) if one.document == file]


@cache
def _tables(name: str) -> list[TableInfo]:
    found = [(one.name, at, table) for one in _documents(name) for at, table in enumerate(one.tables or ())]
    return [
        TableInfo(number, document, "", at, one.title, one.columns, len(one.spans), one.left_out)
        for number, (document, at, one) in enumerate(found, 1)
    ]


@cache
def _documents(name: str) -> list[Document]:
    files = (path for path in sorted((DATA / "tables" / name).iterdir()) if path.is_file() and path.name != _QUESTIONS)
    return [read_document(path.name, path.read_bytes(), max_bytes=10**7) for path in files]
