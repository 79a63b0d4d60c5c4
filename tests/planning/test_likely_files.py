"""Which of many files a message may mean: those whose names, titles and meanings share most with it come first."""

from __future__ import annotations

from planning.document_words import MOST_LIKELY, likely_files, loosely_of_kind, name_words
from planning.han_words import fits_in_han
from tests.each_row import each_row

ASKED = "the solar boiler of 水泵 monthly 财务 manual"
TITLED = {"a.md": "Solar boiler wall", "b.md": "the solar house", "c.md": "boiler"}
MOST_FIRST = [
    "solar-boiler.md",  # 10: two words and their subjects
    "a.md",  # 6: these in its title
    "manual.md",  # 5, as the next two
    "财务水泵.md",
    "solar.md",
    "b.md",  # 3, as the next two
    "财务.md",
    "c.md",
    "水泵房.md",  # 2
    "guide.md",  # 1: of the same kind
    "finance.md",  # of the same subject
]
OTHERS = [f"zz{number}.md" for number in range(MOST_LIKELY)]


def names(text: str, library: list[str], titles: dict[str, str]) -> list[str]:
    return [
        name for name, words in likely_files(text, library, titles) if words == name_words(name, titles.get(name, ""))
    ]


def test_files_that_share_more_come_first_and_of_as_much_in_the_order_of_the_library() -> None:
    library = ["水泵房.md", "guide.md", "b.md", "a.md", *OTHERS, "manual.md", "财务水泵.md", "财务.md", "finance.md"]
    library += ["c.md", "solar.md", "solar-boiler.md"]
    assert names(ASKED, library, TITLED) == MOST_FIRST


def test_of_few_files_each_is_likely_and_of_many_no_more_than_the_most() -> None:
    assert names(ASKED, OTHERS, {}) == OTHERS
    assert names(ASKED, [*OTHERS, "y.md"], {}) == []
    alike = [f"solar-{number}.md" for number in range(1, MOST_LIKELY + 1)]
    assert names(ASKED, [*alike, "solar-boiler.md"], {}) == ["solar-boiler.md", *alike[:-1]]


@each_row(
    ("words", "name", "fits"),
    [
        ("报销policy", "报销制度.md", True),  # a kind in the other language
        ("年度report", "年度报告.md", True),
        ("meeting纪要", "会议纪要.md", True),  # a subject
        ("finance报告", "财务报告.md", True),
        ("marketing计划", "市场计划.md", True),
        ("finance报告", "市场报告.md", False),
        ("marketing报告", "财务报告.md", False),
        ("报销manual", "报销制度.md", False),
        ("boiler报告", "财务报告.md", False),
    ],
)
def test_a_latin_word_beside_chinese_is_of_the_name_by_its_kind_or_its_subject(
    words: str, name: str, fits: bool
) -> None:
    assert fits_in_han(words, name_words(name, "")) is fits


@each_row(
    ("word", "name", "fits"),
    [
        ("守则", "员工.md", True),  # whose name tells no kind
        ("守则", "员工.xlsx", True),  # nor does its ending
        ("守则", "员工手册.md", True),
        ("guide", "handbook.md", True),
        ("守则", "员工名单.md", False),
        ("invoice", "handbook.md", False),
        ("员工", "员工手册.md", False),  # is no kind
        ("员工", "员工.md", False),
    ],
)
def test_a_near_kind_is_meant_where_the_name_has_another_or_none(word: str, name: str, fits: bool) -> None:
    assert loosely_of_kind(word, name_words(name, "")) is fits
