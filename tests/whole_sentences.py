"""What an error tells a person: whole sentences, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from errors import CitewiseError
from schema import Message

_zh = re.compile(r"[\u3400-\u9fff].*[。！？）…]\Z", re.DOTALL)
_en = re.compile(r"[a-z ].*(?:[.!?)…]|: [^:]+)\Z", re.DOTALL)  # a command may stand at the end


def is_told(message: Message) -> bool:
    """Whether both are sentences with an end: several of them are shown one behind the other."""
    told = isinstance(message.zh, str) and isinstance(message.en, str)
    return told and bool(_zh.search(message.zh) and _en.search(message.en))


@pytest.fixture(scope="module", autouse=True)
def errors_are_told_wholly() -> Iterator[None]:
    """In the folders whose conftest imports it no test meets an error that tells anything else."""
    made = CitewiseError.__init__

    def checked(self: CitewiseError, kind: Any, message: Message, *advice: Message, **more: Any) -> None:
        for one in (message, *advice, *(each for each in more.values() if each is not None)):
            assert is_told(one), f"no whole sentence in both languages: {one}"
        made(self, kind, message, *advice, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CitewiseError, "__init__", checked)
        yield
