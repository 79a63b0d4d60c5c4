"""`GET /pages/N.png` and `/pages/N.json`, with `name` and `doc_set`: a page of a PDF as a picture, and where passages
of its document stand on it (`spans=120-160,200-230`); `/pages/pictures.json` and `/pages/pictures/N.png`: the pictures
within an office file or a book, those beside a passage (`start`, `end`), with boxes where `spans` were read from them.
For whoever may read the library."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Response
from starlette.responses import JSONResponse

from doors.problems import STATUS, UNFIT, problem_of
from errors import CitewiseError
from library import Library

_span = re.compile(r"(?<!\d)(\d{1,9})-(\d{1,9})")
_NONE = "没有保留这个文件的原件。 / The original of this file is not kept."
Number = Annotated[int, Path(ge=1, le=1_000_000)]
Spans = Annotated[str, Query(pattern=r"^(\d{1,9}-\d{1,9}(,\d{1,9}-\d{1,9}){0,99})?$")]


def pages_door(library: Library) -> APIRouter:
    door = APIRouter(prefix="/pages", include_in_schema=False)

    @door.get("/pictures.json")
    async def beside(name: str, start: int, end: int, doc_set: str = "", spans: Spans = "") -> Response:
        try:
            found = await asyncio.to_thread(library.embedded_pictures, name, doc_set, start, end)
            boxes = await asyncio.to_thread(library.picture_boxes, name, doc_set, _wanted(spans)) if found else {}
        except CitewiseError as error:
            return _refused(error)
        return JSONResponse({"pictures": found, "boxes": boxes})

    @door.get("/pictures/{number}.png")
    async def embedded(number: int, name: str, doc_set: str = "") -> Response:
        return await _picture(library.embedded_picture, name, doc_set, number)

    @door.get("/{number}.png")
    async def picture(number: Number, name: str, doc_set: str = "") -> Response:
        return await _picture(library.page_picture, name, doc_set, number)

    @door.get("/{number}.json")
    async def boxes(number: Number, name: str, doc_set: str = "", spans: Spans = "") -> Response:
        try:
            found = await asyncio.to_thread(library.page_boxes, name, doc_set, number, _wanted(spans))
        except CitewiseError as error:
            return _refused(error)
        if found is None:
            return Response(_NONE, 404, media_type="text/plain; charset=utf-8")
        return JSONResponse(found._asdict())

    return door


async def _picture(draw: Callable[[str, str, int], bytes | None], name: str, doc_set: str, number: int) -> Response:
    try:
        drawn = await asyncio.to_thread(draw, name, doc_set, number)
    except CitewiseError as error:
        return _refused(error)
    if drawn is None:
        return Response(_NONE, 404, media_type="text/plain; charset=utf-8")
    # its address has the digest of the file: another file is another address
    return Response(drawn, headers={"Cache-Control": "private, max-age=86400"}, media_type="image/png")


def _wanted(spans: str) -> list[tuple[int, int]]:
    return [(int(first), int(last)) for first, last in _span.findall(spans)]


def page_query(name: str, doc_set: str, digest: str) -> str:
    """What follows the address of each page."""
    return urlencode({"name": name, "doc_set": doc_set, "of": digest[:16]})


def _refused(error: CitewiseError) -> Response:
    return JSONResponse({"error": problem_of(error, None).model_dump(mode="json")}, STATUS.get(error.kind, UNFIT))
