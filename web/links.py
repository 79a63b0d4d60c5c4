"""What a page and a sitemap lead to."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from web.base import FetchedPage
from web.decompression import BodyTooLargeError, DamagedBodyError, Decompressor

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MOST_LINKS = 2_000  # of one page
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_GZIP = b"\x1f\x8b"
_LINKS = "//a[@href] | //area[@href] | //frame[@src] | //iframe[@src]"
_LOCATIONS = "//*[local-name() = '{}']/*[local-name() = 'loc']/text()"


def links_of(page: FetchedPage) -> list[str]:
    """The addresses that an HTML page asks to be followed, absolute, each once, in its order."""
    if page.media_type not in _PAGES:
        return []
    root = _parsed(page)
    if root is None or _asks_not_to_follow(root):
        return []
    bases = root.xpath("//base/@href")
    base = _joined(page.final_url, bases[0]) if bases else page.final_url
    found: dict[str, None] = {}
    for element in root.xpath(_LINKS):
        if "nofollow" not in element.get("rel", "").lower().split():
            link = _joined(base or page.final_url, element.get("href") or element.get("src") or "")
            if link:
                found[link.partition("#")[0]] = None
        if len(found) >= _MOST_LINKS:
            break
    return list(found)


def locations_of(data: bytes, most: int) -> tuple[list[str], list[str]]:
    """(pages, further sitemaps) of a sitemap, packed or not; nothing of what is none, or could grow when it is read."""
    from lxml import etree

    if data.startswith(_GZIP):
        try:
            unpacking = Decompressor("gzip", most)
            unpacking.take(data)
            data = unpacking.whole()
        except (BodyTooLargeError, DamagedBodyError):
            return [], []
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return [], []
    if root.getroottree().docinfo.doctype:  # sitemaps have none; entities are declared there
        return [], []
    pages, sitemaps = (
        [str(text).strip() for text in root.xpath(_LOCATIONS.format(kind))] for kind in ("url", "sitemap")
    )
    return pages, sitemaps


def _parsed(page: FetchedPage) -> HtmlElement | None:
    from lxml.etree import LxmlError
    from lxml.html import HTMLParser, document_fromstring

    try:
        parser = HTMLParser(encoding=page.charset or None)
    except LookupError:
        parser = HTMLParser()
    with suppress(LxmlError, ValueError, AssertionError):  # a page without a single element
        return document_fromstring(page.data, parser=parser)
    return None


def _asks_not_to_follow(root: HtmlElement) -> bool:
    contents = (
        meta.get("content", "").lower() for meta in root.xpath("//meta[@name]") if meta.get("name").lower() == "robots"
    )
    return any(word.strip() in ("nofollow", "none") for content in contents for word in content.split(","))


def _joined(base: str, link: str) -> str:
    """ "" for what is no http(s) address."""
    with suppress(ValueError):
        there = urljoin(base, link.strip())
        if urlsplit(there).scheme in ("http", "https"):
            return there
    return ""
