"""Which strategy a message orders in everyday words, and which of its words do: "don't take me literally", 老规矩.

Each clause is content, an order, or an order beside content ("look by meaning for …"). What they are together is the
reading of the highest probability, by a classifier of clauses (planning/classifier.py); an order counts where that is
clearly more likely than that all of it is content. Clauses in a row may give one order together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, cast

import numpy as np

from planning.classifier import Rows, Sums, classifier
from planning.clauses import Clause, asks_how
from schema import StrategyName

_LONGEST = 100  # characters of a clause; nobody says how to search in more
_EARLY, _LATE = 3, 2  # clauses at the beginning and the end of a message that are looked at
_RUN = 3  # clauses in a row that may give one order
_FEWEST = 2  # words, or Han characters, of an order or of what is beside it
_MARGIN = 1.0  # by which an order must be more likely than none, in natural logarithms
_PER_CLAUSE = 0.5  # the same, for each clause after the second: each is one more chance to be mistaken
_ALONE = 2.0  # the same, in a message of one clause
_ASKING = 3.0  # more where the clause asks
_SEAM = 1.0  # an order within a clause is less likely than one that is a clause
_OTHER = 1.5  # and a clause that says how to search, but not this way
_TRIED = 4  # seams of a clause, the likeliest first, until something is left beside the order
_BESIDE = 0.6  # the probability at which a clause next to an order only says more of how to search
_order_begins = re.compile(  # what an order behind the content of its clause begins with
    r"(?:by|using|with|via|through|on|in|from|going|only|just|and|but|no|not|without|literally|verbatim|word|purely"
    r"|please|exactly|strictly|simply|merely|whatever|nothing|combining|mixing)(?![a-z])"
    r"|[用按凭靠照只从依以别拿]"
)
_content_begins = re.compile(  # and content behind an order
    r"(?:find|look|search|show|list|tell|give|get|give|explain|what|who|how|where|when|which|why|whose|for"
    r"|about|on|is|are"
    r"|was|does|do|did|can|whether|if|all|any|every|the|anything)(?![a-z])|[a-z]{0,20}-?\d|[找查搜看]|告诉|回答"
    r"|说说|哪|谁|列|讲|判断|有没有|有哪些|(?<=for )[a-z]|(?<=about )[a-z]|(?<=[找查搜看下])[\u3400-\u9fff]"
)
_quote = re.compile(r"\"[^\"]{1,60}\"|(?<![a-z])'[^']{1,60}'(?![a-z])|「[^」]{1,60}」|《[^》]{1,60}》")
_private = re.compile("[\ue000-\uf8ff]")
_says_what = re.compile(r"what (?:matters|counts|i (?:mean|want|need))(?![a-z])")
_word = re.compile("[\u3400-\u9fff]|[a-z]+")
_refuses_meaning = re.compile(  # which says how not to search, and not how
    r"(?:please )?(?:don'?t|do not|never) (?:go|search|look|match|judge) by (?:the |its )?(?:meaning|sense|similarity)"
)
_matter = re.compile(r'"[^"]{2,60}"|(?<![a-z0-9])(?!rm3|bm25)[a-z]{0,20}-?\d')  # what a question is about: “…”, ERR-42
_ORDERS = ("abstract", "default", "hybrid", "hyde", "keyword", "rm3", "vector")


class EverydayOrder(NamedTuple):
    """A strategy, the spans of the message that order it, and by how much that is likelier than no order."""

    strategy: StrategyName
    spans: list[tuple[int, int]]
    gain: float


class _Way(NamedTuple):
    """One way to read some clauses: how likely it is, the spans that would be orders, whether anything is left."""

    gain: float
    spans: tuple[tuple[int, int], ...] = ()
    left: bool = False


def everyday_order(content: Sequence[Clause], says_something: Callable[[str], bool]) -> EverydayOrder | None:
    """The order that the content clauses of a message give, if any; there is something beside it to answer."""
    looked = [*content] if len(content) <= _EARLY + _LATE else [*content[:_EARLY], *content[-_LATE:]]
    alone = len(content) == 1
    says = cache(says_something)
    found = [(_best(looked, says, name), name) for name in _ORDERS]
    best, name = max(found, key=lambda pair: pair[0].gain)
    if best.gain < (_ALONE if alone else _MARGIN + _PER_CLAUSE * max(0, len(content) - 2)):
        return None
    return EverydayOrder(cast(StrategyName, name), [*best.spans], best.gain)


def speaks_of_searching(clause: Clause) -> bool:
    """Whether a clause beside an order only says more of how to search, or how not to: "no synonyms", 别抠字眼."""
    if not _readable(clause) or "?" in clause.stop or (asks_how(clause) and not _says_what.match(clause.text)):
        return False
    return _chances(clause.text)["content"] + _chances(clause.text)["scope"] <= 1 - _BESIDE


def limits_the_search(clause: Clause) -> bool:
    """Whether a clause says no more than that the named files are the ones to search, or not: "nowhere else"."""
    return _readable(clause) and _chances(clause.text)["scope"] >= _BESIDE


def _best(looked: Sequence[Clause], says: Callable[[str], bool], name: str) -> _Way:
    """The likeliest reading in which the clauses order this or nothing, by what it gains over all being content."""
    best = [{False: _Way(0.0)}]
    for last in range(len(looked)):
        ways = [way._replace(left=way.left or says(looked[last].text)) for way in best[-1].values()]
        for run in range(1, min(_RUN, last + 1) + 1):
            clauses = looked[last + 1 - run : last + 1]
            if run > 1 and (not _readable(clauses[0]) or re.search(r"[.?!:\n]", clauses[0].stop)):
                break
            ways += [
                _Way(before.gain + one.gain, before.spans + one.spans, before.left or one.left)
                for before in best[last + 1 - run].values()
                for one in _ways(clauses, says, name, len(looked) == 1)
            ]
        best.append(
            {
                left: max(some, key=lambda way: way.gain)
                for left in (False, True)
                if (some := [way for way in ways if way.left is left])
            }
        )
    return best[-1].get(True, _Way(0.0))


def _ways(clauses: Sequence[Clause], says: Callable[[str], bool], name: str, alone: bool) -> Iterator[_Way]:
    """The ways in which all of the clauses are one order, or a part of a single one is."""
    run = _run(tuple(clauses))
    if run is None:
        return
    model, read, plain, asking = classifier("search"), run.read, run.plain, run.asking
    label = model.labels.index(name)
    if run.together is not None:
        span = (clauses[0].start, clauses[-1].end)
        yield _Way(len(clauses) * float(run.together[label]) - plain - asking, (span,))
        if len(clauses) == 1:
            some = float(np.log1p(-min(0.9999, np.exp(plain))))
            yield _Way(some - _OTHER - plain - asking, (span,))
    clause, one = clauses[0], read[0]
    if len(clauses) == 1 and (around := _around_quote(clause)):
        outer = model.judge(_read(around.text).whole)
        yield _Way(float(outer[0, label]) - plain - asking, around.spans, left=True)
    if len(clauses) > 1 and (before := _before_quote(clauses)):
        outer = model.judge(_total(_read(part.text).whole for part in before))
        span = (clauses[0].start, before[-1].end)
        yield _Way(len(clauses) * float(outer[0, label]) - plain - asking, (span,), left=True)
    if len(clauses) > 1 or len(one.places) < 2 * _FEWEST:
        return
    inner = slice(_FEWEST, len(one.places) - _FEWEST + 1)
    for order, rest, first in ((one.before, one.plain_behind, True), (one.behind, one.plain, False)):
        against = one.plain if first else one.plain_behind  # the part is judged by itself where nothing is beside it
        begins = _content_begins if first else _order_begins
        scores = (order[:, label] - (against[: len(one.places)] if alone else plain) + rest[: len(one.places)])[inner]
        for at in [at for at in np.argsort(-scores) if begins.match(clause.text, one.places[inner][at])][:_TRIED]:
            place = one.places[inner][at]
            parts = clause.text[:place], clause.text[place:]
            if says(parts[first]) and not _matter.search(parts[not first]):
                span = (clause.start, clause.start + place) if first else (clause.start + place, clause.end)
                yield _Way(float(scores[at]) - asking - _SEAM, (span,), left=True)
                break


class _Run(NamedTuple):
    """Some clauses one after the other, whatever they may order; `together`: the judgement of all as one order, None
    where they cannot be one."""

    read: list[_ClauseReading]
    plain: float
    asking: float
    together: Rows | None


@lru_cache(maxsize=500)
def _run(clauses: tuple[Clause, ...]) -> _Run | None:
    """None where one of them is not read."""
    if not all(map(_readable, clauses)):
        return None
    read = [_read(clause.text) for clause in clauses]
    plain = sum(float(one.plain[-1]) for one in read)
    asking = _ASKING * any(asks_how(clause) or "?" in clause.stop for clause in clauses)
    words = sum(len(_word.findall(clause.text)) for clause in clauses)
    if words < _FEWEST or any(_matter.search(clause.text) for clause in clauses):
        return _Run(read, plain, asking, None)
    return _Run(read, plain, asking, classifier("search").judge(_total(one.whole for one in read))[0])


def _total(wholes: Iterable[Sums]) -> Sums:
    return Sums(*(np.sum(sums, axis=0) for sums in zip(*wholes, strict=True)))


def _before_quote(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses without the quotation that the last one ends with: "guess first, then hunt for it “…”"."""
    last = clauses[-1]
    quotes = [*_quote.finditer(last.text)]
    if len(quotes) != 1 or quotes[0].end() < len(last.text) or any(_matter.search(one.text) for one in clauses[:-1]):
        return []
    words = last.text[: quotes[0].start()].rstrip()
    return [*clauses[:-1], *([last._replace(text=words, end=last.start + len(words))] if words else [])]


