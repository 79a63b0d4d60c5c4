from hypothesis import given
from hypothesis import strategies as st

from question_words import question_terms, without_function_words
from text import search_tokens


def test_chinese_question_words_are_no_terms():
    terms = question_terms("这一模式是由谁改编的？")
    assert {"模式", "改编"} <= set(terms)
    assert not {"谁", "由谁", "是由", "编的", "的"} & set(terms)


def test_what_is_asked_for_is_no_term():
    assert question_terms("灯塔是哪一年建的？") == question_terms("灯塔 建")
    assert question_terms("大桥有多少米，几个桥墩？") == question_terms("大桥 桥墩")
    assert "几何" in question_terms("几何是什么？")
    assert question_terms("最多能预付多少？") == question_terms("预付")
    assert "最高" in question_terms("哪座山最高？")  # which of them is asked, and no amount
    for asked, left in (
        ("租期几个月？", "租期"), ("餐补要不要发票？", "餐补 发票"), ("投影仪坏了找谁？", "投影仪坏了"),
        ("几点放学？", "放学"), ("红灯是什么意思？", "红灯"), ("午饭多少钱？", "午饭"),
        ("怎么办理护照？", "办理护照"), ("护照丢了怎么办？", "护照丢"),
    ):  # fmt: skip
        assert question_terms(asked) == question_terms(left)


def test_the_measure_that_an_english_question_asks_for_is_no_term():
    for asked, left in (
        ("How many guests can I bring?", ["guest", "bring"]), ("how long is the cable", ["cabl"]),
        ("At what time does the bus leave?", ["bus", "leav"]), ("How much?", ["much"]),
        ("How is a long cable laid?", ["long", "cabl", "laid"]),
        ("When do I get my deposit back?", ["deposit", "back"]), ("get", ["get"]),
        ("What does the red light mean?", ["red", "light"]), ("What is the mean?", ["mean"]),
        ("What does the mean say?", ["mean", "say"]),
        ("How long does he take aspirin?", ["aspirin"]), ("Where does he take aspirin?", ["take", "aspirin"]),
        ("When may he run?", ["run"]), ("What happens in May?", ["happen", "may"]),
        ("Is smoking allowed?", ["smoke"]), ("Who allowed it?", ["allow"]),
    ):  # fmt: skip
        assert question_terms(asked) == left


def test_a_chinese_verb_that_is_parted_from_its_object_is_one_word():
    for asked, left in (
        ("洗了几次牙？", "洗牙"), ("谁洗的牙？", "洗牙"), ("洗牙花了多少钱？", "洗牙"),
        ("结了婚能休几天？", "结婚能休"),
        ("出了事故多久之内要报案？", "出 事故 报案"),  # no 出事
        ("坐过站要补票吗？", "坐过站 补票"), ("鲜花多少钱一束？", "鲜花 一束"), ("装修花了多少钱？", "装修"),
        ("修了会怎样？", "修 会怎样"), ("好的人", "好 人"),
        ("工作完成后由谁复核？", "工作完成后 复核"),  # no 作成
    ):  # fmt: skip
        assert set(question_terms(asked)) == set(question_terms(left)), asked


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


def test_the_verb_that_goes_with_what_is_asked_is_not_looked_for():
    assert question_terms("How long did the outage last?") == ["outag"]
    assert question_terms("How much salt goes into the bread?") == ["salt", "bread"]
    assert "last" in question_terms("Who asked for the last ten minutes?")
    assert "goe" in question_terms("What goes into the bread?")


def test_now_and_what_one_must_do_first_are_not_looked_for():
    assert question_terms("Where is the config file now?") == question_terms("config file")
    assert question_terms("平均分要多少才能申请？") == question_terms("平均分 申请")
    assert "才能" in question_terms("他有什么才能？")
