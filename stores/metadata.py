"""What people say of a document as they add it, checked: names and values that `where` finds it by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from errors import CitewiseError
from schema import Message

MOST_NAMES = 100
LONGEST_NAME = 200  # characters
LONGEST = 20_000  # characters of all names and values
_GREATEST = 2**63 - 1  # whole number that the store compares exactly

# What the program knows itself, of which a person's word would be a lie, or lead a chunker astray.
FILLED_IN = frozenset(
    {
        "docset_name", "document_name", "name", "doc_set", "chunk_index", "start_line", "end_line", "source_type",
        "doc_type", "kind", "language", "programming_language", "file_path", "url", "repo", "commit_id", "timestamp",
        "size", "chunks", "digest", "embedding_space", "encoding", "body_start", "keywords", "entities", "topics",
    }
)  # fmt: skip


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """As it is stored: text, numbers, true and false, and lists of them, by name. Raises CitewiseError."""
    if not isinstance(given, Mapping):
        raise _unfit(
            Message(zh="元数据须为名称与值的对应。", en="Metadata are names with values."),
            Message(zh='请写成 {"author": "Li"}。', en='Write {"author": "Li"}.'),
        )
    fitting = {_name(name): _value(name, value) for name, value in given.items()}
    length = sum(
        len(name) + sum(len(str(one)) for one in (value if isinstance(value, list) else [value]))
        for name, value in fitting.items()
    )
    if len(fitting) > MOST_NAMES or length > LONGEST:
        raise _unfit(
            Message(
                zh=f"元数据太多：最多 {MOST_NAMES} 个名称，共 {LONGEST} 个字符。",
                en=f"That is too much metadata: there are at most {MOST_NAMES} names, {LONGEST} characters in all.",
            ),
            Message(zh="请只留下查找时要用的。", en="Keep what you will look for."),
        )
    return fitting


def _name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        shown = str(name)[:40]
        raise _unfit(
            Message(zh=f"“{shown}”不能作为元数据的名称。", en=f'"{shown}" is no name of metadata.'),
            Message(
                zh=f"名称是 1 到 {LONGEST_NAME} 个字符的文字，如 author。",
                en=f"A name is text of 1 to {LONGEST_NAME} characters, such as author.",
            ),
        )
    if name.strip() in FILLED_IN:
        raise _unfit(
            Message(
                zh=f"元数据“{name.strip()}”由程序填写，不能另给。",
                en=f'The program fills in "{name.strip()}" itself; it cannot be given.',
            ),
            Message(zh=f"请换一个名称，如 my_{name.strip()}。", en=f"Take another name, such as my_{name.strip()}."),
        )
    return _storable(name.strip())


def _value(name: object, value: Any) -> Any:
    given = value if isinstance(value, list | tuple) else [value]
    if not all(map(_is_plain, given)):
        raise _unfit(
            Message(
                zh=f"元数据“{name}”的值须为文字、数字、true 或 false，或由它们组成的列表。",
                en=f'The value of "{name}" must be text, a number, true or false, or a list of these.',
            ),
            Message(
                zh='请改成这样的值，或去掉它，如 {"author": "Li", "year": 2026}。',
                en='Give it one, or leave it out: {"author": "Li", "year": 2026}.',
            ),
        )
    plain = [_storable(one) if isinstance(one, str) else one for one in given]
    return plain if isinstance(value, list | tuple) else plain[0]


def _is_plain(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | bool) or (isinstance(value, int) and abs(value) <= _GREATEST)


def _storable(text: str) -> str:
    """Half a surrogate pair and NUL are no characters of a store."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _unfit(message: Message, remedy: Message) -> CitewiseError:
    return CitewiseError("settings", message, remedy)
