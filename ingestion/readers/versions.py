"""How a document was read, so that it can be told which ones a reader of today would read better."""

from __future__ import annotations

from collections.abc import Mapping

from ingestion.readers.ocr import can_read
from schema import DocType, Origin

# Of readers by the type of their files, 1 where none is named: raised by a change that finds more in files that were
# read before.
VERSIONS: Mapping[DocType, int] = {"pdf": 2, "email": 2}  # tables
_PICTURED = frozenset({"pdf", "docx", "odt", "pptx", "odp", "epub", "image", "email"})
LATER = "later"  # of a document whose text is stored, and whose pictures are read next
AGAIN = "again"  # in the origin of a task: the file is to be read, whatever is stored of it


def reader_stamp(doc_type: DocType, engine: str) -> str:
    """What a document's origin keeps of its reader: its version where that is not the first, and whether pictures
    could be read."""
    version = VERSIONS.get(doc_type, 1)
    return " ".join(
        [*([f"v{version}"] if version > 1 else []), *(["ocr"] if doc_type in _PICTURED and can_read(engine) else [])]
    )


def is_outdated(origin: Origin, engine: str) -> bool:
    """Whether a newer reader is here, or one that reads pictures; one that no longer does is no reason."""
    before, today = set(origin.reader.split()), set(reader_stamp(origin.doc_type, engine).split())
    return bool(today - before)
