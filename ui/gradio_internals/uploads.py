"""What Gradio keeps of uploads: nothing of one that broke off, and a file no longer than until it was handed on.

Its own parser leaves what it has written when the sender goes away or the disk is full, and swept is once a day alone.
"""

from __future__ import annotations

import errno
import logging
import os
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import gradio as gr
from fastapi import HTTPException
from gradio import route_utils, routes
from starlette.requests import ClientDisconnect

from schema import Message

log = logging.getLogger(__name__)

NO_ROOM = Message(
    zh="文件没有上传：磁盘已满或不可写。请腾出空间后重试；提问和删除文件照常可用。",
    en="Not uploaded: the disk is full or cannot be written. Make room and try again. Asking and deleting work.",
)
_arrived: Counter[str] = Counter()  # by path: how often it was uploaded and not handed on; the same file has one path
_parsers: ContextVar[list[route_utils.GradioMultiPartParser]] = ContextVar("_parsers")
_upload = route_utils.upload_fn


class _KnownParser(route_utils.GradioMultiPartParser):
    """Known to the request that it is made for."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        _parsers.get([]).append(self)


async def upload_function(*given: Any, **named: Any) -> Any:
    """Gradio's `upload_fn`; of an upload that fails nothing is left."""
    parsers: list[route_utils.GradioMultiPartParser] = []
    token = _parsers.set(parsers)
    try:
        made = await _upload(*given, **named)
    except BaseException as error:
        for file in [file for parser in parsers for file in parser._files_to_close_on_error]:
            with suppress(OSError):
                file.close()  # writes what it still holds
            with suppress(OSError):
                os.unlink(file.name)
        if isinstance(error, ClientDisconnect):
            raise HTTPException(499) from None  # nobody reads it
        if isinstance(error, OSError):
            log.warning("an upload failed: %s", errno.errorcode.get(error.errno or 0, error))
            raise HTTPException(507, f"{NO_ROOM.zh}\n{NO_ROOM.en}") from error
        raise
    finally:
        _parsers.reset(token)
    _arrived.update(str(path) for path in made[0])
    return made


def drop_gradio_copies(paths: Iterable[str]) -> None:
    """Gradio's copies of what the library has taken or refused go; what another page has uploaded as well stays until
    it is handed on there, and what was not uploaded here stays."""
    for path in map(str, paths):
        if path not in _arrived:
            continue
        _arrived[path] -= 1
        if not _arrived[path]:
            del _arrived[path]
            with suppress(OSError):
                os.unlink(path)
                os.rmdir(os.path.dirname(path))  # named after the content


def has_uploads(page: gr.Blocks) -> bool:
    """Whether files have arrived on a page that were not handed on: somebody is about to send them."""
    return any(_arrived.get(str(path)) for path in page.upload_file_set)


def tidy_uploads() -> None:
    """Let Gradio's address for uploads do so."""
    route_utils.GradioMultiPartParser = _KnownParser  # type: ignore[misc]
    routes.upload_fn = upload_function  # type: ignore[attr-defined]
