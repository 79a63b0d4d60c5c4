"""The certificates that addresses are held against."""

from __future__ import annotations

import functools
import ssl

import httpx2


@functools.cache
def certificates() -> ssl.SSLContext:
    """Read once: each time takes 25 ms of the processor, more than most of the requests that are made with them."""
    return httpx2.create_ssl_context()
