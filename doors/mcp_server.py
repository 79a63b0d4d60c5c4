"""The services as tools of the Model Context Protocol: over HTTP at `/mcp`, and over stdio by `cli.py mcp`.

A server of its own: Gradio's needs an older `mcp`, and does not go together with a login. The package is the extra
"mcp", and is loaded when the first program asks: the page starts without it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import Message as ASGIMessage
from starlette.types import Receive, Scope, Send

from doors.lab import LAB_SERVICES
from doors.login import user_of
from doors.problems import STATUS, problem_of
from doors.services import SERVICES, Service, Services, error_text, language_for
from doors.sources import SOURCE_SERVICES
from doors.users import is_loopback
from errors import CitewiseError, missing_extra
from schema import Message
from stores.folder import holding

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolResult

Call = Callable[[str, dict[str, Any], str], Awaitable["CallToolResult"]]  # name, arguments, user

HOLDING = "/mcp/library"  # tells a program of this machine which library is open here
LARGEST = 100 * 2**20  # bytes of a request: a document in base64
TOOLS = SERVICES | {
    name: Service(*(SOURCE_SERVICES | LAB_SERVICES)[name][:2], about, changes)
    for name, about, changes in (
        (
            "add_source",
            Message(
                zh="把网站或 GitHub 仓库加入文档集；随后用 refresh_source 抓取。",
                en="Add a website or a repository of GitHub to a document set; refresh_source then fetches it.",
            ),
            True,
        ),
        ("list_sources", Message(zh="列出网站和仓库来源。", en="List the websites and repositories."), False),
        (
            "refresh_source",
            Message(
                zh="抓取来源里新的和变化的内容；返回时已经可以检索。",
                en="Fetch what is new or has changed at a source; it can be found when this returns.",
            ),
            True,
        ),
        (
            "evaluate_set",
            Message(
                zh="用一组问题检验知识库：检索和回答的指标、错在哪里，以及与之前的运行相比是否变差。",
                en="Ask the library a question set: figures of retrieval and answers, where cases went wrong, and "
                "whether anything is worse than in an earlier run.",
            ),
            True,  # questions that are given replace a set
        ),
    )
}
_OPEN = ("ask", "add_source", "refresh_source")  # these read the web
INSTRUCTIONS = Message(
    zh="用 ask 提问：答案里的 [1] 指向 sources 里核对过的原文行。回答只依据用户自己的文件。",
    en="Ask with `ask`: [1] in an answer points to checked lines in `sources`. Answers rest on the user's own "
    "documents alone.",
)


def check_installed() -> None:
    """Raises CitewiseError where the package is missing."""
    if importlib.util.find_spec("mcp") is None:
        raise missing_extra("mcp")


def calling(services: Services) -> Call:
    """A tool's call, done by the services of this program."""

    async def call(name: str, given: dict[str, Any], user: str) -> CallToolResult:
        from mcp_types import CallToolResult, TextContent

        try:
            result = await services.call(name, given, user)
        except CitewiseError as error:
            problem = problem_of(error, language_for(given)).model_dump(mode="json")
            text = TextContent(type="text", text=error_text(error, given))
            return CallToolResult(content=[text], structured_content={"error": problem}, is_error=True)
        shown = result.model_dump(mode="json")
        text = TextContent(type="text", text=json.dumps(shown, ensure_ascii=False))
        return CallToolResult(content=[text], structured_content=shown)

    return call


