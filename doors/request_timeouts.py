"""How long a request may take to arrive: one that never comes to an end would hold its connection for good."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

TOO_SLOW = (
    "请求没有在限定时间内发完，连接已关闭。请检查网络后重试。\n"
    "The request did not arrive in time, and the connection was closed. Check the network and try again."
)


class TimeoutProtocol(H11Protocol):
    """Closes a connection whose request is half sent: a head that takes too long, a body that stands still or comes
    slower than any line. What is slow on our side, an answer that streams or a body that waits to be read, is not
    counted, and neither is a connection that is kept open between two requests, which uvicorn sees to."""

    HEAD: ClassVar[float] = 30.0  # seconds from its first byte, or from the connection's beginning
    STILL: ClassVar[float] = 60.0  # seconds without a byte of the body
    SLOWEST: ClassVar[float] = 1_000.0  # bytes a second, on average, after the first seconds of standing still
    LOOK: ClassVar[float] = 5.0  # seconds between two looks

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._awaited: tuple[Any, Any] = (None, None)  # the request before, and which part of the next is due
        self._owed = self._still = 0.0  # seconds that we wait for it, and since a byte of it came
        self._came = self._counted = 0  # bytes of it, and of them those that were there at the last look
        self._look = self.loop.call_later(self.LOOK, self._look_at)

    def data_received(self, data: bytes) -> None:
        self._came += len(data)
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._look.cancel()
        super().connection_lost(exc)

    def _look_at(self) -> None:
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        self._look = self.loop.call_later(self.LOOK, self._look_at)
        awaited = (self.cycle, self.conn.their_state)
        if awaited != self._awaited or not self._is_due():
            self._awaited, self._owed, self._still, self._came, self._counted = awaited, 0.0, 0.0, 0, 0
            return
        self._owed += self.LOOK
        self._still = self._still + self.LOOK if self._came == self._counted else 0.0
        self._counted = self._came
        if self.conn.their_state is h11.SEND_BODY:
            too_slow = self._still >= self.STILL or self._owed >= self.STILL + self._came / self.SLOWEST
        else:
            too_slow = self._owed >= self.HEAD
        if too_slow:
            self._close()

    def _is_due(self) -> bool:
        """Whether it is the other side's turn to go on with what it has begun."""
        if self.conn.their_state is h11.SEND_BODY:
            return not self.flow.read_paused
        begun = self.cycle is None or bool(self.conn.trailing_data[0])
        return self.conn.their_state is h11.IDLE and begun

    def _close(self) -> None:
        self.logger.warning("a request was half sent for too long: its connection is closed")
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # nothing is answered yet
            body = TOO_SLOW.encode()
            head = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            for event in (h11.Response(status_code=408, headers=head), h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
