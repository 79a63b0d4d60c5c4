"""The stored conversation -> chat messages."""

from __future__ import annotations

from collections.abc import Sequence

from graph.conversations import Turn
from schema import Language
from ui.links import link
from ui.markup import literal, safe_markdown, unlinked
from ui.render import answer_messages, offer_another
from ui.steps import ChatMessage, plan_step, trace_step, verdict_step
from ui.texts import text

_NAMED = 8  # files of a message that are named


def render_history(turns: Sequence[Turn], language: Language, goes_on: bool = False) -> list[ChatMessage]:
    """The stored conversation as the chat shows it. Where it goes on, no button asks for another end."""
    return [message for turn in turns for message in render_turn(turn, language, goes_on or turn is not turns[-1])]


def render_turn(turn: Turn, language: Language, goes_on: bool = False) -> list[ChatMessage]:
    """One question and what came of it."""
    shown = [asked_message(turn.question, turn.files, turn.id, language)]
    record = turn.record
    if record is None or record.answer is None:
        if record is not None:
            shown.append(plan_step(record.plan, (), language))
        if turn.reply:
            shown.append({"role": "assistant", "content": unlinked(safe_markdown(turn.reply))})
        if record is not None and record.trace is not None and record.trace.calls:
            shown.append(trace_step(record.trace, language))
        return shown
    shown.append(plan_step(record.plan, (), language))
    shown += answer_messages(record.answer, None, language, record.trace, turn.id).values()
    if record.verdict is not None:
        shown.append(verdict_step(record.verdict, record.answer.statements, language))
    if record.trace is not None:
        shown.append(trace_step(record.trace, language, record.coverage))
    return offer_another(shown, language) if record.answer.remembered and not goes_on else shown


def asked_message(message: str, files: Sequence[str], turn: str = "", language: Language = "en") -> ChatMessage:
    """With a link to edit it, once the turn is known."""
    attached = "\n".join(f"**{literal(name)}**" for name in files[:_NAMED])
    if len(files) > _NAMED:  # hundreds of names would push the words and the answer out of sight
        attached += f"\n**… +{len(files) - _NAMED}**"
    edit = f"[{text('edit', language)}]({link('edit', turn)})" if turn else ""
    return {"role": "user", "content": "\n\n".join(filter(None, [attached, safe_markdown(message), edit]))}
