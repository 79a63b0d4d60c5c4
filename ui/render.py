"""Events -> chat messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from answering.origins import title_of
from answering.places import link_to, place_of
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
)
from schema import Answer, Citation, Coverage, Evidence, Hit, Language, Message, Place, Statement, Trace
from ui.markup import fenced, literal, safe_markdown, unlinked
from ui.origins import whence
from ui.steps import ChatMessage, files_step, plan_step, step, trace_step, verdict_step
from ui.texts import text
from ui.web import followed, offer_message, web_step
from web.gathering import Gathered

QUOTE = 300  # characters of a source that are shown unfolded


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
    streamed: str = ""
    stopped: bool = False

    def messages(self) -> list[ChatMessage]:
        if self.streamed:
            self.parts["answer"] = _said(safe_markdown(self.streamed))
        shown = list(self.parts.values())
        return offer_another(shown, self.language) if self.answer and self.answer.remembered else shown

    def apply(self, event: Event) -> None:
        match event:
            case PlanMade(plan, notices):
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
                self.parts.update(answer_messages(answer, self.evidence, self.language))
            case Evaluated(verdict):
                self.parts["verdict"] = verdict_step(
                    verdict, self.answer.statements if self.answer else (), self.language
                )
            case Traced(trace) if trace.calls or "answer" in self.parts:
                if self.answer is not None:  # from now on the answer says who stepped in, as it does when it is reread
                    self._forget_resets()
                    self.parts.update(answer_messages(self.answer, self.evidence, self.language, trace))
                self.parts["trace"] = trace_step(trace, self.language, self.coverage)
            case Offer():
                self.parts["offer"] = offer_message(event, self.language)
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
    answer: Answer, evidence: Evidence | None, language: Language, trace: Trace | None = None
) -> dict[str, ChatMessage]:
    """The answer with its warnings, its sources unfolded, what else was found folded."""
    zh = language == "zh"
    parts = [safe_markdown(answer.text)]
    if answer.remembered:
        parts.append(f"> {_remembered(answer.remembered).to(language)}")
    notices = [*_stepped_in(answer, trace), *answer.notices]
    parts += [f"> ⚠ {literal(notice.to(language))}" for notice in notices]
    parts += [f"> ⚠ {_complaint(statement).to(language)}" for statement in answer.statements if _is_doubtful(statement)]
    if answer.sources:
        label = _answered_by(answer).to(language)
        confidence = f"{'置信度' if zh else 'confidence'} {answer.confidence:.0%}"
        parts.append(f"*{literal(label)} · {confidence} · {answer.seconds:.1f} s*")
    found = {"answer": _said("\n\n".join(parts))}
    cited = _cited(answer)
    if cited:
        listing = "\n\n".join(_source(answer.sources[n], n + 1, passages, language) for n, passages in cited.items())
        found["sources"] = _said(f"**{'来源' if zh else 'Sources'}**\n\n{listing}")
    hits = list(enumerate(answer.sources, 1)) or list(enumerate(evidence.hits if evidence else (), 1))
    if hits:
        full = "\n\n".join(f"{_place(hit, number, language)}\n\n{fenced(hit.text)}" for number, hit in hits)
        name = (
            Message("检索到的全部片段", "All passages found") if cited else Message("最接近的片段", "Closest passages")
        )
        found["passages"] = step(f"{name.zh}（{len(hits)}）" if zh else f"{name.en} ({len(hits)})", full)
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


def _place(hit: Hit, number: int, language: Language, citations: Sequence[Citation] = ()) -> str:
    """“**[2]** report.pdf › Results (page 3)”; a line below it tells where it is from, if it is from the web."""
    path = literal(" › ".join(filter(None, [hit.doc_set, *title_of(hit)])))
    where = literal(place_of(hit, citations).to(language))
    if hit.also_in:
        others = ", ".join(literal(name) for name in hit.also_in)
        where += f"；同样见于 {others}" if language == "zh" else f"; also in {others}"
    source = whence(hit, language, citations)
    if not source and (address := link_to(hit, citations)):
        path = f"[{path}]({address})"
    named = f"**[{number}]** {path}（{where}）" if language == "zh" else f"**[{number}]** {path} ({where})"
    return f"{named}  \n{source}" if source else named


def _source(hit: Hit, number: int, citations: list[Citation], language: Language) -> str:
    """Where a source stands and the passages of it that carry the answer; on several pages, each with its own."""
    by_place: dict[tuple[Place, ...], list[Citation]] = {}
    for citation in sorted(citations, key=lambda c: c.start):
        by_place.setdefault(citation.places, []).append(citation)
    if len(by_place) == 1 or any(place.kind != "page" for places in by_place for place in places):
        return f"{_place(hit, number, language, citations)}\n\n{_quoted(hit, citations)}"
    quoted = [f"{literal(place_of(hit, some).to(language))}\n\n{_quoted(hit, some)}" for some in by_place.values()]
    return "\n\n".join([_place(hit, number, language, citations), *quoted])


def _quoted(hit: Hit, citations: list[Citation]) -> str:
    quotes: list[tuple[int, int]] = []  # passages may overlap
    for c in sorted(citations, key=lambda c: c.start):
        if quotes and c.start < quotes[-1][1]:
            quotes[-1] = (quotes[-1][0], max(c.end, quotes[-1][1]))
        else:
            quotes.append((c.start, c.end))
    quote = "\n".join(hit.text[start - hit.start : end - hit.start] for start, end in quotes)
    return fenced(quote if len(quote) <= QUOTE else f"{quote[:QUOTE]} …")


def _is_doubtful(statement: Statement) -> bool:
    return statement.checkable and statement.comparable and not statement.supported


def _complaint(statement: Statement) -> Message:
    reasons = [reason for citation in statement.citations for reason in citation.support.reasons]
    zh, en = "；".join(dict.fromkeys(r.zh for r in reasons)), "; ".join(dict.fromkeys(r.en for r in reasons))
    sentence = literal(statement.text)
    if not statement.citations:
        return Message(zh=f"这句话没有标注来源：“{sentence}”", en=f"No source is given for: “{sentence}”")
    return Message(
        zh=f"引用的原文不支持这句话：“{sentence}”" + (f"（{zh}）" if zh else ""),
        en=f"The cited lines do not support: “{sentence}”" + (f" ({en})" if en else ""),
    )


# --- errors ------------------------------------------------------------------------------------------------------


def describe_error(error: CitewiseError) -> Message:
    """What happened, what to do, what still works: one paragraph each."""
    parts = [error.message, *error.suggestions, *([error.still_works] if error.still_works else [])]
    return Message(
        zh="❌ " + "\n\n".join(literal(part.zh) for part in parts),
        en="❌ " + "\n\n".join(literal(part.en) for part in parts),
    )
