"""Who may ask the page, and what it may load."""

import re
from collections.abc import Sequence

from httpx2 import Response
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from doors.guard import GuardMiddleware
from tests.each_row import each_row

PAGE = "<html><script>one</script><script type=module src=x></script><p>scripted</p></html>"


def client(host: str, allowed: Sequence[str] = ()) -> TestClient:
    routes = [
        Route("/", lambda _: PlainTextResponse("page")),
        Route("/page", lambda _: HTMLResponse(PAGE)),
        Route("/long", lambda _: HTMLResponse(PAGE * 100)),
        Route("/saved", lambda _: HTMLResponse(PAGE, headers={"Content-Disposition": "attachment; filename=a.html"})),
    ]
    app = GuardMiddleware(Starlette(routes=routes), host, allowed)
    return TestClient(app, base_url="http://localhost:7860")


@each_row(
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


@each_row(
    ("listening", "allowed", "asked", "status"),
    [
        ("127.0.0.1", "docs.example", "docs.example", 200),
        ("127.0.0.1", "docs.example", "DOCS.example:8443", 200),
        ("127.0.0.1", "docs.example", "localhost:7860", 200),
        ("127.0.0.1", "docs.example", "evil.example", 421),
        ("0.0.0.0", "docs.example", "docs.example", 200),
        ("0.0.0.0", "docs.example", "evil.example", 421),
    ],
)
def test_named_hosts_are_the_only_ones(listening: str, allowed: str, asked: str, status: int) -> None:
    assert client(listening, [allowed]).get("/", headers={"host": asked}).status_code == status


def policy_of(answer: Response) -> dict[str, list[str]]:
    rules = [rule.split() for rule in answer.headers["content-security-policy"].split(";")]
    return {name: values for name, *values in rules}


def test_the_page_may_load_nothing_from_elsewhere() -> None:
    policy = policy_of(client("127.0.0.1").get("/"))
    assert policy["img-src"] == ["'self'", "data:", "blob:"]
    assert policy["frame-src"] == policy["object-src"] == ["'none'"]
    assert policy["form-action"] == policy["connect-src"] == policy["default-src"] == ["'self'"]
    assert "'unsafe-inline'" not in policy["script-src"]
    assert not [value for values in policy.values() for value in values if "http" in value or "*" in value]


def test_only_the_scripts_that_a_page_was_served_with_bear_its_number() -> None:
    guarded, asked = client("127.0.0.1"), {"accept": "text/html"}
    first, second = (guarded.get("/page", headers=asked) for _ in range(2))
    number = re.search(r"'nonce-([\w-]{16,})'", first.headers["content-security-policy"])
    assert number is not None
    assert first.text == PAGE.replace("<script", f'<script nonce="{number[1]}"')
    assert number[1] not in second.text
    long = guarded.get("/long", headers={**asked, "accept-encoding": "gzip"})
    assert long.headers["content-encoding"] == "gzip"
    assert long.text.count("<script nonce=") == 200


def test_what_is_saved_as_a_file_stays_as_it_is() -> None:
    assert client("127.0.0.1").get("/saved", headers={"accept": "text/html"}).text == PAGE


@each_row(
    ("site", "mode", "status"),
    [
        ("same-origin", "cors", 200),
        ("none", "navigate", 200),
        ("cross-site", "navigate", 200),
        ("cross-site", "no-cors", 403),
        ("same-site", "cors", 403),
    ],
)
def test_other_sites_embed_nothing(site: str, mode: str, status: int) -> None:
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
    assert client("127.0.0.1").get("/", headers=headers).status_code == status


@each_row(
    ("listening", "asked", "origin", "status"),
    [
        ("127.0.0.1", "localhost:7860", "http://localhost:7860", 200),
        ("127.0.0.1", "localhost:7860", "http://localhost:3000", 403),
        ("127.0.0.1", "localhost:7860", "https://evil.example", 403),
        ("127.0.0.1", "localhost:7860", "null", 403),
        ("127.0.0.1", "localhost:7860", "", 403),
        ("127.0.0.1", "localhost", "http://localhost:80", 200),
        ("0.0.0.0", "my-server", "https://my-server", 200),
        ("0.0.0.0", "my-server:443", "https://my-server", 200),
        ("0.0.0.0", "my-server", "https://other-server", 403),
        ("0.0.0.0", "my-server", "null", 403),
        ("0.0.0.0", "my-server", "file://my-server", 403),
    ],
)
def test_other_sites_are_refused(listening: str, asked: str, origin: str, status: int) -> None:
    assert client(listening).get("/", headers={"host": asked, "origin": origin}).status_code == status
