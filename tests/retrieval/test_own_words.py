"""A passage in a question's own language says it only where it says its names and what is asked about."""

from __future__ import annotations

import pytest

from retrieval.own_words import said_in_own_words
from schema import Language

FILES = {
    "lighthouse.md": "The lighthouse on the northern cliff was built in 1874.",
    "bread.md": "The dough rises overnight.",
    "灯塔.md": "灯塔建于1874年，港湾里的船只靠灯塔辨认方向。",
}


DOUGH = "In the northern lighthouse on the cliffs dough rises overnight."
SHIPS = "港湾里的船只靠灯塔辨认方向。"


@pytest.mark.parametrize(
    ("question", "language", "text", "said"),
    [
        ("Does dough in the northern lighthouse on the cliffs need to rise overnight?", "en", DOUGH, True),
        ("Does dough in the northern lighthouse on the cliffs bake overnight?", "en", DOUGH, False),
        ("Does dough of May in the northern lighthouse on the cliffs rise overnight?", "en", DOUGH, False),
        ("Does dough in the 2 northern lighthouses on the cliffs rise overnight?", "en", DOUGH, False),
        ("Do they need, take and get dough?", "en", "A dough.", False),
        ("港湾里的船只还靠灯塔辨认方向吗？", "zh", SHIPS, True),
        ("港湾里的船只靠灯塔辨认温特的方向吗？", "zh", SHIPS, False),
        ("港湾里的 3 艘船只靠灯塔辨认方向吗？", "zh", SHIPS, False),
        ("在那里船只怎么辨认方向？", "zh", "方向。", False),
        ("lighthouse 建于 1874 年吗？", "zh", "The lighthouse was built in 1874, 建于年.", False),
    ],
)
async def test_names_and_what_is_asked_about_are_said(
    library, question: str, language: Language, text: str, said: bool
) -> None:
    assert said_in_own_words(question, language, [text], library.store) == said


async def test_one_of_several_passages_is_enough(library) -> None:
    texts = ["The bay is wide.", "The dough rises overnight."]
    assert said_in_own_words("Does the dough rise overnight?", "en", texts, library.store)
    assert not said_in_own_words("Does the dough rise overnight?", "en", [], library.store)


@pytest.mark.parametrize(
    ("question", "language", "translated"),
    [
        ("灯塔的灯什么时候建造？", "zh", True),
        ("澄湖的灯塔什么时候建造？", "zh", False),  # no entry of the dictionary
        ("When was the lighthouse built?", "en", True),
        ("When was the lighthouse at Zorvex built?", "en", False),
    ],
)
async def test_what_tells_a_subject_from_others_of_its_kind_is_translated(
    library, question: str, language: Language, translated: bool
) -> None:
    await library.add("澄湖.md", "澄湖有一座灯塔，建造于1900年。".encode())
    assert await library.subject_translated(question, language) == translated