class _Around(NamedTuple):
    """What stands around a quotation, and where."""

    text: str
    spans: tuple[tuple[int, int], ...]


def _around_quote(clause: Clause) -> _Around | None:
    """What a clause says of the quotation that it is about: "find “…” exactly as it stands"."""
    quotes = [*_quote.finditer(clause.text)]
    if len(quotes) != 1:
        return None
    start, end = quotes[0].span()
    before, after = clause.text[:start].strip(), clause.text[end:].strip()
    if len(_word.findall(before + " " + after)) < _FEWEST:
        return None
    edges = ((clause.start, clause.start + start), (clause.start + end, clause.end))
    return _Around(f"{before} {after}".strip(), tuple(span for span in edges if span[0] < span[1]))


class _ClauseReading(NamedTuple):
    """A clause at each place where a word begins: the judgements of what stands before and behind, as logarithms.

    `plain`, `plain_behind`: that the same orders no strategy; the last of `plain` is of the whole clause.
    """

    places: list[int]
    before: Rows
    behind: Rows
    plain: Rows
    plain_behind: Rows
    whole: Sums


@lru_cache(maxsize=500)
def _read(text: str) -> _ClauseReading:
    model = classifier("search")
    cuts = model.read(text)
    judged = [model.judge(sums) for sums in (cuts.before, cuts.behind, cuts.whole)]
    none = [model.labels.index(label) for label in ("content", "scope")]
    plain = [np.asarray(np.logaddexp(*one[:, none].T), dtype=np.float32) for one in judged]
    return _ClauseReading(cuts.places, judged[0], judged[1], np.append(plain[0], plain[2]), plain[1], cuts.whole)


def _readable(clause: Clause) -> bool:
    refuses = _refuses_meaning.fullmatch(clause.text)
    return len(clause.text) <= _LONGEST and not _private.search(clause.text) and not refuses


def _chances(text: str) -> dict[str, float]:
    model = classifier("search")
    return dict(zip(model.labels, np.exp(model.judge(_read(text).whole)[0]).tolist(), strict=True))
