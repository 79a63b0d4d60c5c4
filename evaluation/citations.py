"""Citations of an answer, each checked against the lines that it points to before anyone sees it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from evaluation.claims import NOT, read
from evaluation.markers import MARK, Group, PlainText, Scanner
from evaluation.markup import without_markup
from evaluation.misreadings import with_misreadings
from evaluation.support import SourceText, SupportJudgement, judge, pool, weight
from schema import Citation, Hit, Statement, Support
from text import sentences
from translation.glossary import Glossary

UNSUPPORTED = "⚠"  # stands behind a marker whose lines do not support its sentence
_not_prose = re.compile(r"\s*(?:#{1,6}\s|```|~~~|[-*_=]{3,}\s*\Z|\|[\s:|-]+\Z)")
_code = re.compile(r"^[ \t]*(```++|~~~++)[^\n]*+\n(?P<body>(?s:.*?))(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE)
_table_head = re.compile(r"^[ \t]*\|[^\n]*\n[ \t]*\|[ :|-]+\|[ \t]*$", re.MULTILINE)
_table_row = re.compile(r"^[ \t]*\|[^\n]*\S", re.MULTILINE)
_heading = re.compile(r"^#{1,6}[ \t][^\n]*", re.MULTILINE)
_titled = re.compile(r"\s*(?:[-*+]\s+)?\*\*(?P<title>[^*\n]{1,200})\*\*[:：]\s*+(?P<rest>[^\n]++)\s*+\Z")
_denials = (  # what is spoken of, what is denied of it, and within how many characters
    (
        re.compile(r"\b(?:sources?|documents?|context|passages?|information)\b", re.I),
        re.compile(r"\b(?:not?|nothing|none|neither|nor|never|cannot|lacks?|insufficient|without)\b|n['’]t\b", re.I),
        60,
    ),
    (re.compile("资料|文档|来源|文件|信息"), re.compile("[没未不无缺]"), 20),
)


class CheckedSources:
    """The hits of an answer as `[1]`, `[2]` ..., read once, with the citations that were checked against them. Terms of
    the glossary are translated as it says where a hit is in another language than what is checked."""

    def __init__(self, hits: Sequence[Hit], question: str = "", glossary: Glossary | None = None) -> None:
        self.hits = tuple(hits)
        self._question, self._glossary = question, glossary
        self._read: dict[int, SourceText] = {}
        self._known: dict[tuple[str, tuple[int, ...]], tuple[Citation, ...]] = {}

    def _source(self, number: int) -> SourceText:
        """Read when it is cited first: that takes a millisecond."""
        if number not in self._read:
            hit = self.hits[number - 1]
            self._read[number] = SourceText(hit.text, " > ".join(hit.headings))
        return self._read[number]

    def cite(self, claim: str, numbers: Sequence[int]) -> tuple[Citation, ...]:
        """A citation for each number that has a source, with the passage that supports the claim best.

        Where none of several sources supports the claim alone, they are judged together, and each that adds to it
        has their common support.
        """
        wanted = tuple(number for number in numbers if 1 <= number <= len(self.hits))
        if (claim, wanted) not in self._known:
            found = {number: self._judged(claim, number) for number in wanted}
            support = {number: judgement.support for number, judgement in found.items()}
            if len(wanted) > 1 and not any(one.supported for one in support.values()):
                support |= self._together(claim, found)
            cited = [self._citation(number, found[number], support[number]) for number in wanted]
            self._known[claim, wanted] = tuple(
                replace(one, support=with_misreadings(one.support, claim, one.places)) for one in cited
            )
        return self._known[claim, wanted]

    def _judged(self, claim: str, number: int) -> SupportJudgement:
        """Code is not paraphrased: where it stands in the source as it is, it is supported. What comes behind the
        heading of its section, as “**Deposit**: it is returned within ten days”, is checked alone: between the two
        much may stand."""
        if code := _code.fullmatch(claim):
            start = self.hits[number - 1].text.find(code["body"].strip("\n"))
            if start >= 0 and code["body"].strip():
                return SupportJudgement(Support(1.0, True), 0, start, start + len(code["body"].strip("\n")))
        whole = judge(claim, [self._source(number)], self._question, self._glossary)
        if whole.support.supported or not (titled := _titled.match(claim)):
            return whole
        rest = judge(titled["rest"], [self._source(number)], self._question, self._glossary)
        return rest if _section_at(self.hits[number - 1], rest.start) == titled["title"].strip() else whole

    def _together(self, claim: str, found: dict[int, SupportJudgement]) -> dict[int, Support]:
        texts = {n: self.hits[n - 1].text[one.start : one.end] for n, one in found.items()}

        def joined(numbers: Sequence[int]) -> Support:
            titles = [" > ".join(self.hits[number - 1].headings) for number in numbers]
            text = "\n\n".join(texts[number] for number in numbers)
            source = SourceText(text, "\n".join(titles), passage=99)
            return judge(claim, [source], self._question, self._glossary).support

        whole = joined(list(found))
        if not whole.supported:
            return {}
        adds = [n for n in found if joined([other for other in found if other != n]).score < whole.score - 0.01]
        return dict.fromkeys(adds, whole)

    def _citation(self, number: int, judgement: SupportJudgement, support: Support) -> Citation:
        """With the place in the document; a source in which nothing of the claim is found is cited whole."""
        hit = self.hits[number - 1]
        start, end = (judgement.start, judgement.end) if judgement.end else (0, len(hit.text))
        first = hit.start_line + hit.text.count("\n", 0, start)
        return Citation(
            marker=number,
            source=number - 1,
            start=hit.start + start,
            end=hit.start + end,
            start_line=first,
            end_line=first + hit.text.count("\n", start, end),
            quote=hit.text[start:end],
            support=support,
            places=hit.places_of(hit.start + start, hit.start + end),
        )


def _section_at(hit: Hit, start: int) -> str:
    """The heading that a place of the hit stands under."""
    above = [*_heading.finditer(hit.text, 0, start)]
    return without_markup(above[-1][0]) if above else next(iter(reversed(hit.headings)), "")


class CitationStream:
    """A streamed answer with its markers verified: text flows at once, a marker when its claim has been checked.

    Supported, or in another language than its lines: `[1]`; not supported by them: `[1]⚠`; no such source: dropped.
    What comes out does not depend on how the answer was cut into tokens.
    """

    def __init__(self, sources: CheckedSources) -> None:
        self._sources, self._scanner = sources, Scanner()

    def feed(self, token: str, final: bool = False) -> Iterator[PlainText | Group]:
        """What is certain now, in microseconds; all that is left once the answer has ended."""
        return self._scanner.feed(token, final)

    def shown(self, piece: PlainText | Group) -> str:
        """A piece as it may be read. A claim is judged for it: milliseconds."""
        if isinstance(piece, PlainText):
            return piece.text
        cited = self._sources.cite(piece.claim, piece.numbers)
        marks = "".join(f"[{c.marker}]{UNSUPPORTED if _refuted(c.support) else ''}" for c in cited)
        return piece.lead + marks if marks else ""


def _refuted(support: Support) -> bool:
    return support.comparable and not support.supported


def check_answer(text: str, sources: CheckedSources) -> tuple[Statement, ...]:
    """The sentences of an answer, without markers and marks, each with its checked citations.

    The same claims are judged as in a stream, so a marker's verdict is the same in both. A marker without a source is
    left out. `Statement.checkable` is False for what asserts nothing that a source could hold.
    """
    scanner = Scanner()
    pieces = list(scanner.feed(MARK.sub("", text), final=True))
    text_so_far = "".join(piece.text for piece in pieces if isinstance(piece, PlainText))
    groups = [piece for piece in pieces if isinstance(piece, Group)]
    blocks = [match.span() for match in _code.finditer(text_so_far)]
    spans = list(_statements(text_so_far, blocks))
    cited: dict[int, list[Citation]] = {}  # by the place of their sentence
    starts = [start for start, _ in spans]
    for group in groups:
        place = max(bisect_right(starts, group.anchor) - 1, 0)
        if spans:
            cited.setdefault(place, []).extend(sources.cite(group.claim, group.numbers))
    heads = [match.span() for match in _table_head.finditer(text_so_far)]
    statements = []
    for place, (start, end) in enumerate(spans):
        said, found = text_so_far[start:end], tuple(cited.get(place, ()))
        framed = _meets(start, end, blocks) or _meets(start, end, heads)
        statements.append(Statement(said, found, bool(found) or (not framed and asserts(said))))
    return tuple(statements)


def _statements(text: str, blocks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where each sentence, each row of a table and each block of code stands."""
    whole = [*blocks, *(row.span() for row in _table_row.finditer(text) if not _meets(row.start(), row.end(), blocks))]
    position = 0
    for first, last in [*sorted(whole), (len(text), len(text))]:
        yield from ((position + start, position + end) for start, end in sentences(text[position:first]))
        if first < last:
            yield first, last
        position = last


