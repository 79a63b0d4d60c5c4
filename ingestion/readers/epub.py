"""Books in EPUB as Markdown, chapter by chapter."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from errors import FileError
from ingestion.readers.base import ReaderResult, damaged, untrusted
from ingestion.readers.html import decoded
from ingestion.readers.html_markdown import parse, to_markdown
from ingestion.readers.office import cell_text, check_package, local_name, parse_xml
from schema import Message, Place

_MOST_CHAPTERS = 5_000
_LONGEST_TITLE = 100  # characters
_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")  # of fonts, which say nothing


class _Item(NamedTuple):
    path: str
    media_type: str
    properties: str


@untrusted
def read_epub(name: str, data: bytes) -> ReaderResult:
    """Text in reading order; `places` are the documents of the book's spine with their titles from its contents."""
    check_package(name, data, doctypes=True)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        book = EpubBook(name, package)
        if book.locked():
            raise _locked(name)
        parts: list[str] = []
        places: list[Place] = []
        length = 0
        for title, text in book.chapters():
            places.append(Place(length, "chapter", len(places) + 1, title))
            parts.append(text)
            length += len(text) + 2
            if len(places) > _MOST_CHAPTERS:
                raise damaged(name)
    return ReaderResult("\n\n".join(parts), "markdown", "epub", book.metadata, places=places)


class EpubBook:
    """A book as its package lays it out. Raises anything for a damaged one."""

    def __init__(self, name: str, package: zipfile.ZipFile) -> None:
        self._package, self._names = package, set(package.namelist())
        container = parse_xml(package.read("META-INF/container.xml"))
        root = next((one.get("full-path", "") for one in container.iter("{*}rootfile")), "")
        if root not in self._names:
            raise damaged(name)
        self._opf = parse_xml(package.read(root))
        self._folder = posixpath.dirname(root)
        self._items = {
            one.get("id", ""): _Item(
                _resolved(self._folder, one.get("href", "")), one.get("media-type", ""), one.get("properties", "") or ""
            )
            for one in self._opf.iter("{*}item")
        }
        said = {local_name(one): cell_text(one.text or "") for one in reversed(list(self._opf.iter())) if one.text}
        keys = {"title": "title", "author": "creator", "publisher": "publisher", "date": "date", "language": "language"}
        self.metadata: dict[str, Any] = {key: said[tag][:500] for key, tag in keys.items() if said.get(tag)}

    def locked(self) -> bool:
        """Whether its text is behind a lock of the shop that sold it."""
        if "META-INF/encryption.xml" not in self._names:
            return False
        root = parse_xml(self._package.read("META-INF/encryption.xml"))
        methods = [
            one.get("Algorithm", "")
            for data in root.iter("{*}EncryptedData")
            for one in data
            if local_name(one) == "EncryptionMethod"
        ]
        return any(method not in _OBFUSCATION for method in methods)

    def chapters(self) -> Iterator[tuple[str, str]]:
        """(title, Markdown) of each part of the spine that has text."""
        titles = self._titles()
        for path, root in self.pages():
            heading = next((cell_text(one.text_content()) for one in root.iter("h1", "h2", "h3")), "")
            if text := to_markdown(root).strip():
                yield (titles.get(path) or heading)[:_LONGEST_TITLE], text

    def pages(self) -> Iterator[tuple[str, Any]]:
        """(path, root element) of each part of the spine, in order."""
        for reference in self._opf.iter("{*}itemref"):
            item = self._items.get(reference.get("idref", ""))
            if item is None or reference.get("linear") == "no" or "nav" in item.properties.split():
                continue
            if item.path in self._names and "html" in item.media_type + item.path:
                yield item.path, parse(decoded(item.path, self._package.read(item.path))[0])

    def _titles(self) -> dict[str, str]:
        """By path: what the contents of the book call its parts."""
        found: dict[str, str] = {}
        for item in self._items.values():
            folder = posixpath.dirname(item.path)
            if item.path not in self._names:
                continue
            if item.media_type == "application/x-dtbncx+xml":
                for point in parse_xml(self._package.read(item.path)).iter("{*}navPoint"):
                    label = next((one.text or "" for one in point.iter("{*}text")), "")
                    target = next((one.get("src", "") for one in point.iter("{*}content")), "")
                    found.setdefault(_resolved(folder, target), cell_text(label))
            elif "nav" in item.properties.split():
                for link in parse(decoded(item.path, self._package.read(item.path))[0]).iter("a"):
                    found.setdefault(_resolved(folder, link.get("href", "")), cell_text(link.text_content()))
        return found


def _resolved(folder: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(address.partition("#")[0])))


def _locked(name: str) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”的正文由书店加了版权保护（DRM），无法读取。",
            en=f'The text of "{name}" is locked by the shop that sold it (DRM) and cannot be read.',
        ),
        Message(zh="请上传没有版权保护的版本。", en="Upload an edition without DRM."),
    )
