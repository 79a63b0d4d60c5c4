"""How Python's values travel to PostgreSQL and back: any characters in texts and JSON, and vectors as halves of floats.

Texts and jsonb of PostgreSQL hold no NUL. It travels as SUB and "0", and SUB itself as SUB and "E": both are rare, so
what a person reads in the tables is nearly always the text as it was given.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np
import psycopg
from psycopg.adapt import AdaptersMap, Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader, TextLoader

from schema import Vectors

Connection = psycopg.Connection[tuple[Any, ...]]

_TEXT_TYPES = ("text", "varchar")


class HalfVector:
    """A vector on its way into a column of type halfvec."""

    def __init__(self, values: Vectors) -> None:
        self.values = values


def register(connection: Connection) -> None:
    """Make a connection speak so. Raises psycopg.Error where pgvector is not there."""
    adapters = connection.adapters
    register_text(adapters)
    adapters.register_loader("jsonb", _JsonLoader)
    info = TypeInfo.fetch(connection, "halfvec")
    if info is None:
        raise psycopg.errors.UndefinedObject("the type halfvec is not there")
    info.register(connection)
    adapters.register_dumper(HalfVector, type("_KnownHalfVectorDumper", (_HalfVectorDumper,), {"oid": info.oid}))
    adapters.register_loader(info.oid, _HalfVectorLoader)


def register_text(adapters: AdaptersMap) -> None:
    """For connections that need no vectors."""
    adapters.register_dumper(str, _TextDumper)
    for name in _TEXT_TYPES:
        adapters.register_loader(name, _TextLoader)
        adapters.register_loader(name, _BinaryTextLoader)


def json_value(written: str) -> str:
    """JSON as a value of type jsonb."""
    return _JSON_WITHIN.sub(_json_escape, written) if "\\u00" in written else written


def json_text(given: str | bytes) -> str:
    """JSON as it was before `json_value`."""
    written = given if isinstance(given, str) else given.decode()
    return _JSON_WITHOUT.sub(_json_unescape, written) if "\\u001a" in written else written


def _escape(text: str) -> str:
    return text.replace("\x1a", "\x1aE").replace("\0", "\x1a0") if "\0" in text or "\x1a" in text else text


def _unescape(text: str) -> str:
    return text.replace("\x1a0", "\0").replace("\x1aE", "\x1a") if "\x1a" in text else text


_JSON_WITHIN = re.compile(r"\\\\|\\u0000|\\u001a")
_JSON_WITHOUT = re.compile(r"\\\\|\\u001a0|\\u001aE")


def _json_escape(match: re.Match[str]) -> str:
    return {"\\u0000": "\\u001a0", "\\u001a": "\\u001aE"}.get(match[0], match[0])


def _json_unescape(match: re.Match[str]) -> str:
    return {"\\u001a0": "\\u0000", "\\u001aE": "\\u001a"}.get(match[0], match[0])


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(_escape(obj))


class _TextLoader(TextLoader):
    def load(self, data: Buffer) -> bytes | str:
        text = super().load(data)
        return _unescape(text) if isinstance(text, str) else text


class _BinaryTextLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> bytes | str:
        text = super().load(data)
        return _unescape(text) if isinstance(text, str) else text


class _JsonLoader(Loader):
    """As it is written: whoever needs it knows what of it."""

    def load(self, data: Buffer) -> str:
        return json_text(bytes(data))


class _HalfVectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> Buffer:
        return struct.pack(">HH", len(obj.values), 0) + np.asarray(obj.values, ">f2").tobytes()


class _HalfVectorLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> Vectors:
        return np.frombuffer(bytes(data), ">f2", offset=4).astype(np.float32)
