"""The door: settings -> library and graph -> the page at http://localhost:7860."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import re
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from logs import begin_logging
from settings import Settings, hand_on, read_settings

if TYPE_CHECKING:
    import uvicorn
    from gradio import Blocks
    from starlette.types import ASGIApp, Receive, Scope, Send

    from graph.turns import Assistant
    from ui.user_sites import UserSites

log = logging.getLogger("citewise")

SHOWN, NOBODY = 1.0, 10.0  # seconds until warming up begins: after the first event, and if nobody comes
DRAIN = 25.0  # seconds in which running turns may end, where other instances go on: supervisors wait for thirty
_FIRST = re.compile(r"/queue/join$|^/(v1|mcp|services)(/|$)|/gradio_api/call/")  # of a page, of a program

# Heavy imports stand inside the functions: ingestion's worker process imports this file again.


def main(
    port: Annotated[int | None, typer.Option(help="Port of the page.", min=0, max=65535)] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    browser: Annotated[bool | None, typer.Option(help="Open the page in a browser.")] = None,
) -> None:
    """Chat with your documents, and see why each answer holds. / 与你的文件对话，看清每个答案的依据。"""
    from errors import CitewiseError

    os.umask(0o077)  # what is written here is its owner's alone
    given = {"port": port, "host": host, "open_browser": browser}
    settings = _settings().model_copy(update={key: value for key, value in given.items() if value is not None})
    hand_on()
    # The program's own: where two share one, each takes away what the other has yet to store.
    os.environ.setdefault("GRADIO_TEMP_DIR", str(_uploads(settings)))
    begin_logging(settings.log_level, "%(asctime)s %(levelname)s %(name)s: %(message)s")
    gc.disable()  # until all is loaded: that takes a tenth less time
    try:
        asyncio.run(serve(settings))
    except CitewiseError as error:
        sys.exit("\n".join(f"{m.zh}\n{m.en}" for m in [error.message, *error.suggestions]))
    except KeyboardInterrupt:
        pass


async def serve(settings: Settings) -> None:
    """Serve until interrupted. Raises CitewiseError when the port is taken or the library cannot be opened."""
    from doors.users import users_from_settings

    users_from_settings(settings)  # what is open to others needs a login
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # nothing is sent anywhere
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
            listener.listen(128)  # a browser that is early waits instead of being refused
        except OSError as error:
            raise _port_taken(settings) from error
        print("Citewise …", flush=True)
        await _serve_on(listener, settings)


async def _serve_on(listener: socket.socket, settings: Settings) -> None:
    from stores.folder import note_address

    url = _url(settings.host, listener.getsockname()[1])
    # before the page's imports: what is wrong with the folder is said at once
    opened = await _opened(settings, url)
    # of a program that was killed; the folder is this program's by now
    await asyncio.to_thread(shutil.rmtree, _uploads(settings), ignore_errors=True)
    with contextlib.ExitStack() as signals:  # given back last: a signal that comes again ends no closing half-way
        try:
            server, served, page = _server(opened)
            draining = Draining(cast("Assistant", opened), server) if settings.database_url else None
            signals.enter_context(_ended_by_signals(server, draining))
            note_address(_home(settings), url)
            ends = f"kill {os.getpid()}" if signal.getsignal(signal.SIGINT) is signal.SIG_IGN else "Ctrl+C"
            print(f"Citewise: {url}  ({ends})", flush=True)
            if settings.open_browser:
                import webbrowser

                webbrowser.open(url)
            try:
                with served.serving():
                    await server.serve(sockets=[listener])
            finally:
                if page is not None:
                    from ui.gradio_internals.pages import end_events

                    await end_events(page)
        finally:
            await opened.close()


async def _opened(settings: Settings, url: str) -> Assistant | UserSites:
    """The library of all, or what opens everybody's own when they come. Raises CitewiseError."""
    if settings.libraries == "private":
        from ui.user_sites import UserSites

        return UserSites(settings, url)
    from graph.turns import Assistant

    return await Assistant.open(settings, warm=False)


