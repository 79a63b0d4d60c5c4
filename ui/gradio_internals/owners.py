"""Whose a page, a running event or an uploaded file is: what one user has made, no other can name.

Gradio knows a page by a "session hash", an event and a file by a name that is hard to guess; nothing in it asks whose
they are. Of its addresses only those are served that the page and its clients use.
"""

from __future__ import annotations

import json
import os
import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from doors.guard import uncompressed
from doors.login import user_of
from ui.gradio_internals.calls import CALL, ROOM, replay

Kind = Literal["page", "event", "upload", "file"]
_REMEMBERED = 100_000  # of each kind; what is forgotten is refused, but a page, which its user claims again
NOT_YOURS = "没有这个内容，或者它不属于你。\nThere is no such thing, or it is not yours."
_OPEN = {"info", "theme.css", "startup-events", "app_id", "openapi.json", "queue/status"}
_RESULT = re.compile(r"call(?:/v2)?/[^/]+/([^/]+)")
# Of Gradio, for what this page does not have: other people's event counts, states of pages as links, proxies.
_CLOSED = ("/monitoring/", "/token/", "/dev/")


class Owners:
    """Who has named a thing first; a file can be several users' who have each uploaded the same."""

    def __init__(self) -> None:
        self._of: dict[Kind, OrderedDict[str, set[str]]] = {
            kind: OrderedDict() for kind in ("page", "event", "upload", "file")
        }

    def add(self, kind: Kind, name: str, user: str) -> None:
        known = self._of[kind]
        known.setdefault(name, set()).add(user)
        known.move_to_end(name)
        if len(known) > _REMEMBERED:
            known.popitem(last=False)

    def has(self, kind: Kind, name: str, user: str) -> bool:
        return user in self._of[kind].get(name, ())

    def claim(self, kind: Kind, name: str, user: str) -> bool:
        """Whether it is this user's; what nobody has named yet is from now on."""
        if name not in self._of[kind]:
            self.add(kind, name, user)
        return self.has(kind, name, user)

    def add_files(self, value: Any, user: str) -> None:
        """What a page is given to download is its user's."""
        for path in file_paths(value):
            self.add("file", os.path.abspath(path), user)

    def has_files(self, value: Any, user: str) -> bool:
        return all(self.has("file", os.path.abspath(path), user) for path in file_paths(value))


def file_paths(value: Any) -> Iterator[str]:
    """The paths of files that the value of a component names, wherever in it."""
    if isinstance(value, dict) and isinstance(value.get("path"), str):
        yield value["path"]
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from file_paths(part)


class OwnersMiddleware:
    """Stands behind the login. Without one all is the same user's: then only the unused addresses are closed."""

    def __init__(self, app: ASGIApp, owners: Owners) -> None:
        self._app, self._owners = app, owners

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = str(scope["path"]).removeprefix(scope.get("root_path", ""))
        if not path.startswith(ROOM):
            closed = f"{path}/".startswith(_CLOSED)
            await (_refused() if closed else self._app)(scope, receive, send)
            return
        rest, user = path.removeprefix(ROOM).rstrip("/"), user_of(scope)
        if not self._is_allowed(rest, scope, user):
            await _refused()(scope, receive, send)
        elif user and scope["method"] == "POST" and CALL.fullmatch(rest):
            await self._call(scope, receive, send, user)
        elif user and rest == "upload":
            await self._app(uncompressed(scope), receive, _ReadResponse(send, lambda made: self._uploaded(made, user)))
        else:
            await self._app(scope, receive, send)

    def _is_allowed(self, rest: str, scope: Scope, user: str) -> bool:
        """By its address alone."""
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        if rest.startswith("file="):
            named = rest.removeprefix("file=")
            # Gradio would fetch an address, and so carry out what a text has made the page load
            local = os.path.isabs(named) and "://" not in named
            return local and (not user or self._owners.has("file", os.path.abspath(named), user))
        if rest in ("upload", "upload_progress"):
            return all(self._claimed("upload", name, user) for name in asked.get("upload_id", []))
        if rest == "queue/data":
            return all(self._claimed("page", name, user) for name in asked.get("session_hash", []))
        if rest.startswith("heartbeat/"):
            return self._claimed("page", rest.removeprefix("heartbeat/"), user)
        if scope["method"] == "POST" and CALL.fullmatch(rest):
            return True
        if result := _RESULT.fullmatch(rest):
            return scope["method"] == "GET" and (not user or self._owners.has("event", result[1], user))
        return rest in _OPEN or CALL.fullmatch(rest) is not None

    def _claimed(self, kind: Kind, name: str, user: str) -> bool:
        return not user or self._owners.claim(kind, name, user)

    async def _call(self, scope: Scope, receive: Receive, send: Send, user: str) -> None:
        body = await Request(scope, receive).body()  # CallsMiddleware has it whole
        if not self._may_call(json.loads(body), user):
            await _refused()(scope, receive, send)
            return
        receive = replay(body, receive)
        await self._app(uncompressed(scope), receive, _ReadResponse(send, lambda made: self._begun(made, user)))

    def _may_call(self, asked: dict[str, Any], user: str) -> bool:
        """Whether the page and the event that a call names are the user's own."""
        page, event = asked.get("session_hash"), asked.get("event_id")
        mine = page is None or (isinstance(page, str) and self._owners.claim("page", page, user))
        return mine and (event is None or (isinstance(event, str) and self._owners.has("event", event, user)))

    def _begun(self, made: Any, user: str) -> None:
        if isinstance(made, dict) and isinstance(made.get("event_id"), str):
            self._owners.add("event", made["event_id"], user)

    def _uploaded(self, made: Any, user: str) -> None:
        for path in made if isinstance(made, list) else ():
            self._owners.add("file", os.path.abspath(str(path)), user)


class _ReadResponse:
    """Passes a JSON response on, which is told before its end is sent."""

    def __init__(self, send: Send, told: Any) -> None:
        self._send, self._told, self._body, self._json = send, told, b"", False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = dict(message["headers"])
            self._json = b"json" in headers.get(b"content-type", b"") and message["status"] == 200
        elif self._json and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                self._told(json.loads(self._body))
        await self._send(message)


def _refused() -> PlainTextResponse:
    return PlainTextResponse(NOT_YOURS, status_code=404)
