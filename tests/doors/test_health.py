"""What a supervisor and a load balancer ask: whether the process runs, and whether its library answers."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from doors import health
from doors.health import HealthMiddleware
from doors.login import LoginMiddleware
from doors.passwords import hash_password
from doors.users import Users
from stores.problems import closed
from stores.shared import stores_in_folder


def test_they_are_answered_without_a_login_and_nothing_else_is(tmp_path: Path) -> None:
    site = Starlette(routes=[Route("/{rest:path}", lambda _: PlainTextResponse("secret"), methods=["GET", "POST"])])
    login = LoginMiddleware(
        site, Users({"alice": hash_password("correct horse")}, {}), stores_in_folder(tmp_path, 1), 7
    )
    client = TestClient(HealthMiddleware(login, lambda: 7, lambda: False), base_url="http://localhost")
    for path, status in (("/healthz", "ok"), ("/ready", "ready")):
        answer = client.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": status})
        assert answer.headers["cache-control"] == "no-store"
        assert client.head(path).status_code == 200
        assert client.post(path).status_code == 401
    for path in ("/", "/healthz/", "/ready/more", "/metrics"):
        assert client.get(path).status_code == 401


def test_a_library_that_fails_is_not_ready_and_a_stranger_is_not_told_why(caplog: pytest.LogCaptureFixture) -> None:
    def look() -> None:
        raise closed("postgresql://db.internal/citewise")

    client = TestClient(HealthMiddleware(Starlette(), look, lambda: False))
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert "db.internal" not in answer.text
    assert "db.internal" in caplog.text
    assert client.get("/healthz").status_code == 200


def test_a_program_that_drains_runs_and_is_not_ready() -> None:
    client = TestClient(HealthMiddleware(Starlette(), lambda: 7, lambda: True))
    answer = client.get("/ready")
    assert (answer.status_code, answer.json()["status"]) == (503, "draining")
    assert client.get("/healthz").status_code == 200


async def test_a_library_that_hangs_is_looked_at_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.0)
    answering, begun, looks = threading.Event(), threading.Event(), list[int]()

    def look() -> None:
        looks.append(1)
        begun.set()
        assert answering.wait(60)

    site = HealthMiddleware(Starlette(), look, lambda: False)
    async with AsyncClient(transport=ASGITransport(site), base_url="http://localhost") as client:
        assert {(await client.get("/ready")).status_code for _ in range(3)} == {503}
        assert await asyncio.to_thread(begun.wait, 60)
        assert len(looks) == 1
        answering.set()
        monkeypatch.setattr(health, "PATIENCE", 60.0)
        waiting = [client.get("/ready") for _ in range(3)]
        assert [answer.status_code for answer in await asyncio.gather(*waiting)] == [200] * 3
