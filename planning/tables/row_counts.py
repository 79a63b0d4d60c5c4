"""Groups that have so many rows of a kind, or none: "customers with more than three orders", “没有女员工的部门”."""

from __future__ import annotations

from planning.tables.conditions import COMPARES, Conditions
from planning.tables.keys import is_unique
from planning.tables.spec import Comparison, Condition
from planning.tables.unclear import Unclear

_NONE = frozenset({"no", "have no", "has no", "having no", "without", "never", "从未", "从没", "从来没", "从来没有"})
_PERHAPS = frozenset({"没有", "没"})  # “没有付款的客户” may have paid another time, “没有来过的” have never come
_HAS_ASKED = frozenset({"which", "list", "count"})
_OF_ROWS = frozenset("次个单笔趟张份条场件回篇户家")
_ROWS = frozenset({"rows", "rowcount", "records"})


def take_row_counts(c: Conditions) -> None:
    """ "More than three orders": a comparison whose number is one of rows, and of no column."""
    for at, item in enumerate(c.items):
        if item.kind != "number" or item.number is None or at in c.used:
            continue
        before = c.items[at - 1].kind if at else ""
        behind = c.items[at + 1].kind if at + 1 < len(c.items) else ""
        if before in COMPARES and not before.startswith("post"):
            places, comparison = [at - 1, at], COMPARES[before]
        elif behind in ("post_ge", "post_le"):
            places, comparison = [at, at + 1], COMPARES[behind]
        else:
            continue
        if not _counts_rows(c, places, item.number.unit, item.text) or not float(item.number.value).is_integer():
            continue
        c.used.update(places)
        c.counted = (comparison, int(item.number.value))
        return


def _counts_rows(c: Conditions, places: list[int], unit: str, text: str) -> bool:
    first, last = min(places), max(places)
    if first and c.columns(first - 1, ("number",)):
        return False
    behind = last + 1
    while behind < len(c.items) - 1 and c.items[behind].kind == "value":  # "more than 5 gas bills"
        behind += 1
    if behind < len(c.items) and (c.items[behind].kind in _ROWS or _is_key(c, behind)):
        c.used.add(behind)
        return group_place(c) is not None
    counted = unit in _OF_ROWS or (not text.isascii() and text[-1:] in _OF_ROWS)
    return counted and unit not in c.names.units and group_place(c) is not None


def _is_key(c: Conditions, at: int) -> bool:
    return any(is_unique(c.table, one.column) for one in c.columns(at, ("text",)))


def group_place(c: Conditions) -> int | None:
    """The only column of words that is named and whose values come again, but for those of a value beside it."""
    places = []
    for at, item in enumerate(c.items):
        if item.kind != "column" or at in c.used:
            continue
        meant = [one.column for one in c.columns(at, ("text",))]
        if not meant or is_unique(c.table, meant[0]) or meant[0] in c.names.flags or _is_key(c, at):
            continue
        beside = (c.items[place] for place in (at - 1, at + 1) if 0 <= place < len(c.items))
        if any(one.kind == "value" and meant[0] in {m.column for m in one.meanings} for one in beside):
            continue
        places.append((at, meant[0]))
    asked = [(at, column) for at, column in places if at and c.items[at - 1].kind in ("which", "list")]
    if len(asked) == 1 and not c.counted:
        return asked[0][0]
    return places[0][0] if len({column for _, column in places}) == 1 else None


def take_none(c: Conditions) -> None:
    """What is denied of all rows of a group, before its values are read."""
    group = group_place(c)
    if group is None or not any(item.kind in _HAS_ASKED for item in c.items):
        return
    for at, item in enumerate(c.items[:-1]):
        word = item.text.lower()
        if item.kind != "not" or (word not in _NONE | _PERHAPS and not word.endswith("any")):
            continue
        behind = c.items[at + 1]
        own = c.columns(group)[0].column
        value = behind.kind == "value" and own not in {one.column for one in behind.meanings}
        flag = behind.kind == "column" and behind.meanings[0].column in c.names.flags
        value = value or (flag and word in _NONE)  # "never returned anything"
        place = at + 2 if behind.kind == "period" else at + 1  # “没有4月订单”
        noun = place < len(c.items) and (c.items[place].kind in _ROWS or _is_key(c, place))
        if not value and not (noun and any(one.kind in ("value", "period") for one in c.items[at + 1 :])):
            continue
        if word in _PERHAPS and not noun and not _is_for_ever(c, at + 1):
            raise Unclear
        c.used.add(at)
        c.items[at] = item._replace(kind="none")
        c.none_from = at
        return


def _is_for_ever(c: Conditions, at: int) -> bool:
    """“没有爽约过”, “没有女员工”: denied of each row."""
    behind = c.items[at + 1] if at + 1 < len(c.items) else None
    return c.text[c.items[at].end :].startswith("过") or (
        behind is not None and (behind.kind in _ROWS or behind.kind == "column")
    )


def of_groups(c: Conditions, group: int | None, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions of a question with those of rows within the one of their group."""
    if c.counted is None and c.none_from is None:
        return conditions
    if group is None:
        raise Unclear
    inner = {one for place, one in c.found if c.none_from is None or place > c.none_from}
    kept = tuple(one for one in conditions if not _within(one, inner))
    rows = tuple(one for one in conditions if one not in kept)
    counted: tuple[Comparison, int] = c.counted or ("=", 0)
    if c.none_from is not None and not rows:
        raise Unclear
    return (*kept, Condition(group, counted[0], (counted[1],), counts=True, rows=rows))


def _within(one: Condition, inner: set[Condition]) -> bool:
    return one in inner or any(
        (one.column, one.comparison) == (other.column, other.comparison) and {*other.values} <= {*one.values}
        for other in inner
    )
