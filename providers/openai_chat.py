"""LangChain's ChatOpenAI on a lean client. Imported late: it brings half a second of modules."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI, AsyncStream
from pydantic import SecretStr

from providers.catalog import Provider
from providers.certificates import certificates
from providers.gathered import AT_ONCE, GatheredStream

CONNECT_TIMEOUT = 5.0  # seconds: who is far away answers sooner, who is not there never does
IDLE = 60.0  # seconds that a connection is kept for the next turn
PAUSE = 0.02  # seconds between two reads of a stream: two frames of a screen


# What stands where LangChain would make a client for calls that wait, which costs 25 ms and which nobody uses here.
_NOBODY = object()
certificates()  # by the thread that imports this module, before anybody waits


def open_client(provider: Provider) -> AsyncOpenAI:
    """A client for one event loop (LangChain's own is shared by the process and breaks in the second loop)."""
    timeout = httpx2.Timeout(provider.timeout, connect=min(CONNECT_TIMEOUT, provider.timeout))
    limits = httpx2.Limits(keepalive_expiry=IDLE)
    key = provider.api_key or SecretStr("none")  # local servers want no key, the client wants a word
    return AsyncOpenAI(
        api_key=key.get_secret_value(),
        base_url=provider.base_url,
        timeout=timeout,
        max_retries=0,  # retries are the link's
        http_client=httpx2.AsyncClient(
            timeout=timeout,
            limits=limits,
            trust_env=not provider.local,
            verify=certificates(),
            event_hooks={"response": [_read_calmly]},
        ),
    )


async def _read_calmly(response: httpx2.Response) -> None:
    if "text/event-stream" in response.headers.get("content-type", ""):
        response.stream = PacedStream(response.stream)


class OthersRan:
    """Whether anything else of the event loop ran since `watch`. A clock cannot tell: on a busy machine what waits for
    nothing takes as long as what does elsewhere."""

    def __init__(self) -> None:
        self.ran, self._waits = False, False
        self._loop = asyncio.get_running_loop()

    def watch(self) -> None:
        self.ran = False
        if not self._waits:
            self._waits = True
            self._loop.call_soon(self._run)

    def _run(self) -> None:
        self.ran, self._waits = True, False


class PacedStream(httpx2.AsyncByteStream):
    """A stream that lets a few chunks gather before it reads again.

    To wake up for every word costs half of what a streamed answer costs (40 ms of 134 pieces, 21 so), and everybody
    else who is being answered waits for it.
    """

    def __init__(self, stream: Any) -> None:
        self._stream: httpx2.AsyncByteStream = stream
        self._chunks: Any = None

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        number, others, self._chunks = 0, OthersRan(), aiter(self._stream)
        while True:
            others.watch()
            if (chunk := await anext(self._chunks, None)) is None:
                return
            read = others.ran  # from the network: for what had been read already nobody waits
            yield chunk
            number += 1
            if read and number > AT_ONCE:
                await asyncio.sleep(PAUSE)

    async def aclose(self) -> None:
        """Who leaves early leaves a generator half-way: it ends here, in its own loop, not when it is collected."""
        if isinstance(self._chunks, AsyncGenerator):
            await self._chunks.aclose()
        await self._stream.aclose()


def open_chat(provider: Provider, client: AsyncOpenAI, refused: frozenset[str]) -> ChatOpenAI:
    """The chat model; `refused` are parameters that the address does not take."""
    return ChatOpenAI(
        model=provider.model,
        base_url=provider.base_url,
        api_key=provider.api_key or SecretStr("none"),
        temperature=None if "temperature" in refused else provider.temperature,
        stream_usage="stream_options" not in refused,
        max_retries=0,
        # Its own limit uses asyncio.wait_for, which in Python 3.11 can lose a cancellation: a stop would not stop.
        stream_chunk_timeout=None,
        root_async_client=client,
        async_client=_Completions(client),
        client=_NOBODY,
    )


class _Completions:
    """The client's chat completions without its typed models: plain dicts, which LangChain takes as well.

    Building a typed object for each piece of a stream costs three times as much as everything else (15 ms of 20 for
    120 pieces).
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    @property
    def with_raw_response(self) -> _Raw:
        return _Raw(self)

    async def create(self, *, extra_body: dict[str, Any] | None = None, stream: bool = False, **body: Any) -> Any:
        body |= extra_body or {}
        if not stream:
            return await self._client.post("/chat/completions", body=body, cast_to=object)
        reply: AsyncStream[object] = await self._client.post(
            "/chat/completions",
            body={**body, "stream": True},
            cast_to=object,
            stream=True,
            stream_cls=AsyncStream[object],
        )
        return GatheredStream(reply)


class _Raw:
    """What LangChain asks for where it wants a reply's headers too; it has no use for them here."""

    headers: dict[str, str] = {}  # noqa: RUF012

    def __init__(self, completions: _Completions, reply: object = None) -> None:
        self._completions, self._reply = completions, reply

    async def create(self, **body: Any) -> _Raw:
        return _Raw(self._completions, await self._completions.create(**body))

    def parse(self) -> object:
        return self._reply
