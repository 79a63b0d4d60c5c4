"""Events -> chat messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from answering.doubts import doubts
from answering.origins import title_of
from answering.places import place_of
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
from providers.notices import said_once
from schema import Answer, Citation, Coverage, Evidence, Hit, Language, Message, Place, Trace
from ui.links import BESIDE, link
from ui.markers import linked_markdown
from ui.markup import fenced, literal, safe_markdown, unlinked
from ui.origins import whence
from ui.steps import ChatMessage, files_step, plan_step, step, trace_step, verdict_step
from ui.texts import text
from ui.web import followed, offer_message, web_step
from web.gathering import Gathered

QUOTE = 200  # characters of a source in the chat; the reader shows it whole
CLOSEST = 5  # passages that are shown where none is cited


@dataclass
class TurnView:
    """The chat messages of one running turn, by part; `messages()` is what the chat shows."""

    language: Language
    parts: dict[str, ChatMessage] = field(default_factory=dict)
    files: dict[str, Progress] = field(default_factory=dict)
    pages: dict[str, Gathered] = field(default_factory=dict)
    evidence: Evidence | None = None
    coverage: Coverage | None = None
    answer: Answer | None = None
    planned: PlanMade | None = None
    streamed: str = ""
    turn: str = ""
    stopped: bool = False

    def messages(self) -> list[ChatMessage]:
        if self.streamed:
            found = len(self.evidence.hits) if self.evidence else 0
            self.parts["answer"] = _said(linked_markdown(self.streamed, self.turn, found))
        shown = list(self.parts.values())
        return offer_another(shown, self.language) if self.answer and self.answer.remembered else shown

    def apply(self, event: Event) -> None:
        match event:
            case TurnBegun(turn):
                self.turn = turn
            case PlanMade(plan, notices):
                self.planned = event
                self.parts["plan"] = plan_step(plan, notices, self.language)
            case Progress():
                self.files[event.file] = event
                self.parts["files"] = files_step(self.files, self.language)
            case Gathered():
                followed(self.pages, event)
                self.parts["web"] = web_step(self.pages, self.language)
            case EvidenceFound(evidence, coverage):
                self.evidence, self.coverage = evidence, coverage
            case Token(new):
                self.streamed += new
                self.parts.setdefault("answer", _said(""))  # its place; the text is made when it is asked for
            case Reset(reason):
                self.streamed = ""
                self.parts.pop("answer", None)
                self.parts[f"reset {len(self.parts)}"] = step(reason.to(self.language), "")
            case Replied(reply):
                self.parts["reply"] = _said(unlinked(safe_markdown(reply)))
                if self.files:  # what is not over goes on behind the conversation's back
                    self.parts["files"] = files_step(self.files, self.language, waited_for=False)
            case Answered(answer):
                self.streamed, self.answer = "", answer
                self.parts.pop("answer", None)
                if answer.fallback_used:  # it says itself who failed
                    self._forget_resets()
                self.parts.update(answer_messages(answer, self.evidence, self.language, None, self.turn))
            case Evaluated(verdict):
                self.parts["verdict"] = verdict_step(
                    verdict, self.answer.statements if self.answer else (), self.language
                )
            case Traced(trace) if trace.calls or "answer" in self.parts:
                if self.answer is not None:  # from now on the answer says who stepped in, as it does when it is reread
                    self._forget_resets()
                    self.parts.update(answer_messages(self.answer, self.evidence, self.language, trace, self.turn))
                    if self.planned is not None:
                        left = said_once(self.planned.notices, trace.calls, self.answer.notices)
                        self.parts["plan"] = plan_step(self.planned.plan, left, self.language)
                self.parts["trace"] = trace_step(trace, self.language, self.coverage)
            case Offer():
                self.parts["offer"] = offer_message(event, self.language)
            case Unsaved(error):
                self.parts["unsaved"] = _said(f"> ⚠ {literal(error.in_full.to(self.language))}")
            case Failed(error, _):
                if self.pages:
                    self.parts["web"] = web_step(self.pages, self.language, waited_for=False)
                self.parts["error"] = _said(describe_error(error).to(self.language))

    def _forget_resets(self) -> None:
        self.parts = {key: message for key, message in self.parts.items() if not key.startswith("reset ")}


def _said(content: str) -> ChatMessage:
    return {"role": "assistant", "content": content}


# --- the answer --------------------------------------------------------------------------------------------------


def answer_messages(
    answer: Answer, evidence: Evidence | None, language: Language, trace: Trace | None = None, turn: str = ""
) -> dict[str, ChatMessage]:
    """The answer with its warnings, a line for each source, and folded what they say."""
    zh = language == "zh"
    parts = [linked_markdown(answer.text, turn, len(answer.sources), answer.statements)]
    if answer.remembered:
        parts.append(f"> {_remembered(answer.remembered).to(language)}")
    notices = said_once((*_stepped_in(answer, trace), *answer.notices), trace.calls if trace else ())
    parts += [f"> ⚠ {literal(notice.to(language))}" for notice in (*notices, *doubts(answer.statements))]
    below = []
    if answer.sources:
        label = _answered_by(answer).to(language)
        confidence = f"{'置信度' if zh else 'confidence'} {answer.confidence:.0%}"
        below.append(f"*{literal(label)} · {confidence} · {answer.seconds:.1f} s*")
    if turn:
        beside = [f"[{text(f'd_{kind}', language)}]({link(kind, turn)})" for kind in BESIDE]
        below.append(" · ".join([*beside, f"[{text('ask_again', language)}]({link('again', turn)})"]))
    parts.append("  \n".join(below))
    found = {"answer": _said("\n\n".join(filter(None, parts)))}
    cited = _cited(answer)
    if cited:
        named = [_named(answer.sources[n], n + 1, some, language, turn) for n, some in cited.items()]
        found["sources"] = _said(f"**{'来源' if zh else 'Sources'}**  \n" + "  \n".join(named))
        quoted = [_quoted_source(answer.sources[n], n + 1, some, language) for n, some in cited.items()]
        found["passages"] = step(
            f"引用的原文（{len(quoted)}）" if zh else f"Cited passages ({len(quoted)})", _ruled(quoted)
        )
    elif hits := (answer.sources or (evidence.hits if evidence else ()))[:CLOSEST]:
        shown = [f"{_named(hit, n, (), language)}\n\n{_preview(hit.text)}" for n, hit in enumerate(hits, 1)]
        found["passages"] = step(
            f"最接近的片段（{len(hits)}）" if zh else f"Closest passages ({len(hits)})", _ruled(shown)
        )
    return found


def offer_another(shown: list[ChatMessage], language: Language) -> list[ChatMessage]:
    """A button that asks for a new answer, on the last message: Gradio shows it on no other."""
    words = text("again", language)
    return [*shown[:-1], {**shown[-1], "options": [{"value": words, "label": words}]}]


def _remembered(given: str) -> Message:
    at = f"{given[:10]} {given[11:16]} UTC"
    return Message(
        zh=f"这是先前（{at}）对同一问题的回答，此后知识库没有变化。",
        en=f"This is the answer that the same question had before ({at}); the library has not changed since.",
    )


def _stepped_in(answer: Answer, trace: Trace | None) -> list[Message]:
    """Why those who were asked before did not answer, and who did instead."""
    asked = [call for call in trace.calls if call.purpose in ("answer", "refine")] if trace else []
    failed = list(dict.fromkeys(call.error for call in asked if call.error is not None))
    if not failed or answer.fallback_used:
        return []
    who = answer.answered_by
    zh, en = "".join(why.zh for why in failed), " ".join(why.en for why in failed)
    return [Message(zh=f"{zh}改由 {who} 回答。", en=f"{en} {who} answered instead.")]


def _answered_by(answer: Answer) -> Message:
    if answer.fallback_used:
        return Message(zh="由原文句子摘录而成（未使用模型）", en="extracted from the sources, no model used")
    if any(not statement.comparable for statement in answer.statements):
        return Message(
            zh=f"由 {answer.answered_by} 回答；有来源是另一种语言，只核对了数字和名称",
            en=f"by {answer.answered_by}; where a source is in another language only numbers and names were checked",
        )
    return Message(zh=f"由 {answer.answered_by} 回答，引用已核对", en=f"by {answer.answered_by}, citations checked")


def _cited(answer: Answer) -> dict[int, list[Citation]]:
    """The citations of each cited source, by its index, in order of the markers."""
    cited: dict[int, list[Citation]] = {}
    for statement in answer.statements:
        for citation in statement.citations:
            cited.setdefault(citation.source, []).append(citation)
    return dict(sorted(cited.items()))


def _named(hit: Hit, number: int, citations: Sequence[Citation], language: Language, turn: str = "") -> str:
    """ "[2] [report.pdf (page 3)](#source/…) · HR › Results": a link into the reader, and one to where it is from."""
    name, *headings = title_of(hit)
    words = literal(f"{name} ({place_of(hit, citations).to(language)})")
    if turn:
        words = f"[{words}]({link('source', turn, number)})"
    above = literal(" › ".join(filter(None, [hit.doc_set, *headings])))
    others = (", " if language == "en" else "、").join(literal(other) for other in hit.also_in)
    others = others and Message(f"同样见于 {others}", f"also in {others}").to(language)
    return " · ".join(filter(None, [rf"\[{number}\] {words}", above, whence(hit, language, citations), others]))


def _quoted_source(hit: Hit, number: int, citations: list[Citation], language: Language) -> str:
    """The passages of a source that carry the answer; on several pages, each under its own."""
    by_place: dict[tuple[Place, ...], list[Citation]] = {}
    for citation in sorted(citations, key=lambda c: c.start):
        by_place.setdefault(citation.places, []).append(citation)
    named = _named(hit, number, citations, language)
    if len(by_place) == 1 or any(place.kind != "page" for places in by_place for place in places):
        return f"{named}\n\n{_quoted(hit, citations)}"
    quoted = [f"{literal(place_of(hit, some).to(language))}\n\n{_quoted(hit, some)}" for some in by_place.values()]
    return "\n\n".join([named, *quoted])


def _quoted(hit: Hit, citations: list[Citation]) -> str:
    quotes: list[tuple[int, int]] = []  # passages may overlap
    for c in sorted(citations, key=lambda c: c.start):
        if quotes and c.start < quotes[-1][1]:
            quotes[-1] = (quotes[-1][0], max(c.end, quotes[-1][1]))
        else:
            quotes.append((c.start, c.end))
    return _preview("\n".join(hit.text[start - hit.start : end - hit.start] for start, end in quotes))


def _preview(passage: str) -> str:
    return fenced(passage if len(passage) <= QUOTE else f"{passage[:QUOTE]}...")


def _ruled(parts: list[str]) -> str:
    return "\n\n---\n\n".join(parts)


# --- errors ------------------------------------------------------------------------------------------------------


def describe_error(error: CitewiseError) -> Message:
    """What happened, what to do, what still works: one paragraph each."""
    parts = [error.message, *error.suggestions, *([error.still_works] if error.still_works else [])]
    return Message(
        zh="❌ " + "\n\n".join(literal(part.zh) for part in parts),
        en="❌ " + "\n\n".join(literal(part.en) for part in parts),
    )
