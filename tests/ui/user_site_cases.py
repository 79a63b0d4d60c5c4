"""Users who have libraries of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from settings import Settings
from ui.user_sites import UserSites

USERS = ("anna", "ben", "cleo")
KEYS = {user: f"key-of-{user}-1234567890" for user in USERS}
PRIVATE = {
    "CITEWISE_LIBRARIES": "private",
    "CITEWISE_API_KEYS": ",".join(f"{user}:{key}" for user, key in KEYS.items()),
}


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[tuple[UserSites, dict[str, httpx2.AsyncClient]]]:
    """The sites, and a client for each user's program."""
    sites = UserSites(settings)
    transport = httpx2.ASGITransport(app=sites.build_site())
    clients = {
        user: httpx2.AsyncClient(
            transport=transport, base_url="http://localhost", headers={"authorization": f"Bearer {key}"}, timeout=None
        )
        for user, key in KEYS.items()
    }
    try:
        yield sites, clients
    finally:
        await sites.close()
