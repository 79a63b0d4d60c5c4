"""Where the rows stand that a result was computed from, as citations of one source."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby

from schema import Citation, Document, Hit, Scope, Support, TableResult
from stores.base import Store
from tables.sql import quoted

_pipe = re.compile(r"(?<!\\)\|")
MOST_RUNS = 50  # stretches of rows that one answer cites
_MOST_ROWS = 200
_QUOTED = 300  # characters
_HOLDS = Support(1.0, supported=True)


def cited_rows(store: Store, result: TableResult) -> tuple[Hit, list[Citation]] | None:
    """The source is the first stretch of rows; each stretch has a citation, so that a reader shows them all and nothing
    beside them. Of very many rows the first are cited. None where nothing is left to cite."""
    query = result.query
    document = store.document(query.document, query.doc_set)
    listed = store.tables(Scope(documents=(query.document,), doc_sets=(query.doc_set,)))
    table = next((one for one in listed if one.position == query.position), None)
    spans = store.table_spans(table.id) if table else []
    if document is None or not spans:
        return None
    used = [number for number in (result.used or range(1, len(spans) + 1)) if number <= len(spans)]
    runs = [*_runs(used[:_MOST_ROWS])][:MOST_RUNS]
    places = [(spans[first - 1][0], spans[last - 1][1]) for first, last in runs]
    if not places or places[-1][1] > len(document.text):
        return None
    citations = [_citation(document, start, end) for start, end in dict.fromkeys(places)]
    first = citations[0]
    hit = Hit(
        0, document.name, document.doc_set, document.text[first.start : first.end], first.start, first.end,
        first.start_line, first.end_line, (table.title,) if table and table.title else (), 1.0, origin=document.origin,
        places=first.places, language=document.language,
    )  # fmt: skip
    return hit, citations


def misread_cells(store: Store, result: TableResult) -> list[str]:
    """Of the rows that a result used, words in the columns of its query that were read from a picture and may be
    misread, each with how sure the reading is: "8,000 0.62"."""
    query = result.query
    document = store.document(query.document, query.doc_set)
    if document is None or not any(place.doubts for place in document.places):
        return []
    listed = store.tables(Scope(documents=(query.document,), doc_sets=(query.doc_set,)))
    table = next((one for one in listed if one.position == query.position), None)
    spans = store.table_spans(table.id) if table else []
    named = {
        at for at, one in enumerate(table.columns if table else ()) if quoted(one.name).lower() in query.sql.lower()
    }
    starts = [place.start for place in document.places]
    found: list[str] = []
    for number in result.used or range(1, len(spans) + 1):
        start, end = spans[number - 1] if number <= len(spans) else (0, 0)
        for place in document.places[bisect_left(starts, start) : bisect_left(starts, end)]:
            if place.doubts and (not named or _column_at(document.text, start, place.start) in named):
                found += place.doubts
    return found


def _column_at(text: str, row: int, place: int) -> int:
    """Which cell of a row of Markdown begins there; the first place of a row is that of its first cell."""
    pipes = len(_pipe.findall(text, row, place))
    return max(0, pipes - 1)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        yield run[0], run[-1]


def _citation(document: Document, start: int, end: int) -> Citation:
    line = document.text.count("\n", 0, start) + 1
    starts = [place.start for place in document.places]
    places = document.places[max(bisect_right(starts, start) - 1, 0) : bisect_left(starts, end)]
    quote = document.text[start:end]
    return Citation(
        1, 0, start, end, line, line + quote.rstrip("\n").count("\n"), quote[:_QUOTED].strip(), _HOLDS, tuple(places)
    )
