"""Questions over tables that are put together from words: each word that computes, in a sentence of its language; and
what can be asked under each kind of condition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from planning.tables.names import names_of_table
from planning.tables.operators import operator_lines
from schema import TableInfo
from tests.recorded.normal import Json
from tests.recorded.planned_tables import place_of, tables_of_file
from text import detect_language

Spoken = dict[str, Any]  # sentences.yaml of one language
NUMBERS = ("100", "20", "3", "0", "5000", "1.5")


class Named(NamedTuple):
    """A table, and what stands in the places of a sentence over it."""

    place: str
    table: TableInfo
    rows: str
    values: list[tuple[str, tuple[str, ...]]]  # columns of words, with theirs
    numbers: list[str]
    flags: list[str]
    times: dict[str, list[str]]


def words_asked(language: str) -> Iterator[Json]:
    """Every word that computes and every filler of a language, each in some of the sentences, over one table after
    another."""
    named = named_tables(language)
    words = [
        (word, kind == "filler")
        for kind, phrases in operator_lines()
        for word in phrases
        if detect_language(word) in (language, None)
    ]
    for at, (word, filler) in enumerate(words):
        for number, sentence in enumerate(spoken()[language]["words"]):
            if (at + number) % (11 if filler else 5) == 0:
                table = named[(at + number) % len(named)]
                yield asked_over(table, filled(table, sentence, at, word))


def conditions_asked(language: str) -> Iterator[Json]:
    """Everything that is asked, under each condition."""
    named = named_tables(language)
    asked, conditions = spoken()[language]["asked"], spoken()[language]["conditions"]
    sentences = [one.replace("{c}", condition) for one in asked for condition in conditions]
    for at, one in enumerate(sentences):
        table = named[at % len(named)]
        yield asked_over(table, filled(table, " ".join(one.split()), at))


def asked_over(named: Named, question: str) -> Json:
    return {"question": question, "over": [named.place]}


def filled(named: Named, sentence: str, at: int, word: str = "") -> str:
    """A sentence over a table; `at` says which of its columns and values stand in it."""
    text, number = at % len(named.values), at % len(named.numbers)
    [title, values] = named.values[text]
    return sentence.format(
        word=word,
        rows=named.rows,
        text=title,
        value=values[at % len(values)],
        other=values[(at + 1) % len(values)],
        text2=named.values[(text + 1) % len(named.values)][0],
        number=named.numbers[number],
        number2=named.numbers[(number + 1) % len(named.numbers)],
        n=NUMBERS[at % len(NUMBERS)],
        m=NUMBERS[(at + 4) % len(NUMBERS)],
        flag=named.flags[at % len(named.flags)],
        **{kind: times[at % len(times)] for kind, times in named.times.items()},
    )


@cache
def spoken() -> dict[str, Spoken]:
    spoken: dict[str, Spoken] = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text("utf-8"))
    return spoken


@cache
def named_tables(language: str) -> list[Named]:
    return [
        _words_of(name, tables_of_file(name, file)[0], rows, language)
        for name, file, rows in spoken()[language]["tables"]
    ]


def _words_of(name: str, table: TableInfo, rows: str, language: str) -> Named:
    names = names_of_table(table)
    titled = [*zip(names.titles, table.columns, strict=True)]
    values = [(title, one.values) for title, one in titled if 1 < len(one.values) < 13]
    flags = [names.titles[at] for at in sorted(names.flags)]
    numbers = [names.titles[at] for at in sorted(names.numbers)]
    return Named(place_of(name, table), table, rows, values, numbers, flags or ["?"], spoken()[language]["times"])
