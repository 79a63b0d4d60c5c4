"""`GET /metrics`: what the turns and the library have cost by now, for Prometheus."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from graph.turns import Assistant


def metrics_door(assistant: Assistant) -> APIRouter:
    door = APIRouter()

    @door.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        stats, thumbs = await asyncio.gather(
            asyncio.to_thread(assistant.library.stats), asyncio.to_thread(assistant.feedback.counts)
        )
        held = {
            "documents": stats.documents,
            "chunks": stats.chunks,
            "bytes": stats.bytes,
            "waiting": stats.waiting,
            "failed": stats.failed,
            "generation": assistant.library.generation(),
        }
        return Response(assistant.metrics.exposed(thumbs, **held), media_type=CONTENT_TYPE_LATEST)

    return door
