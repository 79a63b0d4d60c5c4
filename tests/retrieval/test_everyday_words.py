"""A word that people ask by finds those that documents say for it."""

from __future__ import annotations

import pytest

from tests.each_row import each_row
from text import search_tokens
from translation.everyday import PATH, everyday_words, said_for

FILES = {
    "合同.md": "# 租赁合同\n\n出租人：陈国栋\n\n租金每月付一次。押金两个月。出现故障，出租人负责维修。\n",
    "minutes.md": "# Minutes\n\nApologies: Ada Byron.\n\nNext time we meet in the hall.\n",
    "pool.md": "# Pool\n\nThe water is warm. Guests bring towels.\n",
}


@each_row(
    ("question", "terms"),
    [
        ("房东是谁？", ["房东"]),
        ("房租多少钱？坏了谁修", ["房租", "坏了", "修"]),
        ("Who is the landlord? And who was absent?", ["landlord", "absent"]),
        ("Who is it?", []),
        ("出租房东西多吗？", []),  # 房东 begins within a word
        ("房东" * 600, []),  # a pasted page
    ],
)
def test_the_words_that_people_ask_by(question: str, terms: list[str]) -> None:
    assert [one.term for one in everyday_words(question)] == terms


@each_row(
    ("question", "others"),
    [("wifi 密码是多少？", ("无线", "wireless")), ("What is the wifi password?", ("wireless", "wlan"))],
)
def test_a_question_leads_to_words_of_its_own_language(question: str, others: tuple[str, ...]) -> None:
    assert {one.others for one in everyday_words(question) if one.term == "wifi"} == {others}


@pytest.mark.parametrize(
    ("question", "document", "said"),
    [
        ("房东是谁？", "合同.md", "“房东”在资料中作“出租人”"),
        ("Who was absent?", "minutes.md", "“Apologies”, which the documents say for “absent”"),
    ],
)
async def test_the_answer_goes_by_what_the_documents_say_and_tells_so(library, question, document, said):
    evidence = await library.search(question)
    assert evidence.hits[0].document == document
    assert evidence.confidence > 0.3
    assert said.lower() in (evidence.found_by.zh + evidence.found_by.en).lower()


async def test_a_literal_search_finds_none_of_them(library):
    assert (await library.search("房东是谁？", strategy="keyword")).confidence < 0.1


def test_each_line_leads_to_other_words_by_tokens_of_one_word():
    lines = [line.split() for line in PATH.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert len(lines) > 2_000
    for asked, *others in lines:
        assert others, asked
        for word in (asked, *others):
            tokens = {*search_tokens(word)}
            phrase = word == asked and [one.term for one in everyday_words(f"{asked}多久？")] == [asked]  # 手术前
            assert len(tokens) == 1 if word.isascii() else word in tokens or phrase, word
        # No other line asks by the same token, and no word leads to a form of itself or twice to one word.
        assert [*said_for(_token(asked)).items()] == [(_token(word), word) for word in others], asked
        assert _token(asked) not in said_for(_token(asked)), asked
    assert said_for("nothing of the kind") == {}


def _token(word: str) -> str:
    return search_tokens(word)[0] if word.isascii() else word
