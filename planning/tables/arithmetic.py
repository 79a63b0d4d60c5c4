"""Columns that a question computes from others of the same row: “A 减 B”, "the gap between A and B", "cost per km"."""

from __future__ import annotations

from collections.abc import Sequence

from planning.tables.formulas import Formula, TableWithFormulas
from planning.tables.items import Item
from planning.tables.names import Meaning, is_of_one

_JOINS = frozenset({"to", "or", "plus"})
_ASIDE = frozenset({"sum", "avg", "median"})  # "between total income and total expenses": said of both
_OTHERS = frozenset({"than", "diff", "less", "minus", "ratio", "gt", "ge", "lt", "le", "share", "each"})
_OF_SIZE = frozenset({"max", "min", "most", "fewest", "gt", "ge", "lt", "le"})  # the biggest gap has no side
_SURE = 0.5  # of what a stretch means by a column
_PRICES = frozenset({"price", "cost", "fare", "rent"})


def with_arithmetic(items: Sequence[Item], computed: TableWithFormulas) -> tuple[list[Item], TableWithFormulas]:
    """The items with what is computed from columns in place of these, and the table with the columns so made."""
    found = [*items]
    for read in (_days, _difference, _quotient, _product, _sum):
        changed = read(found, computed)
        if changed is not None:
            return changed
    return found, computed


Changed = tuple[list[Item], TableWithFormulas] | None


def _operand(computed: TableWithFormulas, item: Item | None, *kinds: str) -> int | None:
    """The one column that an item names; None where it may name two of them."""
    if item is None or item.kind != "column":
        return None
    wanted = kinds or ("number",)
    known = [m for m in item.meanings if computed.table.columns[m.column].kind in wanted and m.weight >= _SURE]
    best = {m.column for m in known if m.weight == known[0].weight}
    return known[0].column if len(best) == 1 else None


def _alike(computed: TableWithFormulas, columns: Sequence[int]) -> bool:
    """Whether columns are different ones that are counted in the same unit."""
    units = {computed.table.columns[at].unit for at in columns}
    return len(units) == 1 and len({*columns}) == len(columns)


def _put(items: list[Item], first: int, last: int, formula: Formula, computed: TableWithFormulas) -> Changed:
    """One column in place of all that its formula is said with; what is said of both stays before it."""
    computed, at = computed.with_column(formula)
    said = {item.kind: item for item in items[first : last + 1] if item.kind in _ASIDE}
    compared = {item.kind for item in items} & _OF_SIZE
    if formula.operator in ("*", "/", "share") and not compared and not any(item.kind in _ASIDE for item in items):
        said["sum"] = Item("sum", items[first].start, items[first].start, "")  # of all rows that are meant
    start, end = items[first].start, items[last].end
    column = Item("column", start, end, computed.names.titles[at], (Meaning("column", 1.0, at),))
    return [*items[:first], *said.values(), column, *items[last + 1 :]], computed


def _pair(
    items: list[Item], computed: TableWithFormulas, joins: frozenset[str], *kinds: str
) -> tuple[int, int, int, int] | None:
    """Two columns with one of these words between them: where they begin and end, and which they are."""
    for at, item in enumerate(items):
        if item.kind not in joins or not at:
            continue
        behind = at + 1
        while behind < len(items) and items[behind].kind in _ASIDE:
            behind += 1
        one = _operand(computed, items[at - 1], *kinds)
        other = _operand(computed, items[behind], *kinds) if behind < len(items) else None
        if one is not None and other is not None and one != other:
            return at - 1, behind, one, other
    return None


def _difference(items: list[Item], computed: TableWithFormulas) -> Changed:
    """ "The gap between A and B", “A 与 B 之差”, "how much more A than B", “A 比 B 高多少”, "A minus B"."""
    kinds = {item.kind for item in items}
    if "minus" in kinds and (found := _pair(items, computed, frozenset({"minus"}))) is not None:
        first, last, one, other = found
        return (
            _put(items, first, last, Formula("-", (one, other)), computed) if _alike(computed, [one, other]) else None
        )
    if not kinds & {"diff", "less"} or "ratio" in kinds:
        return None
    found = _pair(items, computed, frozenset({"than", "to"}))
    if found is None or not _alike(computed, found[2:]):
        return None
    first, last, one, other = found
    if "less" in kinds and "than" in kinds:
        one, other = other, one
    asked = next(at for at, item in enumerate(items) if item.kind in ("diff", "less"))
    rest = [*items[:asked], *items[asked + 1 :]]
    moved = int(asked < first)
    formula = Formula("gap" if kinds & _OF_SIZE and "than" not in kinds else "-", (one, other))
    return _put(rest, first - moved, last - moved, formula, computed)


