"""Question sets from files, whatever form they are in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from errors import FileError
from evaluation.lab.cases import LabCase, case_of, distinct_ids
from evaluation.lab.public_sets import is_beir, read_beir, read_json, read_rows
from evaluation.lab.tables import decoded, read_table
from schema import Message


def read_set(path: Path) -> list[LabCase]:
    """The cases of a file, or of a folder as BEIR has them. Raises FileError."""
    if path.is_dir():
        if not is_beir(path):
            raise _no_set(path.name)
        return distinct_ids(read_beir(path))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(
            Message(zh=f"读不到 {path}（{error.strerror}）。", en=f"{path} cannot be read ({error.strerror})."),
            Message(zh="请检查文件名。", en="Check its name."),
        ) from error
    return parse_set(path.name, data)


def parse_set(name: str, data: bytes) -> list[LabCase]:
    """The same of a file's bytes; its name tells the form: jsonl, json, csv, tsv, xlsx, yaml."""
    ending = name.lower().rpartition(".")[2]
    if ending in ("csv", "tsv", "xlsx"):
        return distinct_ids(read_table(name, data))
    text = decoded(data)
    found = _of_yaml(name, text) if ending in ("yaml", "yml") else _of_json(name, text)
    return distinct_ids(found)


def parse_jsonl(text: str) -> list[LabCase]:
    """Cases as `to_jsonl` writes them."""
    return parse_set("set.jsonl", text.encode())


def _of_json(name: str, text: str) -> Iterable[LabCase]:
    try:
        content = json.loads(text)
    except ValueError:
        rows = _lines(name, text)
        return read_rows(name, rows) or [case_of(row, f"{name}, {n}") for n, row in enumerate(rows, 1)]
    if isinstance(content, dict) and "data" not in content:
        content = [content]  # a file of one line
    cases = read_json(name, content)
    if cases is None:
        return _listed(name, content)
    return cases


def _lines(name: str, text: str) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(text.split("\n"), 1):  # within a string other signs of a line end are text
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise FileError(
                Message(zh=f"{name} 第 {number} 行不是 JSON。", en=f"{name}, line {number} is no JSON."),
                Message(zh="每行写一个 JSON 对象。", en="Write one JSON object a line."),
            ) from error
        if not isinstance(row, dict):
            raise _no_set(f"{name}, {number}")
        rows.append(row)
    return rows


def _of_yaml(name: str, text: str) -> Iterable[LabCase]:
    import yaml

    try:
        return _listed(name, yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise _no_set(name) from error


def _listed(name: str, content: Any) -> list[LabCase]:
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise _no_set(name)
    return [case_of(row, f"{name}, {number}") for number, row in enumerate(content, 1)]


def _no_set(name: str) -> FileError:
    return FileError(
        Message(zh=f"{name} 不是问题集。", en=f"{name} is no question set."),
        Message(
            zh="可读的格式有：JSONL、JSON、CSV、TSV、XLSX、YAML、BEIR 文件夹；docs/lab.md 有例子。",
            en="JSONL, JSON, CSV, TSV, XLSX, YAML and BEIR folders are read; docs/lab.md has examples.",
        ),
    )
