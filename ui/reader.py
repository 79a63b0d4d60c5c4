"""The source that a marker leads to: its passage marked within the document, what the answer takes from it, and why
that does or does not hold. reader.js draws it."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from itertools import count, pairwise
from typing import Any

import gradio as gr

from answering.document_titles import fetched_on, readable_url, title_of
from answering.doubts import plain_sentence
from answering.places import link_to, place_of
from doors.originals import original_address
from doors.pages import page_query
from graph.conversations import Turn
from graph.turns import Assistant
from schema import Answer, Citation, Document, Hit, Language, Statement
from ui.documents import kind_name
from ui.events import PageEvent
from ui.excerpts import AROUND, STEP, end_after, sections, start_before
from ui.links import link
from ui.markers import gloss_in_words
from ui.nodes import Kind, Span
from ui.scripted_html import scripted_html
from ui.texts import page_language, text
from ui.user import thread_asked

_SAID = (
    "claims", "support", "before", "after", "previous", "next", "original", "download", "sources", "doubtful", "text",
    "page", "page_before", "page_next", "larger", "smaller", "no_page", "pictures",
)  # fmt: skip
_times = count()  # the same source again is shown again


class Reader:
    def __init__(self, label: dict[str, Any], assistant: Assistant) -> None:
        self._assistant = assistant
        self._view = scripted_html("reader", elem_id="reader")
        self.parts = [self._view]

    def connect(self, thread: gr.BrowserState) -> None:
        """More of the document, as it is scrolled through."""

        async def more(name: str, event: PageEvent, request: gr.Request) -> Any:
            turn = await self._assistant.turn(thread_asked(name, request), event.turn)
            if (hit := _source(turn, event.number)) is None:
                return gr.skip()
            back, at = event.way == "before", event.at
            key = {"turn": event.turn, "number": event.number}
            return await asyncio.to_thread(self._more, hit, key, back, at, page_language(request))

        self._view.more(more, thread, self._view, show_progress="hidden", api_visibility="private")

    async def show(self, turn: Turn | None, number: int, language: Language) -> list[Any]:
        hit = _source(turn, number)
        if turn is None or turn.record is None or turn.record.answer is None:
            return [{"note": text("r_none", language)}]
        if hit is None:
            return [_overview(turn, turn.record.answer, language)]
        return [await asyncio.to_thread(self._opened, turn, turn.record.answer, hit, number, language)]

    def _opened(self, turn: Turn, answer: Answer, hit: Hit, number: int, language: Language) -> dict[str, Any]:
        cited = [
            (statement, c) for statement in answer.statements for c in statement.citations if c.source == number - 1
        ]
        document, moved, note = self._document(hit)
        spans = _spans(hit, [citation for _, citation in cited], moved)
        whole = note in ("", "moved")
        start = start_before(document, spans[0].start, AROUND) if whole else hit.start + moved
        end = end_after(document, spans[-1].end, AROUND)
        numbers = sorted({c.source + 1 for statement in answer.statements for c in statement.citations} | {number})
        at = numbers.index(number)
        address = link_to(hit, [citation for _, citation in cited])
        name, *headings = title_of(hit)
        facts = [
            place_of(hit, [citation for _, citation in cited]).to(language),
            kind_name(hit.origin.doc_type, language),
            fetched_on(hit.origin).to(language) or hit.origin.timestamp[:10],
            f"{text('r_also', language)} {', '.join(hit.also_in)}" if hit.also_in else "",
        ]
        return {
            "turn": turn.id,
            "number": number,
            "time": next(_times),
            "say": {key: text(f"r_{key}", language) for key in _SAID},
            "position": f"{at + 1} / {len(numbers)}",
            "previous": link("source", turn.id, numbers[at - 1]) if at else "",
            "next": link("source", turn.id, numbers[at + 1]) if at + 1 < len(numbers) else "",
            "title": name,
            "path": " › ".join(filter(None, [hit.doc_set, *headings])),
            "facts": [fact for fact in facts if fact],
            "address": address,
            "readable": readable_url(address) if address else "",
            **self._kept(hit, document, spans),
            "claims": [_claim(*one, language) for one in (cited if answer.table is None else cited[:1])],
            "note": text(f"r_{note}", language) if note else "",
            **(
                _rows(document, spans, language)
                if answer.table is not None and whole
                else _excerpt(document, start, end, spans, language, whole)
            ),
        }

    def _kept(self, hit: Hit, document: Document, spans: Sequence[Span]) -> dict[str, Any]:
        """Where the original can be downloaded, and of one with pages which of them to show; {} where none is kept."""
        kept = self._assistant.library.original_info(hit.document, hit.doc_set)
        if kept is None:
            return {}
        found: dict[str, Any] = {"file": original_address(hit.document, hit.doc_set)}
        found["pictures"] = {
            "query": page_query(hit.document, hit.doc_set, kept.digest),
            "start": max(0, spans[0].start - AROUND),
            "end": spans[-1].end + AROUND,
            "spans": ",".join(f"{span.start}-{span.end}" for span in spans[:100]),
        }
        if numbers := [place.number for place in document.places if place.kind == "page"]:
            at = bisect_right(document.places, spans[0].start, key=lambda place: place.start) - 1
            found["page"] = {
                "number": document.places[max(0, at)].number,
                "last": max(document.metadata.get("pages", 0), max(numbers)),
                "query": page_query(hit.document, hit.doc_set, kept.digest),
                "spans": found["pictures"]["spans"],
            }
        return found

    def _document(self, hit: Hit) -> tuple[Document, int, str]:
        """The document, how far the passage has moved in it, and what became of it since the answer; where the passage
        is gone, what the answer has kept of it."""
        document = self._assistant.library.document(hit.document, hit.doc_set)
        if document is not None and document.text[hit.start : hit.end] == hit.text:
            return document, 0, ""
        if document is not None and (at := document.text.find(hit.text)) >= 0:
            return document, at - hit.start, "moved"
        kind = document.kind if document else "code" if hit.origin.doc_type == "code" else "text"
        lines = "\n" * (hit.start_line - 1)  # so that its own keep their numbers
        moved = len(lines) - hit.start
        places = tuple(place._replace(start=max(len(lines), place.start + moved)) for place in hit.places)
        kept = Document(hit.document, lines + hit.text, hit.doc_set, kind, origin=hit.origin, places=places)
        return kept, moved, "gone" if document is None else "changed"

    def _more(self, hit: Hit, key: dict[str, Any], back: bool, at: int, language: Language) -> dict[str, Any]:
        document, _, note = self._document(hit)
        at = max(0, min(at, len(document.text)))
        start, end = (start_before(document, at, STEP), at) if back else (at, end_after(document, at, STEP))
        excerpt = _excerpt(document, start, end, (), language, note in ("", "moved"))
        return {**key, "more": "before" if back else "after", "time": next(_times), **excerpt}


def _source(turn: Turn | None, number: int) -> Hit | None:
    answer = turn.record.answer if turn is not None and turn.record is not None else None
    return answer.sources[number - 1] if answer is not None and 0 < number <= len(answer.sources) else None


def _excerpt(
    document: Document, start: int, end: int, spans: Sequence[Span], language: Language, whole: bool
) -> dict[str, Any]:
    """Not `whole`: a passage without its document, with nothing around it."""
    return {
        "sections": sections(document, start, end, spans, language),
        "code": document.kind == "code",
        "before": start if start and whole else None,
        "after": end if end < len(document.text) and whole else None,
    }


def _rows(document: Document, spans: Sequence[Span], language: Language) -> dict[str, Any]:
    """The rows that an answer was computed from, and nothing of what stands between them."""
    shown = [section for span in spans for section in sections(document, span.start, span.end, [span], language)]
    return {"sections": shown, "code": document.kind == "code", "before": None, "after": None}


def _spans(hit: Hit, citations: Sequence[Citation], moved: int) -> list[Span]:
    """What supports the answer, and around it what was cited without supporting it; the whole hit where none is."""
    kinds: dict[Kind, list[tuple[int, int]]] = {
        "good": [(c.start, c.end) for c in citations if c.support.supported],
        "weak": [(c.start, c.end) for c in citations if not c.support.supported],
    }
    if not any(start < end for spans in kinds.values() for start, end in spans):
        return [Span(hit.start + moved, hit.end + moved, "weak")]
    edges = sorted({edge for spans in kinds.values() for span in spans for edge in span})
    found: list[Span] = []
    for start, end in pairwise(edges):
        kind = next((k for k, spans in kinds.items() if any(a <= start and end <= b for a, b in spans)), None)
        if kind is None:
            continue
        if found and found[-1].kind == kind and found[-1].end == start + moved:
            start = found.pop().start - moved
        found.append(Span(start + moved, end + moved, kind))
    return found


def _claim(statement: Statement, citation: Citation, language: Language) -> dict[str, Any]:
    support = citation.support
    return {
        "text": plain_sentence(statement),
        "score": f"{support.score:.0%}",
        "state": "good" if support.supported else "weak" if support.comparable else "unknown",
        "reasons": [reason.to(language) for reason in support.reasons],
        "gloss": gloss_in_words(statement, language),
    }


def _overview(turn: Turn, answer: Answer, language: Language) -> dict[str, Any]:
    """No source in particular: all that are cited, and the sentences that none supports."""
    cited: dict[int, list[Citation]] = {}
    for citation in (c for statement in answer.statements for c in statement.citations):
        cited.setdefault(citation.source + 1, []).append(citation)
    doubtful = [
        {
            "text": plain_sentence(cited_statement),
            "state": "weak",
            "reasons": [r.to(language) for c in cited_statement.citations for r in c.support.reasons]
            or ([] if cited_statement.citations else [text("r_uncited", language)]),
        }
        for cited_statement in answer.statements
        if cited_statement.doubtful
    ]
    named = [(number, answer.sources[number - 1], some) for number, some in sorted(cited.items())]
    return {
        "turn": turn.id,
        "number": 0,
        "time": next(_times),
        "say": {key: text(f"r_{key}", language) for key in _SAID},
        "note": "" if cited or doubtful else text("r_none", language),
        "doubtful": doubtful,
        "listed": [
            {
                "href": link("source", turn.id, number),
                "words": f"[{number}] {title_of(hit)[0]} ({place_of(hit, some).to(language)})",
            }
            for number, hit, some in named
        ],
    }
