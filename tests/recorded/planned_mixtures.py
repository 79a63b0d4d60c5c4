"""Questions and messages that are mixed at random: some are drawn for the recording, and stand there.

No person writes most of them. They are for what a change does where words meet that no example holds together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random

from planning.tables.names import names_of_table
from planning.tables.operators import operator_lines
from tests.recorded.normal import Json
from tests.recorded.planned_messages import rows_of, told
from tests.recorded.planned_tables import SHOWN, asked_of, place_of, tables_of_file
from tests.recorded.planned_variations import NUMBERS, Named, asked_over, filled, named_tables, spoken
from text import detect_language, language_of

_QUESTIONS, _MESSAGES = 4_000, 1_200  # of a language
_ROWS = ("daily_second", "daily_third", "daily_fourth", "daily_sixth", "everyday_first", "utterances")
_AMOUNTS = {
    "zh": "2小时 100元 5万 20% 3次 3个 第2 30天 1.5万元 60分 2公里 500克 半小时 18岁 前3".split(),
    "en": "2 hours|$100|5k|20%|3 times|three|2nd|30 days|1,500|60 points|2 km|500 g|half an hour|18|top 3".split("|"),
}
_JOINTS = {
    "zh": ["的", "和", "或", "、", "，", "且", "比", "到", "不", "各", ""],
    "en": [" and ", " or ", ", ", " of ", " than ", " to ", " not ", " by ", " with ", " in ", " "],
}


def questions(language: str) -> Iterator[Json]:
    """Sentences under two conditions, some with a word put in; and words of a table in any order."""
    chance = Random(language)
    for _ in range(_QUESTIONS):
        named = chance.choice(named_tables(language))
        yield asked_over(named, (_sentence if chance.random() < 0.8 else _words)(chance, named, language))


def changed(language: str) -> Iterator[Json]:
    """Questions of the benchmark's tables, each with one or two words left out, put in, or put elsewhere."""
    chance = Random(f"{language} changed")
    asked = [
        (question, place_of(name, table))
        for name in SHOWN
        for question, file in asked_of(name)
        if file and language_of(question, "zh") == language
        for table in tables_of_file(name, file)
    ]
    for _ in range(_QUESTIONS):
        question, place = chance.choice(asked)
        for _ in range(chance.randint(1, 2)):
            question = _changed(chance, question, language)
        yield {"question": question, "over": [place]}


def messages(language: str) -> Iterator[Json]:
    """Two messages of one library as one, or one with a word changed, with and without uploads."""
    chance = Random(f"{language} messages")
    rows = [row for name in _ROWS for row in rows_of(name) if language_of(row["text"], "zh") == language]
    for _ in range(_MESSAGES):
        yield _message(chance, *chance.sample(rows, 2), language)


def _sentence(chance: Random, named: Named, language: str) -> str:
    known = spoken()[language]
    one, other = (chance.choice(known["conditions"]) for _ in range(2))
    joint = chance.choice(_JOINTS[language]) if chance.random() < 0.4 else ""
    sentence = chance.choice(known["asked"]).replace("{c}", f"{one}{joint}{other}" if joint else one)
    said = " ".join(filled(named, sentence, chance.randrange(1000)).split())
    if chance.random() < 0.25:
        at = chance.randrange(len(said))
        at = said.find(" ", at) if language == "en" else at
        said = f"{said[:at]} {_word(chance, language)} {said[max(at, 0) :].strip()}"
    return said


def _changed(chance: Random, question: str, language: str, other: str = "") -> str:
    """A word left out, doubled elsewhere, or another one in its place or before it."""
    pieces = _piece.findall(question)
    at, to = chance.randrange(len(pieces)), chance.randrange(len(pieces))
    gap = " " if language == "en" else ""
    words = [_word(chance, language), chance.choice(_AMOUNTS[language]), chance.choice(_JOINTS[language])]
    put = other or chance.choice(words)
    kind = chance.randrange(4)
    if kind == 0:
        del pieces[at]
    elif kind == 1:
        pieces.insert(to, pieces[at])
    elif kind == 2:
        pieces[at] = f"{put}{gap}"
    else:
        pieces.insert(at, f"{put}{gap}")
    return "".join(pieces) or question


_piece = re.compile(r"[^\W\d_\u4e00-\u9fff]+\W?|[\u4e00-\u9fff]{1,2}|[\d.,]+\W?|.")


def _words(chance: Random, named: Named, language: str) -> str:
    words = [*_any(chance, named, language, chance.randint(2, 6))]
    return "".join(word + chance.choice(_JOINTS[language]) for word in words)


def _any(chance: Random, named: Named, language: str, count: int) -> Iterator[str]:
    for _ in range(count):
        kind = chance.randrange(7)
        if kind < 2:
            yield _word(chance, language)
        elif kind == 2:
            yield chance.choice([*named.numbers, *(title for title, _ in named.values), named.rows])
        elif kind == 3:
            yield chance.choice(chance.choice(named.values)[1])
        elif kind == 4:
            phrases = sorted(names_of_table(named.table).phrases)
            yield ("" if language == "zh" else " ").join(chance.choice(phrases))
        elif kind == 5:
            yield chance.choice([*_AMOUNTS[language], *NUMBERS])
        else:
            yield chance.choice(chance.choice([*named.times.values()]))


def _word(chance: Random, language: str) -> str:
    return chance.choice(chance.choice(_operators(language)))


@cache
def _operators(language: str) -> list[list[str]]:
    """The phrases of each operator; each is as likely as another."""
    lines = ([word for word in words if detect_language(word) in (language, None)] for _, words in operator_lines())
    return [words for words in lines if words]


def _message(chance: Random, one: Json, other: Json, language: str) -> Json:
    said: str = one["text"]
    if chance.random() < 0.5:
        said = f"{said}{chance.choice(_BREAKS)}{other['text']}"
    else:
        pieces = _piece.findall(other["text"])
        said = _changed(chance, said, language, chance.choice(pieces))
    uploads = ["attached.md", "合同.docx"][: chance.randrange(3)]
    library = [*dict.fromkeys([*one["library"], *other["library"][:3]])]
    return {"message": said, **told({"uploads": uploads, "library": library, "earlier": chance.random() < 0.5})}


_BREAKS = ("，", "。", " ", "；", ", ", ". ", " and ", "然后", "\n")
