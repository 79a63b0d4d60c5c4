"""The stored conversation -> chat messages."""

from __future__ import annotations

from collections.abc import Sequence

from graph.conversations import Turn
from schema import Language
from ui.answer_message import answer_message, offer_another
from ui.links import link
from ui.markup import literal, safe_markdown, unlinked
from ui.steps import ChatMessage, calls_line, plan_line, said
from ui.texts import text

_NAMED = 5  # files of a message that are named


def render_history(turns: Sequence[Turn], language: Language, goes_on: bool = False) -> list[ChatMessage]:
    """The stored conversation as the chat shows it. Where it goes on, no button asks for another end."""
    return [message for turn in turns for message in render_turn(turn, language, goes_on or turn is not turns[-1])]


def render_turn(turn: Turn, language: Language, goes_on: bool = False) -> list[ChatMessage]:
    """One question and what came of it."""
    shown = [question_message(turn.question, turn.files, turn.id, language)]
    record = turn.record
    if record is not None and (line := plan_line(record.plan, (), language, turn.id)):
        shown.append(line)
    if record is None or record.answer is None:
        if turn.reply:
            shown.append(said(unlinked(safe_markdown(turn.reply))))
        if record is not None and record.trace is not None and (line := calls_line(record.trace, language, turn.id)):
            shown.append(line)
        return shown
    shown.append(answer_message(record.answer, language, record.trace, turn.id, record.verdict))
    return offer_another(shown, language) if record.answer.remembered and not goes_on else shown


def question_message(message: str, files: Sequence[str], turn: str = "", language: Language = "en") -> ChatMessage:
    """With a link to edit it, once the turn is known."""
    attached = "  \n".join(f"📎 {literal(name)}" for name in files)
    if len(files) > _NAMED:  # a list of names would push the words and the answer out of sight
        attached = f"📎 {text('n_rows', language).format(len(files))}"
    edit = f"[{text('edit', language)}]({link('edit', turn)})" if turn else ""
    return {"role": "user", "content": "\n\n".join(filter(None, [attached, safe_markdown(message), edit]))}
