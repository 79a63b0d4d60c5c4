"""The bridge between the names in the recordings and the names in the product. After a renaming, edit this file."""

from __future__ import annotations

# Events: the class in the product -> the name in the recording. An event that is missing here is an error.
EVENTS = {
    "TurnBegun": "TurnBegun",
    "PlanMade": "PlanMade",
    "Progress": "Progress",
    "Gathered": "Gathered",
    "EvidenceFound": "EvidenceFound",
    "Token": "Token",
    "Reset": "Reset",
    "Replied": "Replied",
    "Answered": "Answered",
    "Evaluated": "Evaluated",
    "Traced": "Traced",
    "Offer": "Offer",
    "Unsaved": "Unsaved",
    "Failed": "Failed",
}

# Fields of events and of everything in them, as "Class.field" of the product -> the name in the recording. A field that
# is not listed keeps its name; None leaves it out: ids, times, and counts that depend on them.
FIELDS: dict[str, str | None] = {
    "TurnBegun.turn": None,
    "Failed.error_id": None,
    "Turn.id": None,
    "Turn.thread": None,
    "Hit.chunk_id": None,
    "Hit.updated": None,
    "Hit.language": None,  # newer than the recordings
    "ConsideredPassage.chunk_id": None,
    "Evidence.seconds": None,
    "Answer.seconds": None,
    "Verdict.seconds": None,
    "Step.seconds": None,
    "Call.seconds": None,
    "Call.first_token": None,
    "DocumentInfo.id": None,
    "DocumentInfo.updated": None,
    "Origin.timestamp": None,
    "Origin.stamp": None,
    "Origin.source": None,
}

# Tables and columns of the library's database: the name in the database -> the name in the recording.
TABLES: dict[str, str] = {}
COLUMNS: dict[str, str] = {}


def event_name(kind: type) -> str:
    return EVENTS[kind.__name__]


def field_name(kind: type, field: str) -> str | None:
    """The recorded name; None: it is not recorded. A subclass goes by the name under which its field was defined."""
    for one in kind.__mro__:
        if (known := f"{one.__name__}.{field}") in FIELDS:
            return FIELDS[known]
    return field
