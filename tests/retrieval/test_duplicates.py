"""Passages that repeat others give way; those that contradict them do not."""

from __future__ import annotations

from retrieval.duplicates import distinct
from schema import Hit
from tests.each_row import each_row

ENGLISH = (
    "Employees may carry over unused leave into the first quarter of the following year when their manager has agreed "
    "in writing. Leave that is still unused by the end of March lapses without compensation in money or in time. The "
    "personnel office keeps the record of all leave and sends every employee a statement in January and in July."
)
CHINESE = (
    "员工经部门经理书面同意后，可以把当年没有用完的年假结转到下一年度的第一季度使用；到三月底仍未使用的年假自动作废，"
    "不以金钱或时间补偿。人事部负责登记全部年假，并在每年一月和七月把登记情况书面通知每一位员工，员工如有异议可以申请复核。"
)


def hit(text: str, document: str = "a.md", number: int = 0, doc_set: str = "") -> Hit:
    return Hit(number, document, doc_set, text, 0, len(text), 1, 1)


@each_row(
    ("text", "other"),
    [
        (ENGLISH, ENGLISH),
        (ENGLISH, "  " + ENGLISH.replace(". ", ".\n\n").upper()),
        (ENGLISH, ENGLISH.replace("keeps the record", "keeps a record")),
        (CHINESE, CHINESE),
        (CHINESE, CHINESE.replace("，", ",").replace("员工如有异议", "员工若有异议")),
        (CHINESE, "\u3000" + CHINESE.replace("。", "。\n\n")),
    ],
)
def test_the_better_one_names_the_document_of_the_other(text: str, other: str) -> None:
    elsewhere = hit("Something else is said here, in as many words.", "c.md", 3)
    found = distinct([hit(text, "a.md", 1), hit(other, "b.md", 2), elsewhere, hit(text, "a.md", 4)], 9)
    assert [(one.chunk_id, one.also_in) for one in found] == [(1, ("b.md",)), (3, ())]
    assert distinct([hit(text, "a.md", 1), hit(other, "a.md", 2, "old")], 9)[0].also_in == ("old › a.md",)


@each_row(
    ("text", "other"),
    [
        (ENGLISH, ENGLISH.replace("may carry", "may not carry")),
        (ENGLISH, ENGLISH.replace("may carry", "can't carry")),
        (ENGLISH, ENGLISH.replace("when their", "30 days after their")),
        (ENGLISH, ENGLISH.replace("first quarter", "two quarters")),
        (ENGLISH, ENGLISH[: len(ENGLISH) // 2]),
        (CHINESE, CHINESE.replace("可以把", "不可以把")),
        (CHINESE, CHINESE.replace("三月底", "五月底")),
        (CHINESE, CHINESE[len(CHINESE) // 2 :]),
        ("甲公司借给乙公司", "乙公司借给甲公司"),
        ("", "words"),
    ],
)
def test_what_says_something_else_stays(text: str, other: str) -> None:
    hits = [hit(text, "a.md", 1), hit(other, "b.md", 2)]
    assert distinct(hits, 9) == tuple(hits)


def test_no_more_hits_than_asked_for_and_copies_of_those_are_named() -> None:
    one, two = "The dough of bread rises overnight in a cool place.", "The oven of the bakery is fired with wood."
    found = distinct([hit(one, "a.md", 1), hit(two, "b.md", 2), hit(one, "c.md", 3)], 1)
    assert [(each.document, each.also_in) for each in found] == [("a.md", ("c.md",))]
