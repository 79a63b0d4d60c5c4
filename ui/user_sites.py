"""A library of one's own for each user (CITEWISE_LIBRARIES=private): behind the login, each has a site of their own.

A user's site is the whole of what one library serves, page and doors, over a library in that user's folder
(stores/user_libraries.py). The name that the login has let in chooses the site, and nothing else does: no door has to
ask whose a document is, for it has no other user's at hand. A site is opened when its user comes, and closed when it
has not been used for a while, or when others need the room.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fastapi import FastAPI
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from doors.login import user_of
from doors.problems import STATUS, in_words, problem_of
from doors.users import users_from_settings
from errors import CitewiseError
from graph.turns import Assistant
from schema import Message
from settings import Settings
from stores.folder import FolderLock, note_address
from stores.problems import unwritable
from stores.shared import stores_in_folder
from stores.user_libraries import FOLDER, settings_of
from ui.closing import require_one_user
from ui.gradio_internals.pages import end_events, forget_functions, has_events
from ui.gradio_internals.uploads import has_uploads
from ui.site import build_rooms, guard_site

log = logging.getLogger(__name__)

IDLE = 900.0  # seconds without a request after which a library is closed, if no page of it is open
REST = 60.0  # seconds after which its processes for files and pages are given up: each has a hundred megabytes
_LOOK = 30.0  # seconds between two looks
_WARM = 1.0  # seconds until what the first turn needs is loaded: the page comes first


@dataclass(eq=False)
class UserSite:
    """One that is being opened, is open, or is being closed; of one task, which begins and ends all of it."""

    user: str
    opened: asyncio.Future[tuple[FastAPI, Assistant]]
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    life: asyncio.Task[None] | None = None
    requests: int = 0  # that are being answered
    pages: int = 0  # that are open, and ask for nothing
    last: float = 0.0  # when a request was answered last

    @contextmanager
    def visited(self, is_page: bool) -> Iterator[None]:
        """While a request is answered; an open page holds one for as long as it is open."""
        self.pages += is_page
        self.requests += not is_page
        try:
            yield
        finally:
            self.pages -= is_page
            self.requests -= not is_page
            self.last = asyncio.get_running_loop().time()

    @property
    def in_use(self) -> bool:
        """Whether something would be broken off. A page that is merely open finds the site again when it asks."""
        if self.requests or not self.opened.done() or self.opened.cancelled() or self.opened.exception():
            return True
        site, assistant = self.opened.result()
        page = site.state.page
        return assistant.is_busy() or has_events(page) or (self.pages > 0 and has_uploads(page))


class UserSites:
    """All of them, of one event loop. Open from `UserSites(...)` to `close`."""

    def __init__(self, settings: Settings, url: str = "") -> None:
        """`url`: where they are served. Raises CitewiseError where there are no users, or another program has them."""
        if not users_from_settings(settings):
            raise _no_users()
        require_one_user(settings)
        self._settings, self._most, self._url = settings, settings.open_libraries, url
        self._folder = settings.data_dir / FOLDER
        self._lock = FolderLock(self._folder)
        self._shared = stores_in_folder(self._folder, settings.web_cache_mb)
        self._sites: dict[str, UserSite] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._keeper: asyncio.Task[None] | None = None

    def build_site(self) -> FastAPI:
        """What is served: the login and, behind it, everybody's own."""
        site = FastAPI(title="Citewise", openapi_url=None)
        site.add_middleware(UserSitesMiddleware, sites=self)
        guard_site(site, self._settings, self._shared, self._check)
        return site

    def warm(self) -> None:
        """Each library is when it is opened."""

    def _check(self) -> None:
        """Raises StoreError where the folder is gone. Blocks."""
        try:
            (self._folder / "lock").stat()
        except OSError as error:
            raise unwritable(self._folder, error) from error

    @contextmanager
    def visited(self, user: str, is_page: bool) -> Iterator[UserSite]:
        """The user's site, which stays open meanwhile. It must be free to begin: see `until_closed`."""
        site = self._sites.get(user) or self._begin(user)
        with site.visited(is_page):
            yield site

    async def until_closed(self, user: str) -> None:
        """A folder is one library's at a time: who comes while it is being closed waits, and opens it anew."""
        while task := self._closing.get(user):
            await asyncio.wait({task})

    def _begin(self, user: str) -> UserSite:
        loop = asyncio.get_running_loop()
        site = self._sites[user] = UserSite(user, loop.create_future(), last=loop.time())
        site.life = loop.create_task(self._live(site))
        self._keeper = self._keeper or loop.create_task(self._keep())
        self._make_room()
        return site

    async def _live(self, site: UserSite) -> None:
        try:
            await self._open(site)
        except Exception as error:
            if site.opened.done():
                log.exception("a library could not be closed in order")
                return
            site.opened.set_exception(error)
            site.opened.exception()  # seen, whoever waits for it
        finally:
            if self._sites.get(site.user) is site:  # the next request tries again
                del self._sites[site.user]

    async def _open(self, site: UserSite) -> None:
        settings = settings_of(self._settings, site.user)
        assistant = await Assistant.open(settings, warm=False)
        warming = asyncio.get_running_loop().call_later(_WARM, assistant.warm)
        try:
            note_address(settings.data_dir, self._url)
            rooms = build_rooms(assistant)
            async with rooms.router.lifespan_context(rooms):
                site.opened.set_result((rooms, assistant))
                log.info("the library of %s is open", site.user)
                await site.ending.wait()
                await end_events(rooms.state.page)
        finally:
            warming.cancel()
            await assistant.close()
            forget_functions()
            log.info("the library of %s is closed", site.user)

    # --- closing -------------------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            try:
                self.close_idle(IDLE)
                await self.rest_idle(REST)
            except Exception:  # the edge of a background task: nobody else would hear of it
                log.exception("idle libraries were not looked after; the next look is soon")

    async def rest_idle(self, seconds: float) -> None:
        """What nobody has used for so long stays open, without processes of its own."""
        before = asyncio.get_running_loop().time() - seconds
        for site in self._idle():
            if site.last <= before:
                _, assistant = site.opened.result()
                await asyncio.to_thread(assistant.library.rest)

    def close_idle(self, seconds: float) -> None:
        """Begin to close what nobody has used for so long, and what is beyond the number that may be open."""
        before = asyncio.get_running_loop().time() - seconds
        for site in self._idle():
            if not site.pages and site.last <= before:
                self._end(site)
        self._make_room()

    def _make_room(self) -> None:
        """What is in use stays open, however many that are."""
        surplus = len(self._sites) - self._most
        for site in self._idle()[: max(0, surplus)]:
            self._end(site)

    def _idle(self) -> list[UserSite]:
        """Those without an open page first, the least recently used of them first."""
        idle = [site for site in self._sites.values() if not site.in_use]
        return sorted(idle, key=lambda site: (bool(site.pages), site.last))

    def _end(self, site: UserSite) -> asyncio.Task[None]:
        assert site.life is not None
        del self._sites[site.user]
        self._closing[site.user] = site.life
        site.life.add_done_callback(lambda _: self._closing.pop(site.user))
        site.ending.set()
        return site.life

    async def close(self) -> None:
        if self._keeper:
            self._keeper.cancel()
        for site in list(self._sites.values()):
            if not site.opened.done():  # half-way: it is opened whole, and closed whole
                await asyncio.wait({site.opened})
        ending = [self._end(site) for site in list(self._sites.values())] + list(self._closing.values())
        if ending:
            await asyncio.wait(ending)
        await asyncio.to_thread(self._shared.close)
        self._lock.close()