def mcp_server(call: Call) -> Server[Any]:
    """The server with its tools; `call` does what they are called for."""
    import mcp_types
    from mcp.server.lowlevel import Server

    tools = [
        mcp_types.Tool(
            name=name,
            description=f"{service.about.zh}\n{service.about.en}",
            input_schema=service.form.model_json_schema(),
            output_schema=service.result.model_json_schema(mode="serialization"),
            annotations=mcp_types.ToolAnnotations(
                read_only_hint=not service.changes, destructive_hint=service.changes, open_world_hint=name in _OPEN
            ),
        )
        for name, service in TOOLS.items()
    ]

    async def list_tools(*_: object) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        if params.name not in TOOLS:
            known = ", ".join(TOOLS)
            said = (
                f"没有“{params.name}”这个工具。可用的：{known}。\nThere is no tool {params.name}. Available: {known}."
            )
            return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=said)], is_error=True)
        user = user_of(context.request.scope) if context.request is not None else ""
        return await call(params.name, params.arguments or {}, user)

    instructions = f"{INSTRUCTIONS.zh}\n{INSTRUCTIONS.en}"
    return Server("citewise", instructions=instructions, on_list_tools=list_tools, on_call_tool=call_tool)


def add_mcp(site: FastAPI, services: Services) -> None:
    """Serve it at `/mcp`; where the package is missing, that is said there."""
    door = McpDoor(services)

    async def library(request: Request) -> PlainTextResponse:
        if request.client is None or not is_loopback(request.client.host):
            return PlainTextResponse("", 404)
        return PlainTextResponse(await asyncio.to_thread(holding, Path(services.assistant.settings.data_dir)))

    site.router.routes.append(Route(HOLDING, library))
    site.router.routes += [Route("/mcp", door), Route("/mcp/", door)]  # some programs end every address so
    before = site.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        async with before(app) as state:
            try:
                yield state
            finally:
                await door.close()

    site.router.lifespan_context = lifespan


_REFUSED = Message(
    zh="请求不合 MCP 规范。请用 POST 发送一个 JSON-RPC 2.0 对象（Content-Type: application/json，"
    "Accept: application/json, text/event-stream）。",
    en="The request is none of MCP. Send one JSON-RPC 2.0 object by POST (Content-Type: application/json, "
    "Accept: application/json, text/event-stream).",
)
_TOO_LARGE = Message(
    zh=f"请求超过了 {LARGEST // 2**20} MB 的上限。请在网页上传这个文件，或先拆分。",
    en=f"The request is larger than {LARGEST // 2**20} MB. Upload this file on the page, or split it first.",
)


class _Refusals:
    """Passes a response on; what the package refuses, in English or in the words of its validation, is said in both
    languages with what to send instead."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: ASGIMessage | None = None  # of a refusal
        self._body = b""

    async def __call__(self, message: ASGIMessage) -> None:
        if message["type"] == "http.response.start" and 400 <= message["status"] < 500:
            self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        status = self._start["status"]
        refusal, code = _TOO_LARGE if status == 413 else _REFUSED, -32600
        with suppress(ValueError, TypeError, KeyError):
            code = int(json.loads(self._body)["error"]["code"])
        error = {"code": code, "message": f"{refusal.zh}\n{refusal.en}"}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}, ensure_ascii=False).encode()
        kept = [(name, value) for name, value in self._start["headers"] if name.lower() not in _OF_BODY]
        headers = [*kept, (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


_OF_BODY = (b"content-type", b"content-length")


class McpDoor:
    """Streamable HTTP, without sessions: each request stands for itself, so any number of programs can come and go."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._running: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Any] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            check_installed()
        except CitewiseError as error:
            await JSONResponse({"error": problem_of(error, None).model_dump()}, STATUS[error.kind])(
                scope, receive, send
            )
            return
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._ready))
        manager = await asyncio.shield(self._ready)
        await manager.handle_request(scope, receive, _Refusals(send))

    async def _run(self, ready: asyncio.Future[Any]) -> None:
        """One task begins and ends it, as its task group wants it."""
        try:
            server = await asyncio.to_thread(mcp_server, calling(self._services))  # a second of imports
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=LARGEST)
            async with manager.run():
                ready.set_result(manager)
                await asyncio.Event().wait()
        except Exception as problem:
            if ready.done():
                raise
            self._ready = None  # the next request tries again
            ready.set_exception(problem)

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
