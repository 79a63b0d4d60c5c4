"""JSON, so that a piece of it explains itself: "key: value" lines, unescaped, without brackets and quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from ingestion.readers.base import ReaderResult, decode_text
from ingestion.readers.records import line_grids, record_grids
from ingestion.readers.rows import MOST_CELLS, MOST_ROWS, too_long
from schema import Place

# Configuration: people look it up by line and copy from it, so it stays as it is.
_CONFIGURATION = re.compile(
    r"(?:package|composer|manifest|angular|nx|turbo|lerna|deno|bower|settings|launch|tasks|extensions|renovate|vercel"
    r"|firebase|appsettings|global|config|components|biome|now|app)(?:[.-][\w.-]+)?\.json"
    r"|[tj]sconfig[\w.-]*\.json|[\w.-]*(?:\.config|rc|\.schema|[.-]lock)\.json|\.\w+rc|.*\.(?:jsonc|json5|webmanifest)",
    re.IGNORECASE,
)
_token = re.compile(r'"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+|"')
_plain = re.compile(r"(?:true|false|null|NaN|-?Infinity|-?\d[\d.eE+-]*)\Z")
_control = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_WIDE = 200  # characters: lines of people are shorter on average, and lists are written in lines of about so many
_DEEPEST = 12  # levels that are indented
_PAIRS = {"}": "{", "]": "["}


class _Line(NamedTuple):
    text: str
    record: int = 0  # which record of the outermost list begins here, from 1


def read_json(name: str, data: bytes) -> ReaderResult:
    """Line n of the text is line n of a file that was written for people; one on a single line is laid out anew,
    and its records are `places`. Configuration and what is no JSON are left as they are. Raises FileError for more
    records than a table may have rows."""
    text, metadata = _decoded(name, data)
    if _CONFIGURATION.fullmatch(name.rpartition("/")[2]):
        return ReaderResult(text, "code", "code", metadata, "json")
    if not _is_json(text, name):
        if _is_json_lines(text, name):
            return read_json_lines(name, data)
        return ReaderResult(text, "code", "json", metadata | {"note": _problem(text)}, "json")
    breaks = text.strip().count("\n")
    prose = any(len(token) > _WIDE and "\\n" in token for token in _tokens(text))  # lines within a line
    if breaks and len(text) <= _WIDE * (breaks + 1) and not prose:
        shown = "\n".join(map(_in_place, text.split("\n")))
        return ReaderResult(shown, "code", "json", metadata, "json", grids=record_grids(text, shown))
    read = _laid_out(_lines(text), metadata)
    return replace(read, grids=record_grids(text, read.text, read.places))


def read_json_lines(name: str, data: bytes) -> ReaderResult:
    """A record a line: "row" n is line n of the file. A line that is no JSON stays as it is. Raises FileError for more
    lines than a table may have rows."""
    text, metadata = _decoded(name, data)
    _check_lines(text, name)
    bad = 0

    def lines() -> Iterator[_Line]:
        nonlocal bad
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            good = _is_json(line, name)
            bad += not good
            for place, (words, _) in enumerate(_lines(line) if good else [_Line(line)]):
                yield _Line(words, 0 if place else number)
            yield _Line("")

    read = _laid_out(lines(), metadata)
    read = replace(read, grids=line_grids(text, read.text, read.places))
    if bad:
        read.metadata["note"] = f"{bad} lines are not valid JSON and stay as they are"
    return read


def _decoded(name: str, data: bytes) -> tuple[str, dict[str, Any]]:
    text, metadata = decode_text(name, data)
    return text, {**metadata, "programming_language": "json"}


def _laid_out(lines: Iterator[_Line], metadata: dict[str, Any]) -> ReaderResult:
    parts: list[str] = []
    places: list[Place] = []
    offset = 0
    for line in lines:
        if line.record:
            places.append(Place(offset, "row", line.record))
        parts.append(line.text)
        offset += len(line.text) + 1
    return ReaderResult("\n".join(parts).rstrip() + "\n", "code", "json", metadata | {"laid_out": True}, "json", places)


def _tokens(text: str) -> Iterator[str]:
    """Strings in quotes, punctuation, literals."""
    return (found[0] for found in _token.finditer(text))


def _check_lines(text: str, name: str) -> None:
    if text.count("\n") > MOST_ROWS:
        raise too_long(name)


def _is_json(text: str, name: str) -> bool:
    """Of any depth; where commas and colons stand is not minded. Raises FileError as soon as it is too long."""
    open_: list[str] = []
    count = records = commas = 0
    for count, token in enumerate(_tokens(text), 1):
        if token == ",":
            commas += 1
            if commas > MOST_CELLS:
                raise too_long(name)
        elif token in "{[":
            if not open_ and count > 1:
                return False
            records += open_ == ["["] or (token == "{" and open_[-1:] == ["["])
            if records > MOST_ROWS:
                raise too_long(name)
            open_.append(token)
        elif token in "}]":
            if not open_ or open_.pop() != _PAIRS[token]:
                return False
        elif token == '"' or (token[0] not in '":' and not _plain.match(token)) or (not open_ and count > 1):
            return False
    return count > 0 and not open_


def _in_place(line: str) -> str:
    """A line of the file with what it says, where it stands."""
    indent = line[: len(line) - len(line.lstrip())]
    words: list[str] = []
    comma = False
    for token in _token.findall(line):
        if token == ",":
            comma = bool(words)
        elif token not in "{}[]":
            words.append((", " if comma else "") + (": " if token == ":" else _unquote(token).replace("\n", " ")))
            comma = False
    bare = "".join(words).rstrip()
    return indent + bare if bare else ""


def _lines(text: str) -> Iterator[_Line]:
    """One "key: value" a line, lists of plain values in one, a blank line between objects of a list."""
    open_: list[str] = []
    words: list[str] = []
    width = level = depth = record = 0  # characters of the line, objects open where it began and now
    begins = comma = False  # the next line is the first of a record; the next word follows a comma

    def line() -> Iterator[_Line]:
        nonlocal width, begins, comma
        bare = "".join(words).rstrip()
        words.clear()
        width, comma = 0, False
        if bare:
            indent = "  " * min(max(0, level - 1), _DEEPEST)
            yield _Line(indent + bare.replace("\n", "\n" + indent), record if begins else 0)
            begins = False

    for token in _tokens(text):
        if token == "{":
            yield from line()
            if open_ == ["["]:
                record, begins = record + 1, True
            depth += 1
            open_.append(token)
        elif token == "[":
            open_.append(token)
        elif token in "}]":
            yield from line()
            open_.pop()
            depth -= token == "}"
            if token == "}" and open_[-1:] == ["["]:
                yield _Line("")
        elif token == "," and (open_[-1:] == ["{"] or width > _WIDE or not words):
            yield from line()
        elif token == ",":
            comma = True
        else:
            level = level if words else depth
            words.append((", " if comma else "") + (": " if token == ":" else _unquote(token)))
            width, comma = width + len(words[-1]), False
    yield from line()


def _unquote(token: str) -> str:
    if not token.startswith('"'):
        return token
    text = token[1:-1]
    if "\\" in text:
        try:
            text = json.loads(token, strict=False)
        except ValueError:  # an escape that there is not
            return text
    return _control.sub("", text.encode("utf-8", "replace").decode().replace("\r\n", "\n"))


def _is_json_lines(text: str, name: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return len(lines) > 1 and all(_is_json(line, name) for line in lines)


def _problem(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"not valid JSON: {error}"
    return "not read as JSON"
