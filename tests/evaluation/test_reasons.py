"""How far a source supports a sentence, in figures, and each word of what speaks against it."""

from __future__ import annotations

import pytest

from evaluation.claims import denials, is_name, read
from evaluation.support import SourceText, judge, support, weight
from schema import Support
from tests.each_row import each_row
from tests.evaluation.test_support import EN, ZH

# 70 % for the terms, 20 % for their order, 10 % for their neighbours; a contradiction leaves 50 to 80 % of it
SUPPORTED = [
    ("Visitors may not take photographs in the reading room.", EN, 1.0),
    ("The Meridian Library opened in Oslo in 1987.", EN, 0.95),
    ("Photographs may not be taken by visitors in the reading room.", EN, 0.82),
    ("Ingrid Halvorsen was appointed director in 2019.", EN, 0.93),
    ("明远图书馆1987年在杭州开放。", ZH, 0.97),
    ("現任館長李文華於2019年上任。", ZH, 1.0),
    ("30%的地图早于1800年。", ZH, 0.87),
    ("水在100度沸腾。", "水在100摄氏度时沸腾。", 0.83),
    ("员工每年有十天年假，病假另算。", "员工每年享有10天年假。病假不算在内。", 0.81),
    ("The survey counted about 750 trees.", "The survey counted 748 trees.", 0.90),
    ("The first prize went to Ana.", "One prize went to Ana.", 0.71),
    ("王强打败了李明。", "李明被王强打败了。", 0.91),
    ("Boats longer than 12 metres need a permit, said Tom.",
     "Tom said so. Boats longer than 12 metres need a permit.", 0.93),
]  # fmt: skip


@each_row(("sentence", "source", "score"), SUPPORTED)
def test_support_is_a_share_of_what_is_said(sentence, source, score):
    found = support(sentence, [source])
    assert found == Support(pytest.approx(score, abs=0.006), True, ())


CONTRADICTED = [
    ("It holds 2,500 maps.", EN, 0.32,
     [("数字 2,500 不在来源中", "the number 2,500 is not in the source")]),
    ("The library opened in 2019 in Oslo.", EN, 0.47,
     [("来源此处是 1987，不是 2019", "the source has 1987 here, not 2019")]),
    ("About 30 kg of them are older than 1800.", EN, 0.48,
     [("30 的单位与来源不同", "the unit of 30 is another one in the source")]),
    ("Visitors may take photographs.", EN, 0.49,
     [("来源否定了“take”", "the source denies “take”")]),
    ("The library was not opened in Oslo.", EN, 0.43,
     [("来源没有否定“opened”", "the source does not deny “opened”")]),
    ("The library opened in Bergen.", EN, 0.55,
     [("名称“Bergen”不在来源中", "the name “Bergen” is not in the source")]),
    ("馆内收藏地图2500幅。", ZH, 0.41, [("数字 2500 不在来源中", "the number 2500 is not in the source")]),
    ("现任馆长张建国于2019年上任。", ZH, 0.65, [("名称“张建国”不在来源中", "the name “张建国” is not in the source")]),
    ("读者可以在阅览室拍照。", ZH, 0.46, [("来源否定了“阅览室”", "the source denies “阅览室”")]),
    ("明远图书馆没有在杭州市开放。", ZH, 0.46, [("来源没有否定“杭州市”", "the source does not deny “杭州市”")]),
    ("Sales rose by 5% in spring.", "Sales fell by 5% in spring.", 0.46,
     [("来源说的是“fell”，不是“rose”", "the source says “fell”, not “rose”")]),
    ("公司收入下降了5%。", "公司收入增长了5%。", 0.46,
     [("来源说的是“增长”，不是“下降”", "the source says “增长”, not “下降”")]),
    ("Wages rose.", "Wages lead; rents fell.", 0.45, [("来源中没有：rose", "not in the source: rose")]),
    ("Wages rose.", "Wages fell; rents lead.", 0.27,
     [("来源说的是“fell”，不是“rose”", "the source says “fell”, not “rose”")]),
    ("李明打败了王强。", "王强打败了李明。", 0.31, [
        ("来源中“李明”与“王强”的位置相反", "“李明” and “王强” stand the other way round in the source"),
        ("来源此处是王强，不是李明", "the source has 王强 here, not 李明"),
        ("来源此处是李明，不是王强", "the source has 李明 here, not 王强"),
    ]),
    ("The award went to Tom Hill in June.", "The award went to Ana Reis in June. The jury heard Tom Hill.", 0.75,
     [("来源此处是Ana Reis，不是Tom Hill", "the source has Ana Reis here, not Tom Hill")]),
    ("The hall opens at 6 and closes at 9.", "The hall opens at 7 and closes at 9. There are 6 doors.", 0.56,
     [("来源此处是 7，不是 6", "the source has 7 here, not 6")]),
    ("The price is $12.50 per month.", "The price is 12.50 euros per month.", 0.58,
     [("12.50 的单位与来源不同", "the unit of 12.50 is another one in the source")]),
    ("Visitors never take photographs in the hall.", "Visitors take photographs in the hall.", 0.39,
     [("来源没有否定“take”", "the source does not deny “take”")]),
    ("The survey counted about 747.5 trees.", "The survey counted 748 trees.", 0.37,
     [("数字 747.5 不在来源中", "the number 747.5 is not in the source")]),
    ("The price rose sharply.", "Prices increase.", 0.28,
     [("来源中没有：rose、sharply", "not in the source: rose, sharply")]),
    ("It costs nothing.", "The museum is free.", 0.0,
     [("来源中没有：costs、nothing", "not in the source: costs, nothing")]),
    ("", EN, 0.0, [("没有可以核对的内容", "there is nothing to check in it")]),
    ("a " * 1001 + "cat", EN, 0.0, [("句子太长，无法核对", "the sentence is too long to be checked")]),
    # in another language only numbers, units and names can speak against a sentence
]  # fmt: skip


