"""Asking the program that has a library open to do what only it can: by a file in its folder, answered by another.

A request is `NAME.json`; who takes it renames it to `NAME.taken`, and what came of it stands in `NAME.done`. Each is
written aside and renamed. Who asks may be gone by then, and so may who answers.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from errors import CitewiseError, StoreError
from schema import Message
from stores.folder import FolderHeld, FolderLock

log = logging.getLogger(__name__)

Job = Callable[..., list[Message]]

_FOLDER = "requests"
_LOOK = 0.5  # seconds between two looks for a request
_ASK = 0.1  # seconds between two looks for its answer
_ALIVE = 2.0  # seconds between two looks whether anybody holds the library
_PATIENCE = 3_600.0  # seconds: a large library is copied twice


class RequestServer:
    """The thread of the program that holds a library. A job gets the fields of its request, and returns what it did."""

    def __init__(self, folder: Path, jobs: Mapping[str, Job]) -> None:
        self._folder, self._jobs = folder / _FOLDER, jobs
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._attend, name="requests", daemon=True)
        for left in self._listed():  # of a time when nobody answered: who asked has given up, or asks again
            left.unlink(missing_ok=True)
        self._thread.start()

    def close(self) -> None:
        """When a job that is being done is done."""
        self._closing.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _listed(self) -> list[Path]:
        try:
            return sorted(self._folder.iterdir())
        except OSError:
            return []

    def _attend(self) -> None:
        while not self._closing.wait(_LOOK):
            for request in self._listed():
                if request.suffix == ".json" and not self._closing.is_set():
                    with suppress(OSError):  # who asked has thought better of it
                        self._answer(request)

    def _answer(self, request: Path) -> None:
        taken = request.with_suffix(".taken")
        os.replace(request, taken)
        try:
            fields = json.loads(taken.read_text(encoding="utf-8"))
            answer = {"said": self._jobs[fields.pop("job")](**fields)}
        except CitewiseError as error:
            answer = {"error": [error.message, *error.suggestions]}
        except Exception as error:  # the edge of the thread: who asked is told
            log.exception("a request could not be met")
            answer = {"error": [_defect(error)]}
        _write(request.with_suffix(".done"), answer)
        taken.unlink(missing_ok=True)


def send_request(folder: Path, job: str, **fields: Any) -> list[Message] | None:
    """What the program that holds a library has done; None when nobody holds it any more. Raises StoreError with its
    error, or when it does not answer."""
    request = folder / _FOLDER / f"{uuid.uuid4().hex}.json"
    stages = [request, request.with_suffix(".taken"), request.with_suffix(".done")]  # in this order it moves on
    end, look = time.monotonic() + _PATIENCE, time.monotonic() + _ALIVE
    try:
        request.parent.mkdir(exist_ok=True)
        while time.monotonic() < end:
            if not any(path.exists() for path in stages):
                _write(request, {"job": job, **fields})
            if stages[-1].exists():
                return _answer_messages(json.loads(stages[-1].read_text(encoding="utf-8")))
            if time.monotonic() > look:
                if not _held(folder):
                    return None
                look = time.monotonic() + _ALIVE
            time.sleep(_ASK)
    finally:
        for path in stages:
            path.unlink(missing_ok=True)
    raise StoreError(
        Message(zh="正在使用知识库的程序没有回应。", en="The program that has the library open does not answer."),
        Message(zh="请关闭它，然后重新运行这条命令。", en="Close it, then run this command again."),
    )


def _answer_messages(answer: dict[str, Any]) -> list[Message]:
    if "error" in answer:
        raise StoreError(*(Message(*one) for one in answer["error"]))
    return [Message(*one) for one in answer["said"]]


def _held(folder: Path) -> bool:
    try:
        FolderLock(folder).close()
    except FolderHeld:
        return True
    return False


def _write(path: Path, content: dict[str, Any]) -> None:
    aside = path.with_suffix(".new")
    aside.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    os.replace(aside, path)


def _defect(error: Exception) -> Message:
    what = type(error).__name__
    return Message(
        zh=f"那个程序出错了（{what}），详情在它的日志里。",
        en=f"That program has failed at it ({what}); its log tells more.",
    )
