"""`GET /conversations/NAME.md`: a conversation as Markdown, each answer with its numbered sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from answering.document_titles import title_of
from answering.doubts import doubts
from answering.inert_markdown import neutralise_markdown
from answering.places import link_to, place_of
from doors.login import user_of
from evaluation.citations import UNSUPPORTED
from graph.conversations import Turn, thread_of
from graph.titles import title_of as first_words
from graph.turns import Assistant
from schema import Answer, Citation, Language

_UNKNOWN = "没有这个对话。 / There is no such conversation."


def export_door(assistant: Assistant, language_of: Callable[[Any], Language]) -> APIRouter:
    """`language_of` tells the language of the page that asks."""
    door = APIRouter()

    @door.get("/conversations/{name}.md", include_in_schema=False)
    async def export(name: str, request: Request) -> Response:
        user = user_of(request.scope)
        turns = await assistant.turns(thread_of(user, name))
        if not turns:
            return Response(
                "没有这个对话。 / There is no such conversation.", 404, media_type="text/plain; charset=utf-8"
            )
        listed = (one.title for one in await assistant.conversations(user) if one.name == name)
        title = next(listed, first_words(turns[0].question, turns[0].files))
        file = re.sub(r'[\\/:*?"<>|\x00-\x1f]+', " ", title).strip(" .") or "conversation"
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(f'{file}.md', safe='')}"}
        content = as_markdown(title, turns, language_of(request))
        return Response(content, headers=headers, media_type="text/markdown; charset=utf-8")

    return door


def as_markdown(title: str, turns: Sequence[Turn], language: Language) -> str:
    parts = [f"# {title}"]
    for number, turn in enumerate(turns, 1):
        asked = "\n".join(f"> {line}".rstrip() for line in turn.question.splitlines())
        files = "".join(f"\n> 📎 {name}" for name in turn.files)
        parts += [f"## {number}", f"{asked}{files}".strip("\n"), neutralise_markdown(turn.reply)]
        answer = turn.record.answer if turn.record else None
        if answer and (notices := [*answer.notices, *doubts(answer.statements)]):
            parts.append(
                "\n".join(
                    f"> {UNSUPPORTED} {neutralise_markdown(' '.join(one.to(language).split()))}  " for one in notices
                )
            )
        if answer and (sources := _sources(answer, language)):
            parts.append(f"**{'来源' if language == 'zh' else 'Sources'}**\n\n{sources}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _sources(answer: Answer, language: Language) -> str:
    """Those that are cited, under the numbers of the markers."""
    cited: dict[int, list[Citation]] = {}
    for statement in answer.statements:
        for citation in statement.citations:
            cited.setdefault(citation.source, []).append(citation)
    lines = []
    for index, citations in sorted(cited.items()):
        hit = answer.sources[index]
        path = neutralise_markdown(" › ".join(filter(None, [hit.doc_set, *title_of(hit)])))
        place, address = place_of(hit, citations).to(language), link_to(hit, citations)
        where = f"（{place}）" if language == "zh" else f" ({place})"
        lines.append(f"- [{index + 1}] {path}{where}" + (f" <{address}>" if address else ""))
    return "\n".join(lines)
