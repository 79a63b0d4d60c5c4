"""What was fetched and answered, kept as files: to look up, to use again, to see what went wrong."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json, to_jsonable_python

from errors import CitewiseError
from schema import Message, WebDocument
from web.base import WebError

log = logging.getLogger(__name__)

FOLDER = "webis_documents"
_LONGEST = 120  # bytes of a query in a file name: of what a file system takes (143 where it encrypts) the rest is ours
_STAMP = "%Y%m%d_%H%M%S"
_unsafe = re.compile(r"[\W_]+")
_ours = re.compile(r"(?:webis_docs_.+|agent_answer)_(\d{8}_\d{6})(?:_\d+)?\.json(?:\.part)?")


class Records:
    """Records of fetches in `folder`/webis_documents, of answers in `folder`. A file is there whole or not at all.

    What is older than `days` (by the time in its name; 0: never) is deleted when something is saved.
    """

    def __init__(
        self, folder: Path, days: float, *, embeddings: bool = True, now: Callable[[], datetime] = datetime.now
    ) -> None:
        self._answers, self._documents = folder, folder / FOLDER
        self._days, self._embeddings, self._now = days, embeddings, now

    def save(self, query: str, documents: Sequence[WebDocument]) -> Path:
        """Everything that is known of them. Raises WebError where nothing can be written."""
        return self._save_documents(f"webis_docs_{safe_name(query)}", query, documents, {})

    def save_fallback(self, query: str, documents: Sequence[WebDocument], error: CitewiseError) -> Path:
        """What there is of a run that failed, and why it did. Raises WebError."""
        problem = {"kind": error.kind, **error.in_full._asdict()}
        return self._save_documents(f"webis_docs_fallback_{safe_name(query)}", query, documents, {"error": problem})

    def save_answer(self, result: Mapping[str, Any]) -> Path:
        """A result of `handle_query`. Raises WebError."""
        text = json.dumps(to_jsonable_python(result), ensure_ascii=False, indent=1)
        return self._save(self._answers, "agent_answer", self._now(), text.encode("utf-8", "replace"))

    def load(self, path: Path) -> list[WebDocument]:
        """The documents of a record, as they were saved. Raises WebError for what is no record."""
        try:
            written = json.loads(path.read_text(encoding="utf-8"))
            return [WebDocument.from_json(one) for one in written["documents"]]
        except (OSError, ValueError, LookupError, TypeError, RecursionError, ValidationError) as error:
            raise WebError(
                Message(zh=f"“{path.name}”不是完整的抓取记录。", en=f'"{path.name}" is no whole record of a fetch.'),
                Message(zh="请重新抓取。", en="Fetch again."),
            ) from error

    def clean(self) -> None:
        """Delete the records that are too old, and nothing else."""
        if not self._days:
            return
        oldest = self._now() - timedelta(days=self._days)
        for folder in (self._documents, self._answers):
            for path in folder.glob("*_*.json*"):
                named = _ours.fullmatch(path.name)
                with suppress(OSError, ValueError):
                    if named and path.is_file() and datetime.strptime(named[1], _STAMP) < oldest:
                        path.unlink()

    def _save_documents(self, name: str, query: str, documents: Sequence[WebDocument], more: Mapping[str, Any]) -> Path:
        now = self._now()
        head = {
            "query": query,
            "timestamp": now.isoformat(timespec="seconds"),
            "document_count": len(documents),
            **more,
        }
        # One at a time: encoding holds up all other threads, and of 30 pages their vectors alone are 40 MB.
        lines = b",\n".join(_json(document.to_json(self._embeddings)) for document in documents)
        return self._save(self._documents, name, now, _json(head)[:-1] + b',"documents":[\n' + lines + b"\n]}\n")

    def _save(self, folder: Path, name: str, now: datetime, data: bytes) -> Path:
        name = f"{name}_{now.strftime(_STAMP)}"
        aside = folder / f"{name}_{secrets.randbits(64)}.json.part"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                aside.write_bytes(data)
                path = _placed(aside, folder / name)
            finally:
                aside.unlink(missing_ok=True)
        except OSError as error:
            raise WebError(
                Message(
                    zh=f"记录无法写入“{folder}”：{error.strerror}。",
                    en=f'The record cannot be written to "{folder}": {error.strerror}.',
                ),
                Message(zh="请检查磁盘空间和写入权限。", en="Check the free space and the permission to write."),
            ) from error
        self.clean()
        return path


def _json(content: Any) -> bytes:
    """A tenth of the time of `json.dumps`, which knows what half a surrogate pair is: "?"."""
    try:
        return to_json(content)
    except ValueError:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def safe_name(query: str) -> str:
    """The query as a part of a file name, on any system: letters and digits of all scripts, "_" for the rest."""
    words = _unsafe.sub("_", unicodedata.normalize("NFC", query)).strip("_")
    return words.encode("utf-8", "ignore")[:_LONGEST].decode("utf-8", "ignore").strip("_") or "query"


def _placed(aside: Path, wanted: Path) -> Path:
    """The file under the name that is wanted, with a number behind it where somebody else has that."""
    for number in count(1):
        path = wanted.with_name(f"{wanted.name}{f'_{number}' if number > 1 else ''}.json")
        try:
            os.link(aside, path)
        except FileExistsError:
            continue
        except OSError:  # a file system without links
            if path.exists():
                continue
            os.replace(aside, path)
        return path
    raise AssertionError("count ends")
