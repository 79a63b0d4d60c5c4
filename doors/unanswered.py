"""`GET /unanswered.csv` and `.jsonl`: the questions of the user who asks that the library could not answer; without a
login, everybody's."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter, Request, Response

from doors.login import user_of
from errors import StoreError
from graph.turns import Assistant
from stores.unanswered import as_csv, as_jsonl

_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}


def unanswered_door(assistant: Assistant) -> APIRouter:
    door = APIRouter()

    @door.get("/unanswered.{kind}", include_in_schema=False)
    async def unanswered(kind: Literal["csv", "jsonl"], request: Request) -> Response:
        user = user_of(request.scope) or None
        try:
            rows = await asyncio.to_thread(lambda: list(assistant.unanswered.export(user)))
        except StoreError as error:
            said = f"{error.in_full.zh}\n{error.in_full.en}"
            return Response(said, 500, media_type="text/plain; charset=utf-8")
        # by its first character a spreadsheet knows that it is Unicode
        content = "\ufeff" + "".join(as_csv(rows)) if kind == "csv" else "".join(as_jsonl(rows))
        headers = {"Content-Disposition": f'attachment; filename="citewise-unanswered.{kind}"'}
        return Response(content, headers=headers, media_type=_TYPES[kind])

    return door
