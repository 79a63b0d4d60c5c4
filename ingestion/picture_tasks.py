"""A file that has text and pictures is stored with its text at once; what is written in the pictures follows.

To recognise a picture takes seconds, and nobody who asks about the text waits for it. The file is read a second time
from its original, as by `reread`, which also takes up what was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from errors import CitewiseError
from ingestion.job_runner import FileJob
from ingestion.readers.base import OcrNeeded
from ingestion.readers.versions import AGAIN, LATER
from ingestion.rereading import kept_file
from schema import IncomingFile, Scope, StoreOutcome, Task
from settings import Settings
from stores.base import Store


def may_follow(store: Store, settings: Settings, job: FileJob, why: OcrNeeded) -> bool:
    """Whether the text of a file may be stored before its pictures are read: not where it would take the place of a
    document whose pictures are, nor where no original is kept to read them from."""
    if not why.has_text or job.pictures_later or job.origin.reader == AGAIN:
        return False
    with suppress(OSError):
        if Path(job.path).stat().st_size <= settings.max_original_mb * 1_000_000:
            return not store.documents(Scope(documents=(job.name,), doc_sets=(job.doc_set,)))
    return False


def with_pictures_to_read(
    store: Store, outcomes: Iterable[tuple[Task, StoreOutcome | CitewiseError]]
) -> Iterator[IncomingFile]:
    """Of files that were stored, those whose pictures are still to be read."""
    for _, what in outcomes:
        info = what.document if isinstance(what, StoreOutcome) and what.document.origin.reader == LATER else None
        if info and (file := kept_file(store, info.name, info.doc_set)):
            yield file
