"""Citations of an answer: what each one points to, and whether its lines support the sentence."""

from dataclasses import replace

import pytest

from evaluation.citations import answer_support, asserts, denies
from nodes.state import Record
from schema import Answer, Hit, Place, Plan
from tests.each_row import each_row
from tests.evaluation.citation_cases import DOCUMENT, HITS, checked, shown


def hit_of(text, *headings):
    return Hit(1, "notice.md", "", text, 0, len(text), 1, 1 + text.count("\n"), headings=headings)


def test_a_citation_points_to_its_lines():
    (statement,) = checked("Boats longer than 12 metres need a permit [1].")
    (citation,) = statement.citations
    assert statement.text == "Boats longer than 12 metres need a permit."
    assert citation.support.supported
    assert citation.quote == "Boats longer than 12 metres need a permit."
    assert DOCUMENT[citation.start : citation.end] == citation.quote
    assert (citation.start_line, citation.end_line) == (4, 4)
    assert (citation.marker, citation.source) == (1, 0)


NOTICE = """## 一、报到时间
新生报到：2026年8月28日上午9:00至11:30，请家长带孩子一同到校。

## 二、需要带的东西
1. 户口本和出生证明复印件各一份；
2. 预防接种证原件；
3. 三个月内的入园体检表；
4. 一寸照片4张；
5. 被褥一套、水杯一个、换洗衣服两套。

## 三、接送
早上入园时间7:50—8:20，下午离园时间16:40。

## 四、孩子请假与生病
请在当天8:00前告诉班主任。
"""


@pytest.mark.parametrize(("title", "supported"), [("二、需要带的东西", True), ("四、孩子请假与生病", False)])
def test_what_stands_behind_the_heading_of_its_section_is_checked_alone(title, supported):
    (statement,) = checked(f"- **{title}**：三个月内的入园体检表[1]；", [hit_of(NOTICE, "2026年秋季入园须知")])
    assert statement.citations[0].support.supported is supported
    assert not supported or "三个月内的入园体检表；" in statement.citations[0].quote


def test_two_adjacent_lines_are_one_passage():
    (statement,) = checked("The harbour opens at 6, and boats longer than 12 metres need a permit [1].")
    (citation,) = statement.citations
    assert citation.support.supported
    assert (citation.start_line, citation.end_line) == (3, 4)


def test_markers_of_every_kind_belong_to_the_sentence_before_them():
    for answer in (
        "夜间不得鸣笛[2]。停泊费为每天30元[2]。",
        "夜间不得鸣笛。[2]停泊费为每天30元。[2]",
        "夜间不得鸣笛【2】。停泊费为每天30元【2】。",
        "夜间不得鸣笛。 [2] 停泊费为每天30元。 [来源2]",
        "夜间不得鸣笛[2][2]。停泊费为每天30元[2, 2]。",
        "- 夜间不得鸣笛 [2]\n- 停泊费为每天30元 [2]",
    ):
        statements = checked(answer)
        assert len(statements) == 2, answer
        for statement in statements:
            assert [c.marker for c in statement.citations] == [2], answer
            assert statement.supported, answer
            assert "2" not in statement.text, answer


def test_a_marker_behind_a_full_stop_does_not_stand_on_the_next_sentence():
    first, second = checked("夜间不得鸣笛。[2] 月亮上有三座火山。[2]")
    assert first.supported
    assert not second.supported
    first, second = checked("The harbour opens at 6. [1] The moon has 3 volcanoes. [1]")
    assert first.supported
    assert not second.supported


def test_two_markers_in_one_sentence_stand_on_their_own_parts():
    (statement,) = checked("The harbour opens at 6 in the morning [1], 停泊费为每天三十元 [2].")
    assert [c.support.supported for c in statement.citations] == [True, True]


def test_a_false_sentence_is_unsupported_and_says_why():
    (statement,) = checked("Boats longer than 15 metres need a permit [1].")
    assert not statement.supported
    assert "15" in statement.citations[0].support.reasons[0].en
    assert shown("Boats longer than 15 metres need a permit [1].").endswith("permit [1]⚠.")


def test_a_marker_without_source_is_dropped():
    (statement,) = checked("夜间不得鸣笛[7]。")
    assert statement.citations == ()
    assert shown("夜间不得鸣笛[7]。") == "夜间不得鸣笛。"
    assert shown("夜间不得鸣笛 [2, 7]。") == "夜间不得鸣笛 [2]。"
    assert shown("夜间不得鸣笛[0]。") == "夜间不得鸣笛。"


