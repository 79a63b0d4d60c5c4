"""What key words of a sentence mean, word by word from the dictionary: help for a reader, no translation."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from schema import Alternative, Gloss, Language, TermGroup
from text import CJK, search_tokens, words_in
from translation.dictionary import shipped
from translation.glossary import Glossary
from translation.question import is_guessed_name, translate

_MOST = 8  # words of a sentence
_cjk = re.compile(f"[{CJK}]")
_CHOICES = 25  # a word with more translations, as "take", says too little alone
_SINGLE = 0.6  # what a single Chinese character counts beside a word: it is in many that mean something else


def gloss(sentence: str, language: Language, question: str = "", glossary: Glossary | None = None) -> tuple[Gloss, ...]:
    """The key words of a sentence in this language, in its order, each with a translation: of several the one that the
    question says, else the likeliest."""
    groups = [group for group in translate(sentence, language, glossary) if _says_something(group)]
    own = words_of({token for group in groups for token in group.term.split()}, [sentence])
    asked = {*search_tokens(question)}
    found: dict[str, Gloss] = {}
    for group in groups:
        word = " ".join(own.get(token, token) for token in group.term.split())
        best = next((each for each in group.alternatives if asked.issuperset(each.tokens)), None) or _likeliest(group)
        found.setdefault(group.term, Gloss(word, best.text))
    return tuple(found.values())[:_MOST]


def subjects(question: str, language: Language, texts: Sequence[str], glossary: Glossary | None = None) -> list[str]:
    """What a phrase of a question is called in texts of the other language, in small letters: "sick leave" is 病假, and
    the other way round. A phrase of two words that is one entry of the dictionary is what a question is about."""
    said = "\n".join(texts).lower()
    found = [
        each.text.lower()
        for group in translate(question, language, glossary)
        for each in group.alternatives
        if (" " in group.term if language == "en" else len(group.term) > 1 and len(each.tokens) > 1)
        and each.text
        and each.text.lower() in said
    ]
    return [*dict.fromkeys(found)]


def _says_something(group: TermGroup) -> bool:
    """Not a name or number as it is, or what may be no name, and nothing that can mean anything, as a single Chinese
    character."""
    translated = [] if is_guessed_name(group) else [each for each in group.alternatives if each.text]
    return 0 < len(translated) <= _CHOICES and len(group.term) > 1 and not group.term.isdigit()


def _likeliest(group: TermGroup) -> Alternative:
    """The first translation of a Chinese word, the most common one of an English word."""
    if not group.term.isascii():
        return group.alternatives[0]
    return max((each for each in group.alternatives if each.text), key=commonness)


def commonness(each: Alternative) -> float:
    """How likely it is meant, and how common a word that is: the dictionary does not say the latter."""
    if each.text.isascii():
        return each.weight
    return each.weight * math.log(2 + shipped().compounds(each.text)) * (1.0 if len(each.text) > 1 else _SINGLE)


def words_of(tokens: set[str], texts: Sequence[str]) -> dict[str, str]:
    """The first word of the texts for each search token that is none of Chinese, in small letters; Chinese tokens are
    words already."""
    found: dict[str, str] = {}
    missing = latin(tokens)
    initials = {initial for token in missing for initial in (token[0], token[0].upper())}
    for text in texts:
        for word in words_in(text) if missing else ():
            if word[0] not in initials and _is_plain(word):
                continue
            if not missing.isdisjoint(said := _tokens_of(word)):
                found |= dict.fromkeys(missing.intersection(said), word.lower())
                missing.difference_update(said)
                if not missing:
                    break
    return found


def latin(tokens: set[str]) -> set[str]:
    """Those that are none of Chinese."""
    return {token for token in tokens if not _cjk.match(token)}


def _is_plain(word: str) -> bool:
    """Whether a word has one search token, which begins as the word does."""
    return word.isascii() and word.isalpha() and word[1:].islower()


@lru_cache(maxsize=20_000)  # the same words come again in each passage
def _tokens_of(word: str) -> tuple[str, ...]:
    return () if _cjk.match(word) else tuple(search_tokens(word))
