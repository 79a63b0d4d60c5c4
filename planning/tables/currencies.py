"""Amounts whose currency another column tells: what is of several currencies is computed for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from planning.tables.spec import Selection
from schema import TableInfo
from tables.columns import bare_name

_column = re.compile(r"(?:.*[\s_])?(?:currency|curr)(?:[\s_]code)?|.*(?:币种|货币|币别)", re.IGNORECASE)
PAID = frozenset(
    "amount cost sales profit donation claim outstanding deposit price commission salary fare rent".split()
)  # what is said in a currency


def currency_column(table: TableInfo) -> int | None:
    found = [
        at
        for at, column in enumerate(table.columns)
        if column.kind == "text" and column.distinct and _column.fullmatch(bare_name(column.name))
    ]
    return found[0] if len(found) == 1 else None


def apart(selection: Selection, table: TableInfo, concepts: Sequence[dict[str, float]]) -> Selection | None:
    """The selection by currency where it would hold together what is of several; None where that cannot be said."""
    currency = currency_column(table)
    measure = selection.measure
    if currency is None or measure is None or measure >= len(table.columns) or table.columns[currency].distinct < 2:
        return selection
    settled = any(
        one.column == currency and one.comparison == "=" and len(one.values) == 1 for one in selection.conditions
    )
    paid = measure < len(concepts) and concepts[measure].keys() & PAID and not table.columns[measure].unit
    counts = selection.function in ("count", "distinct")
    if settled or not paid or counts or selection.group == currency:
        return selection
    if selection.kind == "aggregate":
        return replace(selection, kind="groups", group=currency, limit=None)
    if selection.kind == "top" and selection.limit == 1:
        columns = (currency, *(one for one in selection.columns if one != currency))
        return replace(selection, kind="best", group=currency, columns=columns)
    return selection if selection.kind in ("rows", "distinct") else None
