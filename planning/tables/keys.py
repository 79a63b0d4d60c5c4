"""By which column a row of a table is called, and which tell rows apart."""

from __future__ import annotations

import re

from schema import TableInfo
from tables.columns import bare_name

_LEADING = 3  # columns among which the name of a row stands
_MOST_SHOWN = 8  # columns of a row
_TELLING = 4
_CODES = r"^#$|^№$|序号|编号|编码|代码|单号|号$|(?:^|[\s_])(?:id|no\.?|nr\.?|code|number|sku)$"
_code = re.compile(_CODES, re.IGNORECASE)
_identifier = re.compile(rf"{_CODES}|名称|(?:^|[\s_])name$", re.IGNORECASE)
_names = re.compile(r"名|name|title", re.IGNORECASE)
_says_what = re.compile(r"名|产品|商品|物品|标题|主题|name|title|product|item|subject", re.IGNORECASE)


def label_column(table: TableInfo) -> int:
    """By which a row is called: a column of words whose cells all differ, one of names before one of numbers."""
    texts = [at for at, column in enumerate(table.columns) if column.kind == "text"]
    called = {at: bare_name(table.columns[at].name) for at in texts}
    unique = [at for at in texts if is_unique(table, at)]
    named = [at for at in unique if _names.search(called[at])]
    named += [at for at in unique[:2] if at < _LEADING and not _identifier.search(called[at])]
    nearly = [at for at in texts if table.columns[at].distinct > 0.9 * table.rows and _names.search(called[at])]
    return next(iter([*named[:1], *nearly[:1], *unique[:1], *texts[:1]]), 0)


def label_columns(table: TableInfo) -> tuple[int, ...]:
    """By which a row is shown: of a row that is called by a number or code also what it is, as nobody knows E-006."""
    label = label_column(table)
    called = {at: bare_name(column.name) for at, column in enumerate(table.columns) if column.kind == "text"}
    if label not in called or not _code.search(called[label]):
        return (label,)
    return (label, *[at for at, name in called.items() if at != label and _says_what.search(name)][:1])


def shown_columns(table: TableInfo) -> tuple[int, ...]:
    """By which a row is shown that is asked for itself: its name; where rows have none of their own, as a whole."""
    labels = label_columns(table)
    if is_unique(table, labels[0]):
        return labels
    return whole_row(table)


def whole_row(table: TableInfo) -> tuple[int, ...]:
    """All columns, of many the first ones and all times and amounts. What has a unit that its head does not tell comes
    last, where it is written."""
    every = range(len(table.columns))
    told = [at for at in every if at < _TELLING or table.columns[at].kind != "text"][:_MOST_SHOWN]
    kept = every if len(every) <= _MOST_SHOWN else told
    return tuple(
        sorted(kept, key=lambda at: bool(table.columns[at].unit) and bare_name(name := table.columns[at].name) == name)
    )


def identifies(title: str) -> bool:
    """Whether a column is called a number or code of what it is about."""
    return _identifier.search(title) is not None


def is_unique(table: TableInfo, at: int) -> bool:
    column = table.columns[at]
    return column.kind == "text" and column.blank == 0 and column.distinct == table.rows
