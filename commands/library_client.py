"""What commands have done to the library by name: here, or by the program that has it open.

A library belongs to one program at a time. While the page's program runs, a command reaches it where it says that it
serves, as `cli.py mcp` does: it is asked which library it has open first, and a login wants the key in
CITEWISE_API_KEY. What is done and what comes back is the same either way (doors/management.py, doors/sources.py,
doors/services.py).
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol

import typer

from commands.terminal import errors_without_trace, print_notices, read_settings, run_to_end
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    import httpx2

    from doors.turn_stream import Happening
    from graph.turns import Assistant
    from library import Library
    from settings import Settings
    from stores.folder import FolderHeld

P = ParamSpec("P")
Work = Coroutine[None, None, int | None]

KEY = "CITEWISE_API_KEY"  # for a program that wants one
PATIENCE = 10.0  # seconds until a program tells which library it has open


class LibraryClient(Protocol):
    """Whoever does what is asked for, by the names of `doors.management` and `doors.services`."""

    async def call(self, name: str, /, **given: Any) -> dict[str, Any]:
        """The fields of the result. Raises CitewiseError."""


class LocalClient:
    """This program has the library open; it manages it, and answers nothing."""

    def __init__(self, library: Library) -> None:
        self.library = library

    async def call(self, name: str, /, **given: Any) -> dict[str, Any]:
        from doors.management import MANAGEMENT, call_service

        return (await call_service(MANAGEMENT, self.library, name, given)).model_dump(mode="json")


class LocalClientWithSources(LocalClient):
    """And with what brings documents from websites, repositories and records."""

    def __init__(self, assistant: Assistant) -> None:
        super().__init__(assistant.library)
        self._assistant = assistant

    async def call(self, name: str, /, **given: Any) -> dict[str, Any]:
        from doors.management import call_service
        from doors.sources import SOURCE_SERVICES

        if name not in SOURCE_SERVICES:
            return await super().call(name, **given)
        return (await call_service(SOURCE_SERVICES, self._assistant, name, given)).model_dump(mode="json")


class RunningProgramClient:
    """Another program of this machine has it open."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http, self._url = http, url

    async def call(self, name: str, /, **given: Any) -> dict[str, Any]:
        import httpx2

        try:
            reply = await self._http.post(f"{self._url}/services/{name}", json=given)
            return self._fields_of(reply.json(), reply)
        except (httpx2.HTTPError, ValueError) as error:
            raise not_reached(self._url, error) from error

    async def turn_stream(self, given: dict[str, Any]) -> AsyncGenerator[Happening, None]:
        """Those of a turn. Raises CitewiseError."""
        from doors.turn_stream import Happening

        async with aclosing(self.lines("ask", given)) as told:
            async for fields in told:
                yield Happening.model_validate(fields)

    async def lines(self, name: str, given: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """What a service tells while it works. Raises CitewiseError."""
        import httpx2

        url, headers = f"{self._url}/services/{name}", {"Accept": "application/x-ndjson"}
        try:
            async with self._http.stream("POST", url, json=given, headers=headers) as reply:
                async for line in reply.aiter_lines():
                    yield self._fields_of(json.loads(line), reply)
        except (httpx2.HTTPError, ValueError) as error:
            raise not_reached(self._url, error) from error

    async def forget(self, conversation: str) -> None:
        """A conversation of this program; where the other one has gone, it is gone as well."""
        import httpx2

        with suppress(httpx2.HTTPError):
            await self._http.delete(f"{self._url}/services/conversations/{conversation}")

    def _fields_of(self, told: Any, reply: httpx2.Response) -> dict[str, Any]:
        if isinstance(told, dict) and isinstance(told.get("error"), dict):
            raise error_of(told["error"])
        if reply.status_code != 200 or not isinstance(told, dict):
            raise not_reached(self._url, reply.reason_phrase)
        return told


@asynccontextmanager
async def open_client(
    settings: Settings, with_sources: bool = False
) -> AsyncIterator[LocalClient | RunningProgramClient]:
    """Raises CitewiseError where the library can neither be opened nor reached."""
    from stores.folder import FolderHeld

    async with AsyncExitStack() as stack:
        try:
            here = await (_here_with_sources if with_sources else _here)(settings, stack)
        except FolderHeld as held:
            yield await stack.enter_async_context(running_program(settings, held))
            return
        print_notices(here.library.notices)
        yield here


def with_client(
    with_sources: bool = False,
) -> Callable[[Callable[Concatenate[LibraryClient, P], Work]], Callable[P, None]]:
    """Make a command of a coroutine that is handed the library's client first and returns the exit status, or None."""

    def command_of(
        work: Callable[Concatenate[LibraryClient, P], Coroutine[None, None, int | None]],
    ) -> Callable[P, None]:
        @wraps(work)
        def command(*given: P.args, **options: P.kwargs) -> None:
            async def run() -> int:
                async with open_client(read_settings(), with_sources) as caller:
                    return await work(caller, *given, **options) or 0

            with errors_without_trace():
                raise typer.Exit(run_to_end(run()))

        of_work = signature(work, eval_str=True)
        parameters = list(of_work.parameters.values())[1:]
        command.__signature__ = of_work.replace(parameters=parameters)  # type: ignore[attr-defined]  # typer reads it
        return command

    return command_of


async def _here(settings: Settings, stack: AsyncExitStack) -> LocalClient:
    from library import Library

    return LocalClient(await stack.enter_async_context(await Library.open(settings, warm=False)))


async def _here_with_sources(settings: Settings, stack: AsyncExitStack) -> LocalClient:
    from graph.turns import Assistant

    assistant = await Assistant.open(settings)
    stack.push_async_callback(assistant.close)
    return LocalClientWithSources(assistant)


@asynccontextmanager
async def running_program(settings: Settings, held: FolderHeld) -> AsyncIterator[RunningProgramClient]:
    """The page's program, which has it open. Raises CitewiseError, `held` with the reason, where it is not that one."""
    import httpx2

    from providers.certificates import certificates
    from stores.folder import holding

    url, key = address_of(held, settings), os.environ.get(KEY)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    verify = certificates() if url.startswith("https:") else False  # to read them would take longer than to be told
    async with httpx2.AsyncClient(headers=headers, timeout=None, verify=verify) as http:
        try:
            there = await library_at(http, f"{url}/mcp")
        except httpx2.HTTPError as error:
            problem = not_reached(url, error)
            raise CitewiseError(
                "store", held.message, problem.message, *problem.suggestions, *held.suggestions
            ) from error
        if there != holding(Path(settings.data_dir)):
            problem = other_program_error(url)
            whose = [_key_of(settings.as_user)] if settings.as_user else []
            raise CitewiseError("store", held.message, problem.message, *whose, *problem.suggestions, *held.suggestions)
        yield RunningProgramClient(http, url)


def address_of(held: FolderHeld, settings: Settings) -> str:
    """Where the program that has the library open says that it serves it, else where it would by the settings."""
    return held.address or f"http://localhost:{settings.port}"


async def library_at(http: httpx2.AsyncClient, address: str) -> str | None:
    """Which one a program has open; None where it does not say."""
    reply = await http.get(f"{address}/library", timeout=PATIENCE)
    if reply.status_code in (401, 403):
        reply.raise_for_status()
    return reply.text if reply.status_code == 200 else None


def other_program_error(address: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh=f"{address} 上的程序打开的不是这个知识库。",
            en=f"The program at {address} does not have this library open.",
        ),
        Message(
            zh="请用 CITEWISE_PORT 给出打开这个知识库的网页程序的端口（cli.py mcp 也可以用 --url 给出地址）。",
            en="Give the port of the page that has it open as CITEWISE_PORT (or, to cli.py mcp, its address with "
            "--url).",
        ),
    )


