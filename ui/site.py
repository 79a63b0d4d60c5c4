"""Everything that is served over HTTP: the page, the doors for other programs, and the guard before them all."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI

from doors.export import export_door
from doors.feedback import feedback_door
from doors.guard import GuardMiddleware
from doors.health import HealthMiddleware
from doors.http_api import services_door
from doors.login import LoginMiddleware
from doors.mcp_server import add_mcp
from doors.metrics import metrics_door
from doors.openai_api import openai_door
from doors.originals import originals_door
from doors.pages import pages_door
from doors.problems import REFUSALS
from doors.proxies import behind_proxies
from doors.services import Services
from doors.unanswered import unanswered_door
from doors.users import users_from_settings
from graph.turns import Assistant
from settings import Settings
from stores.shared import SharedStores
from ui.closing import ProgramEnd
from ui.gradio_internals.mount import mount_page
from ui.page import build_page
from ui.texts import page_language


def build_site(assistant: Assistant) -> FastAPI:
    """One library for all who are let in."""
    site = build_rooms(assistant)
    guard_site(site, assistant.settings, assistant.shared, assistant.check, lambda: assistant.is_draining)
    return site


def build_rooms(assistant: Assistant) -> FastAPI:
    """The page and the doors of one library; who comes in has been asked before."""
    site = FastAPI(title="Citewise", openapi_url=None, exception_handlers=REFUSALS)
    # the doors: site.include_router(...), one line each, before the page, which takes every other address
    site.include_router(metrics_door(assistant))
    site.include_router(export_door(assistant, page_language))
    site.include_router(feedback_door(assistant))
    site.include_router(unanswered_door(assistant))
    site.include_router(originals_door(assistant.library))
    site.include_router(pages_door(assistant.library))
    services = Services(assistant)
    site.include_router(openai_door(services))
    site.include_router(services_door(services))
    add_mcp(site, services)
    closing = site.state.closing = ProgramEnd(assistant)
    page, mounted_with = build_page(assistant, closing)
    site.state.page = page
    # Too large is said by the library, for one file: the page itself would drop the whole upload.
    largest = f"{20 * assistant.settings.max_file_mb:g}mb"
    mount_page(site, page, closing.page, max_file_size=largest, **mounted_with)
    return site


def guard_site(
    site: FastAPI,
    settings: Settings,
    shared: SharedStores,
    look: Callable[[], object],
    is_draining: Callable[[], bool] = lambda: False,
) -> None:
    """From the inside out: who asks, from where."""
    if people := users_from_settings(settings):
        site.add_middleware(LoginMiddleware, people=people, shared=shared, days=settings.login_days)
    # asked without a login
    site.add_middleware(HealthMiddleware, look=look, is_draining=is_draining)
    site.add_middleware(GuardMiddleware, host=settings.host, allowed=settings.allowed_hosts)
    site.add_middleware(behind_proxies, settings=settings)
