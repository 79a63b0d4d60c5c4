"""Answers that name no place, or nobody, where that is what the question asks for."""

from __future__ import annotations

from answering.unnamed import NO_AGE, NO_AMOUNT, NO_NUMBER, NO_PLACE, NOBODY, names_none
from schema import Message
from tests.each_row import each_row


@each_row(
    ("question", "answer"),
    [
        ("Where is the flat?", "The flat must be cleaned professionally [1]."),
        ("Where is the meeting room?", "The meeting room must be booked [1]."),
        ("Where is the flat?", "If the loaf is flat, the starter was not ripe [1]."),
        ("Where can I buy a lab coat?", "A lab coat must be worn in the lab [1]."),
        ("实验服在哪里买？", "进入实验室必须穿实验服[1]。"),
        ("年会在哪里办？", "| 事项 | 负责人 |\n| 预订年会场地 | 孙梦 [1] |"),
    ],
)
def test_no_place_is_named(question: str, answer: str) -> None:
    assert names_none(question, answer) == NO_PLACE


@each_row(
    ("question", "answer"),
    [
        ("Where is the next meeting?", "Next meeting: Tuesday 12 January in the library [1]."),
        ("Where does Maria live?", "Backend engineer · Lisbon [1]"),
        ("where do I return the car?", "Return: Seville Santa Justa station, Friday 26 June, 11:00 [1]"),
        ("Where are the beans kept?", "They are on the shelf [1]."),
        ("汇报演出在哪里？", "地点在少年宫二楼小剧场[1]。"),
        ("在哪里体检的？", "体检机构：仁和健康管理中心[1]"),
        ("备份文件在哪里？", "The file appears in the folder restored [1]."),
        ("Where is the config file?", "Configuration moved from `~/.toolrc` to `~/.config/tool/config.toml` [1]."),
        ("When is the flat cleaned?", "The flat must be cleaned professionally [1]."),
    ],
)
def test_a_place_is_named_or_not_asked_for(question: str, answer: str) -> None:
    assert names_none(question, answer) is None


@each_row(
    ("question", "answer"),
    [
        ("Who is the treasurer?", "Treasurer's report: The account stands at £6,215 [1]."),
        ("谁是会计？", "会计报表每月十日前提交[1]。"),
        ("会计是谁？", "會計報表每月十日前提交[1]。"),
        ("门店经理是谁？", "银行转账：户名云锦物业管理有限公司[1]。"),
        ("Who founded the club?", "Whoever leaves the club must write before October [1]."),
    ],
)
def test_nobody_is_named(question: str, answer: str) -> None:
    assert names_none(question, answer) == NOBODY


@each_row(
    ("question", "answer"),
    [
        ("Who was the incident commander?", "09:24 | Marek joins as incident commander [1]"),
        ("Who is the landlord?", "The landlord is Mrs Eleanor Whitcombe [1]."),
        ("Who founded the club?", "The club was founded by Ada Byron in 1902 [1]."),
        ("Who pays for the electricity?", "The tenants pay for gas and electricity [1]."),
        ("Who is responsible for repairs?", "Repairs are up to the tenants [1]."),
        ("房东是谁？", "甲方（出租人）：陈国栋[1]"),
        ("班主任是谁？", "班主任是林老师[1]。"),
        ("卖方是谁？", "乙方（卖方）：联创机械制造有限公司[1]"),
        ("乙方是谁？", "乙方（寄养方）：喵驿宠物生活馆[1]"),
        ("急救员是谁？", "值班的急救员是罗教练[1]。"),
        ("打印机的问题是谁解决的？", "驱动问题已由供应商解决[1]。"),
    ],
)
def test_somebody_is_named_or_something_else_asked_for(question: str, answer: str) -> None:
    assert names_none(question, answer) is None


@each_row(
    ("question", "answer"),
    [
        ("路由器多少钱？", "接通电源，等待约两分钟，直到指示灯变绿[1]。"),
        ("How much does the pump cost?", "The pump stands on the second shelf [1]."),
        ("How much does the hall cost?", "The hall is on the left [1]. A lost key costs 9 euros [2]."),
        ("What is the rent?", "The rent is due on the first of each month [1]."),
    ],
)
def test_no_amount_is_named(question: str, answer: str) -> None:
    assert names_none(question, answer) == NO_AMOUNT


