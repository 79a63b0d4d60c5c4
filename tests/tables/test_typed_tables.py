"""Grids of files as typed tables: heads, kinds of columns, rows that are no data, and where rows stand."""

import io
import json
from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from benchmarks.format_sheets import Cell, ods, xls, xlsb
from ingestion.readers import read_document
from schema import TypedTable
from tables.pipes import pipe_grids
from tests.each_row import each_row

PAY = """工资表

姓名,部门,入职日期,月薪（元）,备注
张三,研发,2021年3月5日,"12,000",
李四,市场,2020/1/9,¥9000,兼职
王五,研发,2019-07-01,—,
合计,,,21000,
"""
GUIDE = """# Guide

a | b in prose

## Prices

| Item | Price |
|---|---:|
| **Lamp** | $5 |
| A\\|B | $7.50 |

```
| x | y |
|---|---|
| 1 | 2 |
```
"""
RAIN = """<html><body><h1>Rain</h1><table><tr><th>City</th><th>Rain</th></tr>
<tr><td>Oslo</td><td>3 mm</td></tr><tr><td>Rome</td><td>1 mm</td></tr></table></body></html>"""


def tables_of(name: str, content: str | bytes) -> tuple[TypedTable, ...]:
    data = content.encode() if isinstance(content, str) else content
    return read_document(name, data, max_bytes=10**8).tables or ()


def test_a_csv_is_typed_without_its_title_and_its_sum() -> None:
    [table] = tables_of("pay.csv", PAY)
    assert [(one.name, one.kind, one.unit) for one in table.columns] == [
        ("姓名", "text", ""),
        ("部门", "text", ""),
        ("入职日期", "date", ""),
        ("月薪（元）", "number", "元"),
        ("备注", "text", ""),
    ]
    assert table.cells[3] == [12000, 9000, None]
    assert table.cells[2] == ["2021-03-05", "2020-01-09", "2019-07-01"]
    assert (table.left_out, table.columns[3].blank) == (1, 1)
    assert table.columns[1].values == ("研发", "市场")


def test_each_row_stands_where_its_text_does() -> None:
    document = read_document("pay.csv", PAY.encode(), max_bytes=10**8)
    [table] = document.tables or ()
    assert ["张三" in document.text[a:b] for a, b in table.spans] == [True, False, False]
    assert document.text[slice(*table.spans[1])].startswith("- 姓名：李四")


def test_two_rows_of_merged_heads_name_each_column() -> None:
    book = Workbook()
    sheet = book.active
    for row in (
        ["2024 年销售"],
        ["门店", "上半年", None, "下半年", None],
        [None, "销售额", "客流", "销售额", "客流"],
        ["甲", 1, 2, 3, 4],
        ["乙", 5, 6, 7, 8],
    ):
        sheet.append(row)
    for span in ("A1:E1", "A2:A3", "B2:C2", "D2:E2"):
        sheet.merge_cells(span)
    file = io.BytesIO()
    book.save(file)
    [table] = tables_of("sales.xlsx", file.getvalue())
    assert [one.name for one in table.columns] == [
        "门店",
        "上半年 销售额",
        "上半年 客流",
        "下半年 销售额",
        "下半年 客流",
    ]
    assert table.cells[3] == [3, 7]


def test_tables_within_a_document_are_found_under_their_headings() -> None:
    [table] = tables_of("guide.md", GUIDE)
    assert (table.title, table.columns[1].unit) == ("Prices", "$")
    assert table.cells == (["Lamp", "A|B"], [5, 7.5])
    assert [GUIDE[a:b] for a, b in table.spans] == ["| **Lamp** | $5 |", "| A\\|B | $7.50 |"]
    [table] = tables_of("a.html", RAIN)
    assert table.cells == (["Oslo", "Rome"], [3, 1])


