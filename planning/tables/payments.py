"""Questions to a list of payments: what was paid is asked for, though no column is named."""

from __future__ import annotations

from collections.abc import Collection

from planning.tables.amounts import whole_amounts
from planning.tables.items import Item
from planning.tables.names import TableNames
from planning.tables.operators import concepts_of, tokens
from planning.tables.quantities import held
from planning.tables.row_question import RowQuestion
from planning.tables.superlatives import SUPERLATIVES
from planning.tables.values import is_personal


def is_of_payments(kinds: Collection[str], text: str, names: TableNames) -> bool:
    """Whether a question that names nothing of a table asks it as a list of what was paid, each row a payment:
    “十月一共花了多少钱”, “哪一笔最大”. Orders of customers are no such list."""
    if len(whole_amounts(names)) != 1 or any("customer" in known for known in names.concepts):
        return False
    return {"spend", "period"} <= {*kinds} or ("笔" in text and not SUPERLATIVES.keys().isdisjoint(kinds))


def asks_amount(q: RowQuestion) -> bool:
    """Whether “房租一共多少” or "the total expenses" asks a list of payments what was paid, and not how many rows it
    has."""
    if len(whole_amounts(q.names)) != 1:
        return False
    if q.has("sum") and not q.has("count") and any(item.kind == "rows" and _is_paid(item) for item in q.items):
        return True
    if q.items[-1].kind != "count" or q.items[-1].text != "多少":
        return False
    of = {one.column for one in q.conditions() if one.comparison == "="}
    things = of and not any(is_personal(q.names.titles[c], q.names.concepts[c]) for c in of)
    return bool(things) and not q.has("rows") and not q.left("text") and held(q) is None


def _is_paid(item: Item) -> bool:
    return any(one in ("cost", "amount", "sales") for one in concepts_of().get(tokens(item.text), ()))
