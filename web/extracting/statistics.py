"""What a page is about without a model: its headings, the words that stand out in it, the names in it."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from schema import Language, StructuredSummary
from text import CJK, FUNCTION_WORDS_ZH, STOP_WORDS, search_tokens, sentences
from web.extracting.markdown import headings, plain, plain_line
from web.extracting.names import folded_word, names, tag_words

KEYWORDS, ENTITIES, TOPICS = 10, 15, 8  # at most
_READ = 20_000  # characters: what a page is about shows by then
_IN_HEADING, _IN_TITLE = 3, 5  # how many occurrences one there counts for
_TOGETHER = 0.6  # share of the occurrences of its rarer word from which on a pair is one keyword
LONGEST, _TITLE = 60, 200  # characters of a keyword or topic, and of a title
_run = re.compile(rf"[{CJK}]+|[^\W\d_{CJK}][^\W{CJK}]*(?:[+#]+|(?:[.'’&–-][^\W{CJK}]+)*)")
_cjk = re.compile(f"[{CJK}]")
_NOUNS = ("n", "vn", "j", "l")  # tags of words that can be a keyword
_CONTENT = (*_NOUNS, "v", "a", "b", "i")  # and of those that can be a part of one
_COMMON = frozenset(  # English words that are no topic, beside function words
    """one two three four five six seven eight nine ten first second third many much several every each other another
    new use used using make makes made get gets take takes give gives find see say says said like well also however
    without within since until while whether either neither still even never always often usually may might must
    shall""".split()
)
_GENERIC = frozenset(  # headings of any page
    """contents|table of contents|references|see also|external links|notes|further reading|bibliography|comments
    |related|related articles|share|目录|参考资料|参考文献|外部链接|外部连接|参见|参看|注释|脚注|相关条目|延伸阅读|评论
    |相关阅读|相关文章|分享""".replace("\n    ", "").split("|")
)


@dataclass(frozen=True, slots=True)
class Usage:
    """How common terms are in the library: in how many of its texts each of them stands."""

    texts: int
    frequencies: Callable[[Sequence[str]], list[int]]  # of terms as `text.search_tokens` gives them


class Word(NamedTuple):
    """A word that may be a keyword or a part of one."""

    term: str  # one for all its forms, as the library knows it
    form: str  # as it is written here
    noun: bool
    start: int
    end: int


class StatisticsExtractor:
    name = "statistics"

    def __init__(self, usage: Usage | None = None) -> None:
        self._usage = usage

    async def extract(self, title: str, text: str, language: Language) -> StructuredSummary:
        return await asyncio.to_thread(self.extracted, title, text)

    def extracted(self, title: str, text: str) -> StructuredSummary:
        text = text[:_READ]
        headed = headings(text)
        title = (plain_line(title) or (headed[0] if headed else _first_line(text)))[:_TITLE]
        body = plain(text)
        topics = [
            one for one in dict.fromkeys(headed) if one.lower() not in _GENERIC and one != title and len(one) <= LONGEST
        ]
        return StructuredSummary(
            title=title,
            keywords=self._keywords(title, headed, body),
            entities=names(body)[:ENTITIES],
            topics=topics[:TOPICS],
            made_by="statistics",
        )

    def _keywords(self, title: str, headed: Sequence[str], body: str) -> list[str]:
        """By TF-IDF: the texts that idf counts are the sentences of the page, and those of the library.

        An occurrence in the title or a heading counts more; two words that mostly stand together are one keyword.
        """
        sentence_texts = [body[start:end] for start, end in sentences(body)]
        tally = _Tally()
        below = [one for one in headed if one != title]
        for weight, lines in ((1, sentence_texts), (_IN_HEADING, below), (_IN_TITLE, [title])):
            for line in lines:
                tally.count(line, weight)
        terms = tally.candidates()
        rarity = self._rarity(terms)
        scores = {
            term: tally.weights[term]
            * math.log(1 + (len(sentence_texts) + 1) / max(1, tally.lines[term]))
            * rarity[term]
            for term in terms
        }
        best = sorted(scores, key=lambda term: -scores[term])[:KEYWORDS]  # of equal ones what stands first
        return [tally.forms[term].most_common(1)[0][0] for term in best]

    def _rarity(self, terms: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
        """Of a term in the library, 1 where it is in every text; of two words together that of the rarer one."""
        if self._usage is None or not self._usage.texts:
            return dict.fromkeys(terms, 1.0)
        words = list(dict.fromkeys(word for term in terms for word in term))
        counts = dict(zip(words, self._usage.frequencies(words), strict=True))
        total = self._usage.texts + 1
        return {term: 1 + math.log(total / (min(counts[word] for word in term) + 1)) for term in terms}


class _Tally:
    """Occurrences of words and of pairs of neighbours; a term is a tuple of one word or two."""

    def __init__(self) -> None:
        self.weights: Counter[tuple[str, ...]] = Counter()
        self.lines: Counter[tuple[str, ...]] = Counter()
        self.forms: dict[tuple[str, ...], Counter[str]] = {}
        self._times: Counter[tuple[str, ...]] = Counter()
        self._nouns: set[str] = set()

    def count(self, line: str, weight: int) -> None:
        words = list(_words(line))
        self._nouns |= {word.term for word in words if word.noun}
        found: list[tuple[tuple[str, ...], str]] = [((word.term,), word.form) for word in words]
        found += [
            ((one.term, two.term), line[one.start : two.end])
            for one, two in pairwise(words)
            if line[one.end : two.start] in ("", " ") and one.term != two.term
        ]
        self.lines.update({term for term, _ in found})
        for term, form in found:
            self.weights[term] += weight
            self._times[term] += 1
            self.forms.setdefault(term, Counter())[form] += 1

    def candidates(self) -> list[tuple[str, ...]]:
        """Nouns, and pairs with a noun that stand together for the most part: their words then count that much less."""
        pairs: list[tuple[str, ...]] = []
        first, second = set[str](), set[str]()
        for term, times in self._times.most_common():
            if (
                len(term) == 2
                and times > 1
                and times >= _TOGETHER * min(self._times[term[:1]], self._times[term[1:]])
                and not self._nouns.isdisjoint(term)
                and term[0] not in second  # "weather station", "station guide": the more frequent one
                and term[1] not in first
            ):
                pairs.append(term)
                first.add(term[0])
                second.add(term[1])
        for pair in pairs:
            for word in pair:
                self.weights[(word,)] -= self.weights[pair]
        return [
            term
            for term, forms in self.forms.items()
            if self.weights[term] > 0
            and len(max(forms, key=len)) <= LONGEST
            and (term in pairs if len(term) == 2 else term[0] in self._nouns)
        ]


def _words(line: str) -> Iterator[Word]:
    """Words of two characters and more that carry a topic: Chinese by their tags, others but function words."""
    for run in _run.finditer(line):
        if not _cjk.match(run[0]):
            word = run[0]
            if word.lower() not in STOP_WORDS and (len(word) > 2 or (len(word) == 2 and word.isupper())):
                term = search_tokens(word)[0]
                noun = {term, word.lower()}.isdisjoint(_COMMON) and not (word.islower() and word.endswith("ly"))
                yield Word(term, word, noun, run.start(), run.end())
            continue
        place = run.start()
        for word, tag in tag_words(run[0]):
            folded = folded_word(word)
            if len(word) > 1 and tag.startswith(_CONTENT) and folded not in FUNCTION_WORDS_ZH:
                yield Word(folded, word, tag.startswith(_NOUNS), place, place + len(word))
            place += len(word)


def _first_line(text: str) -> str:
    return plain_line(next((line for line in text.splitlines() if plain_line(line)), ""))[:_TITLE]
