"""Rows that only sum up others are no rows of data, and rows that look like them are."""

import time

from tables.totals import sums
from tests.each_row import each_row

SALES = [["华东", "手机", "5"], ["华东", "平板", "7"], ["华东小计", "", "12"], ["华南", "手机", "8"],
         ["华南小计", "", "8"], ["合计", "", "20"]]  # fmt: skip


@each_row(
    ("rows", "found"),
    [
        (SALES, {2, 4, 5}),
        ([["North", "1"], ["North total", "1"], ["South", "2"], ["Grand Total", "3"]], {3}),
        ([["Cash", "40"], ["Stock", "60"], ["Total current assets", "100"], ["Loans", "7"]], {2}),
        ([["Ann", "A", "50"], ["Bob", "B", "70"], ["Class average", "", "60"]], {2}),
        ([["甲", "50"], ["乙", "70"], ["丙", "60"], ["丁", "60"], ["平均分", "60"], ["最高分", "70"]], {4, 5}),
        ([["全国", "60"], ["北京", "10"], ["上海", "20"], ["天津", "30"]], {0}),
        ([["a", "10"], ["b", "20"], ["c", "30"], ["", "60"]], {3}),
        ([["", "", "1"], ["", "", "2"], ["", "Total", "3"]], {2}),
        ([["Total Wine", "Ohio", "5"], ["Acme", "Utah", "7"], ["Zed", "Iowa", "9"]], set()),
        ([["全国", "7"], ["北京", "10"], ["上海", "20"], ["天津", "30"]], set()),
        ([["Total", "5"], ["Average", "2"]], set()),  # a table of nothing else
        ([["最高", "5"], ["最低", "2"]], set()),
        ([], set()),
    ],
)
def test_rows_of_sums_are_told_by_name_cells_and_numbers(rows: list[list[str]], found: set[int]) -> None:
    assert sums(rows) == found


def test_a_table_of_nothing_but_totals_is_read_at_once() -> None:
    started = time.process_time()
    sums([[f"item {n} total", str(n), "x"] for n in range(50_000)])
    assert time.process_time() - started < 3
