"""Nouns for what a row of a table is: its key, its title and its file say it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import PurePath

from planning.tables.keys import is_unique
from planning.tables.operators import CONCEPTS, ENTITIES, concepts_of, tokens
from planning.tables.senses import translations
from planning.tables.teams import sides_of
from schema import TableInfo
from tables.columns import bare_name
from text import CJK

name_word = re.compile(rf"[{CJK}]+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
ID_WORDS = frozenset(tokens("id no nr number code name key index 编 号 码 代 名 称 姓"))
_document_words = frozenset(tokens("list table data sheet register report export large small new file the of"))
_ANY_TABLE = frozenset(
    "编号码代名称姓单据数表格记录信息统计明细汇总清册台账登年月日季度期新旧总第一二三四五六七八九十上下半全"
)
_SHEETS = frozenset(".csv .tsv .xlsx .xlsm .xls .ods .json .jsonl".split())  # files that are a table, and hold none
_PERSONAL = frozenset({"salary", "age", "gender", "hired", "born", "department", "job", "performance", "education"})


def row_nouns(
    table: TableInfo, concepts: list[dict[str, float]], clocks: Collection[int] = ()
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Nouns for a row: what its key and its title speak of. A time of day names none, though no two are the same."""
    nouns: dict[tuple[str, ...], float] = {}
    all_concepts = {concept for each in concepts for concept in each}
    for at, column in enumerate(table.columns):
        if is_unique(table, at) and at not in clocks:
            words = [part for part in _noun_parts(bare_name(column.name)) if not set(part) <= ID_WORDS]
            nouns |= dict.fromkeys(words, 1.0)
            if "班次" in column.name or "车次" in column.name:
                nouns |= {tokens(word): 0.8 for word in ("车", "班车", "班")}
            if "单" in column.name:
                nouns |= {tokens(word): 0.8 for word in ("单子", "单据", "单")}
            nouns |= dict.fromkeys(
                (tokens(p) for c, w in concepts[at].items() if w == 1 and c != "title" for p in CONCEPTS[c]),
                0.8,
            )
            continue
        if column.kind == "date" and column.distinct == table.rows and not column.blank:  # a row is a day
            nouns |= {tokens(word): 0.9 for word in ("day", "天", "日子")}
        if column.kind == "date":  # of "order date" an order
            parts = [part for part in _noun_parts(bare_name(column.name)) if ENTITIES & {*concepts_of().get(part, ())}]
            nouns |= dict.fromkeys(parts, 0.7)
    if sides_of(table) is not None:  # a row is a match
        nouns |= {tokens(phrase): 0.8 for phrase in CONCEPTS["match"]}
    for text in _titles(table):
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
                nouns.setdefault(tokens(other), (0.9 if concept in ENTITIES else 0.5) * weight)
        if noun not in known:
            for translated in translations(" ".join(noun) if noun[0].isascii() else "".join(noun)):
                nouns.setdefault(translated, 0.6 * weight)
    yield from nouns.items()


def _titles(table: TableInfo) -> tuple[str, ...]:
    """Of the file and of the table. A file that only holds the table is about more than its rows: the actions of
    "postmortem-search.md" are no searches."""
    file = PurePath(table.document)
    said = (part for part in _noun_parts(table.title) if not part[0].isdigit())
    if file.suffix.lower() not in _SHEETS and any(not set(part) <= _document_words for part in said):
        return (table.title,)
    return file.stem, table.title


def _noun_parts(text: str) -> Iterator[tuple[str, ...]]:
    words = [tokens(word) for word in name_word.findall(text.replace("_", " "))]
    for word in words:
        if word and not word[0].isascii():
            yield from (word[a:b] for a in range(len(word)) for b in range(a + 2, min(len(word), a + 4) + 1))
            continue
        yield word
    if 1 < len(words) <= 3:
        yield tuple(token for word in words for token in word)


def about(table: TableInfo) -> frozenset[str]:
    """The Chinese characters of the title, the file and the key of a table, but for those that any may have."""
    keys = [bare_name(column.name) for at, column in enumerate(table.columns) if is_unique(table, at)]
    said = "".join([*_titles(table), *keys])
    return frozenset(c for c in said if re.match(f"[{CJK}]", c)) - _ANY_TABLE
