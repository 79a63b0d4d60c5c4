"""What is no character, in the arguments of a call: it can be neither stored nor sent back."""

from __future__ import annotations

from typing import Any

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