@each_row(
    ("question", "answer"),
    [
        ("毛巾多少钱？", "毛巾2元一条[1]。"),
        ("年卡多少钱？", "年卡价格：2399[1]"),
        ("How much does it cost?", "It is **9** euros [1]."),
        ("How much does parking cost?", "Parking is free for two hours [1]."),
        ("What does the badge cost?", "A new badge is 15 euros [1]."),
        ("How much water goes into it?", "Fill it to the line [1]."),
    ],
)
def test_an_amount_is_named_or_something_else_asked_for(question: str, answer: str) -> None:
    assert names_none(question, answer) is None


@each_row(
    ("question", "answer", "notice"),
    [
        ("What is Priya's phone number?", "Contact: Priya Nair; minimum order: 150; since: 2023 [1]", NO_NUMBER),
        ("What is her e-mail address?", "Contact: Priya Nair [1]", NO_NUMBER),
        ("老板电话多少？", "接口负责人：罗启明[1]。", NO_NUMBER),
        ("店長的微信是多少？", "店長阿慧住在院子裡[1]。", NO_NUMBER),
        ("What is Amir's phone number?", "Money matters: Amir Sadek, 0131 555 0164 [1].", None),
        ("What is her e-mail address?", "Head coach: Fiona Brandt (fiona@bluefin.example) [1].", None),
        ("前台电话是多少？", "前台分机 12[1]。", None),
        ("报警电话是多少？", "遇到危险请拨打 110[1]。", None),
        ("What is the emergency phone number?", "In an emergency call 112 [1].", None),
        ("店长的微信是多少？", "微信：ahui[1]。", None),
        ("How many phones are there?", "Each desk has a phone [1].", None),
        ("How old is Pieter?", "Pieter: Eight out of ten [1].", NO_AGE),
        ("How old is Pieter?", "Pieter is tall [1]. The shop was founded in 1990 [2].", NO_AGE),
        ("年糕几岁了？", "年糕是布偶猫[1]。", NO_AGE),
        ("年糕今年岁数多大了？", "年糕是布偶猫[1]。", NO_AGE),
        ("How old is the cat?", "The cat is 3 years old [1].", None),
        ("How old is the house?", "The house was built in 1902 [1].", None),
        ("年糕多大了？", "布偶猫“年糕”，三岁[1]。", None),
    ],
)
def test_a_number_to_call_and_an_age(question: str, answer: str, notice: Message | None) -> None:
    assert names_none(question, answer) == notice


@each_row(
    ("question", "answer", "told"),
    [
        ("李雷的电话是多少？", "场地负责人：李雷[1]。投诉请打 0571-8800 6213 [1]。", NO_NUMBER),  # of somebody else
        ("李雷的电话是多少？", "场地负责人：李雷[1]。电话 0571-8800 6213 [1]。", None),
        ("李雷的电话是多少？", "联系人：李雷，分机 6018 [1]。", None),
        ("李雷的电话是多少？", "负责人的电话是 0571-8800 6213 [1]。", None),  # it names nobody: this may be his
        ("李雷的分机是多少？", "联系人：李雷，分机 6018 [1]。", None),
        ("李雷的分机是多少？", "联系人：李雷[1]。", NO_NUMBER),
        ("What is Ada's extension?", "Call the accountant, Ada (ext. 4471) [1].", None),
        ("What is Ada's extension?", "Payouts wait until Ada has signed [1].", NO_NUMBER),
        ("What is Ada's phone number?", "Ask Ada for the token [1]. Complaints: 01632 960 117 [1].", NO_NUMBER),
        ("What is Ada's phone number?", "Ask Ada for the token [1]. Her number is 01632 960 117 [1].", None),
        ("What is Ada's phone number?", "The ward answers at any hour: 01632 960 117 [1].", NO_NUMBER),
        ("What is Ada's phone number?", "His mobile is 01632 960 117 [1].", None),
        ("Who won the half marathon in Leeds?", "- Week: 8; Total (km): 34; Note: half marathon in Leeds [1]", NOBODY),
        ("Who won the half marathon in Leeds?", "The half marathon in Leeds was won by Ada Byron [1].", None),
        ("How old must I be?", "We give no dogs to people under 21 [1].", None),
        ("How old must I be?", "Bring a video of your home [1].", NO_AGE),
    ],
)
def test_whose_number_and_whose_name(question: str, answer: str, told: Message | None) -> None:
    assert names_none(question, answer) == told