def _key_of(user: str) -> Message:
    return Message(
        zh=f"请检查 CITEWISE_API_KEY：它应是 {user} 的密钥，密钥打开的是它的主人的知识库。",
        en=f"Check that {KEY} is a key of {user}: a key opens the library of its owner.",
    )


def not_reached(address: str, error: object) -> CitewiseError:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    why = type(error).__name__ if isinstance(error, BaseException) else str(error)
    return CitewiseError(
        "settings",
        Message(
            zh=f"无法通过 {address} 使用知识库（{why}）。",
            en=f"The library cannot be reached through {address} ({why}).",
        ),
        Message(
            zh="请检查网页程序是否在运行；用 CITEWISE_PORT 给出它的端口（cli.py mcp：--url），需要登录时用 "
            "CITEWISE_API_KEY 给出密钥。",
            en="See that the page's program runs; give its port as CITEWISE_PORT (cli.py mcp: --url), and a key as "
            "CITEWISE_API_KEY if it asks for a login.",
        ),
    )


def error_of(problem: dict[str, Any]) -> CitewiseError:
    """As the other program raised it: in both languages, by lines, or in the one of the question."""
    suggestions = [message_of(one) for one in problem.get("suggestions", [])]
    return CitewiseError(problem.get("type", "internal"), message_of(problem.get("message", "")), *suggestions)


def message_of(text: str) -> Message:
    """Of a sentence in both languages, by lines, or in one."""
    zh, between, en = text.partition("\n")
    return Message(zh=zh, en=en if between else zh)
