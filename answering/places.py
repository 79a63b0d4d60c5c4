"""Where a passage stands, in words: pages, slides, rows, chapters of the original, else lines; and a link to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from urllib.parse import quote, urlsplit

from schema import Citation, Hit, Message, Place

_KINDS = {
    "page": (Message(zh="第 {} 页", en="page {}"), Message(zh="第 {} 页", en="pages {}")),
    "slide": (Message(zh="第 {} 张幻灯片", en="slide {}"), Message(zh="第 {} 张幻灯片", en="slides {}")),
    "row": (Message(zh="第 {} 行", en="row {}"), Message(zh="第 {} 行", en="rows {}")),
    "cell": (Message(zh="第 {} 个单元格", en="cell {}"), Message(zh="第 {} 个单元格", en="cells {}")),
    "chapter": (Message(zh="第 {} 部分", en="part {}"), Message(zh="第 {} 部分", en="parts {}")),
    "message": (Message(zh="第 {} 封邮件", en="message {}"), Message(zh="第 {} 封邮件", en="messages {}")),
    "picture": (Message(zh="第 {} 张图片", en="picture {}"), Message(zh="第 {} 张图片", en="pictures {}")),
}
_PARTS = {  # what a place is a part of, and then the place
    "row": Message(zh="工作表 {part} {place}", en="sheet {part}, {place}"),
    "chapter": Message(zh="{place}“{part}”", en="{place}, “{part}”"),
    "message": Message(zh="{place}的附件 {part}", en="attachment {part} of {place}"),
}
_RENDERED = tuple(  # files that GitHub shows as prose or a table; only their source (?plain=1) has lines to lead to
    ".md .markdown .mdown .mdwn .mkd .mkdn .mdx .rst .org .adoc .asciidoc .asc .textile .rdoc .creole .wiki .mediawiki"
    " .pod .csv .tsv".split()
)
_IN_ADDRESS = "%/:?#[]@!$&'*+,;=~"  # what an address keeps as it is; brackets would end a link


def place_of(hit: Hit, citations: Sequence[Citation] = ()) -> Message:
    """“第 3-4 页” / "pages 3-4", "sheet Umsatz, row 12", "lines 5-7": of these citations, else of the whole hit."""
    places = [place for citation in citations for place in citation.places] if citations else hit.places
    return place_in_words(places, _lines(hit, citations))


def place_in_words(places: Sequence[Place], lines: tuple[int, int]) -> Message:
    """`lines`, first and last, are told where the original has no such places."""
    places = [place for place in places if place.kind != "line"]
    if not places:
        first, last = lines
        return Message(zh=f"行 {_range(first, last)}", en=f"line{'s' if first != last else ''} {_range(first, last)}")
    worded = []
    for (kind, part), group in groupby(sorted(set(places)), key=lambda place: (place.kind, place.part)):
        numbers = sorted({place.number for place in group})
        word, runs = _KINDS[kind][len(numbers) > 1], _runs(numbers)
        zh, en = word.zh.format("、".join(runs)), word.en.format(", ".join(runs))
        whole = _PARTS[kind] if part else Message(zh="{place}", en="{place}")
        worded.append(Message(zh=whole.zh.format(part=part, place=zh), en=whole.en.format(part=part, place=en)))
    return Message(zh="；".join(one.zh for one in worded), en="; ".join(one.en for one in worded))


def link_to(hit: Hit, citations: Sequence[Citation] = ()) -> str:
    """The address of the original, of its lines on GitHub; "" where it has none that a browser can open."""
    address = link_target(hit.origin.url)
    if not address or hit.origin.source_type != "github":
        return address
    first, last = _lines(hit, citations)
    parts = urlsplit(address)
    source = "plain=1" if parts.path.lower().endswith(_RENDERED) else parts.query
    return parts._replace(query=source, fragment=f"L{first}-L{last}" if first != last else f"L{first}").geturl()


def link_target(url: str) -> str:
    """An address as the target of a Markdown link, which nothing in it can end; "" for what is none of the web."""
    try:
        address = urlsplit(url)
    except ValueError:  # half a bracket
        return ""
    if address.scheme not in ("http", "https") or not address.netloc:
        return ""
    return quote(address.geturl(), safe=_IN_ADDRESS)


def _lines(hit: Hit, citations: Sequence[Citation]) -> tuple[int, int]:
    if not citations:
        return hit.start_line, hit.end_line
    return min(one.start_line for one in citations), max(one.end_line for one in citations)


def _runs(numbers: Iterable[int]) -> list[str]:
    """[2, 3, 4, 7] -> ["2-4", "7"]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [_range(run[0], run[-1]) for run in runs]


def _range(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else f"{first}"
