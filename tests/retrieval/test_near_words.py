"""Words that stand for those that no text says: which of them the best source says, and what they weigh."""

from __future__ import annotations

import pytest

from retrieval.other_words import beside, related_message, words_in_best
from retrieval.regional_terms import WordChange
from tests.each_row import each_row

YARD = "Bicycles stand in the yard. Cars too."
PETS = "Pets are allowed."


def told(words: dict[str, list[str]], question: str, text: str) -> tuple[list[str], list[str]]:
    """Of what means the same, and of what is related: each word that was typed with the one that is said."""
    found = words_in_best(words, question, text)
    for one in (*found.same, *found.related):
        assert question[one.start : one.end] == one.typed
    same, related = ([f"{one.typed}: {one.said}" for one in words] for words in found)
    return same, related


@each_row(
    ("words", "question", "text", "same", "related"),
    [
        ({"bike": ["bicycl", "car"]}, "Can my bike stand? A BIKE!", YARD, ["bike: bicycles", "BIKE: bicycles"], []),
        ({"bike": ["car", "bicycl"]}, "Can my bike stand?", YARD, [], ["bike: cars"]),  # the nearest that is said
        ({"bike": ["train", "bicycl"]}, "Can my bike stand?", YARD, ["bike: bicycles"], []),
        ({"bike": ["bicycl"]}, "Can my bike stand?", "Nothing.", [], []),
        ({"bike": ["bicycl"]}, "Can my biker stand?", YARD, [], []),
        ({"dog": ["pet"]}, "Are dogs allowed?", PETS, [], ["dogs: pets"]),
        ({"dog": ["pet"]}, "Are Ｄogs ﬁne?", PETS, [], []),  # its places are not known
        ({"builder": ["build"]}, "Who was the builder?", "The tower was built.", [], []),  # forms of one word
        ({"升降机": ["电梯"]}, "升降机坏了", "电梯坏了请打电话。", ["升降机: 电梯"], []),
        ({"升降机": ["电梯"]}, "升降機坏了", "电梯坏了请打电话。", ["升降機: 电梯"], []),
        ({"小狗": ["宠物"]}, "小狗可以住吗？", "宠物可以住在家里。", [], ["小狗: 宠物"]),
        ({"狗": ["小狗"]}, "狗可以住吗？", "小狗可以住在家里。", [], []),
        ({"小狗": ["狗"]}, "小狗可以住吗？", "狗可以住在家里。", [], []),
        ({"狗": ["宠物"], "小狗": ["宠物"]}, "小狗可以住吗？", "宠物可以。", [], ["小狗: 宠物"]),  # the longest
        ({"时间": ["钟点"]}, "什么时间？", "钟点是三点", [], []),  # it tells little
        ({"back": ["pet"]}, "Is it back?", PETS, [], []),
        ({"pet": ["back"]}, "Is a pet there?", "It came back.", [], []),
    ],
)
def test_the_best_source_says_one_for_another(
    words: dict[str, list[str]], question: str, text: str, same: list[str], related: list[str]
) -> None:
    assert told(words, question, text) == (same, related)


def test_no_more_related_words_are_told_than_anybody_reads() -> None:
    words = {word: ["pet"] for word in ("dog", "cat", "tortois", "puppi", "parrot")}
    _, related = told(words, "dog, cat, puppy, tortoise or parrot?", PETS)
    assert related == ["dog: pets", "cat: pets", "puppy: pets"]


def test_what_says_it_in_other_words_gains_a_share_of_the_best_score() -> None:
    scores = beside({1: 2.0, 2: 1.0, 3: 0.5}, {2: 4.0, 3: 2.0, 9: 1.0})
    assert scores == pytest.approx({1: 2.0, 2: 1.4, 3: 0.7})
    assert beside({1: 0.0, 2: 0.0}, {2: 4.0}) == pytest.approx({1: 0.0, 2: 0.2})
    assert beside({}, {2: 1.0}) == {}


def test_a_related_word_is_told_once_in_both_languages() -> None:
    twice = [WordChange(0, 3, "dogs", "pets"), WordChange(9, 13, "dogs", "pets"), WordChange(20, 24, "cats", "pets")]
    message = related_message(twice)
    assert message.en == (
        "Searched also for related words: “pets” (the documents do not say “dogs”), “pets” (the documents do not say "
        "“cats”)."
    )
    assert message.zh == "已一并检索意思相关的词：“pets”（资料中没有“dogs”），“pets”（资料中没有“cats”）。"
