"""Chinese words that only the cutter takes for words."""

from __future__ import annotations

import pytest

from library import Library
from retrieval.regional_terms import WordChange, changed
from retrieval.words_apart import words_apart
from schema import IncomingFile

HOUSE = "可以带小型犬，每只收清洁费 50 元；猫暂不接待。车请停在村口。行权须填写申请表。"


@pytest.fixture
async def library(make_settings):
    async with await Library.open(make_settings()) as library:
        tasks = await library.submit([IncomingFile("house.md", HOUSE.encode())])
        await library.finished([one.id for one in tasks])
        yield library


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("可以带猫吗？", "可以带 猫吗？"),
        ("带狗要多少钱？", "带 狗要多少钱？"),  # the library says 犬
        ("车停在哪里？", "车 停在哪里？"),
        ("可以帶貓嗎？", "可以带 猫嗎？"),  # read in simplified script
        ("喝了酒可以来吗？", ""),  # the library has none of its parts
        ("行权价是多少？", ""),  # it is found by 行权
        ("带猫是哪天？", "带 猫是哪天？"),  # 哪天 asks, and is no word to look for
        ("火车几点到？", ""),  # a word, though the library has but 车
        ("车晓是谁？", ""),  # a name
        ("Can I bring a cat?", ""),
        ("", ""),
    ],
)
async def test_what_is_searched_for(library, question, searched) -> None:
    assert changed(question, words_apart(question, library.store)) == (searched or question)


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("允许带狗，须牵绳。", "能 带狗吗？"),  # 能带 is an energy band, and no text says it
        ("允许带狗。能带是能量的范围。", "能带狗吗？"),  # one does
        ("请勿喂鸟。", "能带狗吗？"),  # nor does any say 带狗
    ],
)
async def test_a_verb_that_joins_a_modal_goes_to_its_object(make_settings, text, searched) -> None:
    async with await Library.open(make_settings()) as library:
        await library.finished([one.id for one in await library.submit([IncomingFile("a.md", text.encode())])])
        assert changed("能带狗吗？", words_apart("能带狗吗？", library.store)) == searched


async def test_it_is_found_and_not_told(library) -> None:
    found = await library.search("可以带猫吗？")
    assert "猫暂不接待" in found.hits[0].text
    assert found.found_by is None


async def test_a_pasted_page_is_not_taken_apart(library) -> None:
    assert words_apart("可以带猫吗？" * 200, library.store) == ()


async def test_a_term_of_the_glossary_stays_whole(library) -> None:
    await library.change_glossary([("带猫", "Catlink")])
    assert words_apart("可以带猫吗？车停在哪里？", library.store) == (WordChange(6, 8, "车停", "车 停"),)
