"""English words of a question that one typing error has made of a word of the library: "anual leave".

Only a word that neither the library nor the dictionary has is taken for an error, and only for that of a word which the
library has: one letter too many, too few, wrong, or two letters in each other's place (Damerau 1964,
doi:10.1145/363958.363994). What a typist does most often counts first, then how common a word is in the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase

from schema import Message
from stores.base import Store
from text import STOP_WORDS, search_tokens, stems
from translation.dictionary import shipped
from translation.gloss import words_of

_SHORTEST, _LONGEST = 5, 24  # letters: of a shorter word, every second one is one letter away
_MOST = 40  # words of a question that are looked at
_MISSPELT = 5  # of them: with more, it is no English that was mistyped, and each is some 500 words to look for
_word = re.compile(rf"(?<![\w.'’@/-])[A-Za-z][a-z]{{{_SHORTEST - 1},{_LONGEST - 1}}}(?![\w'’@/-])(?!\.\w)")


def corrections(question: str, store: Store) -> dict[str, str]:
    """The misspelt words of a question as they stand there, each with the word that is searched for."""
    stem_of: dict[str, str] = {}
    for match in _word.finditer(question):
        word = match[0]
        if len(stem_of) < _MOST and word.lower() not in STOP_WORDS and len(found := search_tokens(word)) == 1:
            stem_of[word] = found[0]
    counts = store.document_frequencies([*stem_of.values()])
    unknown = [
        word
        for (word, stem), count in zip(stem_of.items(), counts, strict=True)
        if not count
        and not shipped().knows(stem)
        and not _is_british(word.lower())
        and not _is_superlative(word.lower())
    ]
    nearest = ((word, _nearest(word.lower(), store)) for word in unknown if len(unknown) <= _MISSPELT)
    return {word: near.capitalize() if word[0].isupper() else near for word, near in nearest if near}


def corrected(question: str, words: Mapping[str, str]) -> str:
    """The question with these words in place of those that were typed."""
    return _word.sub(lambda match: words.get(match[0], match[0]), question) if words else question


def corrected_words(words: Mapping[str, str]) -> Message:
    """What was searched for in place of what was typed."""
    return Message(
        zh=f"检索时已将{'、'.join(f'“{typed}”更正为“{right}”' for typed, right in words.items())}。",
        en=f"Searched for {', '.join(f'“{right}” instead of “{typed}”' for typed, right in words.items())}.",
    )


_british = [(re.compile(pattern), american) for pattern, american in (
    (r"is(?=(?:e|es|ed|er|ers|ing|ation|ations)\Z)", "iz"), (r"ys(?=(?:e|es|ed|ing)\Z)", "yz"), (r"our", "or"),
    (r"ll(?=(?:ed|ing|er|ers)\Z)", "l"), (r"tre(?=s?\Z)", "ter"), (r"ogue(?=s?\Z)", "og"), (r"ence(?=s?\Z)", "ense"),
)]  # fmt: skip


def _is_british(word: str) -> bool:
    """Whether it is the British form of a word that the dictionary has in the American one: "summarise"."""
    forms = {pattern.sub(american, word) for pattern, american in _british} - {word}
    return any(shipped().knows(term) for form in forms for term in search_tokens(form))


_superlative = re.compile(r"(.{2,}?)(?:(.)\2)?(i?)est\Z")


def _is_superlative(word: str) -> bool:
    """Whether it is that of a word that the dictionary has: "longest", "biggest", "happiest", "widest"."""
    match = _superlative.match(word)
    if not match:
        return False
    stem, doubled = match[1], match[2] or ""
    forms = [f"{stem}{doubled * 2}y"] if match[3] else [f"{stem}{doubled * 2}", f"{stem}{doubled}", f"{stem}e"]
    return any(shipped().knows(term) for form in forms for term in search_tokens(form)[:1])


def _nearest(word: str, store: Store) -> str:
    """The likeliest word of the library that is one error away, as it stands there; "" where there is none."""
    errors: dict[str, int] = {}
    for edited, rank in _edits(word):
        if edited not in STOP_WORDS:
            errors[edited] = min(rank, errors.get(edited, rank))
    terms = stems([*errors])
    counts = store.document_frequencies(terms)
    known = [(rank, -count, term) for rank, count, term in zip(errors.values(), counts, terms, strict=True) if count]
    if not known:
        return ""
    _, _, term = min(known)
    texts = [hit.text for hit in store.hits([one.chunk_id for one in store.search_terms([term], 1)])]
    return words_of({term}, texts).get(term, "")


def _edits(word: str) -> Iterator[tuple[str, int]]:
    """Each word that is one error away, with how unlikely the error is: 0 where letters are exchanged, doubled or not
    doubled, 1 elsewhere, 2 in the first letter, which is hardly ever wrong."""
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        usual = 2 if place == 0 else 1
        if len(after) > 1:
            yield f"{before}{after[1]}{after[0]}{after[2:]}", 2 if place == 0 else 0
        if after:
            doubled = after[0] in (before[-1:], after[1:2])
            yield before + after[1:], 0 if doubled else usual
        for letter in ascii_lowercase:
            if after and letter != after[0]:
                yield before + letter + after[1:], usual
            yield before + letter + after, 0 if letter in (before[-1:], after[:1]) else usual
