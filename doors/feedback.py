"""`GET /feedback.jsonl`: what the user who asks has said of answers; without a login, all that was said."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from doors.login import user_of
from errors import StoreError
from graph.turns import Assistant

ADDRESS = "feedback.jsonl"


def feedback_door(assistant: Assistant) -> APIRouter:
    door = APIRouter()

    @door.get(f"/{ADDRESS}", include_in_schema=False)
    async def feedback(request: Request) -> Response:
        user = user_of(request.scope) or None
        try:
            lines = await asyncio.to_thread(lambda: list(assistant.feedback.export(user)))
        except StoreError as error:
            said = f"{error.in_full.zh}\n{error.in_full.en}"
            return Response(said, 500, media_type="text/plain; charset=utf-8")
        headers = {"Content-Disposition": f'attachment; filename="citewise-{ADDRESS}"'}
        content = "".join(f"{line}\n" for line in lines)
        return Response(content, headers=headers, media_type="application/x-ndjson; charset=utf-8")

    return door
