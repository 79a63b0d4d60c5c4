"""From the lines on the pages of a PDF to paragraphs and headings, without running heads and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ingestion.readers.pdf_lines import CELLS, PdfLine, PdfPage
from ingestion.readers.pdf_tables import mark_tables
from ingestion.readers.pdf_words import Dehyphenator, bullet
from schema import Place
from text import HAN

_MARGIN = 0.1  # of the page's height, above and below: where running heads stand
_CLOSE, _CELLS, _ROWS = 2.2, 3, 3  # sizes between a row in the margin and the body, its cells, and how many there are
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
_begins = re.compile(
    r"(?:[-*+•●■◆▪○–][ \t]?|\d{1,3}(?:[.)、．]|(?:\.\d{1,3})+[.\s])\s*\S|[（(][一二三四五六七八九十\d]{1,3}[）)]"
    r"|[一二三四五六七八九十]{1,3}、|第[一二三四五六七八九十百零〇两\d]+[章节条编部篇]|#{1,6}\s)"
)
_wide = re.compile(rf"[{HAN}\u3000-\u303f\uff00-\uffef“”‘’…—]")


def lay_out(pages: Sequence[PdfPage], contents: Sequence[tuple[int, int, str]]) -> tuple[str, list[Place], bool]:
    """(text, places, whether it is Markdown, with headings or tables). The places are the pages, and each line
    that was read from a picture. `contents`: (page, level from 1, title) of the bookmarks."""
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    _drop_running_heads(pages, body)
    mark_tables(pages)
    if not _mark_contents(pages, contents):
        _mark_by_size(pages, body, sizes)
    _mark_title(pages)
    found = any(line.level or line.table for page in pages for line in page.lines)
    text, starts = _joined(pages, markdown=found)
    return text, starts, found


def paragraphs_of(page: PdfPage, markdown: bool) -> tuple[str, list[Place]]:
    """The text of a page by itself, without headings: what stands large in a figure is none."""
    for line in page.lines:
        line.level = 0
    if markdown:
        mark_tables([page])
    return _joined([page], markdown)


# --- running heads ---


def _drop_running_heads(pages: Sequence[PdfPage], body: float) -> None:
    """What stands in the margin of three pages (of all, where there are fewer) at one height, whatever its numbers."""
    counts = Counter(key for page in pages for key in {_key(page, line) for line in page.lines} if key)
    enough = max(2, min(3, len(pages)))
    kept = [_without_heads(page, [_runs(page, line, counts, enough, body) for line in page.lines]) for page in pages]
    if any(kept):  # pages with nothing but heads are what the document is
        for page, lines in zip(pages, kept, strict=True):
            page.lines = lines


def _without_heads(page: PdfPage, runs: list[bool]) -> list[PdfLine]:
    """But rows of a table that reaches into the margin stay: several cells, close to the body or to such a row."""
    cells = [_cells_beside(line, page.lines) if head else 0 for line, head in zip(page.lines, runs, strict=True)]
    for _ in range(_ROWS):
        tops = [line.top for line, head in zip(page.lines, runs, strict=True) if not head]
        for nth, line in enumerate(page.lines):
            if cells[nth] >= _CELLS and any(abs(top - line.top) <= _CLOSE * line.size for top in tops):
                runs[nth] = False
    return [line for line, head in zip(page.lines, runs, strict=True) if not head]


def _cells_beside(line: PdfLine, lines: Sequence[PdfLine]) -> int:
    return sum(one.text.count(CELLS) + 1 for one in lines if abs(one.top - line.top) <= 1.2 * line.size)


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
            words = (
                not line.table and len(re.findall(r"\w", line.text)) > 1 and not line.text.replace(".", "").isdigit()
            )
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
    undivided = Dehyphenator(line.text for page in pages for line in page.lines)
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
            if (first and not line.marks) or line.box:
                starts.append(Place(length, "page", page.number, "", line.box, line.doubts))
            starts += [Place(length + at, "page", page.number, "", box, doubts) for at, box, doubts in line.marks]
            text += "\n|" + "---|" * line.columns if line.columns else ""
            length += len(text)
            parts += [between, text]
            before = line, edges[round(line.left / 40)]
    return "".join(parts), starts


def _between(line: PdfLine, edge: float, after: PdfLine, turned: bool, pitches: dict[float, float]) -> str:
    """What stands between two lines: a blank line, a line end, or " " where the sentence goes on.

    `edge`: where the column of the first one ends; `turned`: a page ends between them.
    """
    if line.table or after.table:
        return "\n" if line.table == after.table else "\n\n"
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
        return "\n" if bullet.match(after.text) else "\n\n"
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
