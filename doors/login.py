"""The login before everything that is served: a cookie for browsers, a key for programs."""

from __future__ import annotations

import asyncio
import logging
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from doors.login_page import login_page
from doors.passwords import dummy_hash, is_right
from doors.sessions import Sessions
from doors.users import Users
from errors import StoreError
from stores.shared import SharedStores

log = logging.getLogger(__name__)

_FORM = 8192  # bytes
_MOST = 50  # logins that wait for their turn: more would only wait longer
REFUSED = "请先登录。 / Log in first, or send Authorization: Bearer KEY."
WRONG = "名称或密码不对。 / The name or the password is wrong."
NO_USERS = (
    "只设置了 CITEWISE_API_KEYS：只有带密钥的程序可以使用。要打开网页，请运行 uv run cli.py user 名称，"
    "把打印出的一行加入 .env 后重启。 / Only CITEWISE_API_KEYS is set: programs with a key come in, and "
    "nobody else. To open the page, run uv run cli.py user NAME, put the line that it prints into .env, and start "
    "Citewise again."
)
UNUSABLE = "数据库暂时无法使用，请稍后再试。 / The database cannot be used at the moment, try again later."
TOO_MANY = "尝试次数过多，请稍后再试。 / Too many attempts, try again later."
NOT_POSTED = "退出登录须用 POST。 / Logging out takes a POST."
_REMEDIES = {  # for a program, by lines
    REFUSED: "请带请求头 Authorization: Bearer 密钥（CITEWISE_API_KEYS）；在浏览器里请打开 /login。\n"
    "Send the header Authorization: Bearer KEY (CITEWISE_API_KEYS); in a browser open /login.",
    WRONG: "请核对后重试；忘了密码可用 uv run cli.py user 名称 重设。\n"
    "Check both and try again; uv run cli.py user NAME sets a new password.",
    UNUSABLE: "请稍后重试。\nTry again later.",
    TOO_MANY: "请等 Retry-After 所说的秒数后再试。\nTry again after as many seconds as Retry-After says.",
    NO_USERS: "请带请求头 Authorization: Bearer 密钥。\nSend the header Authorization: Bearer KEY.",
    NOT_POSTED: "请用页面上的按钮退出，或发送 POST /logout。\nUse the button of the page, or send POST /logout.",
}


def user_of(scope: Scope) -> str:
    """The name that the login has let in; "" without a login."""
    user = scope.get("user")
    return user if isinstance(user, str) else ""


