"""Nouns of a question that no text of the library says: what is shown instead may be about something else.

English has no tagger here: a noun is told by the article or possessive that it stands behind, and by how its Chinese
translations are tagged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from question_words import without_function_words
from schema import Language, Message
from stores.base import Store
from text import STOP_WORDS, search_tokens, simplified
from translation.dictionary import shipped
from translation.glossary import Glossary
from translation.translations import Translation

_MOST = 3  # words that are named
_LOOKED_AT = 400  # characters of a question
_TRANSLATIONS = 4  # of a word, which are looked at
_COMMON, _MOSTLY = 0.7, 0.5  # weight of one of them that is a noun, behind an article; of all that are, further on
_VAGUE = frozenset(
    "时候 时间 东西 名字 地方 意思 情况 问题 办法 方法 原因 事情 内容 费用 价格 标准 要求 收费 "
    "back now again name way thing things kind type sort number reason purpose today tomorrow".split()
)
_phrase = re.compile(  # an article or possessive, and up to three words behind it
    r"(?:\b(?:the|an?|my|our|your|his|her|their)|['’]s)[ \t]+(?=([A-Za-z][\w-]*(?:[ \t]+[A-Za-z][\w-]*){0,2}))",
    re.IGNORECASE,
)
_negation = re.compile(r"\b[a-z]{2,6}n['’]t\b", re.IGNORECASE)  # “won” of "won't" is no noun


def missing_words(question: str, language: Language, store: Store, glossary: Glossary | None = None) -> list[str]:
    """The nouns of a question that neither the library says nor, in the other language, a translation of them; what
    the glossary has is known."""
    question = simplified(question[:_LOOKED_AT])
    nouns = dict.fromkeys(_chinese_nouns(question) if language == "zh" else _english_nouns(question))
    known = {noun for noun in nouns if glossary and (glossary.says(noun) or any(glossary.matches(noun)))}
    terms = {noun: tokens for noun in nouns if noun not in known and (tokens := search_tokens(noun))}
    missing = [noun for noun, tokens in terms.items() if not any(store.document_frequencies(tokens))]
    return [noun for noun in missing if not _is_said_translated(noun, language, store)][:_MOST]


def nowhere_said(words: Sequence[str]) -> Message:
    """That no text says these words."""
    return Message(
        zh=f"知识库里没有提到{'、'.join(f'“{word}”' for word in words)}，上面的内容说的可能是别的。",
        en=f"No document mentions {', '.join(f'“{word}”' for word in words)}: this may be about something else.",
    )


def _chinese_nouns(question: str) -> Iterator[str]:
    import rjieba

    for word, tag in rjieba.tag(without_function_words(question)):
        guessed = tag != "nr" and len(rjieba.cut(word, False)) > 1  # “假会”, of 年假会作废
        guessed = guessed or (word.endswith("会") and f"{word}怎" in question)  # “交会”, of 晚交会怎样
        if tag.startswith("n") and len(word) > 1 and word not in _VAGUE and not guessed:
            yield word


def _english_nouns(question: str) -> Iterator[str]:
    """The words of noun phrases: the last one, whatever it is, and those before it that the dictionary has as nouns."""
    question = _negation.sub("not", question)
    for match in _phrase.finditer(question):
        words = match[1].split()
        kept = next((i for i, word in enumerate(words) if word.lower() in STOP_WORDS), len(words))
        ends = kept < len(words) or not question[match.end(1) :].strip(" \t")[:1].isalpha()
        for i, word in enumerate(words[:kept]):
            if word.lower() not in _VAGUE and ((ends and kept == 1) or _is_noun(word, first=i == 0)):
                yield word


def _is_noun(word: str, *, first: bool) -> bool:
    import rjieba

    translations = _translations(word)
    of_nouns = [each.weight for each in translations if rjieba.tag(each.text)[-1][1].startswith("n")]
    if first or not translations:
        return not translations or max(of_nouns, default=0.0) >= _COMMON
    return sum(of_nouns) > _MOSTLY * sum(each.weight for each in translations)


def _translations(word: str) -> Sequence[Translation]:
    return shipped().chinese(" ".join(search_tokens(word)))[:_TRANSLATIONS]


def _is_said_translated(noun: str, language: Language, store: Store) -> bool:
    found = shipped().english(noun) if language == "zh" else _translations(noun)
    said = (store.document_frequencies(search_tokens(each.text)) for each in found)
    return any(counts and all(counts) for counts in said)
