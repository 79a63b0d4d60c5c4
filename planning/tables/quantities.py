"""How many of something there are, where a column of numbers says it: what is in stock, was ordered, was sold."""

from __future__ import annotations

import re

from planning.tables.items import Item
from planning.tables.keys import is_unique, label_column
from planning.tables.row_question import RowQuestion
from planning.tables.unclear import Unclear

_sold = re.compile(r"\bs(?:old|ell|ells|elling)\b|卖|售出|出售|销(?:量|出|掉|了|售(?![额收总金员部]))")
_moved = re.compile(r"买|购|订|领|用掉|用了|\b(?:bought|buy|buys|order|orders|ordered|purchased?|used|returned)\b")
_left = re.compile(r"[还尚]有|剩|库存|存货|\b(?:stock|left|remain(?:s|ing)?|available|unsold)\b")
_named_for_money = re.compile(
    r"\b(?:revenue|turnover|income|earnings|takings|proceeds|amount|cost|price|fee|profit|value)s?\b|[额价费款]$|营收|收入|成本|利润",
    re.IGNORECASE,
)


def held(q: RowQuestion) -> int | None:
    """ "How many desk lamps are there?" asks an inventory for its stock, and not for its rows; "how many were ordered?"
    orders for their quantity, and "how many were sold?" sales for theirs: no stock tells what has gone."""
    if not any(_is_thing(q, one.column) for one in q.conditions() if one.comparison == "="):
        return None
    gone = _left.search(q.text) is None
    if gone and _sold.search(q.text):
        many = _pieces_sold(q)
    else:
        stocks, quantities = (
            [c for c in q.names.numbers if q.names.concepts[c].get(kind, 0.0) == 1.0] for kind in ("stock", "quantity")
        )
        counted = counts_value(q)
        many = [c for c in quantities if counted or not any(_are_rows(q, item) for item in q.items)]
        if stocks:
            many = [] if gone and _moved.search(q.text) else stocks
    return many[0] if len(many) == 1 else None


def says_what_is_left_or_sold(q: RowQuestion) -> bool:
    """“蔬菜卖了多少”, “乳品还有多少” of a table with a stock: no number of rows answers it."""
    told = any(known.keys() & {"stock", "quantity", "sales"} for known in q.names.concepts)
    return told and (_sold.search(q.text) or _left.search(q.text)) is not None


def _is_thing(q: RowQuestion, column: int) -> bool:
    named = q.names.concepts[column].keys() & {"product", "title"}
    return bool(named) or (column == label_column(q.table) and is_unique(q.table, column))


def _pieces_sold(q: RowQuestion) -> list[int]:
    """“销量”; else “数量” or "Units" of a list of sales, and not of what there is of each thing."""
    told = [c for c in q.names.numbers if q.names.concepts[c].keys() & {"sales", "sold"} and not is_money(q, c)]
    if told or any("stock" in known for known in q.names.concepts):
        return told
    of_each = any(one.comparison == "=" and is_unique(q.table, one.column) for one in q.conditions())
    sales = any(
        known.keys() & {"sales", "sold"} or ("ordered" in known and c in q.names.dates)
        for c, known in enumerate(q.names.concepts)
    )
    return [c for c in q.names.numbers if "quantity" in q.names.concepts[c]] if sales or not of_each else []


def may_be_pieces(q: RowQuestion, measure: int) -> bool:
    """Whether "which model sold most" may mean that it was sold most often, where its money is held by another column:
    "the highest revenue" names it."""
    unsaid = q.names.titles[measure].lower() not in q.text
    return is_money(q, measure) and unsaid and _sold.search(q.text) is not None and bool(_pieces_sold(q))


def is_money(q: RowQuestion, column: int) -> bool:
    return column in q.names.money or _named_for_money.search(q.names.titles[column]) is not None


def counts_value(q: RowQuestion) -> bool:
    """Whether what is counted is a thing that a cell names: "how many desk lamps did Ann order", “领了几台显示器”;
    "desk lamp orders" are rows."""
    at = first = q.at("count") + 1
    if not first:
        return False
    while at < len(q.items) and q.items[at].kind in ("value", "or", "to") and (at == first or _is_beside(q, at)):
        at += 1
    things = any(
        q.names.concepts[one.column].keys() & {"product", "title"}
        for item in q.items[first:at]
        for one in item.meanings
        if item.kind == "value"
    )
    verb = at < len(q.items) and q.items[at].text.lower().endswith("ed")
    return things and not (at < len(q.items) and _is_beside(q, at) and not verb and _are_rows(q, q.items[at]))


def _is_beside(q: RowQuestion, at: int) -> bool:
    return not q.text[q.items[at - 1].end : q.items[at].start].strip()


def things_or_money(q: RowQuestion, measure: int) -> int:
    """ "How many lamps were sold" asks for no money."""
    if not is_money(q, measure) or all(item.text.lower() != "how many" for item in q.items):
        return measure
    if (many := held(q)) is None:
        raise Unclear
    return many


def _are_rows(q: RowQuestion, item: Item) -> bool:
    """ "Helmet orders", by their date or key, and not "helmets ordered"."""
    own = any(one.column in q.names.dates or is_unique(q.table, one.column) for one in item.meanings)
    return item.kind == "rows" or (item.kind == "column" and own and not item.text.lower().endswith("ed"))
