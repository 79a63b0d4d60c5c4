"""The table of the library: documents and files on their way as rows, filtered and sorted here, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, get_args

from answering.document_titles import list_labels
from schema import UNTOLD, Chunking, DocType, DocumentInfo, Language, Message, Origin, Stage, Status, Task
from text import fold
from ui.events import unreadable
from ui.texts import text

PAGE = 100  # rows that are sent at once
SIGNS: dict[Status, str] = {"pending": "🟡", "processing": "⏳", "completed": "✅", "failed": "❌", "skipped": "⏭"}
COLUMNS = ("name", "doc_set", "doc_type", "chunks", "status", "updated", "size")
_ORDER: list[Status] = ["processing", "pending", "failed", "skipped", "completed"]


class RowKey(NamedTuple):
    """What names a row: its document set and its name in it."""

    doc_set: str
    name: str

    def __str__(self) -> str:
        return json.dumps(self, ensure_ascii=False)

    @classmethod
    def of(cls, text: str) -> RowKey:
        """As a browser sends it back. Raises gr.Error."""
        try:
            doc_set, name = json.loads(text)
        except (ValueError, TypeError):
            raise unreadable() from None
        return cls(str(doc_set), str(name))


class Row(NamedTuple):
    """A document, a file on its way, or both: a new version of a stored one."""

    key: RowKey
    doc_type: str
    status: Status = "completed"
    chunks: int | None = None  # None: not stored yet
    chunking: Chunking | None = None
    updated: str = ""
    size: int = 0
    task: Task | None = None
    origin: Origin = UNTOLD
    problem: Message | None = None  # why it is not done

    @property
    def searchable_words(self) -> str:
        """Every word that it is found by."""
        return f"{self.key.name} {self.origin.title} {self.origin.url}"


class TableOrder(NamedTuple):
    """How the table is sorted, and which page of it is shown."""

    column: str = "updated"
    descending: bool = True
    page: int = 0


class RowQuery(NamedTuple):
    """Which rows are asked for, and in which order."""

    words: str = ""
    doc_set: str | None = None
    status: Status | None = None
    doc_type: str | None = None
    column: str = "updated"
    descending: bool = True
    page: int = 0


def document_rows(documents: Iterable[DocumentInfo]) -> dict[RowKey, Row]:
    return {
        key: Row(
            key,
            one.origin.doc_type,
            one.status,
            one.chunks,
            one.chunking,
            one.updated,
            one.size,
            None,
            one.origin,
            one.problem,
        )
        for one in documents
        for key in [RowKey(one.doc_set, one.name)]
    }


def with_tasks(stored: dict[RowKey, Row], tasks: Sequence[Task]) -> list[Row]:
    """Every row; what is on its way tells its state, also where an older version is stored."""
    if not tasks:
        return list(stored.values())
    rows = dict(stored)
    for task in tasks:
        key = RowKey(task.doc_set, task.name)
        old = stored.get(key)
        rows[key] = Row(
            key,
            old.doc_type if old else _kind_by_name(task.name),
            task.status,
            old.chunks if old else None,
            old.chunking if old else None,
            task.updated or (old.updated if old else ""),
            task.size or (old.size if old else 0),
            task,
            old.origin if old else task.origin,
            task.problem,
        )
    return list(rows.values())


def select(rows: Iterable[Row], wanted: RowQuery) -> list[Row]:
    """Those that are asked for, sorted; a word is found in name, title and address, whatever its case or script."""
    words = fold(wanted.words).lower().split()
    found = [
        row
        for row in rows
        if (wanted.doc_set is None or row.key.doc_set == wanted.doc_set)
        and (wanted.status is None or row.status == wanted.status)
        and (wanted.doc_type is None or row.doc_type == wanted.doc_type)
        and (not words or _has(row.searchable_words, words))
    ]
    found.sort(key=_SORT["name"])
    found.sort(key=_SORT[wanted.column], reverse=wanted.descending)
    return found


def _has(searchable: str, words: list[str]) -> bool:
    folded = fold(searchable).lower()
    return all(word in folded for word in words)


_SORT: dict[str, Any] = {
    "name": lambda row: (row.origin.title or row.key.name).lower(),
    "doc_set": lambda row: row.key.doc_set.lower(),
    "doc_type": lambda row: row.doc_type,
    "chunks": lambda row: -1 if row.chunks is None else row.chunks,
    "status": lambda row: _ORDER.index(row.status),
    "updated": lambda row: row.updated,
    "size": lambda row: row.size,
}


def table_value(found: Sequence[Row], wanted: RowQuery, total: int, opened: RowKey | None, language: Language) -> Any:
    """What table.js draws: text and numbers, never markup."""
    pages = max(1, -(-len(found) // PAGE))
    page = min(wanted.page, pages - 1)
    first = page * PAGE
    count = text("n_rows", language).format(len(found)) if len(found) == total else f"{len(found)} / {total}"
    empty = text("no_rows" if total else "empty_table", language)
    return {
        "heads": [{"column": column, "label": text(f"t_{column}", language)} for column in COLUMNS],
        "rows": [_cells(row, language) for row in found[first : first + PAGE]],
        "sorted": wanted.column,
        "descending": wanted.descending,
        "opened": str(opened) if opened else "",
        "empty": "" if found else empty,
        "count": count,
        "page": page,
        "pages": pages,
        "say": {key: text(f"js_{key}", language) for key in ("all", "choose", "open", "before", "next", "chosen")},
    }


def _cells(row: Row, language: Language) -> dict[str, Any]:
    title, address = list_labels(row.key.name, row.origin)
    state = state_of(row.status, row.task, language)
    return {
        "key": str(row.key),
        "name": title,
        "address": address,
        "doc_set": row.key.doc_set,
        "doc_type": kind_name(row.doc_type, language),
        "chunks": "–" if row.chunks is None else f"{row.chunks:,}",
        "status": row.status,
        "state": state,
        "fraction": round(row.task.fraction, 2) if row.task and row.status == "processing" else None,
        "note": row.problem.to(language) if row.problem else "",
        "updated": row.updated,
        "size": human_size(row.size),
    }


def state_of(status: Status, task: Task | None, language: Language) -> str:
    """“⏳ 处理中 · 切片 45%”."""
    waits = status == "pending" and task is None  # a stored document, for its vectors
    label = f"{SIGNS[status]} {text('st_no_vectors' if waits else f'st_{status}', language)}"
    if status == "processing" and task is not None and task.stage is not None:
        label += f" · {stage_name(task.stage, language)} {task.fraction:.0%}"
    return label


def stage_name(stage: Stage, language: Language) -> str:
    return text(f"stage_{stage}", language)


def kind_name(doc_type: str, language: Language) -> str:
    return text(f"k_{doc_type}", language)


def human_size(size: int) -> str:
    """1234567 -> "1.2 MB"; decimal units, as file managers show them."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" or value >= 99.5 else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def _kind_by_name(name: str) -> str:
    """Of a file that is not read yet, so that the table can be filtered by it; its content decides later."""
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    return extension if extension in get_args(DocType) else _EXTENSIONS.get(extension, "unknown")


_EXTENSIONS = {  # those that are not the kind's own name
    "md": "markdown", "txt": "text", "htm": "html", "mhtml": "html", "mht": "html", "docm": "docx", "pptm": "pptx",
    "xlsm": "xlsx", "xlsb": "xlsx", "tsv": "csv", "jsonl": "json", "ipynb": "notebook", "eml": "email",
    "msg": "email", "mbox": "email", "py": "code", "js": "code", "ts": "code", "java": "code", "go": "code",
    "rs": "code", "c": "code", "cpp": "code", "h": "code", "sql": "code", "sh": "code", "yaml": "code", "yml": "code",
}  # fmt: skip
