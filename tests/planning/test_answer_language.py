"""In which language an answer is wanted, told from questions about a language."""

from __future__ import annotations

import pytest

from planning.answer_language import read_answer_language
from planning.model_plan import FilledPlan, merge
from planning.rules import plan_by_rules
from tests.each_row import each_row

ORDERS = [
    ("病假须在几点之前告知主管？请用英文回答", "en", "病假须在几点之前告知主管？"),
    ("用英语告诉我病假须在几点之前告知主管", "en", "病假须在几点之前告知主管"),
    ("病假须在几点之前告知主管，翻成英文回答", "en", "病假须在几点之前告知主管"),
    ("年假有几天请用英语回答", "en", "年假有几天"),
    ("翻译成英文：年假有几天？", "en", "年假有几天？"),
    ("年假有几天，请翻译成英文", "en", "年假有几天"),
    ("年假有几天（用英文回答）", "en", "年假有几天"),
    ("年假几天？可以用英文回答吗？", "en", "年假几天？"),
    ("年假几天？English please", "en", "年假几天？"),
    ("English please: 年假几天？", "en", "年假几天？"),
    ("请用英文总结员工手册", "en", "总结员工手册"),
    ("What is the rate? 回答用中文", "zh", "What is the rate?"),
    ("请用中文回答：What is the rate?", "zh", "What is the rate?"),
    ("How long is leave? Answer in Chinese.", "zh", "How long is leave?"),
    ("How long is leave, in Chinese please?", "zh", "How long is leave"),
    ("How long is leave (in Chinese)?", "zh", "How long is leave"),
    ("How long is leave? Could you reply in Mandarin?", "zh", "How long is leave?"),
    ("how long is leave in chinese please", "zh", "how long is leave"),
    ("How long is leave and answer in Chinese", "zh", "How long is leave"),
    ("Answer in Chinese: how long is leave?", "zh", "how long is leave?"),
    ("Tell me in Chinese how long leave is", "zh", "how long leave is"),
    ("年假几天？请用中文回答，不对，用英文回答", "en", "年假几天？不对"),
    ("请用英文回答", "en", ""),
    ("In English, please!", "en", ""),
    ("帮我把答案用英文写出来：年假几天？", "en", "年假几天？"),
    ("回答改成英文：年假几天？", "en", "年假几天？"),
    ("结果给我英文的：年假几天？", "en", "年假几天？"),
    ("用英文跟我说年假有几天", "en", "年假有几天"),
    ("年假几天？要英文回答", "en", "年假几天？"),
    ("我想看英文答案：年假几天？", "en", "年假几天？"),
    ("年假几天？回答时请说英文", "en", "年假几天？"),
    ("请说英文：年假几天？", "en", "年假几天？"),
    ("I'd like the answer in Chinese. How long is leave?", "zh", "How long is leave?"),
    ("Give it to me in Chinese: how long is leave?", "zh", "how long is leave?"),
    ("How long is leave? Can I get that in Chinese?", "zh", "How long is leave?"),
    ("How long is leave? Chinese answer please", "zh", "How long is leave?"),
]
CONTENT = [
    "面试时，讲英文，能加分吗？",
    "I want the contract in Chinese",
    "哪里能拿到英文答案？",
    "用英文跟我说的那个人是谁？",
    "合同必须用英文写吗？",
    "面试时可以用英文回答吗？",
    "可以用英文回答吗？",
    "遇到外国客户时，用英文回答？",
    "用英语回答面试问题要注意什么？",
    "“请用英文回答”是什么意思？",
    "翻译成英文的合同由谁盖章？",
    "合同要翻译成英文吗？",
    "这句话翻译成英文：今天天气很好",
    "英文合同由谁审核？",
    "合同语言是英文吗",
    "Which forms must be filled in in English?",
    "how do I answer in Chinese?",
    "how do I answer in Chinese please",
    "What is the word for dog, in English?",
    "what is the answer in chinese",
    "Is the answer in English?",
    "Who speaks English?",
    "Which contracts are written in English?",
]


@each_row(("message", "language", "question"), ORDERS)
def test_a_language_that_is_asked_for_is_cut_from_the_question(message: str, language: str, question: str) -> None:
    assert read_answer_language(message) == (language, question)


@each_row("message", CONTENT)
def test_a_question_about_a_language_keeps_its_words(message: str) -> None:
    assert read_answer_language(message) == (None, message)


def test_a_long_message_is_read_at_its_beginning_and_its_end() -> None:
    long = "年假须提前两周申请。" * 100
    assert read_answer_language(f"{long}请用英文回答") == ("en", long)
    assert read_answer_language(f"请用英文回答：{long}") == ("en", long)


@pytest.mark.parametrize(
    ("message", "filled", "language"),
    [
        ("病假几点前告知主管？英文作答哈", "en", "en"),
        ("When must I call in sick? 华语 or Mandarin would do", "zh", "zh"),
    ],
)
def test_a_models_plan_holds_without_the_words_that_name_the_language(message, filled, language) -> None:
    rules = plan_by_rules(message, uploads=[], library=[]).model_copy(update={"certain": True})
    question = {"en": "病假几点前告知主管？", "zh": "When must I call in sick?"}[filled]
    merged = merge(
        rules, FilledPlan(intent="retrieve", language=filled, question=question), message, uploads=[], library=[]
    )
    assert (merged.plan.answer_language, merged.plan.question, merged.notices) == (language, question, ())


@each_row(("written", "read"), [("cn", "zh"), ("zh-CN", "zh"), ("Chinese", "zh"), ("英文", "en")])
def test_a_model_may_name_a_language_in_other_ways(written: str, read: str) -> None:
    assert FilledPlan.model_validate({"intent": "retrieve", "language": written}).language == read
