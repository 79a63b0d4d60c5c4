"""How text of documents goes into a prompt: as data that no instruction in it can leave."""

from __future__ import annotations

import secrets
from collections.abc import Iterable


def fenced(kind: str, parts: Iterable[tuple[str, str]]) -> list[str]:
    """(attributes, text) pairs between marks with a random word in their name, so that no text can close its own."""
    fence = f"{kind}-{secrets.token_hex(4)}"
    return [f"<{' '.join([fence, about]).strip()}>\n{text}\n</{fence}>" for about, text in parts]
