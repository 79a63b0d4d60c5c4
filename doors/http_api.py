"""Every service by its name over plain HTTP: `POST /services/NAME` with a JSON object, for programs without a package.

The terminal works through it while another program has the library open. Errors are `{"error": ErrorFields}`. Who
accepts lines of JSON has a question answered as `Happening`s, as they happen, and a run of the lab as `LabHappening`s;
an error may be the last line.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from doors.lab import LAB_SERVICES, LAB_STREAMS, lab_stream
from doors.login import user_of
from doors.management import MANAGEMENT
from doors.openai_api import CancellableStream, read_body, until_gone
from doors.problems import STATUS, UNFIT, problem_of
from doors.services import SERVICES, Services, language_for
from doors.sources import SOURCE_SERVICES
from doors.turn_stream import turn_stream
from errors import CitewiseError
from schema import Message

_KNOWN = (SERVICES, MANAGEMENT, SOURCE_SERVICES, LAB_SERVICES)
LINES = "application/x-ndjson"
LARGEST = 200 * 2**20  # bytes of a request: a document in base64


def services_door(services: Services) -> APIRouter:
    door = APIRouter(prefix="/services", include_in_schema=False)

    @door.post("/{name}")
    async def call(name: str, request: Request) -> Response:
        given: Any = None
        try:
            body = await read_body(request, LARGEST)
            if body is None:
                raise _too_large()
            given = _object(body)
            if not any(name in known for known in _KNOWN):
                raise _no_service(name)
            user = user_of(request.scope)
            if name in ("ask", *LAB_STREAMS) and LINES in request.headers.get("accept", ""):
                told = turn_stream(services, given, user) if name == "ask" else lab_stream(services, name, given, user)
                return CancellableStream(_lines(told), media_type=LINES)
            done = await until_gone(request.receive, services.call(name, given, user))
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it
        except CitewiseError as error:
            problem = problem_of(error, language_for(given) if isinstance(given, dict) else None)
            return JSONResponse({"error": problem.model_dump(mode="json")}, STATUS.get(error.kind, UNFIT))
        return JSONResponse(done.model_dump(mode="json"))

    @door.get("/{name}")
    async def looked_at(name: str) -> Response:
        refused = problem_of(_only_posted(name), None)
        return JSONResponse({"error": refused.model_dump(mode="json")}, 405, headers={"Allow": "POST"})

    @door.delete("/conversations/{name}")
    async def forget(name: str, request: Request) -> Response:
        await services.forget(name, user_of(request.scope))
        return Response(status_code=204)

    return door


async def _lines(told: AsyncGenerator[BaseModel, None]) -> AsyncGenerator[str, None]:
    try:
        async with aclosing(told):
            async for one in told:
                yield f"{one.model_dump_json(exclude_defaults=True)}\n"
    except CitewiseError as error:
        yield f"{json.dumps({'error': problem_of(error, None).model_dump(mode='json')}, ensure_ascii=False)}\n"


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise _no_object() from error
    if not isinstance(given, dict):
        raise _no_object()
    return given


def _no_object() -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh="请求的内容不是 JSON 对象。", en="The request holds no JSON object."),
        Message(zh='请发送 {"名称": 值, ...}。', en='Send {"name": value, ...}.'),
    )


def _too_large() -> CitewiseError:
    most = f"{LARGEST // 2**20} MB"
    return CitewiseError(
        "settings",
        Message(zh=f"请求超过了 {most} 的上限。", en=f"The request is larger than {most}."),
        Message(zh="请在网页上传这个文件，或先拆分。", en="Upload this file on the page, or split it first."),
    )


def _only_posted(name: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh="服务只接受 POST 请求。", en="Services accept POST requests only."),
        Message(
            zh=f'请向 /services/{name[:100]} 发送 POST，内容为 {{"名称": 值, ...}}。',
            en=f'Post {{"name": value, ...}} to /services/{name[:100]}.',
        ),
    )


def _no_service(name: str) -> CitewiseError:
    known = ", ".join(dict.fromkeys(one for services in _KNOWN for one in services))
    return CitewiseError(
        "not_found",
        Message(zh=f"没有“{name[:100]}”这个服务。", en=f"There is no service {name[:100]}."),
        Message(zh=f"可用的：{known}。", en=f"Available: {known}."),
    )