def _meets(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether it shares a character with one of the spans, which are in order, as are their ends."""
    last = bisect_left(spans, (end, 0)) - 1
    return last >= 0 and spans[last][1] > start


@lru_cache(maxsize=1024)  # of an answer: asked once as it streams, and once when it is whole
def asserts(sentence: str) -> bool:
    """False for headings, code, rules, questions, lead-ins that end in a colon, "Yes.", and for saying that the sources
    do not say: none of these can be held against a source."""
    bare = sentence.strip().strip("*_ ")
    if _not_prose.match(sentence) or not bare or bare[-1] in ":：?？":
        return False
    return read(bare, names=False).checkable and not denies(bare)


def denies(sentence: str) -> bool:
    """Whether it says that the sources do not say. The words for both stand near each other: nonsense has them too."""
    if not any(term.form == NOT for term in read(sentence, names=False).terms):
        return False
    for about, negation, near in _denials:
        negated = [match.start() for match in negation.finditer(sentence)]
        for match in about.finditer(sentence) if negated else ():
            after = bisect_left(negated, match.start())
            if any(abs(place - match.start()) <= near for place in negated[max(0, after - 1) : after + 1]):
                return True
    return False


def answer_support(statements: Sequence[Statement]) -> float | None:
    """Support of an answer in [0, 1]: that of each checkable sentence's best citation, put together by `support.pool`.

    A sentence without a citation counts 0, one that no word can compare with its lines not at all; None when there is
    nothing to check.
    """
    checkable = [statement for statement in statements if statement.checkable and statement.comparable]
    weights = [max(weight(statement.text), 1.0) for statement in checkable]
    best = [max((citation.support.score for citation in one.citations), default=0.0) for one in checkable]
    return pool(best, weights) if checkable else None