def test_what_two_sources_say_together_is_supported_by_both():
    parts = [
        Hit(1, "a.md", "", "Ines Duarte designed the Corvo lighthouse.", 0, 42, 1, 1),
        Hit(2, "b.md", "", "Lamp maker Otto Brandt equipped the lighthouse with lenses from Rotterdam.", 0, 74, 1, 1),
    ]
    claim = "Ines Duarte designed the Corvo lighthouse; Otto Brandt equipped it with lenses from Rotterdam [1][2]."
    (statement,) = checked(claim, parts)
    assert [c.support.supported for c in statement.citations] == [True, True]
    garden = Hit(3, "c.md", "", "The garden of the mill is green in May.", 0, 39, 1, 1)
    (statement,) = checked(f"{claim[:-1]}[3].", [*parts, garden])
    assert [c.support.supported for c in statement.citations] == [True, True, False]


def test_code_is_left_alone():
    answer = "Use `x[1]` here.\n```python\ny = x[2]\n```\n"
    assert shown(answer) == answer
    assert all(not statement.citations for statement in checked(answer))


def test_what_asserts_nothing_is_not_checkable():
    for sentence in (
        "# 停泊",
        "Here is what the documents say:",
        "具体如下：",
        "Yes.",
        "The sources do not say.",
        "资料中没有提到。",
        "---",
    ):
        assert not asserts(sentence), sentence
    for sentence in ("停泊费为每天三十元。", "Boats need a permit.", "夜间不得鸣笛。"):
        assert asserts(sentence), sentence


NONSENSE = (
    "The document river music of page city mountain history science because therefore query memory index not vector.",
    "部实出手加是报信工文件水什全写比过实父定教河实为好几着来到时大地没安信理生水模型对什位实为好几着实父河教说河信工水更生和们又体定比分很家长没老果经。",
    "Map document 全写比过实父定没安信理生水。",
)
DENIALS = (
    "There is no information in the sources about the weight of the pump.",
    "None of the documents mentions a pump.",
    "The given context doesn't say how long it waits.",
    "根据现有文档，无法确定年假的天数。",
    "没有找到与水泵重量相关的资料。",
)


def test_nonsense_does_not_deny_because_it_has_the_words_for_it():
    assert [denies(one) for one in (*NONSENSE, *DENIALS)] == [False] * len(NONSENSE) + [True] * len(DENIALS)
    assert all(map(asserts, NONSENSE[:2]))


ACROSS = [
    ("船长超过12米需要许可证[1]。", "[1]", (False, False)),  # nothing speaks against it
    ("船长超过15米需要许可证[1]。", "[1]⚠", (False, True)),
    ("港口早上六点开放[1]。", "[1]", (False, False)),
    ("港口早上七点开放[1]。", "[1]⚠", (False, True)),
    ("Mooring costs 30 yuan a day [2].", "[2]", (False, False)),
    ("Mooring costs 30 dollars a day [2].", "[2]⚠", (False, True)),
    ("港口由 Ines Duarte 管理[1]。", "[1]⚠", (False, True)),
]


@each_row(("answer", "mark", "verdict"), ACROSS)
def test_across_languages_numbers_and_names_may_refute_and_nothing_confirms(answer, mark, verdict):
    (statement,) = checked(answer)
    assert (statement.supported, statement.comparable) == verdict
    assert shown(answer).rstrip("。.").endswith(mark)


def test_a_month_is_a_number_in_one_language_and_a_name_in_the_other():
    text = "The festival begins on March 9, 2024."
    hits = [Hit(1, "a.md", "", text, 0, len(text), 1, 1)]
    assert not checked("节日于2024年3月9日开始[1]。", hits)[0].comparable
    assert checked("节日于2024年4月9日开始[1]。", hits)[0].comparable


def test_what_cannot_be_compared_neither_raises_nor_lowers_the_support():
    same, foreign = "The harbour opens at 6 in the morning [1].", "The mooring is not cheap at all [2]."
    assert answer_support(checked(f"{same} {foreign}")) == answer_support(checked(same)) == 1.0
    assert answer_support(checked(foreign)) is None
    both = "It never opens [1][2]."  # the lines that could say so are in another language
    assert not checked(both)[0].comparable


def test_a_citation_knows_the_places_of_its_passage_and_survives_storing():
    start, end = HITS[0].start, HITS[0].end
    second = DOCUMENT.index("Boats")
    places = (Place(0, "page", 1), Place(second, "page", 2), Place(end, "page", 3))
    paged = replace(HITS[0], places=places[:2])
    (statement,) = checked("Boats longer than 12 metres need a permit [1].", [paged])
    assert [citation.places for citation in statement.citations] == [(places[1],)]
    (statement,) = checked("The harbour opens at 6 in the morning [1].", [paged])
    assert [citation.places for citation in statement.citations] == [(places[0],)]
    answer = Answer("", (statement,), (paged,))
    record = Record(plan=Plan(), answer=answer)
    assert Record.model_validate(record.model_dump(mode="json")).answer == answer
    old = record.model_dump(mode="json")
    del old["answer"]["statements"][0]["citations"][0]["places"]
    for name in ("places", "origin", "position"):
        del old["answer"]["sources"][0][name]
    read = Record.model_validate(old).answer
    assert (read.statements[0].citations[0].places, read.sources[0].places) == ((), ())
    assert start < second < end
