"""What or whom a question means that it does not name: who, when, how much, and what is counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.tables.clocks import usual_clock
from planning.tables.items import Item
from planning.tables.keys import identifies, is_unique, label_column
from planning.tables.operators import ENTITIES, PEOPLE, tokens
from planning.tables.row_question import RowQuestion, how_many
from planning.tables.unclear import Unclear
from planning.tables.values import are_full_names
from tables.measures import is_duration

_OWN_NAME = 0.8  # of what a column is called, by its name or another word for it
_GENERAL = frozenset(
    tokens("项目名称编号类别类型内容事项 name item items id no number code type title kind project subject")
)
_OF_EACH = frozenset("which each list count distinct number".split())
_people = re.compile(r"(?:[^个每]人|者|[^人]员|师|经理)$")
_plural = re.compile(r"s$|men$|people$|children$", re.IGNORECASE)
_SAYS_WHICH = frozenset(
    """rows column value not blank number period gt ge lt le post_ge post_le equal between to or before after since
    within clock fits""".split()
)
_where = re.compile(r"\s*where\b|.{0,20}在哪[里儿]?[?？]?\s*$", re.IGNORECASE)
_what_time = re.compile(r"what time|几点")
_person_name = re.compile(r"^(?:full )?names?$|姓名|名字", re.IGNORECASE)


def speaks_in_general(items: Sequence[Item]) -> bool:
    """Whether a question has no more of a table than a head that any table may have: “项目花了多少钱” may be of any
    project, and only “每个项目”, “哪些项目” or "how many items" is of a column."""
    named = [at for at, item in enumerate(items) if item.meanings]
    return bool(named) and all(
        items[at].kind == "column"
        and {*tokens(items[at].text)} <= _GENERAL
        and not (at and items[at - 1].kind in _OF_EACH)
        for at in named
    )


def adds_up(q: RowQuestion, at: int) -> bool:
    """Whether an item is of a column of which "how many" asks for the sum; of money one asks how much."""
    return q.c.column(at, "number") in q.names.additive - q.names.money


def counts_times(q: RowQuestion) -> bool:
    """Whether “多少次” is of what a column counts, as “播放”, and not of rows, as “几笔” is."""
    told = next((item.text for item in q.items if item.kind == "rowcount"), "")
    return told in ("次", "条") and any(adds_up(q, at) for at in q.left("number"))


def counts_things(q: RowQuestion, measure: int) -> bool:
    """ "How many school groups came": of a column of numbers without a unit that is counted by its own name."""
    at = q.at("count") + 1
    if not 0 < at < len(q.items) or not q.items[at - 1].text.lower().startswith("how many"):
        return False
    named = q.c.columns(at, ("number",))
    plural = q.items[at].text.lower().endswith("s")
    return plural and bool(named) and named[0].column == measure and not q.table.columns[measure].unit


def counts_rows(q: RowQuestion) -> bool:
    """Whether what is counted is called as a row is: "how many flights …"."""
    at = q.at("count") + 1
    return 0 < at < len(q.items) and (
        q.items[at].kind == "rows" or (q.items[at].kind == "column" and q.is_row_noun(at))
    )


def counts_days(q: RowQuestion) -> bool:
    """Days are rows where each row has a day of its own; elsewhere “几天” asks for what a cell tells."""
    asked = any(item.kind == "much" and item.concept == "day" for item in q.items)
    return (
        asked
        and len(q.names.dates) == 1
        and any(one.kind == "date" and one.distinct == q.table.rows for one in q.table.columns)
    )


def counts_sums(q: RowQuestion) -> bool:
    """ "How many fees are unpaid" asks for their number and not for money."""
    at = q.at("count") + 1
    if not 0 < at < len(q.items) or not q.items[at - 1].text.lower().startswith(("how many", "number")):
        return False
    return q.items[at].kind == "column" and q.c.column(at, "number") in q.names.money and bool(q.c.found)


def are_copies(q: RowQuestion, at: int) -> bool:
    """Whether “多少本书” counts loans and not titles: a thing by another word than its column's, in rows that are
    told apart by something else, and under a condition."""
    item, concepts = q.items[at], q.names.concepts[q.items[at].meanings[0].column]
    things = {one for one in concepts if one in ENTITIES and one not in PEOPLE}
    keyed = any(is_unique(q.table, c) for c in range(len(q.table.columns)))
    held = any(known.keys() & {"quantity", "copies", "stock"} for known in q.names.concepts)
    named = item.meanings[0].weight < 1 and not q.has("distinct")
    return bool(things) and keyed and not held and named and bool(q.c.found or len(q.items) > 3)


def asks_duration(q: RowQuestion) -> bool:
    """ "How many days did it take", “用了多少天”."""
    asked = [item for item in q.items if item.kind == "much"]
    return any(one.concept == "day" or is_duration(how_many.sub("", one.text.lower())) for one in asked)


def is_noun_phrase(q: RowQuestion) -> bool:
    """ "Parts without a supplier", “没有供应商的零件”: rows that are named with what they are, and nothing asked."""
    if not q.c.found or any(item.kind not in _SAYS_WHICH for item in q.items):
        return False
    ends = [at for at in (0, len(q.items) - 1) if q.items[at].kind == "rows" or q.is_row_noun(at)]
    latin = q.items[ends[0]].text.isascii() if ends else False
    if latin:
        return ends[0] == 0 and not q.text[: q.items[0].start].strip() and _plural.search(q.items[0].text) is not None
    return bool(ends) and ends[-1] > 0 and not q.text[q.items[-1].end :].strip("。？?! ")


def asks_who(q: RowQuestion) -> bool:
    return any(item.kind == "which" and item.text.lower() in ("who", "谁", "谁的", "whose") for item in q.items)


def person(q: RowQuestion) -> int:
    """The column of words that says who, where none is named."""
    texts = [c for c, column in enumerate(q.table.columns) if column.kind == "text" and c not in q.names.flags]
    people = [c for c in texts if q.names.concepts[c].keys() & PEOPLE or _people.search(q.names.titles[c])]
    people = people or [c for c in texts if are_full_names(q.table.columns[c].values)]
    label = label_column(q.table)
    named = [c for c in texts if _person_name.search(q.names.titles[c])]
    said = {c: _said_of(q, q.names.titles[c]) for c in people}
    told = [
        c for c, count in said.items() if count and not identifies(q.names.titles[c]) and count == max(said.values())
    ]  # “谁派的” of 派件员
    for found in (told, named, [c for c in people if c == label], people):
        if len(found) == 1:
            return found[0]
    numbered = any(any(map(str.isdigit, value)) for value in q.table.columns[label].values)  # 09:24 is nobody
    if people or numbered or not is_unique(q.table, label):
        raise Unclear
    return label


def names_the_row(q: RowQuestion, at: int, keys: Sequence[int]) -> bool:
    """Whether a column says which row is meant, as "order" before its number; a telephone is asked for, though no two
    are the same."""
    if not q.is_row_noun(at):
        return False
    best = q.items[at].meanings[0]
    return best.column in (*keys, label_column(q.table)) or best.weight < _OWN_NAME


def price(q: RowQuestion) -> int:
    """What one costs, where no column is named."""
    amounts = [c for c in q.names.money if "amount" in q.names.concepts[c]]
    prices = [c for c in q.names.numbers if q.names.concepts[c].keys() & {"price", "rent", "fare"}]
    return prices[0] if len(prices) == 1 and not amounts else q.amount()


def day_column(q: RowQuestion) -> int:
    """The column of dates that is asked for: the only one, or that whose name the question says most of."""
    said = {at: _said_of(q, q.names.titles[at]) for at in q.names.dates}
    best = [at for at, count in said.items() if count == max(said.values())]
    if len(best) != 1:
        raise Unclear
    return best[0]


def asks_where(q: RowQuestion) -> bool:
    """Whether a place is asked for."""
    return _where.match(q.text) is not None


def asks_for_rows(q: RowQuestion, column: int) -> bool:
    """Whether rows are asked for and a column is but named: “which medicines are taken with food”."""
    at = q.at("which") + 1
    if not 0 < at < len(q.items) or not q.is_row_noun(at):
        return False
    return all(one.column != column for one in q.items[at].meanings)


def time_column(q: RowQuestion) -> int:
    """The column that tells when: that of times of day where these are asked for, or no column tells a day."""
    clocks = q.names.read_as("clock")
    if clocks and (not q.names.dates or _what_time.search(q.text)):
        return usual_clock(q.c)
    return day_column(q)


def _said_of(q: RowQuestion, title: str) -> int:
    parts = re.findall(r"[a-z]{4,}", title.lower()) or [c for c in title if c not in "日期时间"]
    return sum(part in q.text for part in parts)


def told_by_columns(q: RowQuestion) -> bool:
    """Whether what was spent is only compared, with another column: "which trips cost more than planned"."""
    asks = any(item.kind == "spend" and "多少" in item.text for item in q.items)
    return not asks and any(one.other is not None for _, one in q.c.found)


def told_by_verb(q: RowQuestion) -> int | None:
    """“谁摘得最多” of a column 采摘量."""
    verbs = [item.text for item in q.items if item.kind in ("rows", "column") and len(item.text) == 1]
    told = [c for c in q.names.additive if any(verb in q.names.titles[c] for verb in verbs)]
    if len(told) > 1:
        raise Unclear
    return told[0] if told else None
