"""The library as tools for a program that starts this one and speaks MCP with it over stdin and stdout."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from commands.library_client import KEY, address_of, library_at, not_reached, other_program_error
from commands.terminal import errors_without_trace, program_settings, read_settings
from errors import CitewiseError

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from settings import Settings


def mcp(
    url: Annotated[
        str | None,
        typer.Option(help="The page's program, where it has the library open. / 网页程序的地址（知识库由它打开时）。"),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(envvar=KEY, help="Key for that program, if it asks for one. / 该程序要求的密钥。"),
    ] = None,
) -> None:
    """Serve the library to another program over MCP (stdio). / 通过 MCP（stdio）供其他程序使用知识库。

    Opens the library itself; while the page's program has it open, all goes through that one.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    with errors_without_trace():
        from doors.mcp_server import check_installed

        check_installed()
        settings = program_settings() if url else read_settings()
        try:
            asyncio.run(_serve(settings, url, key))
        except KeyboardInterrupt:
            raise typer.Exit(130) from None


async def _serve(settings: Settings, url: str | None, key: str | None) -> None:
    """Until the other program ends. Raises CitewiseError."""
    from doors.mcp_server import calling
    from doors.services import Services
    from graph.turns import Assistant
    from stores.folder import FolderHeld, holding

    if url is not None:
        await _pass_on(url, key)
        return
    try:
        assistant = await Assistant.open(settings)
    except FolderHeld as held:
        try:
            await _pass_on(address_of(held, settings), key, holding(Path(settings.data_dir)))
        except CitewiseError as error:
            raise CitewiseError("store", held.message, error.message, *error.suggestions, *held.suggestions) from error
        return
    try:
        await _speak(calling(Services(assistant)))
    finally:
        await assistant.close()


async def _speak(call: Any) -> None:
    from mcp.server.stdio import stdio_server

    from doors.mcp_server import mcp_server

    server = mcp_server(call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _pass_on(url: str, key: str | None, library: str | None = None) -> None:
    """Every call to the program that has the library open. Raises CitewiseError where it cannot be reached, or where
    it does not have the one open that is wanted: None is whichever it has."""
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    address = f"{url.rstrip('/').removesuffix('/mcp')}/mcp"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=None) as http:
        try:
            if urlsplit(address).scheme not in ("http", "https"):
                raise ValueError(address)
            if library is not None and await library_at(http, address) != library:
                raise other_program_error(address)
            client = await Client(streamable_http_client(address, http_client=http)).__aenter__()
        except CitewiseError:
            raise
        except Exception as error:  # refused, no such host, no MCP there, a login: whatever it is, it is not there
            raise not_reached(address, error) from error
        try:

            async def call(name: str, given: dict[str, Any], _: str) -> CallToolResult:
                return await client.call_tool(name, given)

            await _speak(call)
        finally:
            await client.__aexit__(None, None, None)
