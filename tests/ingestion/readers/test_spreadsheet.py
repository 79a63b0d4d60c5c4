"""Workbooks written here by openpyxl, and csv of any kind: every value under its name, every row with its number."""

import csv
import io
import zipfile
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import openpyxl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errors import FileError
from ingestion.readers import read_document
from ingestion.readers.rows import MOST_ROWS
from ingestion.readers.spreadsheet import letters
from schema import Document
from tests.each_row import each_row

MEALS = [["城市", "住宿标准", "餐补"], ["北京", 600, 120], ["上海", 650.5, 130]]


def read(data: bytes, name: str) -> Document:
    return read_document(name, data, max_bytes=50_000_000)


def book(**sheets: Sequence[Sequence[Any]]) -> Any:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return made


def saved(made: Any) -> bytes:
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def rows_of(document: Document) -> dict[tuple[str, int], str]:
    """(sheet, row) -> its text."""
    ends = [*(place.start for place in document.places[1:]), len(document.text)]
    return {
        (place.part, place.number): document.text[place.start : end].split("\n\n")[0].strip()
        for place, end in zip(document.places, ends, strict=True)
    }


def test_every_row_names_its_columns() -> None:
    found = read(saved(book(差旅=MEALS, Staff=[["name", "since"], ["Ann", date(2024, 3, 1)]])), "标准.xlsx")
    assert found.kind == "markdown"
    assert found.origin.doc_type == "xlsx"
    assert rows_of(found) == {
        ("差旅", 1): "城市 | 住宿标准 | 餐补",
        ("差旅", 2): "- 城市：北京；住宿标准：600；餐补：120",
        ("差旅", 3): "- 城市：上海；住宿标准：650.5；餐补：130",
        ("Staff", 1): "name | since",
        ("Staff", 2): "- name: Ann; since: 2024-03-01",
    }
    assert found.text.startswith("## 差旅\n\n")
    assert "\n\n## Staff\n\n" in found.text
    assert found.metadata["sheets"] == ["差旅", "Staff"]


def test_values_are_written_as_they_are_shown() -> None:
    made = book(S=[["a", "b", "c", "d", "e"], [0.1 + 0.2, 0.155, datetime(2024, 1, 2, 3, 4), True, 10**17]])
    made["S"]["B2"].number_format = "0.0%"
    assert (
        rows_of(read(saved(made), "a.xlsx"))["S", 2]
        == "- a: 0.3; b: 15.5%; c: 2024-01-02 03:04; d: TRUE; e: 100000000000000000"
    )


def test_formulas_are_text_and_never_computed() -> None:
    made = book(S=[["item", "total"], ["a", "=SUM(A1:A9)"], ["b", "=cmd|' /C calc'!A0"]])
    rows = rows_of(read(saved(made), "a.xlsx"))
    assert rows["S", 2] == "- item: a; total: =SUM(A1:A9)"
    assert rows["S", 3] == "- item: b; total: =cmd|' /C calc'!A0"
    csv_rows = rows_of(read(b"item,total\na,=1+1\nb,@SUM(1)\n", "a.csv"))
    assert csv_rows["", 2] == "- item: a; total: =1+1"


def test_a_table_below_a_title_keeps_its_row_numbers() -> None:
    made = book(表=[["2024 年差旅标准"], [], *MEALS])
    assert rows_of(read(saved(made), "a.xlsx")) == {
        ("表", 1): "2024 年差旅标准",
        ("表", 3): "城市 | 住宿标准 | 餐补",
        ("表", 4): "- 城市：北京；住宿标准：600；餐补：120",
        ("表", 5): "- 城市：上海；住宿标准：650.5；餐补：130",
    }


def test_merged_cells_speak_for_each_row() -> None:
    made = book(S=[["dept", "name"], ["R&D", "Ann"], ["", "Bob"], ["Ops", "Eve"]])
    made["S"].merge_cells("A2:A3")
    assert rows_of(read(saved(made), "a.xlsx"))["S", 3] == "- dept: R&D; name: Bob"


def test_a_head_of_two_rows_is_one_name() -> None:
    made = book(S=[["差旅标准"], ["城市", "住宿", "", "餐补"], ["", "平日", "周末", ""], ["北京", 600, 700, 120]])
    for span in ("A1:D1", "A2:A3", "B2:C2", "D2:D3"):
        made["S"].merge_cells(span)
    rows = rows_of(read(saved(made), "a.xlsx"))
    assert rows["S", 1] == "差旅标准"
    assert rows["S", 4] == "- 城市：北京；住宿 平日：600；住宿 周末：700；餐补：120"


