"""Words of a question that no text in scope says: the words of its nearest passages that mean much the same.

A question asked by “landlord” finds nothing in a contract that says “lessor”. The passages whose vectors are nearest
are where such a word stands, if anywhere: their words are held against it by the word vectors that ship, so no
vocabulary of the library is kept. What is found is one more ranking beside keyword and vector, and weighs little: a
near word is a guess, and may be the opposite. What `translation/everyday.py` knows is looked for everywhere. Where that
or the dictionary says that both mean the same, the answer goes by the word of the best source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from providers.features import token_key
from providers.word_vectors import cosines, shipped
from retrieval.candidates import Query
from retrieval.passages import tokens_of
from retrieval.regional_terms import WordChange
from retrieval.telling_words import tells
from schema import Alternative, Message, TermGroup
from text import fold, search_tokens
from translation.everyday import said_for
from translation.gloss import words_of
from translation.synonyms import share_meaning

_PASSAGES = 20  # the nearest, whose words are looked at
_NEAR = 0.5  # cosine of two words
_MOST = 5  # words for one of the question's
_EVERYDAY = 0.9  # of what documents are known to say for a word
_TELLING, _TOLD = 0.5, 3  # how much a word says that is told; words
_ROOT = 4  # letters that forms of a word have in common
_WEIGHT = 0.2  # of the best score, for the passage that says most in other words


class NearWords(NamedTuple):
    """Words of a question that no text says, each with one of the best source: that means the same, or is related."""

    same: tuple[WordChange, ...] = ()
    related: tuple[WordChange, ...] = ()


def other_words(query: Query, nearest: Sequence[int]) -> dict[int, float]:
    """Chunk id -> score, of the passages that say words for those that none in scope says; `nearest` are the chunks
    by their vectors. The words are noted in the query."""
    unsaid = _unsaid(query)
    groups = _groups(unsaid, query, nearest) if unsaid else []
    query.other_words.update({one.term: tuple(each.text for each in one.alternatives) for one in groups})
    if not groups:
        return {}
    return {one.chunk_id: one.score for one in query.store.search_groups(groups, query.k, query.scope)}


def beside(scores: Mapping[int, float], others: Mapping[int, float]) -> dict[int, float]:
    """The scores of a ranking, of all these passages, with what saying the question in other words adds."""
    share = _WEIGHT * (max(scores.values(), default=0.0) or 1.0) / max(others.values())
    return {chunk: score + share * others.get(chunk, 0.0) for chunk, score in scores.items()}


def words_in_best(words: Mapping[str, Sequence[str]], question: str, text: str) -> NearWords:
    """Of the words that were searched for the question's those that the best source says, the nearest first; not those
    that tell little, as 时间 and "back"."""
    present = {*tokens_of(text)}
    nearest = ((term, next(filter(present.__contains__, others), "")) for term, others in words.items())
    said = {term: near for term, near in nearest if near and min(tells(term), tells(near)) >= _TELLING}
    written = words_of({*said.values()}, [text])
    same, related = list[WordChange](), list[WordChange]()
    for start, end, term in _places(question, said):
        near = said[term]
        word = WordChange(start, end, question[start:end], written.get(near, near))
        if near in said_for(term) or share_meaning(term, near):
            same.append(word)
        elif not _are_forms(term, near):
            related.append(word)
    return NearWords(tuple(same), tuple(related[:_TOLD]))


def related_message(words: Sequence[WordChange]) -> Message:
    """What was searched for beside what was typed."""
    pairs = dict.fromkeys((one.typed, one.said) for one in words)
    return Message(
        zh=f"已一并检索意思相关的词：{'，'.join(f'“{said}”（资料中没有“{typed}”）' for typed, said in pairs)}。",
        en="Searched also for related words: "
        f"{', '.join(f'“{said}” (the documents do not say “{typed}”)' for typed, said in pairs)}.",
    )


def _are_forms(term: str, near: str) -> bool:
    """Of one word, as 建 and 建于, "builder" and "built": nobody needs to be told."""
    return term[:_ROOT] == near[:_ROOT] if term.isascii() else term in near or near in term


def _places(question: str, terms: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Where a question says some of its terms, in its order, the longest at each place. Nowhere where folding changes
    its length."""
    folded = fold(question)
    chinese = sorted((term for term in terms if not term.isascii()), key=len, reverse=True)
    words = re.finditer("|".join(["[A-Za-z]+", *chinese]), folded) if len(folded) == len(question) else ()
    for match in words:
        tokens = search_tokens(match[0]) if match[0].isascii() else [match[0]]
        if len(tokens) == 1 and tokens[0] in terms:
            yield match.start(), match.end(), tokens[0]


def _unsaid(query: Query) -> list[str]:
    """The terms that no text in scope says, and that the word vectors know."""
    unsaid = query.terms.unsaid
    terms = [one for one in dict.fromkeys(query.terms.terms) if one.isalpha() and (one in unsaid or query.scope)]
    return [
        term
        for term in terms
        if (said_for(term) or shipped().length(token_key(term)) is not None)
        and (term in unsaid or not query.store.search_terms([term], 1, query.scope))
    ]


def _groups(unsaid: Sequence[str], query: Query, nearest: Sequence[int]) -> list[TermGroup]:
    passages = [tokens_of(hit.indexed_text) for hit in query.hits(nearest[:_PASSAGES]).values()]
    words = [word for word in dict.fromkeys(chain.from_iterable(passages)) if word.isalpha()]
    found = shipped().places(np.array([token_key(word) for word in words], np.uint64))
    by_place = np.argsort(found)
    by_place = by_place[found[by_place] >= 0]
    places, said = found[by_place], [words[number] for number in by_place.tolist()]
    asked = shipped().places(np.array([token_key(term) for term in unsaid], np.uint64))
    groups = []
    for term, row in zip(unsaid, cosines(asked, places), strict=True):
        close = np.flatnonzero(row > _NEAR)
        best = close[np.argsort(-row[close], kind="stable")[:_MOST]].tolist()
        near = [(word, _EVERYDAY) for word in said_for(term)]
        near += [(said[place], float(row[place])) for place in best if said[place].isascii() == term.isascii()]
        if near:
            alternatives = tuple(Alternative((word,), cosine, word) for word, cosine in near)
            groups.append(TermGroup(alternatives, near[0][1], term))
    return groups
