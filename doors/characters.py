"""The characters of a call's arguments: what is none can be neither stored nor sent back; bytes are spelt by them."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from errors import CitewiseError
from schema import Message

_DEEPEST = 5  # levels of lists and objects in the arguments of any service; what is deeper fits no form


def without_surrogates(value: Any, deepest: int = _DEEPEST) -> Any:
    """The value with "?" for each half of a surrogate pair, which JSON can spell, in its texts and names."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict) and deepest:
        return {without_surrogates(key, 0): without_surrogates(one, deepest - 1) for key, one in value.items()}
    if isinstance(value, list | tuple) and deepest:
        return [without_surrogates(one, deepest - 1) for one in value]
    return value


def decode_base64(written: str) -> bytes:
    """Raises CitewiseError."""
    try:
        return base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CitewiseError(
            "file",
            Message(zh="base64 的内容无法解码。", en="The base64 cannot be decoded."),
            Message(zh="请检查编码；文本请用 content。", en="Check how it was encoded; text goes into `content`."),
        ) from error