@each_row(("sentence", "source", "score", "reasons"), CONTRADICTED)
def test_a_contradiction_is_named_in_both_languages(sentence, source, score, reasons):
    found = support(sentence, [source])
    assert [tuple(reason) for reason in found.reasons] == reasons
    assert (found.score, found.supported, found.comparable) == (pytest.approx(score, abs=0.006), False, True)


@each_row(
    ("sentence", "passage"),
    [
        ("It holds maps.", "It holds 2,400 maps and about 30% of them are older than 1800."),
        ("- 1. Visitors may not take photographs.", "Visitors may not take photographs in the reading room."),
        ("Ingrid Halvorsen was appointed in 2019.", "Its director, Ingrid Halvorsen, was appointed in 2019."),
    ],
)
def test_the_passage_that_gives_most_is_shown(sentence, passage):
    found = judge(sentence, [SourceText("Nothing at all."), SourceText(EN), SourceText(EN)])
    assert (found.source, EN[found.start : found.end].strip()) == (1, passage)


# --- what a text claims --------------------------------------------------------------------------------------------


@each_row(
    ("text", "terms"),
    [
        ("The library doesn't lend maps, but boats can't sell 30 kg.", [
            ("the", 0.2, 0), ("librari", 1.0, 0), ("does", 0.2, 0), ("¬", 1.0, 0), ("lend", 1.0, 0), ("map", 1.0, 0),
            ("but", 0.2, 1), ("boat", 1.0, 1), ("¬", 1.0, 1), ("sell", 1.0, 1), ("#30", 1.5, 1), ("kg", 1.0, 1),
        ]),
        ("In May Will Smith's dog may run.", [
            ("in", 0.2, 0), ("may", 1.0, 0), ("will", 1.0, 0), ("smith", 1.0, 0), ("dog", 1.0, 0), ("may", 0.2, 0),
            ("run", 1.0, 0),
        ]),
        ("读者不得拍照；费用三十元。", [
            ("读者", 1.0, 0), ("¬", 1.0, 0), ("得", 0.2, 0), ("拍照", 1.0, 0),
            ("费用", 1.0, 1), ("#30", 1.5, 1), ("元", 0.5, 1),
        ]),
    ],
)  # fmt: skip
def test_terms_weigh_by_what_they_carry(text, terms):
    claims = read(text)
    assert [(term.form, term.weight, term.clause) for term in claims.terms] == terms
    assert weight(text) == pytest.approx(sum(weight for _, weight, _ in terms))
    assert all(claims.text[term.start : term.end] == term.written for term in claims.terms)


@each_row(
    ("text", "names"),
    [
        ("Later the World Health Organization hired Ana Reis, Tom and me.",
         ["World Health Organization", "Ana Reis", "Tom"]),
        ("Visitors come on Monday.", ["Monday"]), ("The Big Red Dog Show", []), ("Big cats run fast.", []),
        ("昨天李文华在杭州市见到王强。", ["李文华", "杭州市", "王强"]), ("昨天我们讨论了图书。", []),
    ],
)  # fmt: skip
def test_names_are_found(text, names):
    claims = read(text)
    assert [claims.written(name) for name in claims.names] == names
    assert read(text, names=False) == type(claims)(claims.terms, claims.numbers, (), claims.text)


@each_row(
    ("text", "denied"),
    [
        ("Boats may not enter, and never stop.", ["enter", "stop"]), ("It is safe? No.", []),
        ("Smoking no, eating yes.", ["Smoking"]),
        ("No dogs and no cats come.", ["dogs", "cats"]), ("禁止入内，不得拍照。", ["入内", "拍照"]),
    ],
)  # fmt: skip
def test_a_denial_reaches_the_next_word_of_its_clause_or_the_one_before(text, denied):
    terms = read(text).terms
    assert [terms[place].written for _, place in denials(terms)] == denied


@each_row(("text", "name"), [("Ana Reis", True), ("Ana runs", False), ("李文华", True), ("图书", False)])
def test_what_looks_like_one_name(text, name):
    assert is_name(read(text).terms) is name
