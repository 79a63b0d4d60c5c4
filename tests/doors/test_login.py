"""The login: nothing is served without it, passwords are never kept or logged, and guessing is slow."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from doors.login import LoginMiddleware, user_of
from doors.passwords import hash_password
from doors.proxies import behind_proxies
from doors.sessions import Sessions
from doors.users import Users, digest, users_from_settings
from stores.attempts import OF_ADDRESS, OF_NAME, OF_USER, WINDOW, AttemptsInMemory
from stores.logouts import LogoutFile
from stores.shared import stores_in_folder
from tests.conftest import MakeSettings
from tests.doors.login_cases import KEY, LINES, OTHER, PASSWORD

PLACES = [
    "/",
    "/gradio_api/info",
    "/gradio_api/file=/tmp/x",
    "/v1/models",
    "/mcp",
    "/metrics",
    "/config",
    "/assets/x.js",
]
BROWSER = {"accept": "text/html,application/xhtml+xml", "accept-language": "zh-CN"}


def client(folder: Path, base_url: str = "http://localhost:7860", users: Mapping[str, str] | None = None) -> TestClient:
    async def who(request: Request) -> PlainTextResponse:
        return PlainTextResponse(f"here is {user_of(request.scope)}")

    site = Starlette(routes=[Route("/{rest:path}", who, methods=["GET", "POST"])])
    app = LoginMiddleware(
        site, Users(LINES if users is None else users, {digest(KEY): "robot"}), stores_in_folder(folder, 1), 7
    )
    return TestClient(app, base_url=base_url, follow_redirects=False)


def log_in(asked: TestClient, name: str = "alice", password: str = PASSWORD, **headers: str) -> int:
    return asked.post("/login", data={"username": name, "password": password}, headers=headers).status_code


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_is_served_to_a_stranger(tmp_path: Path, place: str, method: str) -> None:
    answer = client(tmp_path).request(method, place)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "here is" not in answer.text


def test_a_browser_is_led_to_the_form_and_back(tmp_path: Path) -> None:
    asked = client(tmp_path)
    assert asked.get("/", headers=BROWSER).headers["location"] == "/login"
    form = asked.get("/login", headers=BROWSER)
    assert 'name="password"' in form.text
    assert "登录" in form.text
    assert "http" not in form.text.lower()
    assert "script" not in form.text
    assert form.headers["content-security-policy"].startswith("default-src 'none'")
    wrong = asked.post("/login", data={"username": "alice", "password": "x"}, headers=BROWSER)
    assert (wrong.status_code, "名称或密码不对" in wrong.text) == (401, True)
    right = asked.post("/login", data={"username": "alice", "password": PASSWORD}, headers=BROWSER)
    assert (right.status_code, right.headers["location"]) == (303, "/")
    assert asked.get("/", headers=BROWSER).text == "here is alice"
    assert asked.get("/", headers=BROWSER).headers["cache-control"] == "no-store"
    assert asked.get("/login", headers=BROWSER).headers["location"] == "/"


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
def test_the_cookie_is_for_this_site_alone(tmp_path: Path, scheme: str, secure: bool) -> None:
    asked = client(tmp_path, f"{scheme}://localhost:7860")
    given = asked.post("/login", data={"username": "alice", "password": PASSWORD}).headers["set-cookie"].lower()
    assert "httponly" in given
    assert "samesite=strict" in given
    assert "max-age=604800" in given
    assert ("secure" in given) == secure


def test_a_program_comes_in_by_its_key(tmp_path: Path) -> None:
    asked = client(tmp_path)
    assert asked.get("/v1/models", headers={"authorization": f"Bearer {KEY}"}).text == "here is robot"
    for wrong in (f"Bearer {KEY}x", "Bearer ", KEY, f"Basic {KEY}"):
        answer = asked.get("/v1/models", headers={"authorization": wrong})
        assert answer.status_code == 401, wrong
        assert all("CITEWISE_API_KEYS" in line for line in answer.json()["error"]["suggestions"][0].splitlines())


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_keys_alone_open_nothing_to_who_has_none(make_settings: MakeSettings, tmp_path: Path, host: str) -> None:
    """Then the page has no login that anybody could pass: it is for programs, and a browser is told so."""
    found = users_from_settings(make_settings(CITEWISE_API_KEYS=f"robot:{KEY}", CITEWISE_HOST=host))
    assert bool(found)
    assert not found.users
    asked = client(tmp_path, users={})
    for place in PLACES:
        assert "here is" not in asked.get(place).text
        assert "here is" not in asked.get(place, headers=BROWSER, follow_redirects=True).text
        assert asked.get(place, headers={"authorization": f"Bearer {KEY}"}).text == "here is robot"
    said = asked.get("/", headers=BROWSER, follow_redirects=True)
    assert (said.status_code, "cli.py user" in said.text, "<input" in said.text) == (403, True, False)
    assert asked.post("/login", data={"username": "robot", "password": KEY}).status_code == 403
    assert asked.post("/login", data={"username": "", "password": ""}).status_code == 403


def test_a_session_ends_at_logout_and_stays_ended(tmp_path: Path) -> None:
    asked = client(tmp_path)
    assert log_in(asked) == 200
    refused = asked.get("/logout")
    assert refused.json()["error"]["suggestions"] == [
        "请用页面上的按钮退出，或发送 POST /logout。\nUse the button of the page, or send POST /logout."
    ]
    assert refused.status_code == 405  # an image in a text must not log anybody out
    [(cookie, token)] = asked.cookies.items()
    assert asked.post("/logout").headers["location"] == "/login"
    for after in (asked, client(tmp_path)):  # and after a restart
        assert after.get("/", headers={"cookie": f"{cookie}={token}"}).status_code == 401


def test_a_made_up_or_old_token_lets_nobody_in(tmp_path: Path) -> None:
    logouts = LogoutFile(tmp_path / "ended")
    sessions = Sessions("secret", LINES, 1, logouts)
    token = sessions.begin("alice")
    assert sessions.name_in(token) == "alice"
    name, until, one, signature = token.split(".")
    bobs = sessions.begin("bob").split(".")
    made = ["", "...", f"{bobs[0]}.{until}.{one}.{signature}", f"{name}.{int(until) + 9}.{one}.{signature}",
            f"{name}.x.{one}.{signature}", f"!.{until}.{one}.{signature}", token[:-1], f"{token}é"]  # fmt: skip
    assert [sessions.name_in(one) for one in made] == [None] * len(made)
    assert Sessions("another", LINES, 1, logouts).name_in(token) is None
    assert Sessions("secret", {**LINES, "alice": hash_password("new")}, 1, logouts).name_in(token) is None
    assert Sessions("secret", {"bob": LINES["bob"]}, 1, logouts).name_in(token) is None
    assert Sessions("secret", LINES, -1, logouts).name_in(Sessions("secret", LINES, -1, logouts).begin("alice")) is None


def test_the_secret_is_for_its_owner_alone(tmp_path: Path) -> None:
    client(tmp_path)
    kept = tmp_path / "login-secret"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert stores_in_folder(tmp_path, 1).secret("login-secret") == kept.read_text()


def test_guessing_is_slow_and_known_and_unknown_names_are_answered_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = list[str]()
    monkeypatch.setattr("doors.login.is_right", lambda password, line: bool(compared.append(line)))
    told = []
    for name in ("alice", "nobody"):
        asked = client(tmp_path)
        answers = [asked.post("/login", data={"username": name, "password": str(n)}) for n in range(OF_USER + 1)]
        told.append([(one.status_code, one.text, one.headers.get("retry-after")) for one in answers])
    assert told[0] == told[1]
    assert [status for status, *_ in told[0]] == [401] * OF_USER + [429]
    assert int(told[0][-1][2] or 0) > 0
    assert len(compared) == 2 * OF_USER  # an unknown name costs as much
    assert {line.split(".")[:4] == LINES["alice"].split(".")[:4] for line in compared} == {True}
    for _ in range(OF_ADDRESS - OF_USER):
        log_in(asked, name="bob")
    assert "尝试次数过多" in asked.post("/login", headers=BROWSER).text  # whatever name: it is one address


def test_whoever_fails_elsewhere_locks_nobody_out() -> None:
    now = [0.0]
    attempts = AttemptsInMemory(lambda: now[0])
    assert attempts.begin("home", "alice") == 0
    attempts.forgive("home", "alice")
    for number in range(OF_NAME):
        assert attempts.begin(f"a{number // OF_USER}", "alice") == 0
    assert [attempts.begin("home", "alice") for _ in range(OF_USER)] == [0.0] * OF_USER  # as ever where she has been
    assert attempts.begin("home", "alice") == WINDOW
    assert attempts.begin("new", "alice") == 0  # one attempt where nobody has failed yet
    assert attempts.begin("new", "alice") == WINDOW  # and no more: many addresses guess no faster than this
    assert attempts.begin("new", "bob") == 0
    now[0] = WINDOW
    assert [attempts.begin("new", "alice") for _ in range(OF_USER)] == [0.0] * OF_USER


def test_logins_that_wait_are_bounded_but_for_who_was_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = client(tmp_path)
    assert log_in(asked) == 200
    monkeypatch.setattr("doors.login._MOST", 0)
    assert log_in(asked, name="bob", password=OTHER) == 429
    assert log_in(asked) == 200


@pytest.mark.parametrize(
    ("trusted", "forwarded", "counted"),
    [
        ("", "9.9.9.9", "10.0.0.7"),  # nobody is believed
        ("10.0.0.0/8", "9.9.9.9", "9.9.9.9"),
        ("10.0.0.7", "1.1.1.1, 9.9.9.9", "9.9.9.9"),  # what the proxy has added, not what it was told
        ("10.0.0.8", "9.9.9.9", "10.0.0.7"),
        ("10.0.0.7", "", "10.0.0.7"),
    ],
    ids=["none", "network", "chain", "another", "silent"],
)
def test_a_forwarded_address_counts_from_a_trusted_proxy_only(
    make_settings: MakeSettings, tmp_path: Path, trusted: str, forwarded: str, counted: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    login_only = LoginMiddleware(Starlette(), Users(LINES, {}), stores_in_folder(tmp_path, 1), 7)
    asked = TestClient(
        behind_proxies(login_only, make_settings(CITEWISE_TRUSTED_PROXIES=trusted)), client=("10.0.0.7", 1)
    )
    log_in(asked, password="x", **{"x-forwarded-for": forwarded})
    assert f"a login from {counted} failed" in caplog.text


def test_a_proxy_that_is_no_address_is_refused(make_settings: MakeSettings) -> None:
    with pytest.raises(ValueError, match=r"10\.0\.0\.0/8"):
        make_settings(CITEWISE_TRUSTED_PROXIES="proxy.example")


def test_a_right_password_counts_for_nothing() -> None:
    attempts = AttemptsInMemory(lambda: 0.0)
    for _ in range(3 * OF_ADDRESS):
        assert attempts.begin("a", "alice") == 0
        attempts.forgive("a", "alice")


def test_what_is_remembered_of_failures_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stores.attempts.REMEMBERED", 10)
    attempts = AttemptsInMemory(lambda: 0.0)
    for number in range(100):
        attempts.begin(f"a{number}", f"nobody {number}")
    assert len(attempts._at) == 10


def test_a_form_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    assert log_in(client(tmp_path), password=PASSWORD + "x" * 10_000) == 401


def test_no_password_and_no_key_stands_in_a_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    asked = client(tmp_path)
    log_in(asked, password="tYpo-" + PASSWORD)
    log_in(asked, name=PASSWORD, password="alice")
    asked.get("/", headers={"authorization": f"Bearer {KEY}"})
    assert "a login from testclient failed" in caplog.text
    assert PASSWORD not in caplog.text
    assert KEY not in caplog.text
