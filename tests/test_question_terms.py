from hypothesis import given
from hypothesis import strategies as st

from text import question_terms, search_tokens, without_function_words


def test_chinese_question_words_are_no_terms():
    terms = question_terms("这一模式是由谁改编的？")
    assert {"模式", "改编"} <= set(terms)
    assert not {"谁", "由谁", "是由", "编的", "的"} & set(terms)


def test_what_is_asked_for_is_no_term():
    assert question_terms("灯塔是哪一年建的？") == question_terms("灯塔 建")
    assert question_terms("大桥有多少米，几个桥墩？") == question_terms("大桥 桥墩")
    assert "几何" in question_terms("几何是什么？")


def test_traditional_script_loses_the_same_words():
    assert question_terms("為什麼天空是藍色的") == question_terms("为什么天空是蓝色的")


def test_english_question_is_as_it_was():
    assert without_function_words("Who built the Eiffel Tower?") == "Who built the Eiffel Tower?"
    assert question_terms("Who built the Eiffel Tower?") == search_tokens("Who built the Eiffel Tower?")


def test_question_of_function_words_alone_keeps_them():
    assert question_terms("什么是什么") == search_tokens("什么是什么") != []


@given(st.text())
def test_wild_questions_have_terms_where_the_text_has_tokens(question: str):
    assert bool(question_terms(question)) == bool(search_tokens(question))
