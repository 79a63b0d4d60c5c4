"""A question's terms in the other language."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as some

from schema import GlossaryPair, TermGroup
from tables.numbers import chinese_value
from tables.numerals import chinese_numeral
from tests.each_row import each_row
from translation.glossary import Glossary
from translation.question import parts, translate


def ways(groups: tuple[TermGroup, ...]) -> list[set[str]]:
    return [{" ".join(each.tokens) for each in group.alternatives} for group in groups]


@each_row(
    ("question", "language", "expected"),
    [
        ("年假有几天？", "zh", ["annual leav"]),
        ("病假怎么请？", "zh", ["sick leav"]),
        ("數據庫遷移怎麼做？", "zh", ["databas"]),  # traditional characters
        ("怎样重启 nginx 服务器？", "zh", ["nginx", "server"]),  # a Latin word stands for itself
        ("How long is sick leave?", "en", ["病假"]),
        ("Who wrote the report?", "en", ["书写", "报告"]),  # an irregular form
        ("How do I back up the database?", "en", ["数据 据库"]),
        ("丢失行李怎么办？", "zh", ["lost", "lose"]),
        ("Who paid for it?", "en", ["支付"]),
        ("How many millimetres is it?", "en", ["毫米"]),  # as it is spelt in Britain
        ("间隙有多少毫米？", "zh", ["millimetr", "millimet"]),
        ("Can the wall be torn down?", "en", ["拆除"]),  # of "tear down"
        ("You do not need a form.", "en", ["不必"]),
        ("谁来审批？", "zh", ["approv"]),  # to examine and approve
        ("What does HTTP 404 mean?", "en", ["http", "404"]),
    ],
)
def test_a_term_is_a_group_of_its_translations(question, language, expected) -> None:
    found = ways(translate(question, language))
    for term in expected:
        assert any(term in group for group in found), found


def test_neighbours_that_are_one_entry_are_one_group() -> None:
    [group] = translate("病假", "zh")
    assert group.alternatives[0].tokens == ("sick", "leav")
    [phrase] = translate("annual leave", "en")
    assert phrase.weight == 2.0  # two words of the question


@each_row(
    ("question", "language", "term"),
    [
        ("为什么一山不容二虎？", "zh", "一山不容二虎"),  # 一山不容 is none
        ("Why was she overjoyed at the turn of events?", "en", "overjoy turn event"),
        ("They struck while the iron was hot.", "en", "struck iron hot"),  # an entry of "strike", and nothing shorter
    ],
)
def test_an_entry_is_found_of_which_the_first_words_are_none(question, language, term) -> None:
    assert [group.term for group in translate(question, language)] == [term]
    first = term[:4] if language == "zh" else " ".join(term.split()[:2])
    assert term not in [group.term for group in translate(first, language)]


def test_a_phrase_and_a_compound_have_parts() -> None:
    [phrase] = translate("annual leave", "en")
    assert [one.term for one in parts(phrase)] == ["annual", "leav"]
    assert [one.weight for one in parts(phrase)] == [1.0, 1.0]
    [compound] = translate("环境温度", "zh")
    assert [one.term for one in parts(compound)] == ["环境", "温度"]
    assert parts(phrase._replace(given=True)) == () == parts(translate("病假", "zh")[0])


def test_a_word_of_one_character_counts_half_and_is_no_relation() -> None:
    weights = {group.term: group.weight for group in translate("加班费怎么算？", "zh")}
    assert weights == {"加班费": 1.0, "算": 0.5}
    [come] = [group for group in translate("谁来负责更新？", "zh") if group.term == "来"]
    assert ("order",) not in [each.tokens for each in come.alternatives]  # of "in order to"


@each_row(
    ("question", "language", "term", "expected"),
    [
        ("Who approves 60,000 yuan?", "en", "60,000", {"60000", "6 万元", "6 万", "六万"}),
        ("Who approves 60,000 yuan?", "en", "yuan", {"元"}),
        ("Is a 30% discount possible?", "en", "30", {"30", "百分 分之 之三 三十"}),
        ("Is it two years?", "en", "two", {"2", "两年", "二年"}),
        ("六万元谁审批？", "zh", "六万", {"60000", "60 thousand"}),
        ("六万元谁审批？", "zh", "元", {"yuan", "rmb"}),
        ("350万美元用于什么？", "zh", "350万", {"3500000", "3.5 million"}),
        ("百分之三十的折扣怎么申请？", "zh", "百分之三十", {"30", "thirti"}),
        ("6月10日开会吗？", "zh", "六月", {"june"}),
        ("百万富翁是谁？", "zh", "百万富翁", {"millionair"}),  # an entry
    ],
)
def test_a_number_is_one_term_in_all_the_ways_that_people_write_it(question, language, term, expected) -> None:
    [found] = [group for group in translate(question, language) if group.term == term]
    assert expected <= ways((found,))[0]


def test_a_number_is_in_no_phrase_and_counts_half_like_its_unit() -> None:
    weights = {group.term: group.weight for group in translate("Who approves a purchase of 60,000 yuan?", "en")}
    assert weights == {"approv": 1.0, "purchas": 1.0, "60,000": 0.5, "yuan": 0.5}


def test_a_version_and_an_ordinal_are_words_like_others() -> None:
    terms = {group.term for group in translate("Does version 0.95.0 allow third parties?", "en")}
    assert "0.95.0" in terms
    assert not any(group.weight == 0.5 for group in translate("第三方可以进来吗？", "zh") if "三" in group.term)


def test_a_number_in_a_glossary_belongs_to_its_term() -> None:
    glossary = Glossary([GlossaryPair("北极星", "Polaris 3000")])
    [group] = translate("Polaris 3000?", "en", glossary)
    assert [each.text for each in group.alternatives] == ["北极星", ""]


def test_a_denial_is_no_word_for_what_it_denies() -> None:
    assert not any("不必" in group for group in ways(translate("How many quotes are needed?", "en")))


@given(some.integers(0, 10**12 - 1))
def test_a_number_is_read_back_from_its_numerals(number) -> None:
    assert chinese_value(chinese_numeral(number)) == number


def test_a_question_without_any_translation_has_no_form_in_the_other_language() -> None:
    assert translate("Xyzzy plugh 4711?", "en") == ()
    assert translate("404？", "zh") == ()
    assert translate("", "zh") == () == translate("？！", "en")


def test_a_long_question_is_translated_in_part() -> None:
    began = time.process_time()
    for text, language in (
        ("年假有几天" * 4_000, "zh"),
        ("annual leave of staff " * 1_000, "en"),
        ("几" * 20_000, "zh"),
    ):
        assert len(translate(text, language)) <= 60
    assert time.process_time() - began < 5
