"""Names with a number, ages, labels that are what is asked about, and what is allowed."""

import numpy as np
import yaml

from benchmarks.report import DATA
from evaluation.bare_facts import with_bare_facts
from evaluation.blocks import units
from evaluation.extractive import extract_answer
from evaluation.named_sections import named_in_headings
from evaluation.numbered_names import with_numbered_names
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit
from text import search_tokens

_SET = DATA / "small_libraries" / "twelfth.yaml"
[_, CHINESE] = yaml.safe_load(_SET.read_text(encoding="utf-8"))
NOTES, HALL, DOGS, DRIVING, CLUB = (
    CHINESE["documents"][name]
    for name in (
        "release-notes-4.2.md", "church-hall-hire.txt", "rescue-dogs-faq.md", "驾校学员须知.md", "读书会纪要.txt"
    )
)  # fmt: skip
TALK = """Pieter: I open it at eight and look at the repairs for the day.
Pieter: We open a second shop in April.
Customer of Pieter since 2021: he owns a bicycle shop in Ghent.
"""
KETTLES = """# Kettle K7

The K7 holds 1.7 litres and has 2200 watts. It is descaled monthly. The guarantee is two years.

# Kettle K9

The K9 holds 1.2 litres and has 3000 watts. It is descaled every two weeks. The guarantee is three years.
"""
BOILERS = """# 水壶 K7

K7容量1.7升，功率2200瓦。不可放入洗碗机。每月除垢一次。保修期为两年。

# 水壶 K9

K9容量1.2升，功率3000瓦。可放入洗碗机。每两周除垢一次。保修期为三年。
"""


def first(question: str, text: str) -> str:
    answer = extract_answer(question, [hit(1, text)], "en" if question.isascii() else "zh", embed=alike)
    return answer.replace("**", "").split("[1]")[0]


def alike(texts):
    """As if the question were as near to each sentence: its words decide."""
    return np.ones((len(texts), 1), dtype=np.float32)


@each_row(
    ("question", "text", "says"),
    [
        ("Does it still run on Windows 8.1?", NOTES, "not supported any more"),
        ("科目三练多久才能考？", DRIVING, "科目三，路考，练满24个学时"),
        ("科目二练多久才能考？", DRIVING, "练满16个学时"),
        ("多大可以学车？", DRIVING, "年满18周岁"),
        ("How old do I have to be?", DOGS, "people under 21"),
        ("Are candles allowed?", HALL, "No candles"),
        ("Is there somewhere to park?", f"{HALL}\n\n{DOGS}", "14 spaces"),
        ("How can I reach the booking office?", HALL, "bookings@"),
        ("谁讲的《置身事内》？", CLUB, "何雨"),
    ],
)
def test_what_comes_first(question: str, text: str, says: str) -> None:
    assert says in first(question, text)


def test_a_date_is_likelier_under_a_heading_that_says_all_of_the_question() -> None:
    found = [unit for unit in units(1, hit(1, CLUB, "拾光读书会")) if unit.kind == "prose"]
    shares = np.full(len(found), 1 / len(found))
    told = with_bare_facts("下次活动是哪天？", found, shares)
    [likely] = [unit.text for unit, new in zip(found, told, strict=True) if new > 1 / len(found)]
    assert likely.startswith("11月15日，因为")
    assert with_bare_facts("下次的活动和会费是哪天？", found, shares) is shares  # it says not all of that


def test_who_speaks_is_no_subject() -> None:
    assert "owns a bicycle shop" in extract_answer("What kind of shop does Pieter own?", [hit(1, TALK)], "en")


def test_a_heading_of_the_rest_names_nothing() -> None:
    """By a dictionary 其他 says "the rest": what stands there is not all that is left of a sum."""
    found = units(1, hit(1, "# 须知\n\n## 其他\n练车时请穿平底鞋。\n\n## 班车\n早上7点发车。\n"))
    terms = [frozenset(search_tokens(unit.text)) for unit in found]
    assert named_in_headings("其他 When is the rest due?", found, terms) == frozenset()
    assert named_in_headings("班车几点走？", found, terms) == {"班车"}


@each_row(
    ("question", "text", "says"),
    [
        ("How often is the K7 descaled?", KETTLES, "descaled monthly"),
        ("How often do I have to descale the K9?", KETTLES, "every two weeks"),
        ("How many years of guarantee has the K7?", KETTLES, "two years"),
        ("请问K7多久除一次垢？", BOILERS, "每月除垢"),
        ("请问K9多久除一次垢？", BOILERS, "每两周除垢"),
        ("K7能用洗碗机洗吗？", BOILERS, "不可放入"),
        ("K9能用洗碗机洗吗？", BOILERS.replace("不可", "禁止"), "可放入洗碗机"),
    ],
)
def test_a_heading_says_the_number_of_what_stands_under_it(question: str, text: str, says: str) -> None:
    assert says in first(question, text)


@each_row("text", ["K9可放入洗碗机。K7每月除垢。", "水壶K9：三年。水壶K7：两年。", "K9 lasts. K7 does not."])
def test_a_code_right_beside_chinese_characters_is_one(text: str) -> None:
    found = units(1, hit(1, text))
    shares = np.full(len(found), 1 / len(found))
    told = with_numbered_names("请问K7怎么样？", found, shares)
    assert [new > old for new, old in zip(told, shares, strict=True)] == ["K7" in unit.text for unit in found]
