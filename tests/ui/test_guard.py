"""Who may ask the page, and what it may load."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.guard import GuardMiddleware


def client(host: str) -> TestClient:
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("page"))])
    return TestClient(GuardMiddleware(app, host), base_url="http://localhost:7860")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("listening", "asked", "status"),
    [
        ("127.0.0.1", "localhost:7860", 200),
        ("127.0.0.1", "127.0.0.1", 200),
        ("::1", "[::1]:7860", 200),
        ("127.0.0.1", "evil.example", 421),
        ("127.0.0.1", "localhost.evil.example:7860", 421),
        ("127.0.0.1", "", 421),
        ("0.0.0.0", "my-server:7860", 200),
    ],
)
def test_foreign_hosts_are_refused_on_loopback(listening: str, asked: str, status: int) -> None:
    assert client(listening).get("/", headers={"host": asked}).status_code == status


def test_the_page_may_load_nothing_from_elsewhere() -> None:
    policy = client("127.0.0.1").get("/").headers["content-security-policy"]
    assert "img-src 'self' data: blob:" in policy
    assert "http:" not in policy
