"""A claim against a source of the other language: what is compared, and what is said of it."""

from __future__ import annotations

from evaluation.across_languages import VERDICTS, compare_across
from evaluation.claims import read
from evaluation.dates import dated_numbers
from evaluation.support import SourceText, judge, support
from schema import GlossaryPair
from tests.each_row import each_row
from translation.glossary import Glossary

EN = (
    "The Meridian Library opened in Oslo on May 9, 1987. It holds 2,400 maps, and both of its halls are heated. "
    "Visitors may not take photographs in the reading room. The bus leaves every Wednesday at six."
)
ZH = "子午线图书馆于一九八七年五月九日在奥斯陆开放，收藏地图两千四百幅。读者不得在阅览室拍照。星期三六点发车。"

CASES = [
    ("图书馆于1987年5月9日在奥斯陆开放。", EN, "agree", ""),
    ("The library opened in Oslo on May 9, 1987.", ZH, "agree", ""),
    ("图书馆收藏地图2400幅。", EN, "agree", ""),
    ("图书馆的两个大厅有暖气。", EN, "agree", ""),  # both
    ("读者不得在阅览室拍照。", EN, "subject", ""),
    ("Visitors may not take photographs in the reading room.", ZH, "subject", ""),
    ("图书馆收藏地图2500幅。", EN, "differ", "the number 2500 is not in the source"),
    ("The library holds 2,500 maps.", ZH, "differ", "the number 2,500 is not in the source"),
    ("图书馆于1987年6月9日在奥斯陆开放。", EN, "differ", "the source has 5 here, not 6"),
    ("The library opened in Oslo on June 9, 1987.", ZH, "differ", "the number June is not in the source"),
    ("Alas, the gate shuts for good on May 3.", ZH + "九月三日关闭。", "differ", "the date May 3 is not in the source"),
    ("Alas, the gate shuts for good on 3 May.", ZH + "九月三日关闭。", "differ", "the date 3 May is not in the source"),
    ("图书馆星期四发车。", EN, "differ", "the number 星期四 is not in the source"),
    ("The bus leaves every Thursday.", ZH, "differ", "the number Thursday is not in the source"),
    ("图书馆于1987年在巴黎开放。", EN, "differ", "the name “巴黎” is not in the source"),
    ("The library opened in Paris in 1987.", ZH, "differ", "the name “Paris” is not in the source"),
    ("阅览室可以吸烟。", "Smoking is not allowed in the reading room.", "differ", "the source denies “allowed”"),
    ("The library never opened in Oslo in 1987.", ZH.replace("不得", "可以"), "differ", "the source does not deny"),
    ("水泵须在启动前由技术人员润滑并检查压力。", EN, "not_found", ""),
    ("The pump must be lubricated and its pressure inspected by a technician.", ZH, "not_found", ""),
    (
        "The library holds 30 kg of maps.",
        ZH + "地图重三十吨。",
        "differ",
        "the unit of 30",
    ),
]


@each_row(("claim", "source", "verdict", "reason"), CASES)
def test_a_claim_is_compared_with_a_source_of_the_other_language(claim, source, verdict, reason) -> None:
    found = support(claim, [source])
    assert found.across == verdict
    assert found.reasons[0] == VERDICTS[verdict]
    assert [why.en.startswith(reason) for why in found.reasons[1:]] == ([True] if reason else [])
    assert not found.supported
    assert found.comparable == (verdict in ("differ", "not_found"))


def test_ones_own_terms_are_translated_as_the_glossary_says() -> None:
    claim, source = "轻羽之桥与青鸟之桥须由专人看守。", [SourceText("Zephyr Bridge and Boreas Bridge are guarded.")]
    own = Glossary([GlossaryPair("轻羽", "Zephyr"), GlossaryPair("青鸟", "Boreas"), GlossaryPair("看守", "guarded")])
    assert judge(claim, source, glossary=own).support.score > judge(claim, source).support.score
    other = Glossary([GlossaryPair("巴黎", "Oslo")])
    text = "图书馆于1987年在巴黎开放。"
    assert judge(text, [SourceText(EN)]).support.across == "differ"
    assert judge(text, [SourceText(EN)], glossary=other).support.across == "agree"


def test_a_number_is_compared_where_its_sentence_stands() -> None:
    source = "The east hall has 40 seats and a stage. The kitchen was painted in 1950."
    assert support("东大厅有40个座位和一个舞台。", [source]).across == "agree"
    elsewhere = support("东大厅有1950个座位和一个舞台。", [source])
    assert elsewhere.reasons[1].en == "the source has 40 here, not 1950"


def test_the_sentence_that_is_meant_is_cited() -> None:
    found = judge("读者不得在阅览室拍照。", [SourceText("Nothing at all is here."), SourceText(EN)])
    assert (found.source, EN[found.start : found.end]) == (1, "Visitors may not take photographs in the reading room.")


def test_a_sentence_quoted_from_a_source_of_another_language_is_supported() -> None:
    quoted = "读者不得在阅览室拍照。"
    assert support(quoted, [f"{EN}\n\n{quoted}\n\n{EN}"]).supported


@each_row(
    ("text", "found"),
    [
        ("On May 9, in March and by Sept. 3.", [(5, "month"), (3, "month"), (9, "month")]),
        ("It may march on Tuesday.", [(2, "weekday")]),
        ("周三、星期天八点半开会，每周一次，八点五公里。", [(3, "weekday"), (7, "weekday"), (8, "hour")]),
    ],
)
def test_months_days_and_hours_are_numbers(text, found) -> None:
    assert [(number.value, number.unit) for number in dated_numbers(text)] == found


def test_what_is_wrongly_guessed_to_be_a_name_counts_by_its_parts() -> None:
    """西门 is a surname, too."""
    source = [SourceText("Cars use the temporary car park at the west gate, free of charge.")]
    assert compare_across(read("西门临时停车场免费。"), source).share == 1.0
    people = [SourceText("Ouyang Ming signs off every release.")]
    assert (
        compare_across(read("欧阳明签发版本。"), people).share > compare_across(read("欧阳亮签发版本。"), people).share
    )