class UserSitesMiddleware:
    """Stands behind the login, and hands every request to the site of the user whom it has let in."""

    def __init__(self, app: ASGIApp, sites: UserSites) -> None:
        self._app, self._sites = app, sites

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if not (user := user_of(scope)):
            raise AssertionError("nobody was let in by the login")
        await self._sites.until_closed(user)
        with self._sites.visited(user, "/heartbeat/" in scope["path"]) as site:
            try:
                rooms, _ = await asyncio.shield(site.opened)
            except CitewiseError as error:
                await _refuse(error, scope, receive, send)
                return
            await rooms(scope, receive, send)


async def _refuse(error: CitewiseError, scope: Scope, receive: Receive, send: Send) -> None:
    """The user's library could not be opened: another program has it, say."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1011})
        return
    status = STATUS.get(error.kind, 503)
    accepted = dict(scope["headers"]).get(b"accept", b"")
    if b"text/html" in accepted:
        await PlainTextResponse(in_words(error, None), status)(scope, receive, send)
    else:
        shown = {"error": problem_of(error, None).model_dump(mode="json")}
        await JSONResponse(shown, status)(scope, receive, send)


def _no_users() -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh="没有启动：CITEWISE_LIBRARIES=private 给每个用户一个自己的知识库，但没有设置任何用户。",
            en="Not started: CITEWISE_LIBRARIES=private gives each user a library of their own, and no users are set.",
        ),
        Message(
            zh="运行 uv run cli.py user 名称，输入密码，然后把打印出的一行加入 .env。",
            en="Run uv run cli.py user NAME, type a password, and put the line that it prints into .env.",
        ),
        Message(zh="或者去掉 CITEWISE_LIBRARIES。", en="Or leave CITEWISE_LIBRARIES out."),
    )
