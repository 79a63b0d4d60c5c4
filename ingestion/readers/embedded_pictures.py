"""Pictures within Word, PowerPoint, OpenDocument and EPUB files: which there are, and where in the text they stand."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from errors import FileError
from ingestion.readers.base import letters_of
from ingestion.readers.epub import EpubBook
from ingestion.readers.html_markdown import to_markdown
from ingestion.readers.office import check_package, local_name, parse_xml
from ingestion.readers.pictures import picture_of, png_of
from ingestion.readers.sniffing import office_kind
from schema import Message, Place

_MOST = 300  # of a file
_BEFORE = 40  # letters that tell where a picture stands
_SMALLEST = 40  # pixels of a side: less is a rule or a bullet
_KINDS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")


class EmbeddedPicture(NamedTuple):
    """A picture by the name of its part, and where it stands: on a slide or in a chapter, behind these letters."""

    part: str
    number: int = 0  # of the slide or the chapter; 0 where there are none
    before: str = ""
    letters: int = 0  # how many there are before it: what stands there twice is told by that


def embedded_pictures(name: str, data: bytes) -> list[EmbeddedPicture]:
    """In the order of the file; none of a file of another kind. Raises FileError."""
    if not data.startswith(b"PK\x03\x04"):
        return []
    check_package(name, data, doctypes=True)
    return pictures_within(data)


def pictures_within(data: bytes) -> list[EmbeddedPicture]:
    """The same of a package that was checked. Raises anything for a damaged one."""
    kind = office_kind(data)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        found = {"docx": _word, "pptx": _slides, "odt": _open, "odp": _open, "epub": _book}.get(kind, _none)(package)
        names = set(package.namelist())
        fitting = (one for one in found if one.part in names and one.part.lower().endswith(_KINDS))
        return [one for one, _ in zip(fitting, range(_MOST), strict=False)]


def embedded_picture(name: str, data: bytes, part: str) -> bytes:
    """As a PNG, whatever it is: a browser is handed nothing that a stranger wrote. Raises FileError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            picture = picture_of(package.read(part), 1)
    except Exception as error:  # of Pillow, for what is damaged
        raise _no_picture(name) from error
    if min(picture.size) < _SMALLEST:
        raise _no_picture(name)
    return png_of(picture)


def stands_at(text: str, places: Sequence[Place], pictures: Sequence[EmbeddedPicture]) -> dict[int, int]:
    """Where in the text each picture stands, by its place in the list: where its own lines do, else behind the letters
    before it, on its slide or in its chapter. One on a slide without text stands nowhere."""
    numbered: dict[int, int] = {}
    own: dict[int, int] = {}
    for place in places:
        numbered.setdefault(place.number, place.start)
        own.setdefault(place.picture - 1, place.start)
    letters = [(mark, at) for at, character in enumerate(text) for mark in letters_of(character)]
    spoken = "".join(mark for mark, _ in letters)
    found: dict[int, int] = {}
    for nth, picture in enumerate(pictures):
        start = numbered.get(picture.number, 0)
        before = re.escape(picture.before)
        ends = [match.end() for match in re.finditer(f"(?={before})", spoken)] if before else []
        if nth in own:
            start = own[nth]
        elif ends:
            at = min((end + len(picture.before) for end in ends), key=lambda end: abs(end - picture.letters))
            start = letters[at - 1][1] + 1
        elif picture.number and picture.number not in numbered:
            continue
        found[nth] = start
    return found


def _none(package: zipfile.ZipFile) -> Iterator[EmbeddedPicture]:
    yield from ()


def _word(package: zipfile.ZipFile) -> Iterator[EmbeddedPicture]:
    yield from _blips(package, "word/document.xml", 0)


def _slides(package: zipfile.ZipFile) -> Iterator[EmbeddedPicture]:
    deck = parse_xml(package.read("ppt/presentation.xml"))
    targets = _relations(package, "ppt/presentation.xml")
    for number, slide in enumerate(deck.iter("{*}sldId"), start=1):
        path = targets.get(_relation(slide, "id"), "")
        for one in _blips(package, path, number):
            yield one._replace(before="")


def _blips(package: zipfile.ZipFile, path: str, number: int) -> Iterator[EmbeddedPicture]:
    targets, said, letters = _relations(package, path), "", 0
    for element in parse_xml(package.read(path)).iter():
        if local_name(element) == "t":
            words = letters_of(element.text or "")
            said, letters = (said + words)[-_BEFORE:], letters + len(words)
        elif local_name(element) == "blip" and (part := targets.get(_relation(element, "embed"))):
            yield EmbeddedPicture(part, number, said, letters)


def _relations(package: zipfile.ZipFile, path: str) -> dict[str, str]:
    """Which part each id of a part means."""
    folder, file = posixpath.split(path)
    try:
        root = parse_xml(package.read(f"{folder}/_rels/{file}.rels"))
    except KeyError:
        return {}
    return {
        one.get("Id", ""): posixpath.normpath(posixpath.join(folder, one.get("Target", ""))).lstrip("/")
        for one in root
        if local_name(one) == "Relationship"
    }


def _relation(element: Any, name: str) -> str:
    """The value of an attribute "r:id" or "r:embed"."""
    return next((value for key, value in element.attrib.items() if key.endswith(f"relationships}}{name}")), "")


def _open(package: zipfile.ZipFile) -> Iterator[EmbeddedPicture]:
    from lxml.etree import iterwalk

    number, said, letters = 0, "", 0
    for event, element in iterwalk(parse_xml(package.read("content.xml")), events=("start", "end")):
        words = element.text if event == "start" else element.tail
        if event == "start" and local_name(element) == "page":
            number += 1
        elif event == "start" and local_name(element) == "image":
            address = next((value for key, value in element.attrib.items() if key.endswith("}href")), "")
            yield EmbeddedPicture(address, number, "" if number else said, letters)
        more = letters_of(words or "")
        said, letters = (said + more)[-_BEFORE:], letters + len(more)


def _book(package: zipfile.ZipFile) -> Iterator[EmbeddedPicture]:
    """Those of a chapter stand where it begins, or behind the letters before them."""
    number, letters = 1, 0
    waiting: list[EmbeddedPicture] = []  # a page without text has no number: its pictures go with the next
    for path, root in EpubBook("", package).pages():
        said = ""
        for element in root.iter():
            if local_name(element) in ("img", "image"):
                address = element.get("src") or element.get("href") or element.get("xlink:href") or ""
                part = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
                waiting.append(EmbeddedPicture(part, number, said, letters))
            more = letters_of(element.text or "") + letters_of(element.tail or "")
            said, letters = (said + more)[-_BEFORE:], letters + len(more)
        if to_markdown(root).strip():
            yield from (one._replace(number=number) for one in waiting)
            waiting, number = [], number + 1
    yield from waiting


def _no_picture(name: str) -> FileError:
    return FileError(
        Message(zh=f"“{name}”里的这张图片无法显示。", en=f'This picture in "{name}" cannot be shown.'),
        Message(zh="请下载原件后查看。", en="Download the file and look there."),
    )