def test_columns_without_a_name_have_a_letter() -> None:
    rows = rows_of(read(b"1,2\n3,4\n", "a.csv"))
    assert rows == {("", 1): "- A: 1; B: 2", ("", 2): "- A: 3; B: 4"}
    assert rows_of(read(b"x,,x\n1,2,3,4\n5,6,7\n", "a.csv"))["", 2] == "- x (A): 1; B: 2; x (C): 3; D: 4"
    assert [letters(n) for n in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


def test_a_wide_row_begins_each_line_with_its_first_cell() -> None:
    head = ["id", *(f"column {n}" for n in range(60))]
    data = ["No. 7", *(f"value {n} of this row" for n in range(60))]
    lines = rows_of(read(saved(book(S=[head, data])), "a.xlsx"))["S", 2].split("\n")
    assert len(lines) > 3
    assert all(line.removeprefix("  ").startswith("- id: No. 7; column ") for line in lines)
    assert all(len(line) < 450 for line in lines)


def test_a_cell_far_away_costs_nothing() -> None:
    made = book(S=[["a", "b"], ["x", "y"]])
    made["S"]["XFD1048576"] = "far"
    assert rows_of(read(saved(made), "a.xlsx"))["S", 1_048_576] == "- XFD: far"


def test_too_many_rows_are_refused_with_the_number() -> None:
    with pytest.raises(FileError, match=str(MOST_ROWS)):
        read(b"a,b\n" + b"1,2\n" * MOST_ROWS, "a.csv")


def test_a_million_rows_are_refused_before_one_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.readers.sheets.open_workbook", None)  # whoever parses, calls it
    row = '<row r="{0}"><c r="A{0}"><v>{0}</v></c></row>'
    rows = "".join(row.format(number) for number in range(1, 2 * MOST_ROWS)).encode()
    with pytest.raises(FileError, match=str(MOST_ROWS)) as refused:
        read(with_rows(rows), "a.xlsx")
    assert refused.value.suggestions


def test_rows_of_every_column_are_refused_before_one_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.readers.sheets.open_workbook", None)  # whoever parses, calls it
    monkeypatch.setattr("ingestion.readers.spreadsheet.MOST_CELLS", 20_000)  # the real one takes a second to write
    row = b"<row>" + b"<c><v>1</v></c>" * 16_384 + b"</row>"
    with pytest.raises(FileError, match="cells") as refused:
        read(with_rows(row * 2), "a.xlsx")
    assert refused.value.suggestions


def test_rows_that_hold_nothing_are_no_rows() -> None:
    empty = "".join(f'<row r="{number}" s="1"/>' for number in range(3, MOST_ROWS + 10)).encode()
    text = read(with_rows(b'<row r="2"><c r="A2"><v>7</v></c></row>' + empty), "a.xlsx").text
    assert "7" in text


def with_rows(rows: bytes) -> bytes:
    """A workbook whose sheet has these, as XML."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(saved(book(S=[["a"]])))) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.infolist():
            content = old.read(part)
            if part.filename.startswith("xl/worksheets/sheet"):
                content = content.replace(b"</sheetData>", rows + b"</sheetData>")
            new.writestr(part.filename, content)
    return made.getvalue()


def test_a_workbook_of_any_name_and_with_macros() -> None:
    data = saved(book(S=[["a", "b"], ["x", "y"]]))
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as package:
        package.writestr("xl/vbaProject.bin", b"\0macro")
    for name in ("a.xlsx", "a.xlsm", "a.zip", "a.csv", "a"):
        assert read(file.getvalue(), name).origin.doc_type == "xlsx"


@each_row("separator", [",", ";", "\t", "|"])
@each_row("encoding", ["utf-8-sig", "gb18030", "utf-16"])
def test_csv_of_any_separator_and_encoding(separator: str, encoding: str) -> None:
    lines = [
        ["城市", "说明"],
        ["北京", "一线城市，住宿每晚六百元"],
        ["上海", '他说："可以"\n第二行'],
        ["广州", "a,b;c"],
    ]
    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows(lines)
    rows = rows_of(read(file.getvalue().encode(encoding), "a.csv"))
    assert rows["", 2] == "- 城市：北京；说明：一线城市，住宿每晚六百元"
    assert rows["", 3] == '- 城市：上海；说明：他说："可以" 第二行'
    assert rows["", 4] == "- 城市：广州；说明：a,b;c"


def test_tables_of_programs_that_call_themselves_excel() -> None:
    assert rows_of(read("城市\t标准\n北京\t600\n".encode(), "导出.xls"))["", 2] == "- 城市：北京；标准：600"


def test_a_quotation_mark_that_nothing_closes_swallows_nothing() -> None:
    lines = ["size,price", *(f'"{n} inch,{n}' if n == 3 else f"{n} inch,{n}" for n in range(1, 300))]
    rows = rows_of(read("\n".join(lines).encode(), "a.csv"))
    assert rows["", 300] == "- size: 299 inch; price: 299"


WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n\t"), max_size=12)


@example([["", "|"], [""]], ",")
@example([["a;b", "c;d"], ["e;f", "g"]], "\t")
@given(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=12), st.sampled_from(",;\t|"))
def test_every_value_of_any_csv_is_in_its_row(rows: list[list[str]], separator: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    rows = list(csv.reader(io.StringIO(file.getvalue()), delimiter=separator))
    try:
        found = rows_of(read(file.getvalue().encode("utf-8-sig"), "a.tsv" if separator == "\t" else "a.csv"))
    except FileError:
        assert not "".join("".join(row) for row in rows).strip("\ufeff").strip()
        return
    for number, row in enumerate(rows, start=1):
        for cell in row:
            for word in cell.split():
                assert word in found["", number].replace("|", "") or word in found["", number]
