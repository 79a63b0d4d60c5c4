"""Beside the models: whether the web is searched, and by whom."""

from __future__ import annotations

import pytest

from schema import Language
from ui.health import web_markdown


@pytest.mark.parametrize(
    ("language", "asked", "nobody", "never"),
    [
        ("zh", "先问你要不要搜索", "没有可用的", "不搜索"),
        ("en", "you are asked before", "none can be asked", "never searched"),
    ],
)
def test_the_policy_of_the_web_is_told(language: Language, asked: str, nobody: str, never: str) -> None:
    said = web_markdown("ask", ["searxng", "ddgs"], language)
    assert asked in said
    assert "searxng, ddgs" in said
    assert "`CITEWISE_WEB=ask`" in said
    assert nobody in web_markdown("always", [], language)
    said = web_markdown("never", ["ddgs"], language)
    assert never in said
    assert "ddgs" not in said  # nobody is asked
