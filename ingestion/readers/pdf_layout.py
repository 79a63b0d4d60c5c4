"""From the lines on the pages of a PDF to paragraphs and headings, without running heads and page numbers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from schema import Place
from text import HAN

_MARGIN = 0.1  # of the page's height, above and below: where running heads stand
_APART = 1.35  # line pitches; a wider gap begins a paragraph
_BIGGER = 1.15  # than the body: a heading
_LONGEST_HEADING, _HEADING_LEVELS = 100, 4
_number_only = re.compile(
    r"[-–—·\s]*+(?:[ivxl]{1,6}|(?:第\s*+|page\s*+|p\.?\s*+)?"
    r"\d{1,5}+(?:\s*+页)?(?:[\s，,]*+(?:/|of|共)\s*+\d{1,5}+(?:\s*+页)?)?)[-–—·\s]*+",
    re.IGNORECASE,
)
_ends = re.compile(r"[。！？；：.!?;:…][”’」』）】》\"')\]]*$")
_not_heading = re.compile(r"[。；，,;]$| \| | … \w+$")
_leader = re.compile(r"(?<![\s.．·…])\s*+(?:[.．·…]\s?){4,}+\s*+(?=\w{1,6}$)")  # of a table of contents
_begins = re.compile(
    r"(?:[-*+•●■◆▪○–][ \t]?|\d{1,3}(?:[.)、．]|(?:\.\d{1,3})+[.\s])\s*\S|[（(][一二三四五六七八九十\d]{1,3}[）)]"
    r"|[一二三四五六七八九十]{1,3}、|第[一二三四五六七八九十百零〇两\d]+[章节条编部篇]|#{1,6}\s)"
)
_bullet = re.compile(r"^[•●■◆▪○\uf0b7\uf06e\uf0d8\uf075][ \t]*")
_wide = re.compile(rf"[{HAN}\u3000-\u303f\uff00-\uffef“”‘’…—]")
CELLS = " | "  # stands for a gap that is wider than between words
_HYPHEN = "\ufffe"  # what PDFium puts for the hyphen of a word divided at the end of a line
_divided = re.compile(rf"(?<![A-Za-z])([A-Za-z]++){_HYPHEN}([A-Za-z]++)")
_hyphened = re.compile(r"(?<![A-Za-z])[A-Za-z]++-[A-Za-z]++")
_compatible = re.compile(r"[\ufb00-\ufb06\u2e80-\u2fdf\uf900-\ufaff]+")  # ligatures, radicals
_invisible = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\uffff]")
_KEEPS_HYPHEN = {"well", "self", "non", "high", "low", "long", "short", "real", "full", "cross", "half", "ex", "all"}


@dataclass(slots=True)
class PdfLine:
    """A line as it is printed. Coordinates in points from the lower left of the page."""

    text: str
    left: float
    right: float  # of its last character
    top: float  # baseline of its first character
    bottom: float  # baseline of its last: a word divided at the end of a line continues it on the next
    size: float  # of the letters in its middle
    level: int = 0  # as a heading; 0: body
    box: tuple[int, ...] = ()  # of one that was read from a picture, as `Place` has it
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.text = _tidy(self.text)


@dataclass(slots=True)
class PdfPage:
    """A page as it is read."""

    number: int  # counts from 1
    height: float
    lines: list[PdfLine]


def lay_out(pages: Sequence[PdfPage], contents: Sequence[tuple[int, int, str]]) -> tuple[str, list[Place], bool]:
    """(text, places, whether it has headings). The places are the pages, and each line that was read from a picture.
    `contents`: (page, level from 1, title) of the bookmarks."""
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    _drop_running_heads(pages, body)
    if not _mark_contents(pages, contents):
        _mark_by_size(pages, body, sizes)
    _mark_title(pages)
    found = any(line.level for page in pages for line in page.lines)
    text, starts = _joined(pages, markdown=found)
    return text, starts, found


def paragraphs_of(page: PdfPage, markdown: bool) -> tuple[str, list[Place]]:
    """The text of a page by itself, without headings: what stands large in a figure is none."""
    for line in page.lines:
        line.level = 0
    return _joined([page], markdown)


# --- running heads ---


def _drop_running_heads(pages: Sequence[PdfPage], body: float) -> None:
    """What stands in the margin of three pages (of all, where there are fewer) at one height, whatever its numbers."""
    counts = Counter(key for page in pages for key in {_key(page, line) for line in page.lines} if key)
    enough = max(2, min(3, len(pages)))
    kept = [[line for line in page.lines if not _runs(page, line, counts, enough, body)] for page in pages]
    if any(kept):  # pages with nothing but heads are what the document is
        for page, lines in zip(pages, kept, strict=True):
            page.lines = lines


def _runs(page: PdfPage, line: PdfLine, counts: Counter[tuple[int, str]], enough: int, body: float) -> bool:
    key = _key(page, line)
    if key is None or line.size > body * _BIGGER or len(line.text) > _LONGEST_HEADING:
        return False
    return counts[key] >= enough or (page.number > 1 and bool(_number_only.fullmatch(line.text)))


def _key(page: PdfPage, line: PdfLine) -> tuple[int, str] | None:
    if _MARGIN * page.height < line.top < (1 - _MARGIN) * page.height:
        return None
    return round(line.top / 3), re.sub(r"\d+", "0", "".join(line.text.split()))


# --- headings ---


def _mark_contents(pages: Sequence[PdfPage], contents: Sequence[tuple[int, int, str]]) -> bool:
    """Give the lines that are titles of bookmarks their levels; whether most bookmarks were found."""
    by_number = {page.number: page for page in pages}
    found = 0
    for number, level, title in contents:
        wanted = _bare(title)
        lines = by_number[number].lines if number in by_number and wanted else []
        line = next((line for line in lines if not line.level and _same(wanted, _bare(line.text))), None)
        if line is not None:
            line.level = min(level, 6)
            found += 1
    return found > len(contents) / 2


def _same(title: str, line: str) -> bool:
    """A printed heading often bears a number that the bookmark lacks."""
    return line == title or (len(title) > 3 and line.endswith(title) and len(line) <= len(title) + 8)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _mark_by_size(pages: Sequence[PdfPage], body: float, sizes: Counter[float]) -> None:
    total = sizes.total()
    large = sorted((size for size in sizes if size > body * _BIGGER and sizes[size] < total / 8), reverse=True)
    levels = {size: min(rank, _HEADING_LEVELS) for rank, size in enumerate(large, start=1)}
    for page in pages:
        for line in page.lines:
            words = len(re.findall(r"\w", line.text)) > 1 and not line.text.replace(".", "").isdigit()
            if words and len(line.text) <= _LONGEST_HEADING and not _not_heading.search(line.text):
                line.level = levels.get(line.size, 0)


def _mark_title(pages: Sequence[PdfPage]) -> None:
    """The largest lines of the first page stand over the headings, when these are smaller."""
    headings = [line for page in pages for line in page.lines if line.level]
    first = next((page.lines for page in pages if page.lines), [])
    largest = max((line.size for line in first), default=0.0)
    title = [line for line in first if line.size == largest]
    if not headings or largest <= max(line.size for line in headings) or len(title) > 3:
        return
    for line in headings:
        line.level = min(line.level + 1, 6)
    for line in title:
        line.level = 1


# --- paragraphs ---


def _joined(pages: Sequence[PdfPage], markdown: bool) -> tuple[str, list[Place]]:
    """The text, and where each page begins in it, which may be in the middle of a paragraph."""
    pitches = _pitches(pages)
    undivided = _Dehyphenator(line.text for page in pages for line in page.lines)
    parts: list[str] = []
    starts: list[Place] = []
    length = 0
    before: tuple[PdfLine, float] | None = None  # the last line and where its column ends
    for page in pages:
        edges = _edges(page)
        for first, line in ((n == 0, line) for n, line in enumerate(page.lines)):
            text = undivided.whole(line.text)
            if markdown and not line.level and text.startswith("#"):
                text = "\\" + text
            between = _between(*before, line, first, pitches) if before else ""
            if between == " ":
                between = _seam(parts, text)
                length -= between == "-"
                between = between.strip("-")
            elif line.level:
                text = "#" * line.level + " " + text
            length += len(between)
            if first or line.box:
                starts.append(Place(length, "page", page.number, "", line.box, line.doubts))
            length += len(text)
            parts += [between, text]
            before = line, edges[round(line.left / 40)]
    return "".join(parts), starts


def _between(line: PdfLine, edge: float, after: PdfLine, turned: bool, pitches: dict[float, float]) -> str:
    """What stands between two lines: a blank line, a line end, or " " where the sentence goes on.

    `edge`: where the column of the first one ends; `turned`: a page ends between them.
    """
    size = max(line.size, after.size)
    down = line.bottom - after.top
    if line.level or after.level:
        one = not turned and line.level == after.level and line.size == after.size and 0 < down < 1.8 * size
        return " " if one else "\n\n"
    if abs(line.size - after.size) > 0.1 * size:
        return "\n\n"
    if CELLS in line.text or CELLS in after.text or " … " in line.text:  # rows of a table, or of contents
        return "\n" if 0 < down < 2 * pitches.get(line.size, 1.5 * size) else "\n\n"
    if not turned and abs(down) < 0.3 * size and after.left >= line.right:
        return " "  # cells of one row
    ended = bool(_ends.search(line.text))
    word = after.text.split(" ", 1)[0]
    width = size if _wide.match(word) else (len(word) + 1) * size / 2
    short = line.right + width + size < edge  # the next word would have had room
    if turned or down < 0:  # on to the next page or column
        return "\n\n" if ended or short or _begins.match(after.text) else " "
    if down > _APART * pitches.get(line.size, 1.5 * size):
        return "\n\n"
    if (ended or short) and (_begins.match(after.text) or after.left > line.left + 1.2 * size):
        return "\n" if _bullet.match(after.text) else "\n\n"
    if short:
        return "\n\n" if ended else "\n"
    return " "


def _seam(parts: list[str], text: str) -> str:
    """What joins two lines of one sentence: nothing beside a Chinese character. "-": a hyphen was taken back."""
    last = parts[-1]
    if _wide.match(last[-1:]) or _wide.match(text):
        return ""
    if re.search(r"[a-z]-$", last) and text[:1].islower():
        parts[-1] = last[:-1]
        return "-"
    return " "


def _edges(page: PdfPage) -> dict[int, float]:
    """Where the column ends that a line stands in, by its left end in steps of 40 points."""
    right: dict[int, float] = {}
    for line in page.lines:
        step = round(line.left / 40)
        right[step] = max(right.get(step, 0.0), line.right)
    return {step: max(right.get(near, 0.0) for near in (step - 1, step, step + 1)) for step in right}


def _pitches(pages: Sequence[PdfPage]) -> dict[float, float]:
    """The usual distance between the lines of each size."""
    pitch_counts: dict[float, Counter[float]] = {}
    for page in pages:
        for line, after in pairwise(page.lines):
            down = round(line.bottom - after.top, 0)
            if line.size == after.size and 0.5 * line.size < down < 4 * line.size:
                pitch_counts.setdefault(line.size, Counter())[down] += 1
    return {size: max(counts, key=lambda down: (counts[down], down)) for size, counts in pitch_counts.items()}


class _Dehyphenator:
    """Makes words whole that were divided at the end of a line. `lines`: all of the document's."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.hyphened = {word.lower() for line in lines for word in _hyphened.findall(line)}

    def whole(self, line: str) -> str:
        line = _bullet.sub("- ", line)
        if _HYPHEN not in line:
            return line
        return _divided.sub(lambda found: self._word(found[1], found[2]), line).replace(_HYPHEN, "-")

    def _word(self, head: str, tail: str) -> str:
        own = head.lower() in _KEEPS_HYPHEN or f"{head}-{tail}".lower() in self.hyphened or not tail[:1].islower()
        return f"{head}-{tail}" if own else head + tail


def _tidy(text: str) -> str:
    """One space between words; ligatures and radicals as the characters that they stand for."""
    text = _compatible.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return _leader.sub(" … ", " ".join(_invisible.sub("", text).split()))
