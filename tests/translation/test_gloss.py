"""Key words of a sentence with what they mean."""

from schema import GlossaryPair
from translation.gloss import gloss
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
