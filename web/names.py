"""What a page is called in the library: readable, the same at every visit, and no two pages the same."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote, urlsplit

from web.media import extension
from web.urls import canonical, site_of

_LONGEST = 80  # characters of the path that are shown
_unsafe = re.compile(r"[^\w.~-]+")


def document_name(url: str, media_type: str) -> str:
    """ "example.com/en/tides-3f9a1c20.html": its ending chooses ingestion's reader. Raises ValueError for no address.

    The digits are of the canonical address: what is readable of it may be that of several pages.
    """
    key = canonical(url)
    parts = urlsplit(key)
    ending = extension(media_type, url)
    path = unquote(parts.path).strip("/").removesuffix(f".{ending}")
    pieces = [clean for piece in path.split("/") if (clean := _unsafe.sub("-", piece).strip(".-"))]
    shown = "/".join(pieces)[-_LONGEST:].lstrip("/.-") or "index"
    host = site_of(key).replace(":", "-")
    return f"{host}/{shown}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.{ending}"
