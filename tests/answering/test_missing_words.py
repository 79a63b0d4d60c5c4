"""Which nouns of a question no text says, and what is told of them."""

from __future__ import annotations

import pytest

from answering.missing_words import missing_words, not_shown, nowhere_said
from tests.each_row import each_row
from text import search_tokens
from translation.glossary import Glossary, pair_of

TEXT = """The machine rinses itself. Coffee beans are in the cupboard. The club has a pool and a bar.
School trips are planned in May. 保教费按月收取，请假的按天退。预算由财务部审批。"""


class Counted:
    """A store that holds one text."""

    def document_frequencies(self, terms):
        said = set(search_tokens(TEXT))
        return [int(term in said) for term in terms]


@each_row(
    ("question", "language", "missing"),
    [
        ("Does the machine make tea?", "en", ["tea"]),
        ("Does the club have a sauna?", "en", ["sauna"]),
        ("Can I get a heat pump from the club?", "en", ["heat", "pump"]),  # "pump" may be a verb
        ("Which trip is the most expensive?", "en", []),
        ("Who is the CEO of the club?", "en", ["CEO"]),
        ("How do I clean the coffee grinder?", "en", ["grinder"]),
        ("What is the club’s visa number?", "en", ["visa"]),
        ("Does the club have a pool?", "en", []),
        ("What is the team's budget?", "en", ["team"]),  # 预算 is said
        ("Who founded the club?", "en", []),  # no noun
        ("How is the machine now?", "en", []),
        ("Did caffeine change the pool?", "en", ["caffeine"]),
        ("Is Ada in the club?", "en", ["Ada"]),
        ("The machine won't rinse itself, what can I do?", "en", []),  # “won” of "won't"
        ("校车怎么收费？", "zh", ["校车"]),
        ("保教费怎么收费？", "zh", []),
        ("预算是什么时候审批的？", "zh", []),
        ("没休完的年假会作废吗？", "zh", []),  # no word 假会
        ("保教费晚交会怎样？", "zh", []),  # nor 交会
        ("俱乐部有咖啡吗？", "zh", []),  # club and coffee are said
        ("班车的司机叫什么名字？", "zh", ["班车", "司机"]),
    ],
)
def test_a_noun_that_no_text_says_is_missing(question, language, missing) -> None:
    assert missing_words(question, language, Counted()).nowhere == missing


def test_traditional_words_are_read_as_simplified_ones() -> None:
    assert missing_words("預算由誰審批？", "zh", Counted()).nowhere == []


def test_what_the_glossary_has_is_known() -> None:
    glossary = Glossary([pair_of("轻羽", "Zephyr")])
    assert missing_words("轻羽的司机是谁？", "zh", Counted(), glossary).nowhere == ["司机"]
    assert missing_words("Who is the driver of the Zephyr?", "en", Counted(), glossary).nowhere == ["driver"]
    assert missing_words("Who is the driver of the Zephyr?", "en", Counted()).nowhere == ["driver", "Zephyr"]


def test_at_most_three_are_named() -> None:
    assert missing_words("Is there a sauna, a library, a cinema or a zoo?", "en", Counted()).nowhere == [
        "sauna", "library", "cinema"
    ]  # fmt: skip


@each_row(
    ("question", "language", "shown", "elsewhere"),
    [
        ("Does the club have a pool?", "en", ["The club is old."], ["pool"]),
        ("Does the club have a pool?", "en", ["The club has a pool."], []),
        ("How deep is the pool?", "en", ["The club is old."], []),  # it is not asked whether there is one
        ("俱乐部有咖啡吗？", "zh", ["俱乐部很老。"], ["咖啡"]),
        ("俱乐部有咖啡吗？", "zh", ["The club serves coffee."], []),
        ("俱乐部什么时候有咖啡？", "zh", ["俱乐部很老。"], ["咖啡"]),  # only its translation is said, and not here
        ("财务部在哪？", "zh", ["俱乐部很老。"], []),  # the library says so in the question's language
        ("财务部在哪？", "zh", ["The club is old."], ["财务部"]),  # and what is shown is of another one
        ("How do I clean the coffee machine?", "en", ["咖啡机每天清洗。"], []),  # one word of a phrase is enough
        ("预算由谁审批？", "zh", ["Ben approves the budget."], []),
        ("What is the team's budget?", "en", ["The club is old."], ["budget"]),
        ("俱乐部有哪些咖啡？", "zh", ["俱乐部很老。"], []),  # what is listed need not say what it is
        ("Does the club have a sauna?", "en", ["The club is old."], []),  # nowhere
    ],
)
def test_a_noun_that_only_another_text_says(question, language, shown, elsewhere) -> None:
    assert missing_words(question, language, Counted(), None, shown).elsewhere == elsewhere


def test_what_a_title_says_is_no_missing_word() -> None:
    assert missing_words("Who funded the sauna?", "en", Counted(), None, ["sauna-study.md"]).nowhere == []


@pytest.mark.parametrize(
    ("language", "words"), [("zh", "上面的内容没有提到“医院”"), ("en", "Nothing shown here mentions")]
)
def test_not_shown_is_told_in_both_languages(language, words) -> None:
    assert words in not_shown(["医院"]).to(language)


@pytest.mark.parametrize(("language", "words"), [("zh", "没有提到“校车”"), ("en", "No document mentions “校车”")])
def test_they_are_named_in_both_languages(language, words) -> None:
    assert words in nowhere_said(["校车"]).to(language)
