"""Chinese words that only the cutter takes for words: 带猫 of 可以带猫吗, 车停 of 车停在哪里.

jieba joins characters that stand together by chance, and its list has such as 喝了酒. A question is then searched for a
word that no text says, while the library says 猫. Such a word is searched for in its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise

from question_words import without_function_words
from retrieval.glossary import glossary_of
from retrieval.regional_terms import WordChange
from retrieval.telling_words import tells
from stores.base import Store
from text import HAN, fold
from translation.dictionary import shipped
from translation.everyday import said_for

_LONGEST = 4  # characters of such a word; more are a phrase or a name
_READ = 1_000  # characters of a question: a pasted page is none
_TELLING = 0.2  # how much one of the parts says that makes it worth while: 热, and not 不
_NAMES = ("nr", "ns", "nt", "nz")  # tags of words: a name is not to be taken apart
_modal = re.compile(rf"(?P<words>[能会可要][{HAN}])(?=(?P<next>[{HAN}]))")
_han = re.compile(rf"[{HAN}]{{2,{_LONGEST}}}\Z")


def words_apart(question: str, store: Store) -> tuple[WordChange, ...]:
    """The words that neither the library nor the dictionary has, each with its parts, blanks between them; only where
    the library has one of these, or 犬 for 狗, and no two characters of the word side by side: 行权价 is found by 行权.
    What stands in the library's glossary stays whole."""
    text = fold(question) if not question.isascii() and len(question) <= _READ else ""
    if len(text) != len(question):  # no offset would be right
        return ()
    across = _modals_joined(text, store)
    taken = {change.start for change in across}
    joined = [
        (start, word, parts)
        for start, word in _joined(text)
        if start not in taken and len((parts := _parts(word))[0]) == 1
    ]
    if not joined:
        return across
    given = [(match.start, match.end) for match in glossary_of(store).matches(text)]
    pairs = {word: [a + b for a, b in pairwise(word)] for _, word, _ in joined}
    others = {part: said_for(part) for _, _, parts in joined for part in parts}
    terms = [*dict.fromkeys(chain.from_iterable([*pairs.values(), others, *others.values()]))]
    held = dict(zip(terms, store.document_frequencies(terms), strict=True))
    apart = (
        WordChange(start, start + len(word), question[start : start + len(word)], " ".join(parts))
        for start, word, parts in joined
        if not any(held[pair] for pair in pairs[word])
        and all(start + len(word) <= begin or end <= start for begin, end in given)
        and any(tells(part) >= _TELLING and any(held[one] for one in (part, *others[part])) for part in parts)
    )
    return (*sorted((*across, *apart)),)


def _modals_joined(text: str, store: Store) -> tuple[WordChange, ...]:
    """能带 of 能带狗吗, which is an energy band in the dictionary: no text says it, but one says 带狗."""
    cut = _cut_at(text) if _modal.search(text) else {}
    found = [match for match in _modal.finditer(text) if cut.get(match.start()) == match["words"]]
    terms = [*dict.fromkeys(term for match in found for term in (match["words"], match["words"][1:] + match["next"]))]
    held = dict(zip(terms, store.document_frequencies(terms), strict=True)) if terms else {}
    return tuple(
        WordChange(match.start(), match.end(), match["words"], f"{match['words'][0]} {match['words'][1:]}")
        for match in found
        if not held[match["words"]] and held[match["words"][1:] + match["next"]]
    )


def _cut_at(text: str) -> dict[int, str]:
    """The words that the cutter makes of a text, by their offsets."""
    import rjieba

    words: Sequence[str] = rjieba.cut(text)
    return dict(zip(accumulate(map(len, words), initial=0), words, strict=False))


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """The words of a folded text that the dictionary does not have and that are no names, each with its offset."""
    import rjieba

    start = 0
    for word, tag in rjieba.tag(text):
        if (
            _han.match(word)
            and not tag.startswith(_NAMES)
            and not shipped().has(word)
            and without_function_words(word) == word  # 哪天 asks, and is searched for in no way
        ):
            yield start, word
        start += len(word)


def _parts(word: str) -> list[str]:
    """The longest words of the dictionary, from its beginning."""
    parts, at = list[str](), 0
    while at < len(word):
        end = next((end for end in range(len(word) - (at == 0), at + 1, -1) if shipped().has(word[at:end])), at + 1)
        parts.append(word[at:end])
        at = end
    return parts
