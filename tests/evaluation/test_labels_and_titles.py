"""Questions that the title of a section or the label of a line answers."""

from evaluation.extractive import extract_answer
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit

REVIEW = """# Search incident, 12 May 2026

**Incident lead:** Marta Kowalska
**Duration:** 2 h 40 min

## Root cause

The rebalancer picked a node without free disk. It began to swap, and every query waited for it.

## What went well

The on-call engineer noticed the alert within four minutes. The feature flag worked.

## What went badly

The rollback took 50 minutes because the runbook named the old cluster. That was the root of most complaints.
"""
ZH_REVIEW = """# 结账故障复盘

时长：47分钟
地点：上海机房

## 根本原因

连接池的默认值是5，环境变量改名后模板没有跟着改。请求排队直到超时。

## 处理措施

启动时缺少变量就报错。发布前做压力测试。
"""


@each_row(
    ("question", "says", "and_not"),
    [
        (
            "What was the root cause?",
            "The rebalancer picked a node without free disk [1]. It began to swap",
            "rollback",
        ),
        ("What went well?", "noticed the alert within four minutes [1]. The feature flag worked [1].", "rollback"),
        ("What went badly?", "The rollback took 50 minutes because", "flag"),
        ("根本原因是什么？", "连接池的默认值是5，环境变量改名后模板没有跟着改[1]。请求排队直到超时[1]。", "压力"),
        ("处理措施是什么？", "启动时缺少变量就报错[1]。发布前做压力测试[1]。", "连接池"),
    ],
)
def test_a_section_that_is_called_as_the_question_answers_it_in_its_order(question, says, and_not):
    zh = not question.isascii()
    answer = extract_answer(question, [hit(1, ZH_REVIEW if zh else REVIEW)], "zh" if zh else "en")
    assert says in answer
    assert and_not not in answer


def test_a_section_called_so_is_not_recited_where_a_number_is_asked_for():
    text = (
        "# 钢琴课须知\n\n## 学费\n\n中途退课按剩余课时退还。学费每学期3600元。教材自备。\n\n## 请假\n\n请假要提前。\n"
    )
    assert extract_answer("学费多少钱？", [hit(1, text)], "zh").startswith("学费每学期**3600元**[1]")


@each_row(
    ("question", "begins"),
    [
        ("How long did the search incident last?", "Duration: **2 h 40 min** [1]"),
        ("结账故障持续了多久？", "时长：**47分钟**[1]"),
        ("结账故障发生在哪里？", "地点：**上海**机房[1]"),
    ],
)
def test_a_line_whose_label_says_what_is_asked_for_comes_first(question, begins):
    zh = not question.isascii()
    assert extract_answer(question, [hit(1, ZH_REVIEW if zh else REVIEW)], "zh" if zh else "en").startswith(begins)


def test_a_label_under_a_heading_about_something_else_says_nothing():
    text = REVIEW + "\n# Payments\n\n## Audit\n\n**Duration:** 3 weeks\n"
    assert "3 weeks" not in extract_answer("How long did the search incident last?", [hit(1, text)], "en")


CONTRACT = """设备采购合同

签订日期：2026年9月17日
签订地点：苏州

第二条 付款
合同签订后五个工作日内支付30%；余下10%作为质保金，质保期满后付清。

第三条 交货
乙方应于2026年11月30日前将设备送到甲方的工厂。运输途中的损坏由乙方承担。

第五条 质保
质保期为验收合格之日起二十四个月。质保期内出现故障，四十八小时内派人到场。

第六条 违约责任
乙方逾期交货的，每逾期一日支付违约金；逾期超过三十日的，甲方有权解除合同。
"""
MOVE = """# Steering committee

## Budget
The committee approved 40,000 euros for the warehouse move, which brings the total to 310,000 euros.

## Move date
The move was put back from 18 January to 1 March 2027, because the sprinklers are late.
"""


@each_row(
    ("question", "text", "begins"),
    [
        ("什么时候交货？", CONTRACT, "乙方应于**2026年11月30日**前将设备送到甲方的工厂[1]"),
        ("合同是在哪里签的？", CONTRACT, "签订地点：**苏州**[1]"),
        ("质保期多长？", CONTRACT, "质保期为验收合格之日起**二十四个月**[1]"),
        ("When is the warehouse move?", MOVE, "The move was put back from **18 January** to **1 March 2027**"),
    ],
)
def test_what_is_asked_for_stands_under_its_title_behind_its_label_or_its_subject(question, text, begins):
    zh = not question.isascii()
    source = hit(1, text, *(["设备采购合同"] if zh else []))
    assert extract_answer(question, [source], "zh" if zh else "en").startswith(begins)


def test_a_label_of_something_else_and_the_title_of_the_document_tell_nothing():
    assert not extract_answer("合同什么时候到期？", [hit(1, CONTRACT, "设备采购合同")], "zh").startswith("签订日期")
    text = "# 咖啡机\n\n除垢一次约需40分钟。\n\n## 保养\n\n除垢剂每瓶够用三次，一次也要10分钟冲洗。\n"
    assert "40分钟" in extract_answer("咖啡机除垢一次多长时间？", [hit(1, text)], "zh")
