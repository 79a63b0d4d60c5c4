"""Which rows of a table only sum up others: 合计, 华东小计, Grand total, 平均分, and sums that nothing names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from tables.cells import plain, read_number

_sum = (
    r"(?:本页|本月|本年|全年)?合计|总计|小计|总和|总数|共计|累计|平均[值分数]?|平均成绩|均值|均分"
    r"|(?:grand |sub-?)?totals?|sub-?total|sums?|averages?|mean"
)
_sums = re.compile(rf"(?:{_sum})(?:$|\s?[:(：].*)")
_sums_of_what = re.compile(
    rf".{{1,40}}?\s?(?:小计|合计|总计|平均分?|平均值|(?<= )(?:sub-?)?totals?|(?<= )average):?|(?:{_sum})\s.{{1,40}}"
)
_of_all = re.compile(
    r"全[国市省县区部校年班体]|全公司|整体|总体|所有.{0,6}|all(?: [a-z]{2,15}){0,2}|overall|nationwide|everyone"
    r"|world(?:wide)?"
)
_describes = re.compile(
    r"最高[分值]?|最低[分值]?|最大值|最小值|中位数|标准差|及格率|优秀率|highest|lowest|max(?:imum)?|min(?:imum)?|median"
    r"|std\.?(?: ?dev\.?)?|standard deviation"
)
_CLOSE = 0.005  # of a sum whose parts are rounded
_BLOCK, _CHECKS = 2_000, 50  # rows of a subtotal, and rows that are held against theirs
_LAST = 5  # rows among which one may sum all up
_LEAST = 3  # rows that a sum without a name is of


def sums(rows: Sequence[Sequence[str]]) -> set[int]:
    """The places of such rows. What a name alone does not tell is told by the numbers, or by cells that are empty."""
    usual = median([_filled(cells) for cells in rows[:200]]) if rows else 0
    found: set[int] = set()
    checks = _CHECKS
    begin = 0  # of the rows that a subtotal would be of
    for at, cells in enumerate(rows):
        label = _label(cells)
        named = bool(_sums.fullmatch(label))
        if not named and _sums_of_what.fullmatch(label):
            named = _filled(cells) < usual
            if not named and checks and at - begin <= _BLOCK:
                checks -= 1
                named = _is_sum(cells, rows[begin:at])
            if not named and at >= len(rows) - _LAST:
                named = _is_sum(cells, [row for n, row in enumerate(rows[:at]) if n not in found])
        if named:
            found.add(at)
            begin = at + 1
    if 0 < len(found) == len(rows):  # a table of totals
        return set()
    return found | _unnamed(rows, found) | _descriptions(rows, found)


def _unnamed(rows: Sequence[Sequence[str]], found: set[int]) -> set[int]:
    """The first or last row where it is the sum of all others, and is called "全国" or nothing."""
    kept = [at for at in range(len(rows)) if at not in found]
    for at in {*kept[:1], *kept[-1:]} if len(kept) > _LEAST else ():
        cells = rows[at]
        if not (cells and not cells[0]) and not _of_all.fullmatch(_label(cells)):
            continue
        if _is_sum(cells, [rows[n] for n in kept if n != at]):
            return {at}
    return set()


def _descriptions(rows: Sequence[Sequence[str]], found: set[int]) -> set[int]:
    """最高分, median: the last rows of a table that has others."""
    last = len(rows)
    while last and (last - 1 in found or _describes.fullmatch(_label(rows[last - 1]))):
        last -= 1
    return {*range(last, len(rows))} if last > _LEAST else set()


def _label(cells: Sequence[str]) -> str:
    """What stands first."""
    return plain(next((cell for cell in cells if cell), ""))


def _filled(cells: Sequence[str]) -> int:
    """Cells that say something; those of a merged one count once."""
    return len({*cells} - {""})


def _is_sum(cells: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """That the greatest of its numbers that are no share sums the others' cells up."""
    numbers = [(at, one.value) for at, cell in enumerate(cells) if at and cell and (one := read_number(cell))]
    counted = [(at, value) for at, value in numbers if not cells[at].rstrip().endswith(("%", "‰"))]
    if not counted or len(others) < 2:
        return False
    at, value = max(counted, key=lambda one: abs(one[1]))
    parts = [one.value for row in others if at < len(row) and row[at] and (one := read_number(row[at]))]
    return len(parts) >= 2 and value != 0 and abs(sum(parts) - value) <= _CLOSE * abs(value)
