"""The body of a response, decompressed as it comes, with never more held than is allowed."""

from __future__ import annotations

import zlib

_GZIP = b"\x1f\x8b"
_KNOWN = ("", "identity", "gzip", "x-gzip", "deflate")
_MOST_MEMBERS = 100  # of a gzip stream; each costs a decompressor


class BodyTooLargeError(Exception):
    """More bytes than are allowed, packed or unpacked."""


class DamagedBodyError(Exception):
    """It cannot be unpacked, or its end is missing."""


class Decompressor:
    """One body: `take` its pieces in turn, then `whole`."""

    def __init__(self, encoding: str, most: int) -> None:
        """`encoding`: of the header Content-Encoding. Raises Damaged for one that is not understood."""
        self._encoding, self._most = encoding.strip().lower(), most
        if self._encoding not in _KNOWN:
            raise DamagedBodyError(encoding)
        self._packed = self._encoding in _KNOWN[2:]
        self._stream: zlib._Decompress | None = None
        self._data, self._waiting = bytearray(), b""
        self._received = self._members = 0

    def take(self, piece: bytes) -> None:
        """Raises BodyTooLargeError as soon as it is, Damaged."""
        self._received += len(piece)
        if self._received > self._most:
            raise BodyTooLargeError
        if not self._packed:
            self._data += piece
            return
        piece, self._waiting = self._waiting + piece, b""
        while piece:
            piece = self._unpacked(piece)

    def whole(self) -> bytes:
        """Raises Damaged when it was cut short."""
        if not self._stream.eof if self._stream else self._waiting:
            raise DamagedBodyError("cut short")
        return self.so_far

    @property
    def so_far(self) -> bytes:
        return bytes(self._data)

    def _unpacked(self, piece: bytes) -> bytes:
        """What is left of the piece: the beginning of the next member of a gzip stream."""
        if self._stream is None or self._stream.eof:
            if len(piece) < 2:
                self._waiting = piece
                return b""
            if self._stream and (self._encoding == "deflate" or not piece.startswith(_GZIP)):
                return b""  # padding
            self._stream = zlib.decompressobj(self._window(piece))
            self._members += 1
            if self._members > _MOST_MEMBERS:
                raise DamagedBodyError("too many members")
        try:
            self._data += self._stream.decompress(piece, self._most + 1 - len(self._data))
        except zlib.error as error:
            raise DamagedBodyError(str(error)) from error
        if len(self._data) > self._most:
            raise BodyTooLargeError
        return self._stream.unused_data

    def _window(self, beginning: bytes) -> int:
        """For zlib: "deflate" means a zlib stream (RFC 9110 8.4.1.2), but some servers send it without the header."""
        if self._encoding != "deflate":
            return zlib.MAX_WBITS | 16
        zlib_header = beginning[0] & 0x0F == 8 and int.from_bytes(beginning[:2]) % 31 == 0
        return zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS
