"""A question's terms in the other language: for each term a group of alternatives that count as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from question_words import question_terms, without_function_words
from schema import Alternative, Language, TermGroup
from text import CJK, STOP_WORDS, fold, search_tokens
from translation.dictionary import Dictionary, shipped
from translation.glossary import Glossary
from translation.irregular import base_form, inflected
from translation.names import is_surname, latin_names
from translation.quantities import quantity_terms
from translation.regional import regional_words
from translation.translations import NEGATIONS, tokens_of

_LONGEST_ENTRY = 5  # words of jieba that may be one entry together
_LONGEST_PHRASE = 3  # English search tokens of one translation
_COMMON = 30_000  # occurrences in the corpus of the Chinese cutter
_LONGEST_GIVEN = 2  # characters of a given name
_LONGEST_CUT = 6  # characters of an entry
_SHORTEST_COMPOUND = 2  # characters of a word that has no parts
_SINGLE = 0.3  # weight of a single character that an unknown word was cut into
_ALONE = 0.5  # weight of a word of one character, as 算 or 来: a few say much, most could mean anything
_MOST_TERMS, _MOST_CHARACTERS = 60, 4_000  # of a question
_REMEMBERED = 500  # words and terms of each language, with their groups
_ASKED = 4_000  # phrases: whether they are entries
_QUANTITIES = {"mani", "much", "long", "often"}  # of "how many": Chinese asks for them by function words
_LESS = {"不满", "未满", "不足", "不到"}  # before a number; elsewhere 不满 is resentful
_LESS_THAN = tuple(Alternative(tokens_of(each), weight, each) for each, weight in (("less than", 1.0), ("under", 0.6)))
_number = re.compile(r"\s*[0-9零〇一二两三四五六七八九十百千万半]")
_part = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<other>[^{CJK}\s]+)")


def translate(question: str, language: Language, glossary: Glossary | None = None) -> tuple[TermGroup, ...]:
    """The groups of a question of this language, in its order; the alternatives are search tokens of the other one.
    The glossary's terms are translated as it says and in no other way.

    A term without a translation, and every Latin word and number of a Chinese question, stands for itself. Empty where
    nothing at all is translated: then the question is no better in the other language than as it is.
    """
    translated = _from_chinese if language == "zh" else _from_english
    groups = translated(question[:_MOST_CHARACTERS], shipped(), glossary or Glossary())
    found = list(islice(groups, _MOST_TERMS))
    return tuple(group for group, _ in found) if any(translated for _, translated in found) else ()


def names_in(question: str) -> tuple[TermGroup, ...]:
    """The people whom a Chinese question names and the dictionary does not know, in Latin letters."""
    return tuple(one for one in translate(question, "zh") if one == _of_name(one.term, shipped(), cut=True))


def parts(group: TermGroup) -> tuple[TermGroup, ...]:
    """The groups of the words that a phrase or a compound is made of, for a library that says its whole in no way that
    the dictionary knows. None for what people have put into their glossary."""
    term = group.term
    if group.given or not term:
        return ()
    if term.isascii():
        words = term.split(" ")
        return tuple(_of_english(one, 1, False, shipped()) or _itself(one) for one in words) if len(words) > 1 else ()
    longest = min(len(term) - 1, _LONGEST_CUT)
    return tuple(one for one, _ in _cut(term, shipped(), longest)) if len(term) > _SHORTEST_COMPOUND else ()


# --- Chinese -----------------------------------------------------------------------------------------------------


def _from_chinese(question: str, dictionary: Dictionary, glossary: Glossary) -> Iterator[tuple[TermGroup, bool]]:
    """Each group, and whether it is a translation."""
    folded, place = fold(question), 0
    for match in glossary.matches(folded):
        yield from _with_quantities(folded[place : match.start], dictionary)
        yield match.group, True
        place = match.end
    yield from _with_quantities(folded[place:], dictionary)


def _with_quantities(folded: str, dictionary: Dictionary) -> Iterator[tuple[TermGroup, bool]]:
    place = 0
    for term in quantity_terms(folded, "zh", dictionary):
        if before := folded[place : term.start]:
            yield from _by_dictionary(before, dictionary, before_number=True)
        yield term.group, term.translated
        place = term.end
    yield from _by_dictionary(folded[place:], dictionary)


def _by_dictionary(
    folded: str, dictionary: Dictionary, *, before_number: bool = False
) -> Iterator[tuple[TermGroup, bool]]:
    import rjieba

    text = without_function_words(_with_entries(folded, dictionary))
    for part in _part.finditer(text):
        if part.lastgroup == "other":
            yield from ((_itself(token), False) for token in dict.fromkeys(search_tokens(part[0])))
            continue
        words = rjieba.cut(part[0])
        place = 0
        while place < len(words):
            size = _entry_at(words, place, dictionary, _LONGEST_ENTRY)
            size = 2 if size == 1 and _is_name_at(words, place, dictionary) else size
            word = "".join(words[place : place + size])
            place += size
            if word in _LESS and _before_number("".join(words[place:]) or text[part.end() :], before_number):
                yield _group(word, _LESS_THAN), True
            elif group := _of_chinese(word, dictionary) or _of_name(word, dictionary, cut=size > 1):
                yield group, True
            else:
                yield from _cut(word, dictionary)


def _before_number(following: str, number_follows: bool) -> bool:
    return bool(_number.match(following)) or (number_follows and not following.strip())


def _with_entries(folded: str, dictionary: Dictionary) -> str:
    """The text with another region's words in place of those that have no entry."""
    for one in reversed(regional_words(folded)):
        if not dictionary.has(one.word):
            other = next(filter(dictionary.has, one.others), one.word)
            folded = folded[: one.start] + other + folded[one.end :]
    return folded


def _entry_at(pieces: Sequence[str], place: int, dictionary: Dictionary, most: int) -> int:
    """How many words or characters from this place on, at most so many, are the longest entry together; 1 where they
    are none."""
    together, longest = pieces[place], 1
    for size, piece in enumerate(pieces[place + 1 : place + most], 2):
        together += piece
        if not dictionary.begins(together):  # as after most words
            break
        if dictionary.has(together):
            longest = size
    return longest


def _cut(word: str, dictionary: Dictionary, longest: int = _LONGEST_CUT) -> Iterator[tuple[TermGroup, bool]]:
    """A word without an entry, by longest match; of a short one single characters as well, for little."""
    place, short = 0, len(word) <= 3
    while place < len(word):
        size = _entry_at(word, place, dictionary, longest)
        piece = word[place : place + size]
        place += size
        if (size > 1 or short) and (translations := dictionary.english(piece)):
            group = _group(piece, translations)
            yield (group if size > 1 else group._replace(weight=_SINGLE)), True


@lru_cache(_REMEMBERED)
def _of_chinese(word: str, dictionary: Dictionary) -> TermGroup | None:
    translations = dictionary.english(word)
    if not translations:
        return None
    return _group(word, translations) if len(word) > 1 else _vague(word, translations)


def _is_name_at(words: Sequence[str], place: int, dictionary: Dictionary) -> bool:
    """Whether a surname and a given name stand there, which jieba has cut: 邹 and 文静."""
    given = words[place + 1] if place + 1 < len(words) else ""
    if not given or len(given) > _LONGEST_GIVEN or not is_surname(words[place]) or _is_common(words[place]):
        return False
    return not dictionary.has(given) or not dictionary.has(words[place])


@lru_cache(_ASKED)
def _is_common(surname: str) -> bool:
    """Whether it is a word much more often: 年, 时, 高, but not 王, 张, 马."""
    import rjieba

    return int(rjieba.suggest_freq(surname)) > _COMMON and [tag for _, tag in rjieba.tag(surname)] != ["nr"]


def is_guessed_name(group: TermGroup) -> bool:
    """Whether a term is searched for as a name, though jieba does not take it for one."""
    return group == _of_name(group.term, shipped(), cut=True) and not _is_name(group.term, shipped())


def _is_name(word: str, dictionary: Dictionary) -> bool:
    """Whether jieba takes it for one, and it is not made of words, as 维修费 and 蓝盒子 are."""
    import rjieba

    if len(word) > 2 and (dictionary.has(word[:2]) or (dictionary.has(word[1:]) and dictionary.has(word[0]))):
        return is_surname(word[:2])
    return [tag for _, tag in rjieba.tag(word)] == ["nr"]


@lru_cache(_REMEMBERED)
def _of_name(word: str, dictionary: Dictionary, *, cut: bool) -> TermGroup | None:
    """Of a person whom the dictionary does not know, who may be written in Latin letters. One whom no document has so
    counts by the parts of the word, so that one too many costs little."""
    names = latin_names(word) if cut or _is_name(word, dictionary) else ()
    alternatives = tuple([Alternative(each.tokens, each.weight, each.text) for each in names])
    return TermGroup(alternatives, term=word) if alternatives else None


def _group(word: str, translations: Sequence[Alternative]) -> TermGroup:
    """Each translation in all its forms."""
    found: dict[tuple[str, ...], Alternative] = {}
    for each in translations:
        found.setdefault(each.tokens, each)
        for tokens in inflected(each.tokens):
            found.setdefault(tokens, each._replace(tokens=tokens))
    return TermGroup((*found.values(),), term=word)


def _vague(word: str, translations: Sequence[Alternative]) -> TermGroup:
    """Of a word of one character, without what says a relation, as "in order to" for 来."""
    plain = [each for each in translations if STOP_WORDS.isdisjoint(each.text.split())]
    return _group(word, plain or translations)._replace(weight=_ALONE)


@lru_cache(_REMEMBERED)
def _itself(token: str) -> TermGroup:
    return TermGroup((Alternative((token,), 1.0),), term=token)


# --- English -----------------------------------------------------------------------------------------------------


def _from_english(question: str, dictionary: Dictionary, glossary: Glossary) -> Iterator[tuple[TermGroup, bool]]:
    folded, place = fold(question), 0
    for term in quantity_terms(folded, "en", dictionary):
        if glossary.says(folded[term.start : term.end]):
            continue
        yield from _english_terms(folded[place : term.start], dictionary, glossary, part=True)
        yield term.group, term.translated
        place = term.end
    yield from _english_terms(folded[place:], dictionary, glossary, part=place > 0)


def _english_terms(
    text: str, dictionary: Dictionary, glossary: Glossary, *, part: bool
) -> Iterator[tuple[TermGroup, bool]]:
    """Function words stand for themselves only where a whole question has no others."""
    terms = [term for term in question_terms(text) if term not in _QUANTITIES and not (part and term in STOP_WORDS)]
    negated = not NEGATIONS.isdisjoint(text.lower().split()) or "n't" in text
    place = 0
    while place < len(terms):
        lengths = range(min(glossary.longest, len(terms) - place), 0, -1)
        given = next(filter(None, (glossary.chinese(terms[place : place + n]) for n in lengths)), None)
        if given:
            yield given, True
            place += int(given.weight)
            continue
        size = _phrase_at(terms, place, dictionary)
        phrase = " ".join(terms[place : place + size])
        place += size
        if group := _of_english(phrase, size, negated, dictionary):
            yield group, True
        elif phrase not in STOP_WORDS:
            yield _itself(phrase), False


def _phrase_at(terms: Sequence[str], place: int, dictionary: Dictionary) -> int:
    """How many terms from this place on are the longest translation together; 1 where they are none."""
    together, longest = terms[place], 1
    for size, term in enumerate(terms[place + 1 : place + _LONGEST_PHRASE], 2):
        together = f"{together} {term}"
        if not _begun(together, dictionary):  # as after most terms
            break
        if _known(together, dictionary):
            longest = size
    return longest


@lru_cache(_ASKED)
def _begun(phrase: str, dictionary: Dictionary) -> bool:
    return dictionary.begins_term(phrase) or ((base := _base(phrase)) != phrase and dictionary.begins_term(base))


@lru_cache(_ASKED)
def _known(phrase: str, dictionary: Dictionary) -> bool:
    return dictionary.knows(phrase) or ((base := _base(phrase)) != phrase and dictionary.knows(base))


@lru_cache(_REMEMBERED)
def _of_english(phrase: str, size: int, negated: bool, dictionary: Dictionary) -> TermGroup | None:
    """Of a word in an irregular form those of the word itself as well."""
    likely: Sequence[Alternative] = dictionary.chinese(phrase, negated=negated)
    if (base := _base(phrase)) != phrase:
        found = {each.text: each for each in (*likely, *dictionary.chinese(base, negated=negated))}
        likely = sorted(found.values(), key=lambda each: -each.weight)
    return TermGroup((*likely,), float(size), phrase) if likely else None


def _base(phrase: str) -> str:
    return " ".join(map(base_form, phrase.split(" ")))
