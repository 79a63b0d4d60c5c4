"""What a document or a passage is called by a person: a web page by its title and address, else the name."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from schema import Hit, Message, Origin
from web.problems import shown


def title_of(hit: Hit) -> tuple[str, ...]:
    """What a person calls the passage: file or page, then the headings above it."""
    title, headings = hit.origin.title, hit.headings
    if hit.origin.source_type != "website":
        return (hit.document, *headings)
    if headings and (not title or headings[0] in title):  # "Tides" says it; "Tides - An encyclopedia" says it longer
        return headings
    return (title or readable_url(hit.origin.url), *headings)


def list_labels(name: str, origin: Origin) -> tuple[str, str]:
    """What lists of documents show, and what stands beneath: of a web page its title and address, else the name."""
    if origin.source_type != "website" or not origin.url:
        return name, ""
    title, address = " ".join(origin.title.split()), readable_url(origin.url)
    return (title, address) if title else (address, "")


def fetched_on(origin: Origin) -> Message:
    """ "fetched 2026-11-22" of a web page; "" of anything else."""
    day = origin.timestamp[:10] if origin.source_type == "website" else ""
    return Message(zh=f"抓取于 {day}", en=f"fetched {day}") if day else Message(zh="", en="")


def readable_url(url: str) -> str:
    """ "example.com/潮汐?page=2": as a browser shows it, and not longer than a line."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return shown(url)
    if not host:
        return shown(url)
    rest = unquote(f"{parts.path.rstrip('/')}{'?' if parts.query else ''}{parts.query}")
    return shown(host + rest)
