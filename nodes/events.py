"""What a turn tells while it runs. The page, the API and the benchmarks read these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from errors import CitewiseError
from schema import Answer, Coverage, Evidence, Message, Plan, StoreOutcome, Trace, Verdict
from web.visit import Gathered


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """The first event: the turn is known by the id of its question."""

    turn: str


@dataclass(frozen=True, slots=True)
class PlanMade:
    """What was understood, and what will be done differently from what was asked, and why."""

    plan: Plan
    notices: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """A file on its way into the library; `fraction` in [0, 1] over all its stages."""

    file: str
    stage: Literal["read", "chunk", "embed", "store", "done", "failed"]
    fraction: float
    stored: StoreOutcome | None = None
    error: CitewiseError | None = None
    done: int = 0  # files of the message that are over by now, whether or not they are told one by one
    total: int = 0  # files of the message


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    evidence: Evidence
    coverage: Coverage | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """Text of the answer, to be appended. Its markers are verified already."""

    text: str


@dataclass(frozen=True, slots=True)
class Reset:
    """The text so far is void: another answer starts."""

    reason: Message


@dataclass(frozen=True, slots=True)
class Replied:
    """A reply that is no answer from the library: what was saved, a hint."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    answer: Answer


@dataclass(frozen=True, slots=True)
class Evaluated:
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Traced:
    """Who computed, and what took how long, so far."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be done next if the person agrees."""

    action: Literal["fetch_web"]
    text: Message
    question: str


@dataclass(frozen=True, slots=True)
class Unsaved:
    """All was said, but the conversation could not be written to the disk."""

    error: CitewiseError


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn could not be finished. `error_id` is in the log when the cause is a defect."""

    error: CitewiseError
    error_id: str | None = None


Event = (
    TurnBegun
    | PlanMade
    | Progress
    | Gathered  # a page of the web on its way
    | EvidenceFound
    | Token
    | Reset
    | Replied
    | Answered
    | Evaluated
    | Traced
    | Offer
    | Unsaved
    | Failed
)
