"""The answer without a model: which sentences are chosen, in which order, and what is left out."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.answer_confidence import likelihood, signs
from evaluation.citations import CheckedSources, check_answer
from evaluation.extractive import extract, extract_answer
from evaluation.markup import without_markup
from tests.each_row import each_row
from tests.evaluation.extractive_cases import HITS, hit
from text import detect_language, simplified

TRADITIONAL = "出生後72小時內完成檢查，費用由醫保支付。產科病房位於三號樓，可以住五個月。名單由護士長保管。"


@each_row(
    ("asked", "written"),
    [
        ("產科病房可以住多長時間？", "**五個月**"),
        ("检查在多久内完成？", "**72小時**"),
        ("檢查在多久內完成？", "**72小時**"),
    ],
)
def test_either_script_is_read_as_the_other(asked, written):
    answers = {extract(question, [hit(1, TRADITIONAL)], "zh") for question in (asked, simplified(asked))}
    assert len(answers) == 1
    assert written in answers.pop().text


def test_only_what_answers():
    assert extract_answer("检查费用由谁支付？", HITS, "zh") == "检查费用由医保支付[1]。"
    assert (
        extract_answer("Can I get a refund after 30 days?", HITS, "en") == "Refunds are not possible after 30 days [2]."
    )


QUESTIONS = [
    "新生儿要做哪些检查？",
    "检查费用由谁支付？",
    "How do I install the tool?",
    "What is the price of the Team plan?",
]


@each_row("question", [*QUESTIONS, "How to get a key?"])
def test_every_extracted_statement_is_verified(question):
    statements = check_answer(extract_answer(question, HITS, "en"), CheckedSources(HITS))
    assert statements
    for statement in statements:
        assert statement.supported or not statement.checkable, statement


def test_nothing_that_answers_gives_nothing():
    assert extract_answer("月球上有水吗？", HITS, "zh") == ""
    assert extract_answer("capital of France?", HITS, "en") == ""
    assert extract_answer("anything", [], "en") == ""
    assert extract_answer("", HITS, "en") == ""


def test_near_duplicates_are_said_once():
    twice = [
        hit(1, "The harbour opens at 6 in the morning."),
        hit(2, "The harbour opens at 6 in the morning!", score=0.9),
    ]
    assert extract_answer("When does the harbour open?", twice, "en") == "The harbour opens at 6 in the morning [1]."


def test_the_best_sentence_comes_first():
    text = "The mill was built in 1820. It stands by the river. The mill was sold to Ana Reis."
    answer = extract_answer("Who was the mill sold to, and when was the mill built?", [hit(1, text)], "en")
    assert answer == "The mill was sold to **Ana Reis** [1]. The mill was built in 1820 [1]."


def test_terms_of_the_conversation_help_a_follow_up():
    hits = [hit(1, "The price of the Lima plan is 9 dollars. The price of the Oslo plan is 14 dollars.")]
    answer = extract_answer("and the price?", hits, "en", context_terms=["oslo"], max_sentences=1)
    assert "Oslo" in answer


def test_similarity_finds_what_words_do_not():
    hits = [hit(1, "Automobiles need a permit. Bread is baked daily.")]
    meaning = {"Which cars are allowed?": [1, 0], "Automobiles need a permit.": [1, 0], "Bread is baked daily.": [0, 1]}
    answer = extract_answer(
        "Which cars are allowed?",
        hits,
        "en",
        lambda texts: np.array([meaning[text] for text in texts], dtype=np.float32),
    )
    assert answer == "Automobiles need a permit [1]."


@each_row(
    ("raw", "plain"),
    [
        ("**Bold** and *light* words", "Bold and light words"),
        ("[a link](https://x.org/a_b) here", "a link here"),
        ("> quoted\n> twice", "quoted twice"),
        ("断开的\n一行", "断开的一行"),
        ("是*并发*和*并行*", "是并发和并行"),
        ("use `<div>` and **`a`**", "use `<div>` and `a`"),
        ("fact[3] and `a[3]`", "fact and `a[3]`"),
        ("<!-- note -->text <b>strong</b>", "text strong"),
        ("snake_case_name stays, 2 * 3 * 4 too", "snake_case_name stays, 2 * 3 * 4 too"),
    ],
)
def test_tidy(raw, plain):
    assert without_markup(raw) == plain


@pytest.mark.parametrize(
    ("question", "echo", "answer"),
    [
        ("最近 AI 芯片的新闻", "芯片的新闻。", "南海晶圆厂最近宣布扩产 AI 芯片，月产能提高到五万片。"),
        ("What is the news on chips?", "The news on the chips.", "A plant announced more chips this week."),
    ],
)
def test_what_only_repeats_the_question_is_no_answer(question, echo, answer):
    found = extract_answer(question, [hit(1, echo, score=1.0), hit(2, answer, score=0.8)], detect_language(question))
    assert found.replace("**", "").startswith(answer[:12])


@pytest.mark.parametrize(
    ("question", "answer"), [("Is the pump blue?", "The pump is blue."), ("水泵是蓝色的吗？", "水泵是蓝色的。")]
)
def test_a_question_whether_is_answered_in_its_own_words(question, answer):
    other = {"en": "The pump stands in the cellar.", "zh": "水泵放在地下室里。"}[detect_language(question)]
    found = extract_answer(question, [hit(1, other), hit(2, answer)], detect_language(question))
    assert found.replace("**", "").startswith(answer[:-1])


def test_a_title_is_no_answer():
    text = "差旅报销制度\n\n第一条 报销单在十个工作日内提交。\n第二条 住宿每晚不超过六百元。\n"
    answer = extract_answer("报销制度对住宿怎么规定？", [hit(1, text, "差旅报销制度")], "zh")
    assert "差旅报销制度" not in answer
    assert "六百元" in answer


def test_where_a_number_is_asked_for_the_table_comes_first_with_its_figures_in_bold():
    text = (Path(__file__).parents[1] / "data" / "员工手册.md").read_text(encoding="utf-8")
    section = text[text.index("### 3.1") : text.index("### 3.2")]
    side = hit(2, "未休的年假按日工资的三倍折算，与最后一个月的工资一起发放。", "六、离职")
    extraction = extract("年假有几天？", [hit(1, section, "三、休假", "3.1 年假"), side], "zh")
    assert extraction.text.startswith("| 工作年限 | 年假天数 | 可结转天数 |")
    for days in (7, 10, 12, 15):
        assert f"| **{days} 天** |" in extraction.text
    assert extraction.probability is not None
    assert likelihood(signs(extraction.probability, 0.9)) > 0.5


@each_row(
    ("question", "text", "answer"),
    [
        (
            "When was the bridge opened?",
            "The bridge was opened in May 1932.",
            "The bridge was opened in **May 1932** [1].",
        ),
        ("Who built the bridge?", "The bridge was built by Ana Reis.", "The bridge was built by **Ana Reis** [1]."),
        ("大桥何时通车？", "大桥在2026年5月6日通车。", "大桥在**2026年5月6日**通车[1]。"),
        ("哪个月多少？", "月份：2026年6月；数额：20.1", "月份：**2026年6月**；数额：**20.1** [1]"),
        ("大桥全长多少米？", "大桥全长503米。", "大桥全长**503米**[1]。"),
        ("How much is the pass?", "The pass is $40 a year.", "The pass is $**40** a year [1]."),
        ("When does `run` stop?", "The command `run 5` stops in May.", "The command `run 5` stops in May [1]."),
        ("Is the bridge open?", "The bridge is open since 1932.", "The bridge is open since 1932 [1]."),
    ],
)
def test_the_words_that_answer_are_bold(question, text, answer):
    assert extract_answer(question, [hit(1, text)], detect_language(text) or "en") == answer


@each_row(
    ("question", "text", "language"),
    [
        (
            "How do I rotate the signing key?",
            "See also the guide on how to rotate the signing key. Run keytool once a month; the old one stays valid.",
            "en",
        ),
        ("怎么轮换签名密钥？", "另见签名密钥的轮换说明。每月运行一次 keytool，旧密钥仍然有效。", "zh"),
        ("怎么轮换签名密钥？", "更多信息请参阅签名密钥轮换。签名密钥每月运行 keytool 更换。", "zh"),
    ],
)
def test_where_more_stands_never_comes_first(question, text, language):
    answer = extract_answer(question, [hit(1, text, "Keys")], language)
    assert "keytool" in answer.split("[1]")[0]


def test_what_speaks_of_another_subject_comes_behind():
    text = "员工工作满一年后享有带薪年假。\n\n连续病假超过两天的，须提交诊断证明。每年前十天病假发放全额工资。"
    asked = "病假 带薪 天 How many days of sick leave are paid in full?"
    for subjects, first in (((), "年假"), (("病假",), "病假")):
        said = extract(asked, [hit(1, text, "休假")], "zh", subjects=subjects).text
        assert first in said.split("。")[0], subjects


def test_a_follow_up_that_no_sentence_has_a_word_of_is_read_with_the_question_before():
    text = "第二年租金上浮 3%。押金为两个月租金，合同终止且房屋交还后七日内无息退还。"
    answer = extract_answer("那什么时候退？", [hit(1, text, "租约")], "zh", context_terms=("押金",))
    assert answer.startswith("押金为两个月租金")


def test_of_one_number_nothing_is_said_about_another():
    errors = hit(
        1, "**Error 809**: the network blocks the port.\n**Error 691**: the password has expired.\n", "VPN", "Errors"
    )
    assert extract_answer("What does error 691 mean?", [errors], "en") == "Error 691: the password has expired [1]."


def test_the_number_of_what_is_asked_for_comes_first():
    bread = hit(1, "Let the bread cool for two hours before you cut it.\n", "Sunday")
    flour = hit(2, "You need 900 g of strong flour, 650 g of water, 20 g of salt and a starter.\n", "Bread")
    answer = extract_answer("How much salt goes into the bread?", [bread, flour], "en")
    assert answer.startswith("You need")


def test_how_long_it_lasts_is_not_what_comes_last():
    crust = hit(1, "If the crust gets too dark, lay foil over it for the last ten minutes.\n", "Sunday")
    outage = hit(2, "Severity: SEV-2 · Duration: 47 minutes · Owner: Priya\n", "Checkout outage", score=0.9)
    assert "47 minutes" in extract_answer("How long did the outage last?", [crust, outage], "en").split("\n")[0]
