"""What a turn has told, as one answer: for whoever asks and does not watch."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import schema
from answering.doubts import doubts
from nodes.events import Answered, Evaluated, Event, EvidenceFound, Failed, PlanMade, Replied, Traced, Unsaved
from providers.notices import without_repeats
from schema import Coverage, Message, Plan, Trace, Verdict
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
    """What a turn has told, to be made an answer of."""

    plan: Plan = field(default_factory=Plan)
    notices: tuple[Message, ...] = ()
    text: str = ""  # that is no answer
    base_answer: schema.Answer | None = None
    verdict: Verdict | None = None
    trace: Trace | None = None
    coverage: Coverage | None = None
    searched: bool = False  # the web

    def apply(self, event: Event) -> None:
        """Raises the CitewiseError that has ended the turn."""
        match event:
            case Failed(error):
                raise error
            case PlanMade():
                self.plan, self.notices = event.plan, event.notices
            case Unsaved(error):
                self.notices += (error.in_full,)
            case Replied(text):
                self.text = text
            case Gathered():
                self.searched = True
            case EvidenceFound():
                self.coverage = event.coverage
            case Answered():
                self.base_answer = event.answer
            case Evaluated():
                self.verdict = event.verdict
            case Traced():
                self.trace = event.trace

    def answer(self) -> TurnAnswer:
        if self.base_answer is None:
            return TurnAnswer(
                self.text, language=self.plan.language, answered_by="", notices=self.notices, plan=self.plan,
                trace=self.trace,
            )  # fmt: skip
        given = {field.name: getattr(self.base_answer, field.name) for field in fields(schema.Answer)}
        given["notices"] = (*self.notices, *self.base_answer.notices, *doubts(self.base_answer.statements))
        given["notices"] = without_repeats(given["notices"], self.trace.calls if self.trace else ())
        if self.coverage and not self.coverage.covered:
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
