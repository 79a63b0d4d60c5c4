"""The README in both languages: what can be typed is the same in each."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_both_languages_say_the_same_commands() -> None:
    chinese, english = (_blocks(name) for name in ("README.zh.md", "README.md"))
    assert len(english) > 12
    assert chinese == english


def test_every_picture_and_page_that_is_named_is_there() -> None:
    for name in ("README.zh.md", "README.md"):
        links = re.findall(r"\]\((?!http)([^)#]+)", (ROOT / name).read_text("utf-8"))
        assert [link for link in links if not (ROOT / link).exists()] == []


def _blocks(name: str) -> list[list[str]]:
    """The code, without its comments."""
    found = re.findall(r"^```\w+\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.S | re.M)
    return [[re.sub(r"\s+# .*|\s+#$", "", line) for line in block.splitlines()] for block in found]
