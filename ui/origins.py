"""Where a passage is from, as a reader of the answer sees it: title, address, day."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from answering.places import link_to
from schema import Citation, Hit, Language, Message, Origin
from ui.markup import literal
from web.problems import shown


def title_of(hit: Hit) -> tuple[str, ...]:
    """What a person calls the passage: file or page, then the headings above it."""
    title, headings = hit.origin.title, hit.headings
    if hit.origin.source_type != "website":
        return (hit.document, *headings)
    if headings and (not title or headings[0] in title):  # "Tides" says it; "Tides - An encyclopedia" says it longer
        return headings
    return (title or readable(hit.origin.url), *headings)


def listed(name: str, origin: Origin) -> tuple[str, str]:
    """What lists of documents show, and what stands beneath: of a web page its title and address, else the name."""
    if origin.source_type != "website" or not origin.url:
        return name, ""
    title, address = " ".join(origin.title.split()), readable(origin.url)
    return (title, address) if title else (address, "")


def whence(hit: Hit, language: Language, citations: Sequence[Citation] = ()) -> str:
    """ "[example.com/tides](https://…) · fetched 2026-11-22", "[a/b@c0ffee1 · guide.md](https://…)"; "" for a file.

    The words of the link are its target: a title is anybody's words.
    """
    origin = hit.origin
    if origin.source_type == "file" or not origin.url:
        return ""
    words, day = readable(origin.url), origin.timestamp[:10]
    if origin.source_type == "github" and origin.repo and origin.commit_id:
        words = " · ".join(filter(None, [f"{origin.repo}@{origin.commit_id[:7]}", origin.file_path]))
    address = link_to(hit, citations)
    said = [f"[{literal(words)}]({address})" if address else literal(words)]
    if origin.source_type == "website" and day:
        said.append(Message(f"抓取于 {day}", f"fetched {day}").to(language))
    return " · ".join(said)


def readable(url: str) -> str:
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
