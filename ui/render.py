"""Events -> chat messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from errors import CitewiseError
from graph.turn_result import TurnResult
from nodes.events import (
    Answered,
    Evaluated,
    Event,
    Failed,
    Offer,
    PlanMade,
    Progress,
    Replied,
    Reset,
    Token,
    Traced,
    Unsaved,
)
from providers.notices import without_repeats
from schema import Language, Message, Trace
from ui.answer_message import answer_message, offer_another
from ui.markers import linked_markdown
from ui.markup import literal, safe_markdown, unlinked
from ui.steps import ChatMessage, calls_line, files_step, plan_line, said, step
from ui.web import merge_web_event, offer_message, web_step
from web.gathering import Gathered


@dataclass
class TurnView:
    """The chat messages of one running turn, by part; `messages()` is what the chat shows."""

    language: Language
    parts: dict[str, ChatMessage] = field(default_factory=dict)
    files: dict[str, Progress] = field(default_factory=dict)
    pages: dict[str, Gathered] = field(default_factory=dict)
    result: TurnResult = field(default_factory=TurnResult)

    def messages(self) -> list[ChatMessage]:
        result, answer = self.result, self.result.base_answer
        if result.streamed and answer is None:
            found = len(result.evidence.hits) if result.evidence else 0
            self.parts["answer"] = said(linked_markdown(result.streamed, result.turn, found))
        shown = list(self.parts.values())
        return offer_another(shown, self.language) if answer and answer.remembered else shown

    def apply(self, event: Event) -> None:
        self.result.apply(event)
        match event:
            case PlanMade():
                self._show_plan(event.notices)
            case Progress():
                self.files[event.file] = event
                self.parts["files"] = files_step(self.files, self.language)
            case Gathered():
                merge_web_event(self.pages, event)
                self.parts["web"] = web_step(self.pages, self.language)
            case Token():
                self.parts.setdefault("answer", said(""))  # its place; the text is made when it is asked for
            case Reset(reason):
                self.parts.pop("answer", None)
                self.parts[f"reset {len(self.parts)}"] = step(reason.to(self.language), "")
            case Replied(reply):
                self.parts["reply"] = said(unlinked(safe_markdown(reply)))
                if self.files:  # what is not over goes on behind the conversation's back
                    self.parts["files"] = files_step(self.files, self.language, waited_for=False)
            case Answered(answer):
                self.parts.pop("answer", None)
                if answer.fallback_used:  # it says itself who failed
                    self._forget_resets()
                self._show_answer()
            case Evaluated():
                self._show_answer()
            case Traced(trace):
                self._show_trace(trace)
            case Offer():
                self.parts["offer"] = offer_message(event, self.language)
            case Unsaved(error):
                self.parts["unsaved"] = said(f"> ⚠ {literal(error.in_full.to(self.language))}")
            case Failed(error, _):
                if self.pages:
                    self.parts["web"] = web_step(self.pages, self.language, waited_for=False)
                self.parts["error"] = said(describe_error(error).to(self.language))

    def _show_plan(self, notices: tuple[Message, ...]) -> None:
        if line := plan_line(self.result.plan, notices, self.language, self.result.turn):
            self.parts["plan"] = line
        else:
            self.parts.pop("plan", None)

    def _show_answer(self) -> None:
        one = self.result
        if one.base_answer is not None:
            self.parts["answer"] = answer_message(one.base_answer, self.language, one.trace, one.turn, one.verdict)

    def _show_trace(self, trace: Trace) -> None:
        answer, planned = self.result.base_answer, self.result.planned
        if answer is None:
            if line := calls_line(trace, self.language, self.result.turn):
                self.parts["calls"] = line
            return
        self._forget_resets()  # from now on the answer says who stepped in, as it does when it is reread
        self._show_answer()
        if planned is not None:
            self._show_plan(without_repeats(planned.notices, trace.calls, answer.notices))

    def _forget_resets(self) -> None:
        self.parts = {key: message for key, message in self.parts.items() if not key.startswith("reset ")}


def describe_error(error: CitewiseError) -> Message:
    """What happened, what to do, what still works: one paragraph each."""
    parts = [error.message, *error.suggestions, *([error.still_works] if error.still_works else [])]
    return Message(
        zh="❌ " + "\n\n".join(literal(part.zh) for part in parts),
        en="❌ " + "\n\n".join(literal(part.en) for part in parts),
    )
