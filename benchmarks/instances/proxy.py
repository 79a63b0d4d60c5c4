"""A small proxy on loopback that keeps a browser at one instance by a cookie, as a balancer does; another takes over
when that one is gone. One request a connection."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count

COOKIE = "instance"
_END = b"\r\n\r\n"
_NAMED = re.compile(rb"(?im)^cookie:.*\binstance=(\d+)")
_CONNECTION = re.compile(rb"(?im)^connection:[^\r\n]*\r\n")


class StickyProxy:
    """Instances by their ports."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports, self._turn = ports, count()
        self._passing: set[object] = set()  # asyncio itself keeps no task alive

    async def serve(self, client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        self._passing.add(task := asyncio.current_task())
        try:
            await self._serve(client, answer)
        finally:
            self._passing.discard(task)

    async def _serve(self, client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await client.readuntil(_END)
            named = _NAMED.search(head)
            wanted = int(named[1]) if named else next(self._turn)
            number, reader, writer = await self._reached(wanted)
            if writer is None or reader is None:
                answer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close" + _END)
            else:
                writer.write(_closing(head))
                sending = asyncio.create_task(_pass(client, writer))
                try:
                    said = await reader.readuntil(_END)
                    kept = f"\r\nSet-Cookie: {COOKIE}={number}; Path=/; HttpOnly".encode()
                    answer.write(_closing(said).replace(b"\r\n", kept + b"\r\n", 1))
                    await _pass(reader, answer)
                finally:
                    sending.cancel()
                    writer.close()
        with suppress(OSError):
            await answer.drain()
        answer.close()

    async def _reached(self, wanted: int) -> tuple[int, asyncio.StreamReader | None, asyncio.StreamWriter | None]:
        """The instance that is wanted, or else the next one that takes connections."""
        for number in range(wanted, wanted + len(self._ports)):
            with suppress(OSError):
                found = number % len(self._ports)
                return found, *await asyncio.open_connection("127.0.0.1", self._ports[found])
        return wanted, None, None


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()


def _closing(head: bytes) -> bytes:
    return _CONNECTION.sub(b"", head).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)


@contextmanager
def sticky_proxy(ports: Sequence[int]) -> Iterator[str]:
    """Its address, while the block runs; in a thread of its own."""
    loop, proxy = asyncio.new_event_loop(), StickyProxy(ports)
    server = loop.run_until_complete(asyncio.start_server(proxy.serve, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(_ended(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _ended(server: asyncio.Server) -> None:
    server.close()
    passing = asyncio.all_tasks() - {asyncio.current_task()}
    for task in passing:
        task.cancel()
    await asyncio.gather(*passing, return_exceptions=True)
