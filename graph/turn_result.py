"""What a turn comes to, as its events tell it, and as one answer."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from time import perf_counter

import schema
from answering.confidence import is_answered
from answering.doubts import doubts
from errors import CitewiseError
from nodes.events import (
    Answered,
    Evaluated,
    Event,
    EvidenceFound,
    Failed,
    Offer,
    PlanMade,
    Progress,
    Replied,
    Reset,
    Token,
    Traced,
    TurnBegun,
    Unsaved,
)
from providers.notices import without_repeats
from schema import Coverage, Evidence, Message, Plan, Trace, Verdict
from web.visit import Gathered


@dataclass(frozen=True, slots=True)
class TurnAnswer(schema.Answer):
    """`str(answer)` is its text with markers; `statements` hold the checked citations, `sources` what they point to.

    What is no question gets a hint as text, without sources.
    """

    verdict: Verdict | None = None  # None: not evaluated
    plan: Plan | None = None  # how the question was understood
    trace: Trace | None = None
    coverage: Coverage | None = None  # whether the library holds what was asked; None: answered before, or no question

    def __str__(self) -> str:
        return self.text


@dataclass
class TurnResult:
    """What the events of a turn come to. They are folded here and nowhere else: readers look at the fields."""

    turn: str = ""  # its id, once it has begun
    planned: PlanMade | None = None
    evidence: Evidence | None = None
    coverage: Coverage | None = None
    streamed: str = ""  # of the answer
    first_word: float | None = None  # seconds until it
    text: str = ""  # of a reply that is no answer
    base_answer: schema.Answer | None = None
    answered_after: float | None = None  # seconds
    verdict: Verdict | None = None
    trace: Trace | None = None
    storing: bool = False  # files of the message are on their way
    searched: bool = False  # the web
    offer: Offer | None = None
    unsaved: CitewiseError | None = None
    failed: Failed | None = None
    _begun: float = field(default_factory=perf_counter)

    def apply(self, event: Event) -> None:
        match event:
            case TurnBegun():
                self.turn = event.turn
            case PlanMade():
                self.planned = event
            case Progress():
                self.storing = True
            case Gathered():
                self.searched = True
            case EvidenceFound():
                self.evidence, self.coverage = event.evidence, event.coverage
            case Token():
                self.streamed += event.text
                self.first_word = self.first_word or self.seconds
            case Reset():  # what the reader keeps is still to come
                self.streamed, self.first_word = "", None
            case Replied():
                self.text = event.text
            case Answered():
                self.base_answer, self.answered_after = event.answer, self.seconds
            case Evaluated():
                self.verdict = event.verdict
            case Traced():
                self.trace = event.trace
            case Offer():
                self.offer = event
            case Unsaved():
                self.unsaved = event.error
            case Failed():
                self.failed = event

    @property
    def seconds(self) -> float:
        """Since the turn began."""
        return perf_counter() - self._begun

    @property
    def plan(self) -> Plan:
        return self.planned.plan if self.planned else Plan()

    @property
    def notices(self) -> tuple[Message, ...]:
        """Of the plan, and that the conversation could not be stored."""
        return (*(self.planned.notices if self.planned else ()), *([self.unsaved.in_full] if self.unsaved else []))

    def answer(self) -> TurnAnswer:
        """For whoever asks and does not watch. Raises the CitewiseError that has ended the turn."""
        if self.failed is not None:
            raise self.failed.error
        if self.base_answer is None:
            return TurnAnswer(
                self.text, language=self.plan.language, answered_by="", notices=self.notices, plan=self.plan,
                trace=self.trace,
            )  # fmt: skip
        given = {field.name: getattr(self.base_answer, field.name) for field in fields(schema.Answer)}
        given["notices"] = (*self.notices, *self.base_answer.notices, *doubts(self.base_answer.statements))
        given["notices"] = without_repeats(given["notices"], self.trace.calls if self.trace else ())
        if self.coverage and not is_answered(self.coverage, self.base_answer.confidence):
            given["notices"] += (_not_covered(self.coverage, web_may_help=not (self.searched or self.plan.scope)),)
        return TurnAnswer(**given, verdict=self.verdict, plan=self.plan, trace=self.trace, coverage=self.coverage)


def _not_covered(coverage: Coverage, web_may_help: bool) -> Message:
    score = f"{coverage.score:.2f} < {coverage.threshold:.2f}"
    remedy = Message(zh="请补充相关文件。", en="Add files on it.")
    if web_may_help:
        remedy = Message(zh="请补充相关文件，或用 web=True 上网搜索。", en="Add files on it, or ask with web=True.")
    return Message(
        zh=f"知识库似乎没有涵盖这个问题（{score}）。{remedy.zh}",
        en=f"The library does not seem to cover this question ({score}). {remedy.en}",
    )
