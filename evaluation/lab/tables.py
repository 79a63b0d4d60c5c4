"""Question sets as tables: CSV, TSV and Excel, with Chinese or English headings.

Several right answers stand in one cell as a JSON list; each further passage of a case has a row of its own with the
same id. A column that is not ours is kept.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from errors import FileError
from evaluation.lab.cases import CaseKind, LabCase, as_row, case_id, case_of
from schema import Message

COLUMNS = ("id", "question", "answer", "document", "quote", "kind", "tolerance", "tags", "doc_set", "exclude", "after")
_CHINESE = dict(zip(COLUMNS, "编号 问题 答案 文档 原文 类型 误差 标签 文档集 排除 前文".split(), strict=True))
_OTHER_HEADINGS = {
    "questions": "question", "query": "question", "提问": "question", "answers": "answer", "回答": "answer",
    "参考答案": "answer", "reference": "answer", "file": "document", "文件": "document", "来源": "document",
    "evidence": "quote", "引文": "quote", "依据": "quote", "type": "kind", "tag": "tags", "set": "doc_set",
}  # fmt: skip
_HEADINGS = {name: name for name in COLUMNS} | {zh: name for name, zh in _CHINESE.items()} | _OTHER_HEADINGS
_KINDS: dict[str, CaseKind] = {
    "文本": "text", "数字": "number", "数值": "number", "数学": "math", "选择": "choice", "是非": "yes_no",
    "判断": "yes_no", "列表": "list", "拒答": "refuse", "无答案": "refuse",
}  # fmt: skip
_LISTED = ";；、|"  # what parts names in a cell
_NAMES = ("tags", "exclude")


def read_table(name: str, data: bytes) -> Iterator[LabCase]:
    """The cases of a CSV, TSV or XLSX file, by the end of its name. Raises FileError."""
    rows = _excel_rows(name, data) if name.lower().endswith(".xlsx") else _text_rows(name, data)
    head = [_HEADINGS.get(cell.strip().lower(), cell.strip()) for cell in next(rows, [])]
    if "question" not in head:
        raise FileError(
            Message(zh=f"{name} 没有“问题”一列。", en=f"{name} has no column of questions."),
            Message(
                zh="第一行请写列名：问题、答案、文档、原文、类型、标签。",
                en="Name the columns in the first row: question, answer, document, quote, kind, tags.",
            ),
        )
    found: dict[str, dict[str, Any]] = {}
    for number, cells in enumerate(rows, 2):
        values = {column: cell for column, cell in zip(head, cells, strict=False) if column and cell.strip()}
        if not values.get("question"):
            continue
        passage = {key: values.pop(key) for key in ("document", "quote") if key in values}
        key = values.get("id") or f"row {number}"
        row = found.setdefault(key, {**_parsed(values), "_place": f"{name}, {number}", "evidence": []})
        if passage:
            row["evidence"].append({"document": "", **passage})
    for row in found.values():
        yield case_of(row, row.pop("_place"))


def to_csv(cases: Iterable[LabCase]) -> str:
    """As a table; the fields that only some cases have come last."""
    rows = [row for case in cases for row in _rows(as_row(case))]
    more = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS)
    written = io.StringIO()
    table = csv.DictWriter(written, [*COLUMNS, *more], restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return written.getvalue()


def _rows(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    passages = row.pop("evidence", None) or [{}]
    cells = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for key, value in row.items()
    }
    for key in _NAMES:
        if key in row and not any(sign in name for name in row[key] for sign in _LISTED):
            cells[key] = ";".join(row[key])
    for passage in passages:
        yield {**cells, **passage}


def _parsed(values: dict[str, str]) -> dict[str, Any]:
    """Cells as the values of a case."""
    row: dict[str, Any] = dict(values)
    for key, cell in values.items():
        if cell.startswith(("[", "{")):
            try:
                row[key] = json.loads(cell)
            except ValueError:
                continue  # text that begins so
        elif key in _NAMES:
            for sign in _LISTED:
                cell = cell.replace(sign, "\n")
            row[key] = [name.strip() for name in cell.split("\n") if name.strip()]
        elif key == "after":
            row[key] = cell.split("\n")
        elif key == "kind":
            row[key] = _KINDS.get(cell.strip(), cell.strip().lower())
    row.setdefault("id", case_id(values["question"]))
    return row


def decoded(data: bytes) -> str:
    """UTF-8, with or without its mark, UTF-16 with one, else as Excel writes Chinese."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030", errors="replace")


def _text_rows(name: str, data: bytes) -> Iterator[Sequence[str]]:
    text = decoded(data)
    first = text.partition("\n")[0]
    tabs = name.lower().endswith(".tsv") or (first.count("\t") > first.count(","))
    semicolons = not tabs and first.count(";") > first.count(",")
    return csv.reader(io.StringIO(text, newline=""), delimiter="\t" if tabs else ";" if semicolons else ",")


def _excel_rows(name: str, data: bytes) -> Iterator[Sequence[str]]:
    import openpyxl

    try:
        sheet = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets[0]
        rows = [["" if cell is None else _cell(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    except Exception as error:  # a damaged workbook raises whatever its parts do
        raise FileError(
            Message(zh=f"{name} 不是可读的 Excel 文件（{error}）。", en=f"{name} is no readable workbook ({error})."),
            Message(zh="请在 Excel 中重新保存，或存为 CSV。", en="Save it in Excel again, or as CSV."),
        ) from error
    return iter(rows)


def _cell(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