def _url(host: str, port: int) -> str:
    """By which this machine reaches what listens there."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0', '::1', '::') else name}:{port}"


def _server(opened: Assistant | UserSites) -> tuple[uvicorn.Server, WarmingUp, Blocks | None]:
    """The server with the site behind its guard, not yet serving; and the page, where it is one for all."""
    import uvicorn

    from doors.request_timeouts import TimeoutProtocol
    from graph.turns import Assistant
    from ui.closing import not_cancelled
    from ui.site import build_site

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Left to us: uvicorn raises a signal again when it has ended, and so before the library is closed."""
            yield

    logging.getLogger("uvicorn.error").addFilter(not_cancelled)
    site = build_site(opened) if isinstance(opened, Assistant) else opened.build_site()
    served = WarmingUp(site, opened.warm)
    config = uvicorn.Config(
        served, http=TimeoutProtocol, proxy_headers=False, log_level="warning", timeout_graceful_shutdown=1
    )
    server = Server(config)
    if not isinstance(opened, Assistant):
        return server, served, None
    site.state.closing.end = lambda: setattr(server, "should_exit", True)  # as Ctrl+C does
    return server, served, site.state.page


class WarmingUp:
    """The site. What the first turn needs is loaded once a page shows, so that the page need not wait for it, or once
    a program has asked something."""

    def __init__(self, site: ASGIApp, warm: Callable[[], None]) -> None:
        self._site, self._warm = site, warm
        self._timers: list[asyncio.TimerHandle] = []
        self._shown = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._shown and _FIRST.search(scope.get("path", "")):
            self._shown = True
            self._begin_in(SHOWN)
        await self._site(_uncompressed(scope), receive, send)

    @contextlib.contextmanager
    def serving(self) -> Iterator[None]:
        self._begin_in(NOBODY)
        try:
            yield
        finally:
            for timer in self._timers:
                timer.cancel()

    def _begin_in(self, seconds: float) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, self._begin))

    def _begin(self) -> None:
        self._shown = True
        for timer in self._timers:
            timer.cancel()
        gc.freeze()  # what was loaded stays: the collector need not walk through it
        gc.enable()
        self._warm()


def _uncompressed(scope: Scope) -> Scope:
    """A browser of this machine asks for nothing to be compressed: the page's scripts are, anew each time, and that
    takes longer than to read them. What came through a proxy is left as it is."""
    names = {name for name, _ in scope.get("headers", ())}
    here = (scope.get("client") or [""])[0] in ("127.0.0.1", "::1")
    if not here or names & {b"x-forwarded-for", b"forwarded", b"via"}:
        return scope
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]}


class Draining:
    """An end at which running turns come to theirs first: other instances take the questions that come."""

    def __init__(self, assistant: Assistant, server: uvicorn.Server) -> None:
        self._assistant, self._server = assistant, server
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """By a signal."""
        self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        self._task = self._task or self._loop.create_task(self._end())

    async def _end(self) -> None:
        await self._assistant.drain(DRAIN)
        self._server.should_exit = True


@contextlib.contextmanager
def _ended_by_signals(server: uvicorn.Server, draining: Draining | None = None) -> Iterator[None]:
    """Ctrl+C and SIGTERM end the server, so that everything is closed in order; a second one does not wait.

    Where Ctrl+C is ignored from the beginning (in the background of a script, see `commands/terminal.py`) it stays so.
    """

    first = None

    def end(number: int, _: object) -> None:
        nonlocal first
        first = first or time.monotonic()
        server.force_exit = time.monotonic() - first > 1  # sooner it is the same one, passed on by `uv run` as well
        if draining and number == signal.SIGTERM and not server.force_exit:
            draining.begin()
        else:
            server.should_exit = True

    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ending = (signal.SIGTERM,) if ignored else (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, end) for number in ending}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _uploads(settings: Settings) -> Path:
    """Where the page puts files until the library has taken them."""
    return _home(settings).absolute() / "uploads"


def _home(settings: Settings) -> Path:
    """The folder that is this program's alone."""
    from stores.user_libraries import FOLDER

    return settings.data_dir / FOLDER if settings.libraries == "private" else settings.data_dir


def _settings() -> Settings:
    from errors import CitewiseError

    try:
        return read_settings()
    except CitewiseError as error:
        sys.exit("\n".join(f"{m.zh}\n{m.en}" for m in [error.message, *error.suggestions]))


def _port_taken(settings: Settings) -> Exception:
    from errors import CitewiseError
    from schema import Message

    return CitewiseError(
        "settings",
        Message(
            zh=f"无法在 {settings.host}:{settings.port} 上打开页面，端口可能已被占用。",
            en=f"The page cannot be opened at {settings.host}:{settings.port}; the port may be in use.",
        ),
        Message(zh="换一个端口：uv run app.py --port 7861", en="Try another port: uv run app.py --port 7861"),
    )


if __name__ == "__main__":
    typer.run(main)