class LoginMiddleware:
    """Lets in whom it knows, as `scope["user"]`; everyone else gets the login page or a refusal, and nothing else."""

    def __init__(self, app: ASGIApp, people: Users, shared: SharedStores, days: float) -> None:
        self._app, self._people = app, people
        self._sessions = Sessions(shared.secret("login-secret"), people.users, days, shared.logouts)
        self._attempts = shared.attempts
        self._nobody = dummy_hash(people.users.values())  # an unknown user takes as long as a wrong password
        self._checks = asyncio.Semaphore(2)  # each takes 32 MB and a core
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        name = await self._name(Headers(scope=scope))
        if scope["type"] == "http" and _path(scope) in ("/login", "/logout"):
            try:
                answer = await self._answer(scope, receive, name)
            except StoreError as error:
                log.warning("nobody can log in or out: %s", error.message.en)
                answer = login_page(scope, UNUSABLE, 503) if _is_browser(scope) else _refusal(UNUSABLE, 503)
            await answer(scope, receive, send)
        elif name is not None:
            await self._app({**scope, "user": name}, receive, _unkept(scope, send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["method"] == "GET" and _is_browser(scope):
            await RedirectResponse(_here(scope, "/login"), 303)(scope, receive, send)
        else:
            await _refusal(REFUSED, 401)(scope, receive, send)

    async def _name(self, headers: Headers) -> str | None:
        kind, _, key = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and (name := self._people.of_key(key.strip())):
            return name
        token = self._token(headers)
        await self._sessions.refresh(token)
        return self._sessions.name_in(token)

    def _token(self, headers: Headers) -> str:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._sessions.cookie)
        except CookieError:
            return ""
        return cookie.value if cookie else ""

    async def _answer(self, scope: Scope, receive: Receive, name: str | None) -> Response:
        if _path(scope) == "/login":
            if not self._people.users:
                return login_page(scope, NO_USERS, 403, closed=True) if _is_browser(scope) else _refusal(NO_USERS, 403)
            if scope["method"] == "POST":
                return await self._log_in(scope, receive)
            return RedirectResponse(_here(scope, "/"), 303) if name else login_page(scope)
        if scope["method"] != "POST":  # a link or an image must not log anybody out
            return _refusal(NOT_POSTED, 405)
        await self._sessions.end(self._token(Headers(scope=scope)))
        answer = RedirectResponse(_here(scope, "/login"), 303)
        answer.delete_cookie(self._sessions.cookie, httponly=True, samesite="strict")
        return answer

    async def _log_in(self, scope: Scope, receive: Receive) -> Response:
        form = await _form(receive)
        name, password = form.get("username", "").strip(), form.get("password", "")
        address = _address(scope)
        busy = self._waiting >= _MOST and not await asyncio.to_thread(self._attempts.knows, address, name)
        wait = 1.0 if busy else await asyncio.to_thread(self._attempts.begin, address, name)
        if wait:
            headers = {"Retry-After": str(int(wait) + 1)}
            return login_page(scope, TOO_MANY, 429, headers) if _is_browser(scope) else _refusal(TOO_MANY, 429, headers)
        self._waiting += 1
        try:
            async with self._checks:
                right = await asyncio.to_thread(is_right, password, self._people.users.get(name, self._nobody))
        finally:
            self._waiting -= 1
        if not right or name not in self._people.users:
            log.warning("a login from %s failed", address)  # not whose: a password may stand where the name should
            return login_page(scope, WRONG, 401) if _is_browser(scope) else _refusal(WRONG, 401)
        await asyncio.to_thread(self._attempts.forgive, address, name)
        answer = RedirectResponse(_here(scope, "/"), 303) if _is_browser(scope) else JSONResponse({"success": True})
        answer.set_cookie(
            self._sessions.cookie, self._sessions.begin(name), max_age=self._sessions.seconds,
            httponly=True, samesite="strict", secure=scope["scheme"] == "https",
        )  # fmt: skip
        return answer


def _unkept(scope: Scope, send: Send) -> Send:
    """What is somebody's own stays in no cache; the page's scripts may."""
    if scope["type"] == "http" and _path(scope).startswith(("/assets/", "/static/", "/svelte/")):
        return send

    async def unkept(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Cache-Control"] = "no-store"
        await send(message)

    return unkept


async def _form(receive: Receive) -> dict[str, str]:
    """The fields of a form; of one that is too long, none."""
    data, more = b"", True
    while more:
        message: Any = await receive()
        if message["type"] != "http.request" or len(data) > _FORM:
            return {}
        data += message.get("body", b"")
        more = message.get("more_body", False)
    fields = parse_qs(data.decode("utf-8", "replace"), keep_blank_values=True) if len(data) <= _FORM else {}
    return {name: values[-1] for name, values in fields.items()}


def _refusal(text: str, status: int, headers: dict[str, str] | None = None) -> Response:
    """As programs know it from the API of the models, with the remedy as at the other doors."""
    remedy = {"suggestions": [_REMEDIES[text]], "still_works": []}
    shown = {"error": {"message": text, "type": "authentication_error", "code": status, **remedy}}
    return JSONResponse(shown, status, {"WWW-Authenticate": "Bearer", **(headers or {})} if status == 401 else headers)


def _address(scope: Scope) -> str:
    """Whose failures are counted together: an address, or the network of one machine's many."""
    host = scope["client"][0] if scope.get("client") else ""
    return ":".join(host.split(":")[:4]) if ":" in host else host


def _path(scope: Scope) -> str:
    path = str(scope["path"]).removeprefix(scope.get("root_path", ""))
    return path.rstrip("/") if path.rstrip("/") in ("/login", "/logout") else path


def _here(scope: Scope, path: str) -> str:
    return f"{scope.get('root_path', '')}{path}"


def _is_browser(scope: Scope) -> bool:
    return "text/html" in Headers(scope=scope).get("accept", "")
