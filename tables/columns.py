"""A grid as a typed table: what each column holds, told by most of its cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice

from schema import Cell, ColumnKind, Document, TableColumn, TypedTable
from tables.cells import NO_YEAR, CellNumber, DateOrder, date_order, is_blank, plain, read_date, read_day, read_number
from tables.durations import is_compound, minutes_of, read_minutes
from tables.grids import Grid, data_rows
from tables.measures import alike, factor
from tables.pipes import pipe_grids

MOST_TABLES = 500
LEAST_ROWS = 2
MOST_COLUMNS = 200
MOST_VALUES = 300  # different texts of a column that are listed beside it
_LISTED = 60  # characters of one that is listed
_SAMPLE = 2_000  # cells by which the kind of a column is told
_MOST = 0.85  # of the cells that are not blank
_named_date = re.compile(r"日期|时间|日$|date|day|when", re.IGNORECASE)
_named_day = re.compile(
    r"日期|日$|时间|截止|到期|期限|应还|归还|\b(?:date|day|when|due|deadline|until)\b", re.IGNORECASE
)
_han = re.compile("[\u4e00-\u9fff]")
_identifies = re.compile(
    r"编号|编码|代码|单号|[工学证账卡货型]号|^序号$|^号码$|电话|手机|传真|邮编|条码|条形码|门牌|状态码?$"
    r"|(?:^|[\s_])(?:id|no\.?|nr\.?|code|sku|phone|telephone|tel\.?|fax|postcode|zip|isbn|ean|barcode|number)$"
    r"|^#$|^(?:http[\s_])?status(?:[\s_]code)?$",
    re.IGNORECASE,
)
_entity = re.compile(
    r"(?:order|invoice|ticket|case|transaction|customer|employee|student|item|product|account|booking|request|issue"
    r"|订单|发票|工单|交易|客户|员工|学生|商品|产品|账户|预订|申请)",
    re.IGNORECASE,
)
_in_brackets = re.compile(r"[(\[（【]([^()（）\[\]【】]{1,20})[)\]）】]\s*$")
_unit = re.compile(r"[(\[（【][^()（）\[\]【】]{0,20}[)\]）】]|[/／][^/／\s]{1,6}$")
_trailing = re.compile(
    r"(?<=[a-z])[\s_](km/h|kmh|mph|m/s|mm|cm|km|kg|lbs?|ms|secs?|mins?|minutes|hrs?|hours|days|kb|mb|gb|kwh|kcal|usd|eur|gbp|cny|rmb"
    r"|sqm|m2|°c|℃)$",
    re.IGNORECASE,
)
_is_unit = re.compile(r"(hours|minutes|小时|分钟)数?", re.IGNORECASE)
_behind_mark = re.compile(r"[/／,，]\s*([^/／,，\s]{1,8})\s*$")
_head_unit = re.compile(
    r"(?:[万亿千百]|百万|千万)?(?:元|美元|欧元|人|吨|公里|平方公里|平方千米|平方米|小时|分钟|天|岁|台|件|个|次|辆|米"
    r"|平米|平|厘米|毫米|千米|英里|公顷|毫升|毫克|层|盒|瓶|袋|包|支|片|粒|桶|卷|株|头|双|幅|首|页|字|晚|大卡|千卡|人次|票|公斤|千克|度|千瓦时|升|亩|克|斤|箱|套|张|本|份|家|间|位|只|条|项|户|秒|周|个月|月|年)|[万亿%‰$€£¥]|[a-z$€£°/²%]{1,12}|k?m[23]|元/[月年天日晚次人]"
)


def typed_tables(grids: Iterable[Grid]) -> tuple[TypedTable, ...]:
    """Those of the grids that are tables, at most so many of one document."""
    return tuple(islice(filter(None, map(typed_table, grids)), MOST_TABLES))


def text_tables(document: Document) -> tuple[TypedTable, ...]:
    """Those that the text of a document shows."""
    return typed_tables(pipe_grids(document.text)) if document.kind == "markdown" else ()


def typed_table(grid: Grid) -> TypedTable | None:
    """None where it is no table with named columns and at least two rows."""
    found = data_rows(grid)
    if found is None or len(found.rows) < LEAST_ROWS or not 2 <= len(found.names) <= MOST_COLUMNS:
        return None
    columns: list[TableColumn] = []
    cells: list[list[Cell]] = []
    names: set[str] = set()  # SQL does not tell "Name" from "name"
    for at, given in enumerate(found.names):
        name = given if given.lower() not in names else f"{given} ({at + 1})"
        names.add(name.lower())
        texts = [row.cells[at] if at < len(row.cells) else "" for row in found.rows]
        if not any(texts) and name.startswith("("):  # a column without a name and without a cell
            continue
        column, values = typed_column(name, texts)
        columns.append(column)
        cells.append(values)
    if len(columns) < 2:
        return None
    return TypedTable(grid.title, tuple(columns), tuple(cells), [row[:2] for row in found.rows], found.left_out)


def typed_column(name: str, texts: Sequence[str]) -> tuple[TableColumn, list[Cell]]:
    step = max(1, len(texts) // _SAMPLE)
    sample = [text for text in texts[::step] if not is_blank(text)]
    kind, read = _kind(name, sample)
    values: list[Cell] = []
    blank = unread = 0
    told: dict[int, str] = {}  # units, by the places of the cells
    for text in texts:
        if is_blank(text):
            blank += 1
            values.append(None)
            continue
        value = read(text)
        if value is None:
            unread += 1
            values.append(None if kind != "text" else text)
        elif isinstance(value, CellNumber):
            told[len(values)] = value.unit
            values.append(value.value)
        else:
            values.append(value)
    units = Counter(told.values())
    if len(units) > 1 and ("%" in units or not alike(units)):
        return typed_text(name, texts)  # 5 % beside 0.05, “380元/月” beside “460元”: nothing is their sum
    unit = max(units, key=lambda one: (units[one], one)) if units else ""
    for at, own in told.items() if len(units) > 1 else ():
        values[at] = _in_unit(values[at], own, unit)
    distinct = len(set(values) - {None})
    without_year = kind == "date" and any(str(value).startswith(NO_YEAR) for value in values[:_SAMPLE])
    if read is read_minutes and not unread and distinct <= MOST_VALUES:
        return typed_text(name, texts)  # few durations in words are kept as they are written
    unit = unit or _unit_of(name, kind)
    if (
        unit == "%"
        and "%" not in told.values()
        and any(isinstance(one, int | float) and abs(one) > 1 for one in values)
    ):
        unit = ""  # a head of “湿度(%)” over 62: the cells are no shares
    column = TableColumn(name, kind, unit, (), distinct, blank, unread, without_year)
    return (column, values) if kind != "text" else typed_text(name, texts)


def _in_unit(value: Cell, unit: str, wanted: str) -> Cell:
    """90 min among hours is 1.5."""
    ratio = factor(unit, wanted)
    if ratio in (None, 1.0) or not isinstance(value, int | float):
        return value
    converted = round(value * ratio, 6)
    return int(converted) if converted.is_integer() else converted


def typed_text(name: str, texts: Sequence[str]) -> tuple[TableColumn, list[Cell]]:
    values: list[Cell] = [None if is_blank(text) else " ".join(text.split()) for text in texts]
    listed = dict.fromkeys(value for value in values if value is not None)
    known = tuple(str(one) for one in listed if len(str(one)) <= _LISTED) if len(listed) <= MOST_VALUES else ()
    return TableColumn(name, "text", "", known, len(listed), values.count(None)), values


Reading = Callable[[str], CellNumber | str | None]


def _kind(name: str, sample: Sequence[str]) -> tuple[ColumnKind, Reading]:
    if not sample:
        return "text", str
    order: DateOrder = date_order([*sample])
    date = partial(read_date, order=order, packed=bool(_named_date.search(name)))
    if sum(date(text) is not None for text in sample) >= _MOST * len(sample):
        return "date", date
    day = partial(read_day, order=_order_of_days(name, order))
    if sum(day(text) is not None for text in sample) >= _MOST * len(sample):
        return "date", day
    if any(_keeps_zeros(text) for text in sample) or tells_apart(name):
        return "text", str
    if all(minutes_of(text) is not None for text in sample) and any(map(is_compound, sample)):
        return "number", read_minutes
    if sum(read_number(text) is not None for text in sample) >= _MOST * len(sample):
        return ("text", str) if _numbers_things(name, sample) else ("number", read_number)
    return "text", str


def _order_of_days(name: str, told: DateOrder) -> DateOrder:
    """Of 11/10 below a head that says it is a day, elsewhere a share or a score; in Chinese the month is first."""
    if not _named_day.search(name):
        return ""
    return "month first" if _han.search(name) else told


def _numbers_things(name: str, sample: Sequence[str]) -> bool:
    """A column "Order" of 1001, 1002 … tells which order a row is, and nothing that anybody adds up."""
    return (
        _entity.fullmatch(bare_name(name)) is not None
        and all(text.strip().isdecimal() for text in sample)
        and len({text.strip() for text in sample}) == len(sample)
    )


def _keeps_zeros(text: str) -> bool:
    """007 is a name, and so is what is longer than any amount."""
    digits = plain(text)
    return digits.isdecimal() and ((len(digits) > 1 and digits[0] == "0") or len(digits) > 15)


def tells_apart(name: str) -> bool:
    """Whether what is called so tells things apart, as an order number or a telephone: it is no amount."""
    return _identifies.search(bare_name(name)) is not None


def bare_name(name: str) -> str:
    """What a column is called without its unit: "金额（万元）" and "金额/万元" are 金额."""
    return _trailing.sub("", _unit.sub("", name).strip(" ?？:：")) or name


def _unit_of(name: str, kind: ColumnKind) -> str:
    """What the head says of the unit: "金额（万元）", "Weight (kg)", "单价/元"; "Hours" is one itself."""
    if kind == "number" and (itself := _is_unit.fullmatch(name.strip())):
        return itself[1].lower()
    found = _in_brackets.search(name) or _behind_mark.search(name) or _trailing.search(name)
    if kind != "number" or found is None:
        return ""
    unit = found[1].strip().removeprefix("单位：").removeprefix("单位:").removeprefix("in ").strip()
    if not _head_unit.fullmatch(plain(unit)):
        return ""
    return unit if len(unit) == 3 and unit.isupper() else plain(unit)  # of a currency: USD
