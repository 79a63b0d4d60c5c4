"""`GET /originals?name=NAME&doc_set=SET`: the file that a document was read from, for whoever may read the library."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Response

from library import Library

_NONE = "没有保留这个文件的原件。 / The original of this file is not kept."


def originals_door(library: Library) -> APIRouter:
    door = APIRouter(include_in_schema=False)

    @door.get("/originals")
    async def original(name: str, doc_set: str = "") -> Response:
        data = await asyncio.to_thread(library.original, name, doc_set)
        if data is None:
            return Response(_NONE, 404, media_type="text/plain; charset=utf-8")
        file = quote(name.rpartition("/")[2], safe="")
        # a browser saves it and opens it nowhere: it may be a page with scripts
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{file}", "Content-Security-Policy": "sandbox"}
        return Response(data, headers=headers, media_type="application/octet-stream")

    return door


def original_address(name: str, doc_set: str) -> str:
    """Relative to the page."""
    return f"originals?{urlencode({'name': name, 'doc_set': doc_set})}"
