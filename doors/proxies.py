"""From where a request comes: what a proxy says of it counts where the proxy is one of those that are trusted."""

from __future__ import annotations

from typing import Any, cast

from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from settings import Settings


def behind_proxies(app: ASGIApp, settings: Settings) -> ASGIApp:
    """The app, told address and scheme by X-Forwarded-For and X-Forwarded-Proto of trusted proxies. Anybody can send
    these headers, also from this machine: uvicorn's own trust in loopback is switched off (app.py)."""
    if not settings.trusted_proxies:
        return app
    return cast(ASGIApp, ProxyHeadersMiddleware(cast(Any, app), trusted_hosts=list(settings.trusted_proxies)))
