"""What stands under a header, and under a question of the source."""

from __future__ import annotations

from evaluation.extractive import extract, extract_answer
from schema import Hit
from tests.each_row import each_row


def hit(number, text, *headings):
    return Hit(number, "doc.md", "", text, 0, len(text), 1, text.count("\n") + 1, headings=headings, score=1.0)


FEES = """# 物业通知

请各位业主配合。

| 房屋类型 | 物业费（元） | 清运费（元） |
| --- | --- | --- |
| 高层 | 2.8 | 15 |
| 别墅 | 4.5 | 30 |

3月15日前缴清的，享受九五折优惠。

前台只收刷卡，不收现金。
"""


@each_row(
    ("question", "first", "absent"),
    [
        ("物业费多少钱？", "| 高层 | **2.8** | 15 [1] |", None),
        ("别墅一年的物业费怎么算？", "| 别墅 | **4.5** | 30 [1] |", "高层"),
        ("什么时候交物业费有优惠？", "**3月15日**前缴清的，享受九五折优惠[1]。", "2.8"),
        ("能用现金交物业费吗？", "前台只收刷卡，不收现金[1]。", "2.8"),
    ],
)
def test_a_table_answers_for_its_header_where_it_holds_what_is_asked_for(question, first, absent):
    answer = extract_answer(question, [hit(1, FEES, "物业通知")], "zh")
    lines = [line for line in answer.splitlines() if not line.startswith(("| 房屋类型", "| ---"))]
    assert lines[0].startswith(first)
    assert absent is None or absent not in lines[0]


def test_what_stands_behind_a_bold_question_answers_it_without_a_mark_of_its_own():
    text = "**问：门诊怎么报？**\n答：按八成报。每年有上限。\n\n**问：体检能报吗？**\n答：不能报。\n"
    assert extract_answer("体检可以报吗？", [hit(1, text)], "zh").startswith("答：不能报[1]。")


def test_a_question_of_the_source_speaks_for_what_stands_behind_it():
    text = "{}答：材料齐全的十五个工作日内打到工资卡。\n\n报销须附发票。\n\n门诊报销按八成。\n"
    with_it, without = (
        extract("报销多久能到账？", [hit(1, text.format(above))], "zh", max_sentences=1)
        for above in ("**问：报销多久到账？**\n", "")
    )
    assert with_it.text.startswith("答：材料齐全的**十五个工作日**内打到工资卡[1]。")
    assert (with_it.probability or 0) > 0.9
    assert not without.text.startswith("答")


def test_what_a_table_calls_its_rows_is_not_what_it_is_about():
    fees = "| 项目 | 金额 |\n| --- | --- |\n| 保教费 | 1200元/月 |\n| 校服费 | 460元 |"
    report = hit(1, "项目总预算860万元，已支出512万元。", "周报")
    answer = extract_answer("项目花了多少钱？", [report, hit(2, fees, "收费标准")], "zh")
    assert answer.startswith("项目总预算")
    assert "校服费" in extract_answer("金额是多少？", [report, hit(2, fees, "收费标准")], "zh")


def test_of_rows_that_only_their_header_ties_to_the_question_one_is_shown():
    rows = "".join(
        f"| {day} October | {what} | Anna |\n" for day, what in enumerate(("beans", "milk", "rent", "cups"), 1)
    )
    text = f"# Ledger\n\n| Date | Item | Agent |\n| --- | --- | --- |\n{rows}"
    assert extract_answer("Who is the letting agent?", [hit(1, text)], "en").count("[1]") == 1


PLAN = """# Lisbon

| Day | Morning | Afternoon |
| --- | --- | --- |
| Wed 6 May | free | museum |
| Thu 7 May | beach | sailing |
| Fri 8 May | tiles | shopping |
"""
ZH_PLAN = """# 课表

| 时间 | 上午 | 下午 |
| --- | --- | --- |
| 周三 | 数学 | 美术 |
| 周四 | 语文 | 体育 |
| 周日 | 游泳 | 休息 |
"""


@each_row(
    ("question", "text", "row"),
    [
        ("What are we doing on Thursday afternoon?", PLAN, "| Thu 7 May | beach | sailing [1] |"),
        ("星期四下午有什么课？", ZH_PLAN, "| 周四 | 语文 | 体育 [1] |"),
        ("星期天上午做什么？", ZH_PLAN, "| 周日 | 游泳 | 休息 [1] |"),
    ],
)
def test_a_day_in_short_is_the_day_and_its_row_alone_is_shown(question, text, row):
    answer = extract_answer(question, [hit(1, text)], "en" if question.isascii() else "zh")
    rows = [line for line in answer.splitlines() if line.startswith("|")]
    assert [line.replace("*", "") for line in rows[2:]] == [row]
