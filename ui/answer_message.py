"""An answer as one chat message: its text and warnings, its sources as chips, and one line on how it was checked."""

from __future__ import annotations

from collections.abc import Sequence

from answering.document_titles import title_of
from answering.doubts import comparison_across_languages, doubts
from answering.places import place_of
from providers.notices import without_repeats
from schema import Answer, Citation, Hit, Language, Message, Trace, Verdict
from ui.links import link
from ui.markers import linked_markdown
from ui.markup import literal
from ui.steps import ChatMessage, said
from ui.texts import text

_CLOSEST = 5  # sources that are named where none is cited


def answer_message(
    answer: Answer, language: Language, trace: Trace | None = None, turn: str = "", verdict: Verdict | None = None
) -> ChatMessage:
    """Everything that the chat shows of an answer; the rest stands at its side, one link away."""
    parts = [linked_markdown(answer.text, turn, len(answer.sources), answer.statements, language)]
    if answer.remembered:
        parts.append(f"> {_remembered(answer.remembered).to(language)}")
    notices = without_repeats((*_stepped_in(answer, trace), *answer.notices), trace.calls if trace else ())
    parts += [
        f"> {'' if notice == answer.found_by else '⚠ '}{literal(notice.to(language))}"
        for notice in (*notices, *doubts(answer.statements))
    ]
    parts += [_chips(answer, language, turn), _footer(answer, verdict, language, turn)]
    return said("\n\n".join(filter(None, parts)))


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


_FOREIGN = Message(zh="有来源是另一种语言，无法核对", en="a source in another language cannot be checked")


def _answered_by(answer: Answer) -> Message:
    if answer.fallback_used:
        return Message(zh="摘自原文，未用模型", en="extracted, no model")
    if answer.table is not None and answer.table.query.by == "model":
        return Message(zh="由表格计算得出，查询由模型提出", en="computed from the table, by a query that a model wrote")
    if answer.table is not None:
        return Message(zh="由表格计算得出，未用模型", en="computed from the table, no model")
    if any(not statement.comparable for statement in answer.statements):
        compared = comparison_across_languages(answer.statements) or _FOREIGN
        return Message(zh=f"由 {answer.answered_by} 回答；{compared.zh}", en=f"by {answer.answered_by}; {compared.en}")
    return Message(zh=f"由 {answer.answered_by} 回答", en=f"by {answer.answered_by}")


# --- below the answer --------------------------------------------------------------------------------------------


def _chips(answer: Answer, language: Language, turn: str) -> str:
    """The cited sources, each with its lines; where none is cited, the closest passages that were read."""
    cited = _cited(answer)
    shown = cited or {n: [] for n in range(min(_CLOSEST, len(answer.sources)))}
    chips = [_chip(answer.sources[n], n + 1, some, language, turn) for n, some in shown.items()]
    return " ".join(chips if cited or not chips else [text("closest", language), *chips])


def _chip(hit: Hit, number: int, citations: Sequence[Citation], language: Language, turn: str) -> str:
    """ "[1] guide.md · lines 19-27", which opens the reader."""
    words = literal(f"{title_of(hit)[0]} · {place_of(hit, citations).to(language)}")
    words = rf"\[{number}\] {words}"
    return f"[{words}]({link('cited', turn, number)})" if turn else words


def _footer(answer: Answer, verdict: Verdict | None, language: Language, turn: str) -> str:
    """ "4 of 4 sentences checked · extracted, no model · 0.1 s", which opens the evaluation; then what can be done."""
    words = []
    if answer.sources:
        confidence = text("confidence", language).format(f"{answer.confidence:.0%}")
        words = [*_checked(answer, language), _answered_by(answer).to(language), confidence]
    if verdict is not None and verdict.faithfulness is not None:
        words.append(f"{text('e_faithfulness', language)} {verdict.faithfulness}/5")
    line = literal(" · ".join([*words, f"{answer.seconds:.1f} s"]))
    if not turn:
        return line
    acts = [
        f"[{text(key, language)}]({link(key, turn)})"
        for key in ("copy", "again", *(["keep"] if answer.sources else []))
    ]
    return " ".join([f"[{line}]({link('evaluation', turn)})", *acts])


def _checked(answer: Answer, language: Language) -> list[str]:
    """How many of the sentences that a source could hold are held by the lines that they cite."""
    checkable = [one for one in answer.statements if one.checkable]
    held = sum(one.supported for one in checkable)
    doubt = " ⚠" if any(one.doubtful for one in checkable) else ""
    sentences = text("sentence_checked" if len(checkable) == 1 else "sentences_checked", language)
    return [sentences.format(held, len(checkable)) + doubt] if checkable else []


def _cited(answer: Answer) -> dict[int, list[Citation]]:
    """The citations of each cited source, by its index, in order of the markers."""
    cited: dict[int, list[Citation]] = {}
    for statement in answer.statements:
        for citation in statement.citations:
            cited.setdefault(citation.source, []).append(citation)
    return dict(sorted(cited.items()))
