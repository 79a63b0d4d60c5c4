"""What may be another word's translation is no evidence where the question's own language has documents."""

from __future__ import annotations

import pytest

from library import Library
from retrieval.phrasal_words import is_said_as_phrase
from retrieval.telling_words import certainty
from schema import Alternative, Scope, TermGroup
from settings import Settings
from text import search_tokens
from translation.dictionary import shipped

GARDEN = """# 西山共享菜园公约

## 浇水
浇水时间为早上六点到九点，中午禁止浇水。水管用完盘好挂回墙上。

## 工具
| 工具 | 保管人 |
|---|---|
| 割草机 | 邓凯 |
| 手推车 | 吴磊 |

## 收成
多余的蔬菜周六上午可在南门摆摊出售，所得百分之十交公用基金。肥料由宋婷负责订购。
"""
CAMPSITE = """# Pine Lake campsite

Check-in is from 14:00 to 21:00. We charge three euros for a dog. Whoever wants to stay until the end of a week says so
when the booking is made: call Marta Bell, who also hires out canoes.

## Cancellation

Half of the price is due. The season ends in October; after its end a part of the pitches is given to the club.
"""
CHOIR = """# Harbour Choir

The subscription of members is 60 pounds a year. Present: Olga Stein. Apologies: Lucy Brandt. The piano is out of tune.
"""


@pytest.fixture(scope="module")
async def library(tmp_path_factory):
    variables = {"CITEWISE_DATA_DIR": str(tmp_path_factory.mktemp("data")), "CITEWISE_INGEST_WORKERS": "0"}
    async with await Library.open(Settings.from_mapping(variables)) as opened:
        for name, text in {"菜园.md": GARDEN, "campsite.md": CAMPSITE, "choir.md": CHOIR}.items():
            await opened.add(name, text.encode())
        await opened.settle()
        yield opened


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("谁负责接电话？", "菜园.md"),  # not “we charge”, for “in charge of”
        ("谁负责推车？", "菜园.md"),
        ("肥料谁负责订？", "菜园.md"),
    ],
)
async def test_what_may_mean_something_else_is_not_found(library, question, document) -> None:
    evidence = await library.search(question)
    assert evidence.hits[0].document == document
    assert not evidence.translated


@pytest.mark.parametrize("question", ["年终会怎么开？", "期末在哪里考？", "How much do players pay?"])
async def test_it_is_no_evidence_where_nothing_answers(library, question) -> None:
    evidence = await library.search(question)
    assert evidence.confidence < 0.4


@pytest.mark.parametrize(
    ("question", "document", "translation"),
    [
        ("租一条独木舟找谁？", "campsite.md", "canoe"),
        ("钢琴怎么了？", "choir.md", "piano"),
        ("Who keeps the lawn mower?", "菜园.md", "割草机"),
        ("When may I water the vegetables?", "菜园.md", "浇水"),
    ],
)
async def test_what_has_one_meaning_is_found(library, question, document, translation) -> None:
    evidence = await library.search(question)
    assert evidence.hits[0].document == document
    assert evidence.confidence > 0.7
    assert translation in evidence.translated


async def test_without_a_document_of_the_questions_language_it_is_the_best_there_is(library) -> None:
    both = await library.search("How much do players pay?")
    chinese = await library.search("How much do players pay?", scope=Scope(documents=("菜园.md",)))
    assert chinese.confidence > 0.4 > both.confidence
    assert chinese.translated == "交"


@pytest.mark.parametrize(
    ("translation", "text", "said"),
    [
        ("in charge of", "We charge three euros for a dog.", False),
        ("in charge of", "Bo is in sole charge of the dogs.", True),
        ("be in charge of", "The dogs are at his charge.", True),
        ("at home", "You may work from home.", True),
        ("sold out", "We sold two thousand bikes.", False),
        ("sold out", "The tickets sold very quickly indeed, and are out of print.", False),
        ("sold out", "We sold it at about noon.", False),
        ("SOLD out", "Everything was Sold right out on Monday.", True),
        ("on probation", "Probation lasts six months.", True),  # the word alone means nothing else
        ("responsible for", "She is responsible.", True),
        ("charge", "We charge three euros.", True),
    ],
)
def test_a_phrase_is_said_with_its_small_word(translation: str, text: str, said: bool) -> None:
    [token] = search_tokens(translation)
    assert is_said_as_phrase(Alternative((token,), 1.0, translation), text) == said


def test_two_content_words_need_no_small_word() -> None:
    assert is_said_as_phrase(Alternative(("charg", "staff"), 1.0, "in charge of staff"), "We charge staff.")


def test_a_word_that_translates_many_is_less_sure() -> None:
    def sure(term: str, tokens: tuple[str, ...], text: str, **more: bool) -> float:
        return certainty(TermGroup((), term=term, **more), Alternative(tokens, 1.0, text))

    assert sure("独木舟", ("canoe",), "canoe") == sure("warranti", ("保修",), "保修") == 1
    assert sure("负责", ("charg",), "in charge of") == sure("charg", ("收费",), "收费") < 0.8
    assert sure("结束", ("end",), "end") == pytest.approx((20 / shipped().translates("end")) ** 0.5)
    assert sure("开会", ("hold", "meet"), "hold a meeting") == sure("charg", ("收费",), "收费", given=True) == 1
    assert sure("2140", ("2140",), "") == 1  # says the same in both languages
    assert shipped().translates("zzyzx") == 0