@pytest.mark.parametrize("indent", [None, 1])
def test_json_lists_are_tables(indent: int | None) -> None:
    records = [{"name": "Lamp", "size": {"w": 2}, "sold": True}, {"name": "Desk", "size": {"w": 3}, "sold": False}]
    text = json.dumps({"items": records} if indent else records, indent=indent)
    document = read_document("a.json", text.encode(), max_bytes=10**8)
    [table] = document.tables or ()
    assert [one.name for one in table.columns] == ["name", "size.w", "sold"]
    assert table.cells == (["Lamp", "Desk"], [2, 3], ["true", "false"])
    assert ["Desk" in document.text[a:b] for a, b in table.spans] == [False, True]
    lines = "\n".join(map(json.dumps, records))
    [table] = tables_of("a.jsonl", lines)
    assert table.cells[0] == ["Lamp", "Desk"]


@each_row(
    ("name", "cells", "kind"),
    [
        ("工号", ["001", "002"], "text"),
        ("Order No.", ["17", "18"], "text"),
        ("数量", ["3", "5"], "number"),
        ("日期", ["20240503", "20240612"], "date"),
        ("day", ["03/04/2024", "05/04/2024"], "text"),
        ("班级", ["1班", "2班"], "text"),
        ("rate", ["5%", "0.05"], "text"),
        ("人数", ["三百二十", "十二"], "number"),
        ("金额", ["1200元/月", "380元/月", "460元"], "text"),
        ("标准", ["2.8元/平方米", "30元"], "text"),
        ("Amount", ["€5", "$7"], "text"),
        ("Amount", ["5 EUR", "€7"], "number"),
        ("金额", ["460元", "¥380", "300"], "number"),
        ("重量", ["3 kg", "5箱"], "text"),
        ("Time", ["90 min", "2 h", "4"], "text"),
    ],
)
def test_the_kind_of_a_column_is_that_of_its_cells(name: str, cells: list[str], kind: str) -> None:
    rows = "\n".join(f"{cell},x" for cell in cells)
    [table] = tables_of("a.csv", f"{name},其他\n{rows}\n")
    assert table.columns[0].kind == kind


@each_row(
    ("cells", "read", "unit"),
    [
        (["90 min", "2 h", "1 h"], [1.5, 2, 1], "h"),
        (["500克", "2公斤", "3公斤"], [0.5, 2, 3], "公斤"),
        (["3人", "2名", "1人"], [3, 2, 1], "人"),
    ],
)
def test_numbers_of_a_column_are_brought_to_one_unit(cells: list[str], read: list[float], unit: str) -> None:
    [table] = tables_of("a.csv", "用量,其他\n" + "".join(f"{cell},x\n" for cell in cells))
    assert table.cells[0] == read
    assert table.columns[0].unit == unit


def test_what_is_no_table_is_none() -> None:
    assert tables_of("a.md", "no | table\n\n| one |\n|---|\n| 1 |\n") == ()
    assert tables_of("a.csv", "1,2\n3,4\n") == ()
    assert tables_of("a.json", '{"a": 1}') == ()


@given(st.text(alphabet="|-: \n#`a1\\", max_size=200))
def test_rows_of_any_text_stand_in_it(text: str) -> None:
    for grid in pipe_grids(text):
        assert all(text[row.start : row.end].count("\n") == 0 for row in grid.rows)
        assert [text[row.start : row.end] for row in grid.rows] == text[grid.rows[0].start : grid.rows[-1].end].split(
            "\n"
        )


@each_row("write", [ods, xls, xlsb])
def test_workbooks_of_every_format_are_typed(
    write: Callable[[dict[str, list[list[Cell]]]], bytes],
) -> None:
    pay: list[list[Cell]] = [
        ["姓名", "入职日期", "月薪（元）"], ["张三", date(2021, 3, 5), 12000.0], ["李四", date(2020, 1, 9), 9000.5],
        ["合计", "", 21000.5],
    ]  # fmt: skip
    data = write({"工资": pay, "City": [["City", "People"], ["Oslo", 7.0], ["Rome", 9.0]]})
    document = read_document(f"pay.{write.__name__}", data, max_bytes=10**7)
    first, second = document.tables or ()
    assert (first.title, second.title, first.left_out) == ("工资", "City", 1)
    assert [column.kind for column in first.columns] == ["text", "date", "number"]
    assert first.cells[2] == [12000, 9000.5]
    assert "李四" in document.text[slice(*first.spans[1])]
