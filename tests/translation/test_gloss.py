"""Key words of a sentence with what they mean."""

from schema import GlossaryPair
from translation.gloss import gloss, subjects
from translation.glossary import Glossary


def test_a_chinese_sentence_is_glossed_in_english_as_a_person_writes_it() -> None:
    found = dict(gloss("病假须在当天上午告知主管，公司政策如此。", "zh"))
    assert found["病假"] == "sick leave"
    assert (found["公司"], found["政策"]) == ("company", "policy")  # no search tokens, which are stems


def test_an_english_sentence_is_glossed_in_chinese_under_its_own_words() -> None:
    found = dict(gloss("Companies take annual leave and batteries in 2026.", "en"))
    assert (found["annual leave"], found["batteries"]) == ("年假", "电池")
    assert not {"2026", "take"} & {*found}  # a number, and what has sixty meanings


def test_of_several_meanings_the_one_that_is_asked_for_is_given() -> None:
    assert dict(gloss("年假共十天。", "zh", "How long are annual holidays?"))["年假"] == "annual leave"
    assert dict(gloss("公司不提供。", "zh", "Which corporation is meant?"))["公司"] == "corporation"
    assert dict(gloss("公司不提供。", "zh", "Which firm is meant?"))["公司"] == "firm"


def test_ones_own_terms_come_first_and_single_characters_are_left_out() -> None:
    own = Glossary([GlossaryPair("星图", "StarMap 2")])
    assert dict(gloss("星图在公司里。", "zh", glossary=own)) == {"星图": "StarMap 2", "公司": "company"}
    assert gloss("Xyzzy 42.", "en") == () == gloss("。", "zh")


def test_less_than_a_number_is_no_resentment() -> None:
    assert dict(gloss("满1年不满 3 年的，年假为七天。", "zh"))["不满"] == "less than"
    assert dict(gloss("工龄不足十年。", "zh"))["不足"] == "less than"
    assert dict(gloss("员工对此不满。", "zh"))["不满"] == "resentful"
    assert dict(gloss("公司资金不足。", "zh"))["不足"] == "insufficient"


def test_a_phrase_of_a_question_is_its_subject_in_the_words_of_the_texts() -> None:
    texts = ["员工享有带薪年假。", "病假须告知主管。"]
    assert subjects("How many days of sick leave are paid?", "en", texts) == ["病假"]
    assert subjects("How many days are paid?", "en", texts) == []
    assert subjects("病假有几天？", "zh", ["Sick leave is ten days.", "Annual leave is seven."]) == ["sick leave"]
    assert subjects("病假有几天？", "zh", ["Holidays are seven days."]) == []