def _sum(items: list[Item], computed: TableWithFormulas) -> Changed:
    """“A、B 和 C 一共”, "A and B together": columns of one unit in a row of words, and that they are added."""
    kinds = {item.kind for item in items}
    told = {item.text for item in items if item.kind == "each"}
    if not kinds & {"sum", "plus"} or kinds & (_OTHERS - {"each"}) or told & {"分别", "各是", "分别是", "各有", "each"}:
        return None
    for first in range(len(items)):
        columns, last = [_operand(computed, items[first])], first
        at = first + 1
        while columns[-1] is not None and at < len(items):
            behind = at
            while behind < len(items) - 1 and items[behind].kind in _JOINS | {"sum"}:
                behind += 1
            column = _operand(computed, items[behind])
            if column is None:
                break
            columns.append(column)
            last, at = behind, behind + 1
        added = [one for one in columns if one is not None]
        if len(added) > 1 and _alike(computed, added):
            return _put(items, first, last, Formula("+", tuple(added)), computed)
    return None


def _quotient(items: list[Item], computed: TableWithFormulas) -> Changed:
    """ "Cost per kWh", "the ratio of A to B", “A 除以 B”, “每公里的油费”."""
    kinds = [item.kind for item in items]
    if "share" in kinds and (found := _pair(items, computed, frozenset({"share"}))) is not None:
        first, last, one, other = found
        if not _alike(computed, [one, other]) or _is_price(computed, one) or _is_price(computed, other):
            return None
        changed = _put(items, first, last, Formula("share", (one, other)), computed)  # “次品占产量的百分之几”
        return ([item for item in changed[0] if item.kind != "share"], changed[1]) if changed else None
    if (found := _pair(items, computed, frozenset({"times"}))) is not None:
        first, last, one, other = found
        return _put(items, first, last, Formula("*", (one, other)), computed)
    for joins in ("over", "to"):
        if joins == "to" and "ratio" not in kinds:
            continue
        if (found := _pair(items, computed, frozenset({joins}))) is not None:
            first, last, one, other = found
            rest = [item._replace(kind="rows") if item.kind == "ratio" else item for item in items]
            return _put(rest, first, last, Formula("/", (one, other)), computed)
    for at, item in enumerate(items[:-1]):
        if item.kind != "each":
            continue
        by = _operand(computed, items[at + 1])
        if by is None:
            continue
        before = at - 1 if at else at
        places = [before] if item.text.lower() == "per" else [at + 2] if item.text.startswith("每") else []
        for place in places:
            of = _operand(computed, items[place]) if place < len(items) else None
            if of is not None and of != by and of in computed.names.additive and not _is_price(computed, by):
                first, last = min(place, at), max(place, at + 1)
                return _put(items, first, last, Formula("/", (of, by)), computed)
    return None


def _is_price(computed: TableWithFormulas, column: int) -> bool:
    names = computed.names
    return is_of_one(names.titles[column]) or "price" in names.concepts[column]


def _product(items: list[Item], computed: TableWithFormulas) -> Changed:
    """ "The value of the stock", “库存总价值”: how many there are, times what each costs, where no column tells it."""
    names = computed.names
    worth = next((at for at, item in enumerate(items) if item.kind == "worth"), None)
    if worth is None:
        return None
    many = [
        c for c in names.numbers if not is_of_one(names.titles[c]) and names.concepts[c].keys() & {"stock", "quantity"}
    ]
    best = max((weight for c in many for weight in [_weight(computed, c)]), default=0.0)
    many = [c for c in many if _weight(computed, c) == best]
    prices = [c for c in names.numbers - {*many} if names.concepts[c].keys() & _PRICES]
    named = {c for item in items if (c := _operand(computed, item)) in prices}
    chosen = [*named] if named else prices
    if len(many) != 1 or len(chosen) != 1 or names.money - {*prices}:
        return None
    taken = {many[0], chosen[0]}
    rest = [item for item in items if item.kind != "worth" and not (item.meanings and item.meanings[0].column in taken)]
    place = sum(1 for item in items[:worth] if item in rest)
    marked = Item("column", items[worth].start, items[worth].end, items[worth].text)
    return _put([*rest[:place], marked, *rest[place:]], place, place, Formula("*", (many[0], chosen[0])), computed)


def _weight(computed: TableWithFormulas, column: int) -> float:
    known = computed.names.concepts[column]
    return max(known.get("stock", 0.0), known.get("quantity", 0.0))


def _days(items: list[Item], computed: TableWithFormulas) -> Changed:
    """ "How long from order to delivery", “下单到发货隔了几天”: between two dates of a row."""
    asked = [at for at, item in enumerate(items) if item.kind == "long" or (item.kind, item.concept) == ("much", "day")]
    asked += [at for at, item in enumerate(items) if item.kind == "diff"]
    found = _pair(items, computed, frozenset({"to"}), "date")
    if found is None or not asked:
        return None
    first, last, one, other = found
    rest = [item for at, item in enumerate(items) if at not in asked and not _leads(item)]
    moved = sum(1 for at, item in enumerate(items[:first]) if at in asked or _leads(item))
    return _put(rest, first - moved, last - moved, Formula("days", (one, other)), computed)


def _leads(item: Item) -> bool:
    """ "From" and "between", before the first of two dates."""
    return item.kind in ("since", "between")
