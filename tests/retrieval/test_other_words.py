"""Words of a question that no document says: what says them in other words comes first, and the search tells so."""

from __future__ import annotations

import pytest

from schema import Scope

FILES = {
    "cars.md": "Cars stand in front of the house.",
    "bicycles.md": "Bicycles stand in the yard.",
    "pets.md": "Pets are allowed in every flat.",
    "guests.md": "Guests are allowed in every flat.",
    "空调.md": "空调坏了请打物业电话。",
    "电梯.md": "电梯坏了请打服务台电话。",
    "客人.md": "客人可以住三天。",
    "宠物.md": "宠物可以住在家里。",
}
ASKED = [("Where can my bike stand?", "bicycles.md"), ("升降机坏了打什么电话？", "电梯.md")]


@pytest.mark.parametrize("strategy", ["default", "hybrid"])
@pytest.mark.parametrize(("question", "document"), ASKED)
async def test_what_says_it_in_other_words_is_first(library, question, document, strategy) -> None:
    found = await library.search(question, strategy=strategy)
    assert found.hits[0].document == document
    assert found.hits[0].scores["expanded"] > 0


@pytest.mark.parametrize(("question", "document"), ASKED)
async def test_keyword_search_stays_literal(library, question, document) -> None:
    found = await library.search(question, strategy="keyword")
    assert found.hits
    assert not any("expanded" in hit.scores for hit in found.hits)
    assert found.found_by is None
    assert found.question == question


async def test_a_word_that_means_the_same_is_told_and_the_answer_goes_by_it(library) -> None:
    english = await library.search("Where can my bike stand?")
    assert english.question == "Where can my bicycles stand?"
    assert english.found_by.en == "Searched for “bicycles”, which the documents say for “bike”."
    chinese = await library.search("升降機坏了打什么电话？")
    assert chinese.question == "电梯坏了打什么电话？"
    assert chinese.found_by.zh == "“升降機”在资料中作“电梯”，已一并检索。"


async def test_a_related_word_is_told_and_the_question_stays(library) -> None:
    english = await library.search("Are dogs allowed?")
    assert english.hits[0].document == "pets.md"
    assert english.question == "Are dogs allowed?"
    assert english.found_by.en == "Searched also for related words: “pets” (the documents do not say “dogs”)."
    chinese = await library.search("小狗可以住吗？")
    assert chinese.hits[0].document == "宠物.md"
    assert chinese.found_by.zh == "已一并检索意思相关的词：“宠物”（资料中没有“小狗”）。"


async def test_a_word_that_a_document_says_stands_for_itself(library) -> None:
    await library.add("bikes.md", b"A bike stands in the cellar.")
    found = await library.search("Where can my bike stand?")
    assert found.hits[0].document == "bikes.md"
    assert found.found_by is None
    assert not any("expanded" in hit.scores for hit in found.hits)


async def test_what_counts_is_what_the_documents_in_scope_say(library) -> None:
    await library.add("bikes.md", b"A bike stands in the cellar.")
    found = await library.search("Where can my bike stand?", scope=Scope(documents=("cars.md", "bicycles.md")))
    assert found.hits[0].document == "bicycles.md"
    assert "“bicycles”" in found.found_by.en


async def test_forms_of_one_word_are_not_told(library) -> None:
    await library.add("builders.md", b"The tower was built by hand.")
    found = await library.search("Who was the builder of the tower?")
    assert found.hits[0].scores["expanded"] > 0
    assert found.found_by is None


@pytest.mark.parametrize(("question", "document"), [("bike?", "bicycles.md"), ("升降机", "电梯.md")])
async def test_a_word_alone_finds_what_says_it_in_another(library, question, document) -> None:
    found = await library.search(question)
    assert [hit.document for hit in found.hits][:1] == [document]


@pytest.mark.parametrize(("question", "near"), [("Where can my qqzzy stand?", "qqzzy"), ("2031", "2031")])
async def test_what_the_word_vectors_do_not_know_stands_for_nothing(library, question, near) -> None:
    found = await library.search(question)
    assert not any("expanded" in hit.scores for hit in found.hits)
    assert found.question == question
