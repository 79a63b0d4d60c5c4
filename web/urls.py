"""One name for each page, however its address is written."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from urllib.parse import unquote, urlsplit

_tracking = re.compile(  # of the large advertisers, mailers and Chinese sites
    r"utm_\w+|gclid|gclsrc|gad_source|gad_campaignid|[gw]braid|dclid|srsltid|_g[al]|fbclid|igshid|igsh|msclkid|yclid|twclid"
    r"|ttclid|mc_[ce]id|_hs\w+|mkt_tok|oly_\w+_id|vero_id|ref_src|spm|spm_id_from|scm|vd_source|share_(?:source|token|medium)",
    re.IGNORECASE,
)
_escape = re.compile("%([0-9A-Fa-f]{2})|.", re.DOTALL)
_unreserved = re.compile(r"[A-Za-z0-9._~-]")
_IN_PATH = frozenset("/!$&'()*+,;=:@")
_IN_QUERY = _IN_PATH | {"?"}
_name = re.compile(r"[a-z0-9._-]+")
_PORTS = {"http": 80, "https": 443}


def canonical(url: str) -> str:
    """The address under which a page is known: a key to compare and remember by, not what is fetched.

    RFC 3986 6.2.2 and 6.2.3 (case, percent-encoding, dot segments, default port), a host in IDNA's ASCII form, and by
    custom: no user, fragment or tracking parameter, no "/" at the end, parameters in order of their names. Idempotent.
    Raises ValueError for what is no http(s) address.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = _host(parts.hostname or ""), parts.port
        default = _PORTS[parts.scheme]
    except (ValueError, KeyError) as error:
        raise ValueError(f"no web address: {url[:200]!r}") from error
    query = _query(parts.query)
    place = host if port in (None, default) else f"{host}:{port}"
    return f"{parts.scheme}://{place}{_path(parts.path)}{'?' if query else ''}{query}"


def site_of(url: str) -> str:
    """Its host, for a person: "www.example.com"."""
    return urlsplit(url).hostname or url


def _host(name: str) -> str:
    import httpx2

    if ":" in name:
        return f"[{IPv6Address(name)}]"
    name = unquote(name, errors="strict").rstrip(".").lower()
    if not name.isascii():
        try:
            name = httpx2.URL(f"http://{name}/").raw_host.decode("ascii")
        except httpx2.InvalidURL as error:
            raise ValueError(str(error)) from error
    name = name.rstrip(".")  # 。 has become one
    if not _name.fullmatch(name):  # an underscore is not in IDNA, but in use
        raise ValueError(name)
    return name


def _path(path: str) -> str:
    kept: list[str] = []
    for part in _encoded(path, _IN_PATH).split("/")[1:]:
        if part == "..":
            kept = kept[:-1]
        elif part != ".":
            kept.append(part)
    return "/" + "/".join(kept).strip("/")


def _query(query: str) -> str:
    pieces = [_encoded(piece, _IN_QUERY) for piece in query.split("&") if piece]
    named = [(piece.partition("=")[0], piece) for piece in pieces]
    kept = [(name, piece) for name, piece in named if not _tracking.fullmatch(unquote(name))]
    return "&".join(piece for _, piece in sorted(kept, key=lambda one: one[0]))


def _encoded(text: str, allowed: frozenset[str]) -> str:
    """Every character percent-encoded, but those that need not be."""

    def one(found: re.Match[str]) -> str:
        character = chr(int(found[1], 16)) if found[1] else found[0]
        if _unreserved.match(character) or (not found[1] and character in allowed):
            return character
        if found[1]:
            return found[0].upper()
        return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))

    return _escape.sub(one, text)
