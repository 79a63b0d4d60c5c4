"""Words of a question that name nothing of a table as it is called, and are explained by it all the same.

Only what cannot restrict the rows is explained away: measure words, and what belongs to a noun that is known. A word
that may restrict them stays unknown, and then nothing is computed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.tables.directions import MOTION
from planning.tables.families import is_superlative, root, says_of
from planning.tables.items import Item
from planning.tables.names import Meaning, TableNames
from planning.tables.operators import tokens
from tables.cells import UNITS
from tables.measures import factor
from tables.plain_numbers import is_written_plainly

_CLASSIFIERS = frozenset(
    "个位名人件台套次张本辆箱份家间只条项户班部道例艘架座栋幢匹头株棵颗粒根块片面把扇盏首篇册页封则段节堂课届期轮场局盘起桩宗届"
    "顿桶瓶杯碗袋包盒双对副组批路列队群串束朵枚枝支尊幅帧顶口处所款种类笔单门宿趟栏桌席号"
)
_BEFORE_CLASSIFIER = frozenset({"count", "which", "each", "number", "sum", "distinct", "list"})
_POINTS = frozenset("一这那每各几两哪少")
_denied = re.compile(r"^(?:un|in|non-?)(?=[a-z]{3})")
_QUANTITIES = frozenset("content value level measurement amount figure reading concentration 值 量".split())
_SORTS = frozenset("班店部组区类系站省市县场楼厂院线级手")  # what a value may be called behind it: “游泳班”, “小提琴手”
_PART = 0.6  # a part of a name
_LIGHT = frozenset("出入进来去得过了着到给子儿头们者")  # that go with a noun or verb and say nothing alone
_IN = frozenset("上方面")
_ON_DUTY = frozenset("上值当轮")
_TRADE = frozenset("buy buys bought purchase purchases sell sells sold 买 订 购 卖 订购 购买".split())
_PERIODS = frozenset("月 个月 年 天 日 晚 小时 个小时 次 month year day night hour".split())


def explained(items: Sequence[Item], names: TableNames) -> list[Item]:
    """The items with what they leave unknown read by its neighbours, in their order."""
    found: list[Item] = []
    for at, item in enumerate(items):
        before = found[-1] if found else None
        behind = items[at + 1] if at + 1 < len(items) else None
        if item.kind in ("unknown", "worth") and _is_quantity(item, before, names):
            item = item._replace(kind="filler")
        if item.kind in ("unknown", "count") and before is not None and _is_number_of(item, before, names):
            item = item._replace(kind="filler")
        if item.kind == "filler" and before is not None and _is_thing(item, before, behind):
            item = _by_its_end(item, names)
        if item.text in _ON_DUTY and any(one.kind == "column" and one.text[-1] in "班日课" for one in items[at + 1 :]):
            item = item._replace(kind="filler")  # “上夜班”, of a column 夜班; “上什么课”
        ends = behind is None or behind.text in "?？"
        if item.text.lower() == "last" and ends and any(one.kind == "long" for one in found):
            item = item._replace(kind="filler")  # "how long did the outage last"
        if item.kind == "unknown" and item.text.lower() == "full" and ends:
            item = item._replace(kind="out")  # "which classes are full"
        if item.kind == "relative" and any(_says(title, item.text) for title in names.titles):
            item = item._replace(kind="filler")  # "last month" of a column "Visits last month"
        if item.kind == "filler" and before is not None and before.kind == "each":
            of = column_in(item.text.lower(), names)  # “每公里”
            meanings = (Meaning("column", 0.7, of),) if of is not None else ()
            item = item._replace(kind="column", meanings=meanings) if meanings else item
        if item.kind == "unknown":
            read = _explained(item, before, behind, names)
            left = read == [item] and _is_of_name(item, items[at + 1 :], names)
            found += [item._replace(kind="filler")] if left else read
            continue
        if item.kind == "number" and item.number and item.number.value == 1 and _is_rate(item):
            if {one.kind for one in (before, behind) if one} & {"spend", "much"}:  # “一个月多少钱”, “多少钱一盒”
                item = item._replace(kind="filler")
        elif item.kind == "value" and before is not None and _counts_things(item, before):
            item = item._replace(kind="filler", meanings=())  # “哪一项”, where 项 is a cell of a column 单位
        elif item.kind == "value":
            item = _measured(item, found, names)
        elif item.kind == "verb" and any(_stands_in(item.text, one, names) for one in found):
            item = item._replace(kind="filler")  # "how many lessons were attended", of a column "Lessons attended"
        elif item.kind == "column" and behind is not None and behind.kind == "column" and _modifies(item, names):
            item = item._replace(kind="rows", meanings=(Meaning("rows", 0.6),))
        found.append(item)
    return found


def _says(title: str, text: str) -> bool:
    return " ".join(tokens(text)) in " ".join(tokens(title))


def _is_of_name(item: Item, behind: Sequence[Item], names: TableNames) -> bool:
    """“剩” of “剩的名额”, where a column of numbers is called 剩余名额."""
    following = next((one for one in behind if one.kind != "filler"), None)
    if item.text.isascii() or following is None or following.kind != "column":
        return False
    called = names.titles[following.meanings[0].column]
    return following.meanings[0].column in names.numbers and item.text in called and item.text not in following.text


def _is_quantity(item: Item, before: Item | None, names: TableNames) -> bool:
    """ "Content" of "lead content", where "Lead" is a column of numbers."""
    named = before is not None and before.kind == "column" and before.meanings[0].column in names.numbers
    priced = item.kind == "worth" and any("price" in known for known in names.concepts)  # "the stock value"
    return named and not priced and item.text.lower() in _QUANTITIES


def _is_number_of(item: Item, before: Item, names: TableNames) -> bool:
    """ "Number" of "phone number", of a column "Phone" whose cells are no amounts."""
    said = item.text.lower() in ("number", "numbers", "number of", "no", "号", "号码") and before.kind == "column"
    title = names.titles[before.meanings[0].column] if said else ""
    return said and item.start - before.end <= 1 and is_written_plainly(title, ())


def _counts_things(item: Item, before: Item) -> bool:
    """A measure word behind a number or a question word: “哪一项”."""
    counted = before.kind in _BEFORE_CLASSIFIER or before.text[-1:] in _POINTS
    return counted and before.end == item.start and item.text in _CLASSIFIERS


def _is_thing(item: Item, before: Item, behind: Item | None) -> bool:
    """A measure word that is a noun, as in “主卧的门多少钱”, and begins no other, as in “去的次数”."""
    alone = behind is None or behind.kind == "spend" or behind.text in "?？"
    return item.text in _CLASSIFIERS and before.text == "的" and before.end == item.start and alone


def _by_its_end(item: Item, names: TableNames) -> Item:
    """“门” of the only value that ends so, “实木门”; unknown where none or several do."""
    values = {one for known in names.phrases.values() for one in known.values() if one.kind == "value"}
    ends = {(one.column, one.value) for one in values if one.value[1:].endswith(item.text)}
    if len(ends) != 1:
        return item._replace(kind="unknown")
    [(column, value)] = ends
    return item._replace(kind="value", meanings=(Meaning("value", _PART, column, value),))


def _is_rate(item: Item) -> bool:
    assert item.number is not None
    return item.number.unit in _PERIODS or (not item.text.isascii() and item.text[-1:] in _CLASSIFIERS)


def _measured(item: Item, earlier: Sequence[Item], names: TableNames) -> Item:
    """ "How much rain" is of a column of numbers, where "Rain" is a cell of another as well."""
    before = next((one for one in reversed(earlier) if one.kind != "filler"), None)
    if before is None or before.kind not in ("much", "avg", "median"):
        return item
    known = names.phrases.get(tokens(item.text), {}).values()
    numbers = tuple(m for m in known if m.kind == "column" and m.column in names.numbers and m.weight > _PART)
    return item._replace(kind="column", meanings=numbers) if numbers else item


def _stands_in(word: str, item: Item, names: TableNames) -> bool:
    return item.kind == "column" and any(says_of(word, names.titles[one.column]) for one in item.meanings)


def _modifies(item: Item, names: TableNames) -> bool:
    """“捐款方式”: what the table is about, before a column of it."""
    return item.meanings[0].weight < 1 and not item.text.isascii() and set(item.text) <= names.about


def _explained(item: Item, before: Item | None, behind: Item | None, names: TableNames) -> list[Item]:
    word = item.text.lower()
    beside = before is not None and before.end == item.start
    if names.directions and word in MOTION:
        return [item._replace(kind="filler")]
    if word in _TRADE and (names.money or any("quantity" in known for known in names.concepts)):
        return [item._replace(kind="filler")]  # "who bought the most helmets": each row says how many, or for how much
    if word in ("cost", "costs"):
        return [item._replace(kind="spend")]
    if (
        before is not None
        and before.kind in ("each", "sum", "avg", "max", "min")
        and (of := column_in(word, names)) is not None
    ):
        return [item._replace(kind="column", meanings=(Meaning("column", 0.7, of),))]  # "per kWh"
    if word.isascii():
        return _of_family(item, word, behind, names)
    if word == "新" and behind is not None and _is_date(behind, names):
        return [item._replace(kind="filler")]
    if before is not None and beside:
        counted = before.kind in _BEFORE_CLASSIFIER or before.text[-1:] in _POINTS
        if _counts_things(item, before) or (counted and word in UNITS):
            return [item._replace(kind="filler")]
        if before.kind == "value" and word in _IN:  # “在打车上花了多少”
            return [item._replace(kind="filler")]
        if before.kind == "value" and (word in _SORTS or any(word in names.titles[m.column] for m in before.meanings)):
            return [item._replace(kind="filler")]  # “海淀区”, of a column 城区
        if word in _LIGHT and before.kind in ("rows", "column"):
            return [item._replace(kind="filler")]
    return [_by_rows(item, names)]


def column_in(word: str, names: TableNames) -> int | None:
    """The only column that is counted in a unit."""
    found = [at for unit, at in names.units.items() if unit == word or (unit and factor(word, unit) == 1)]
    return found[0] if len(found) == 1 else None


def columns_counted_in(word: str, names: TableNames) -> list[int]:
    """The columns that may be meant by “多少公斤”, or by “多少人” where columns count people."""
    own = column_in(word, names)
    if own is not None:
        return [own]
    if word == "人":
        return [at for at in sorted(names.numbers) if "人数" in names.titles[at]]
    return [at for at in sorted(names.numbers) if factor(word, names.counted_in.get(at, "")) is not None]


def said_most(columns: list[int], text: str, names: TableNames) -> list[int]:
    """Those whose names share most with what the question says: “摘了多少公斤” is of 采摘量."""
    said = {at: sum(char in text for char in {*names.titles[at]}) for at in columns}
    return [at for at in columns if said[at] == max(said.values())]


def _is_date(item: Item, names: TableNames) -> bool:
    return item.kind == "column" and any(one.column in names.dates for one in item.meanings)


def _of_family(item: Item, word: str, behind: Item | None, names: TableNames) -> list[Item]:
    """ "Depart" of a column "Departure", "windiest" of "Wind", and "unpaid" of "Paid": not."""
    bare = _denied.sub("", word)
    if bare != word and (known := _columns_called(bare, names)):
        denied = Item("not", item.start, item.start, "")
        return [denied, item._replace(kind="column", meanings=known)]
    if (said := names.senses.get(tokens(word))) is not None:  # "hired" of “已录用”
        return [item._replace(kind=said.kind, meanings=(said,))]
    columns = names.families.get(root(word), ())
    meanings = tuple(Meaning("column", 0.5, at) for at in columns)
    if len(columns) != 1:
        return [item]
    if is_superlative(word):
        return [item._replace(kind="max", meanings=meanings)] if columns[0] in names.numbers else [item]
    if word.endswith("ed") and columns[0] not in names.numbers | names.dates:  # a condition, but for "by" whom
        by = behind is not None and (behind.text.lower() == "by" or behind.kind == "value")
        return [item._replace(kind="column", meanings=meanings)] if by else [item]
    return [item._replace(kind="column", meanings=meanings)]


def _columns_called(word: str, names: TableNames) -> tuple[Meaning, ...]:
    found = names.phrases.get(tokens(word), {}).values()
    flags = tuple(one for one in found if one.kind == "column" and one.column in names.flags)
    return flags or tuple(one for one in found if one.kind == "column" and one.column in names.dates)


def _by_rows(item: Item, names: TableNames) -> Item:
    """A character of what the table is about: “借” of a table 图书借阅."""
    if item.text in names.about:
        return item._replace(kind="rows", meanings=(Meaning("rows", 0.6),))
    return item
