"""A question's terms in the other language."""

from __future__ import annotations

import time

from schema import TermGroup
from tests.each_row import each_row
from translation.question import translate


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
        ("What does HTTP 404 mean?", "en", ["http", "404"]),
    ],
)
def test_a_term_is_a_group_of_its_translations(question, language, expected) -> None:
    found = ways(translate(question, language))
    for term in expected:
        assert any(term in group for group in found), found


def test_neighbours_that_are_one_entry_are_one_group() -> None:
    [group] = translate("病假", "zh")
    assert [each.tokens for each in group.alternatives] == [("sick", "leav")]
    [phrase] = translate("annual leave", "en")
    assert phrase.weight == 2.0  # two words of the question


def test_a_word_of_one_character_counts_half_and_is_no_relation() -> None:
    weights = {group.term: group.weight for group in translate("加班费怎么算？", "zh")}
    assert weights == {"加班费": 1.0, "算": 0.5}
    [come] = [group for group in translate("谁来负责更新？", "zh") if group.term == "来"]
    assert ("order",) not in [each.tokens for each in come.alternatives]  # of "in order to"


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
