"""Without the package of the extra "mcp" everything else goes on, and what to run is said."""

from __future__ import annotations

import importlib.util
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from typer.testing import CliRunner

import cli
from doors.mcp_server import add_mcp


@pytest.fixture
def without_mcp(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "mcp" else found(name, *more))


async def test_over_http_the_remedy_is_said_in_both_languages(without_mcp: None) -> None:
    site, services = FastAPI(), None
    add_mcp(site, services)  # type: ignore[arg-type]
    transport: Any = httpx2.ASGITransport(site)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        replies = [await client.post(path, json={}) for path in ("/mcp", "/mcp/")]
    for reply in replies:
        assert reply.status_code == 501
        error = reply.json()["error"]
        assert error["type"] == "missing_extra"
        [remedy] = error["suggestions"]
        for said in remedy.splitlines():
            assert "uv sync --extra mcp" in said
        assert error["still_works"]


def test_at_the_terminal_it_is_said_in_its_language(
    without_mcp: None, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", {"zh": "zh_CN.UTF-8", "en": "en_GB.UTF-8"}[language])
    done = CliRunner().invoke(cli.cli, ["mcp"])
    assert done.exit_code == 1
    assert "uv sync --extra mcp" in done.output
    assert ("可选组件" in done.output) is (language == "zh")
