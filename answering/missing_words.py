"""Nouns of a question that no text of the library says: what is shown instead may be about something else.

English has no tagger here: a noun is told by the article or possessive that it stands behind, and by how its Chinese
translations are tagged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from question_words import without_function_words
from schema import Alternative, Language, Message
from stores.base import Store
from text import HAN, STOP_WORDS, detect_language, search_tokens, simplified
from translation.dictionary import shipped
from translation.everyday import said_for
from translation.glossary import Glossary
from translation.question import names_in

_MOST = 3  # words that are named
_LOOKED_AT = 400  # characters of a question
_TRANSLATIONS = 4  # of a word, which are looked at
_COMMON, _MOSTLY = 0.7, 0.5  # weight of one of them that is a noun, behind an article; of all that are, further on
_VAGUE = frozenset(
    "时候 时间 东西 名字 地方 意思 情况 问题 办法 方法 原因 事情 内容 费用 价格 标准 要求 收费 "
    "back now again name way thing things kind type sort number reason purpose today tomorrow".split()
)
_phrase = re.compile(  # an article, possessive or first verb, and up to three words behind it
    r"(?:\b(?:the|an?|my|our|your|his|her|their)|^(?:is|are|was|were|do|does|did|can|will)|['’]s)[ \t]+"
    r"(?=([A-Za-z][\w-]*(?:[ \t]+[A-Za-z][\w-]*){0,2}))",
    re.IGNORECASE,
)
_existence = re.compile(  # whether there is such a thing
    rf"有(?:没有)?(?:什么|自己的|专门的)?(?P<thing>[{HAN}]{{2,8}}?)(?:[吗么嘛]|[?？]|\Z)"
    r"|\b(?:(?:is|are) there|(?:do|does)\b[^.?!]{1,60}?\b(?:have|offer|sell|provide)) (?:an?|any|some)\b"
    r"(?P<what>[^.?!]{2,60})",
    re.IGNORECASE,
)
_kind = re.compile(rf"(?:哪[些个种类]?|什么(?!时|地方)|啥)([{HAN}]{{2,4}})")
_one = re.compile(r"an?\b", re.IGNORECASE)  # “the most expensive” need not end in a noun
_negation = re.compile(r"\b[a-z]{2,6}n['’]t\b", re.IGNORECASE)  # “won” of "won't" is no noun


class MissingWords(NamedTuple):
    """Nouns of a question that the library does not say, and those that only other passages than the shown ones do."""

    nowhere: list[str]
    elsewhere: list[str]


def missing_words(
    question: str, language: Language, store: Store, glossary: Glossary | None = None, shown: Sequence[str] = ()
) -> MissingWords:
    """What neither the library says nor, in the other language, a translation of it; what the glossary has, or names
    and headings of the `shown` passages say, is known."""
    question = simplified(question[:_LOOKED_AT])
    nouns = dict.fromkeys(_chinese_nouns(question) if language == "zh" else _english_nouns(question))
    known = {noun for noun in nouns if glossary and (glossary.says(noun) or any(glossary.matches(noun)))}
    terms = {noun: tokens for noun in nouns if noun not in known and (tokens := search_tokens(noun))}
    told = frozenset(search_tokens(simplified("\n".join(shown))))
    untold = {noun: tokens for noun, tokens in terms.items() if told.isdisjoint(tokens)}
    unsaid = [noun for noun, tokens in untold.items() if not any(store.document_frequencies(tokens))]
    nowhere = [noun for noun in unsaid if not _is_said_translated(noun, language, store.document_frequencies)]
    nowhere = [noun for noun in nowhere if not _is_of_name(noun, question, store)] if language == "zh" else nowhere
    if not shown:
        return MissingWords(nowhere[:_MOST], [])
    foreign = detect_language("\n".join(shown)) not in (language, None)  # it was found by a translation

    def is_shown(noun: str) -> bool:
        said = _is_said_translated(noun, language, lambda tokens: [int(token in told) for token in tokens])
        return said or not told.isdisjoint(said_for(" ".join(terms[noun])))

    about = not any(map(is_shown, terms))  # “coffee machine” is 咖啡机: of a phrase one word may be left over
    wanted = _to_be_shown(
        question, [one for one in untold if one not in nowhere], untold if foreign and about else unsaid
    )
    return MissingWords(nowhere[:_MOST], [noun for noun in wanted if not is_shown(noun)][:_MOST])


def _to_be_shown(question: str, nouns: Sequence[str], unsaid: Collection[str]) -> list[str]:
    """The nouns that what is shown has to say: those that the library says only translated, where it is of the
    question's language, and those of which it is asked whether there is one. 哪些指标 need not be said in an answer."""
    asked = _existence.search(question)
    there = asked["thing"] or asked["what"] if asked else ""
    kinds = "".join(_kind.findall(question))
    return [noun for noun in nouns if noun not in kinds and (noun in unsaid or noun in there)]


def nowhere_said(words: Sequence[str]) -> Message:
    """That no text says these words."""
    return Message(
        zh=f"知识库里没有提到{'、'.join(f'“{word}”' for word in words)}，上面的内容说的可能是别的。",
        en=f"No document mentions {', '.join(f'“{word}”' for word in words)}: this may be about something else.",
    )


def not_shown(words: Sequence[str]) -> Message:
    """That what is shown does not say these words, though another text may."""
    return Message(
        zh=f"上面的内容没有提到{'、'.join(f'“{word}”' for word in words)}，说的可能是别的。",
        en=f"Nothing shown here mentions {', '.join(f'“{word}”' for word in words)}: this may be about something else.",
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
            head = ends and i == kept - 1 and (kept == 1 or (kept == 2 and _one.match(match[0])))
            if word.lower() not in _VAGUE and (head or _is_noun(word, first=i == 0)):
                yield word


def _is_noun(word: str, *, first: bool) -> bool:
    import rjieba

    translations = _translations(word)
    of_nouns = [each.weight for each in translations if rjieba.tag(each.text)[-1][1].startswith("n")]
    if first or not translations:
        return not translations or max(of_nouns, default=0.0) >= _COMMON
    return sum(of_nouns) > _MOSTLY * sum(each.weight for each in translations)


def _translations(word: str) -> Sequence[Alternative]:
    return shipped().chinese(" ".join(search_tokens(word)))[:_TRANSLATIONS]


def _is_of_name(noun: str, question: str, store: Store) -> bool:
    """Whether it is a person's name, or part of one, that the library says in Latin letters: 文静 of 邹文静."""
    written = (each for one in names_in(question) if noun in one.term for each in one.alternatives)
    return any(all(store.document_frequencies(each.tokens)) for each in written)


def _is_said_translated(noun: str, language: Language, count: Callable[[Sequence[str]], Sequence[int]]) -> bool:
    found = shipped().english(noun) if language == "zh" else _translations(noun)
    said = (count(search_tokens(each.text)) for each in found)
    return any(counts and all(counts) for counts in said)
