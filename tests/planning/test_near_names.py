"""Files whose names have hardly one of the words that call them."""

import pytest

from planning.document_words import name_words
from planning.name_meanings import reads_as
from planning.near_names import nearest_in_han, nearest_in_latin
from planning.rules import plan_by_rules
from tests.each_row import each_row

FLAT = ["租房合同_城西.pdf", "个税汇算说明.docx", "Boiler leaflet.pdf", "血压记录.xlsx", "Quotation_Mingda_rev2.pdf"]
CLUB = ["藏品目录_青铜器.xlsx", "Fall incident report.docx", "员工培训教材.pptx", "Loan agreement - Louvre.pdf"]
STAFF = ["病历_陈晨.pdf", "病历_李雷.pdf", "供货协议_明辉.docx", "运输协议_大成.docx"]


@each_row(
    ("message", "library", "file"),
    [
        ("in the tax settlement guide, when is the deadline?", FLAT, "个税汇算说明.docx"),
        ("what is the morning average in the blood pressure log", FLAT, "血压记录.xlsx"),
        ("In the bronze catalogue, which pieces are oldest?", CLUB, "藏品目录_青铜器.xlsx"),
        ("跌倒那次的事件报告里，地面是湿的吗", CLUB, "Fall incident report.docx"),
        ("明达的报价单里螺栓多少钱", FLAT, "Quotation_Mingda_rev2.pdf"),
        ("in Minghui's supply agreement, what is the minimum order?", STAFF, "供货协议_明辉.docx"),
        ("In Chen Chen's medical record, which allergies are noted?", STAFF, "病历_陈晨.pdf"),
    ],
)
def test_words_that_mean_nearly_what_a_name_says_call_its_file(message, library, file):
    assert plan_by_rules(message, uploads=[], library=library).scope.documents == (file,)


@each_row(
    ("message", "library"),
    [
        ("how do I write a tax settlement guide?", FLAT),
        ("in the blood pressure, what is a normal range?", FLAT),  # is no document
        ("血压高的时候能喝咖啡吗", FLAT),
        ("in the travel insurance policy, is theft covered?", ["Car insurance policy.pdf", "菜单.pdf"]),
        ("In the dental record, is a crown mentioned?", STAFF),  # of two records, of neither
        ("what is a bronze catalogue for?", CLUB),
        ("跌倒的事件报告怎么写", CLUB),
        ("tax settlement guide?!", FLAT),
    ],
)
def test_a_subject_that_a_file_is_near_to_does_not_confine_the_question(message, library):
    assert plan_by_rules(message, uploads=[], library=library).scope.documents == ()


def likely(library: list[str]):
    return [(name, name_words(name)) for name in library]


def test_most_of_the_words_must_be_said_and_in_one_file_clearly_more_than_in_others() -> None:
    nearest = nearest_in_latin(["tax", "settlement"], "guide", likely(FLAT))
    assert nearest is not None
    assert nearest.files == ["个税汇算说明.docx"]
    assert all(nearest.surely)
    assert nearest_in_latin(["rocket", "science", "tax"], "guide", likely(FLAT)) is None
    alike = ["2023_tax_settlement.pdf", "2024_tax_settlement.pdf"]
    both = nearest_in_latin(["tax", "settlement"], "guide", likely(alike))
    assert both is not None
    assert both.files == alike
    numbered = nearest_in_latin(["2024", "tax", "settlement"], "guide", likely(alike))
    assert numbered is not None
    assert numbered.files == alike[1:]


def test_chinese_words_are_near_english_ones_of_a_name_of_the_same_kind() -> None:
    nearest = nearest_in_han(["跌倒", "事件"], "报告", likely(CLUB))
    assert nearest is not None
    assert nearest.files == ["Fall incident report.docx"]
    assert nearest_in_han(["跌倒", "事件"], "合同", likely(CLUB)) is None


@pytest.mark.parametrize(
    ("word", "name", "same"),
    [
        ("wanhe", "物业合同 万和", True),
        ("lilei", "病历 李雷", True),
        ("wanhe", "物业合同 大成", False),
        ("change", "嫦娥奔月", False),  # an English word
        ("he", "万和", False),
    ],
)
def test_a_latin_word_that_nobody_knows_may_be_how_characters_are_read(word, name, same):
    assert reads_as(word, name) is same
