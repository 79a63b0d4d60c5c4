"""The guard: whatever is asked for, only the public internet and what the settings allow is connected to."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from typing import Any

import httpcore2
from httpx2 import URL, Headers, InvalidURL

from providers.certificates import certificates
from web import problems
from web.addresses import Address, AddressAllowlist, parse_address, public
from web.decompression import BodyTooLargeError, Decompressor

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]  # host, port -> its addresses, as text

_PORTS = (80, 443)  # of hosts that are not allowed by name or address
_LONGEST_URL = 4096  # characters
_PATIENCE = 2.0  # seconds for one address of a host that has another: IPv6 that leads nowhere
_KEEP_ALIVE = 5.0  # seconds; servers close idle connections, often after 5
_SHORT = 65_536  # bytes of a body that is read for nothing rather than to connect anew
_host = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
_number = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")  # 127.1, 2130706433, 0x7f.1: resolvers differ on those
_unclean = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ufeff\u200b-\u200f]")


async def resolve_host(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system knows them. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def target_address(url: str, base: URL | None = None) -> URL:
    """The address to fetch, in one reading that every later step goes by. Raises PageError for what is none.

    Its host is in lower case, in ASCII, without a dot at its end; the fragment is left out.
    """
    text = url.strip().replace(" ", "%20")  # as browsers do
    if not text or len(text) > _LONGEST_URL or _unclean.search(text):
        raise problems.no_address(url)
    try:
        whole = base.join(text) if base else URL(text)
        host = whole.raw_host.decode("ascii").removesuffix(".")
        port = whole.port is None or 0 < whole.port < 65_536
        if whole.scheme not in ("http", "https") or whole.userinfo or not port or not _plain(host):
            raise problems.no_address(url)
        return whole.copy_with(host=host, fragment=None)
    except (InvalidURL, UnicodeError, ValueError) as error:
        raise problems.no_address(url) from error


def _plain(host: str) -> bool:
    """Whether it is a name, or an address in its usual spelling."""
    if ":" in host or _number.fullmatch(host):
        return "%" not in host and bool(parse_address(host))
    return bool(_host.fullmatch(host))


class Guard(httpcore2.AsyncNetworkBackend):
    """Resolves a host once, looks at all its addresses, and connects to one of those that it has looked at."""

    def __init__(self, allowed: AddressAllowlist, resolve: Resolve) -> None:
        self._allowed, self._resolve = allowed, resolve
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Raises PageError."""
        try:
            async with asyncio.timeout(timeout):
                addresses = await self.checked(host, port)
        except TimeoutError as error:
            raise problems.too_slow(host) from error
        brief = min(timeout or _PATIENCE, _PATIENCE)
        for address in addresses[:-1]:
            try:
                return await self._inner.connect_tcp(str(address), port, brief, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._inner.connect_tcp(str(addresses[-1]), port, timeout, local_address, socket_options)

    async def checked(self, host: str, port: int) -> list[Address]:
        """Its addresses; one that may not be connected to refuses the host. Raises PageError."""
        try:
            addresses = [parse_address(text) for text in await self._resolve(host, port)]
        except TimeoutError:
            raise
        except (OSError, ValueError) as error:  # ValueError: UnicodeError too, of names that are none
            raise problems.unknown_host(host) from error
        if not addresses:
            raise problems.unknown_host(host)
        for address in addresses:
            if self._allowed.includes(host, address):
                continue
            if not public(address):
                raise problems.inner_address(host)
            if port not in _PORTS:
                raise problems.other_port(host, port)
        return addresses

    async def connect_unix_socket(self, path: str, *_: Any, **__: Any) -> httpcore2.AsyncNetworkStream:
        raise problems.no_address(path)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class HttpResponse:
    """A response whose body has not been read."""

    def __init__(self, response: httpcore2.Response) -> None:
        self.status = response.status
        self.headers = Headers(response.headers)
        self._response = response

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Hands over the body in pieces, until its end or an error of whoever takes them."""
        async with aclosing(self._response.aiter_stream()) as pieces:
            async for piece in pieces:
                take(piece)

    async def skip(self) -> None:
        """Reads a short body for nothing: its connection can then be used again."""
        with suppress(BodyTooLargeError):
            await self.read(Decompressor("", _SHORT).take)


class Client:
    """GET requests under guard. It belongs to one event loop; redirects, limits and politeness are its callers'."""

    def __init__(
        self,
        allowed: AddressAllowlist,
        *,
        idle: float,
        connections: int,
        resolve: Resolve = resolve_host,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """`idle`: seconds without a byte after which a connection is given up."""
        self._timeouts = {"connect": idle, "read": idle, "write": idle}
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context or certificates(),  # else they are read for each connection
            max_connections=connections,
            keepalive_expiry=_KEEP_ALIVE,
            network_backend=Guard(allowed, resolve),
        )

    @asynccontextmanager
    async def get(self, url: URL, headers: Mapping[str, str]) -> AsyncIterator[HttpResponse]:
        """The answer, as soon as its headers are there. Raises PageError."""
        origin = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        asked = {"host": url.netloc, **{name: value.encode("latin-1") for name, value in headers.items()}}
        lines = [(name.encode(), value) for name, value in asked.items()]
        extensions = {"timeout": self._timeouts}
        with problems.explaining_errors(url):
            async with AsyncExitStack() as stack:
                try:
                    opened = self._pool.stream("GET", origin, headers=lines, extensions=extensions)
                    response = await stack.enter_async_context(opened)
                except (httpcore2.RemoteProtocolError, httpcore2.ReadError):  # a kept connection may just have ended
                    opened = self._pool.stream("GET", origin, headers=lines, extensions=extensions)
                    response = await stack.enter_async_context(opened)
                yield HttpResponse(response)

    async def aclose(self) -> None:
        await self._pool.aclose()
