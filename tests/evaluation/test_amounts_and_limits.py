"""Questions that an amount of money, a limit, a day or a length of time answers, and what stands around it."""

from evaluation.extractive import extract_answer
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit

POOL = """# Swimming pool

The slide needs a new pump before summer. The offer is 4,300 pounds, and half of it was given.

## Tickets
A lost bracelet costs 6 pounds. Towels are in the hall.

## Late guests
Guests who owe more than 40 pounds do not come in. We charge 15 pounds. The gate is locked at 22:00.

## Showers
Showers are free. The warm shower in the hall takes 2 pounds.

## Support
Write to pool@example.org.

## Changes
PDF tickets were dropped in May.
"""
LOCKERS = """# 健身房

## 更衣室
储物柜当天使用，过夜清空。长期租柜每月30元，押金100元。

## 团课
瑜伽垫店里可以租，5元一次。动感单车和瑜伽对会员免费，提前一天预约。

## 学生
学生凭证办年卡打八折。学生须在前台登记姓名和学号。
"""
COURSES = """# 选课通知

## 学分要求
学生每学期选课不得少于15学分。学生选课不得超过28学分。选课学分以系统为准。
"""
TRAINING = """# Yearly gathering and other news

## Yearly gathering
The agenda holds the accounts and the election of a treasurer, as Ann steps down after nine years. Friday, 15 January \
2027, 19:30, in the upper room of the Red Lion.

## Trips
On 3 May we gather at the station at 8:00.
"""
DIARY = """ALLOTMENT DIARY

14 February
Frost, minus 6 at night. Pruned both trees.

29 March
Planted the beans, 24 of them in three rows.

5 May
Planted garlic and two bushes.
"""
STAY = """寄养协议

甲方：周岚
乙方（寄养方）：喵驿生活馆

一、寄养时间
2026年9月30日上午至10月8日下午，共9天。

二、费用
先付后住。
"""
LIMITS = """# API

## Limits
120 calls a minute for each key. Above that you get 429 and a header with seconds. Bodies are small.

## Keys
Send your key in the header.
"""
WALKS = """# Walks

* **Sunday 6 December**: Carn Ridge, 14 km, moderate. Meet at 9:00 at the station. Leader: Bethan Lloyd.
* **Sunday 10 January**: Black Tarn, 18 km, hard. Meet at 8:00 at the station. Leader: Aled Pugh.
"""
ROSTER = """日期 | 星期 | 白班 | 电话

- 日期：2026-12-01；星期：周二；白班：陈思远；电话：8001
- 日期：2026-12-02；星期：周三；白班：吴桐；电话：8002
"""


TERMS = """# Courses

| Course | Age | Lesson | Price per term |
|---|---|---|---|
| Tadpoles | 4-5 years | 30 minutes | £96 |
| Sharks | 11-14 years | 60 minutes | £140 |

A term has twelve lessons. Parents may stay for the first two lessons.
"""
RENTAL = """The car is fetched at nine. Deposit 5,000 NOK on the credit card.

- Supplier: Sunrise Inks; Product: ink; Minimum order: 150; Terms: 50% deposit; Since: 2023
"""
PAYING = """# 概述

正式环境 https://pay.example.cn，沙箱环境 https://sandbox.pay.example.cn。沙箱里的订单每天清空。
"""


def answered(question: str, *texts: str) -> str:
    hits = [hit(number, text) for number, text in enumerate(texts, 1)]
    return extract_answer(question, hits, "en" if question.isascii() else "zh").replace("**", "")


@each_row(
    ("question", "text", "begins"),
    [
        ("How much does the slide cost?", POOL, "The offer is 4,300 pounds"),  # the sentence before says of what
        ("Are the showers free?", POOL, "Showers are free"),
        ("团课要钱吗？", LOCKERS, "团课：动感单车和瑜伽对会员免费"),
        ("租一个储物柜多少钱？", LOCKERS, "长期租柜每月30元"),
        ("学生有优惠吗？", LOCKERS, "学生凭证办年卡打八折"),
        ("最多能选多少学分？", COURSES, "学生选课不得超过28学分"),
        ("最少要选几学分？", COURSES, "学生每学期选课不得少于15学分"),
        ("When is the yearly gathering?", TRAINING, "Friday, 15 January 2027"),
        ("When did I plant the beans?", DIARY, "29 March: Planted the beans"),  # its entry's day
        ("寄养几天？", STAY, "2026年9月30日上午至10月8日下午，共9天"),
        ("How many lessons are there in a term?", TERMS, "A term has twelve lessons"),  # before all rows of the table
        ("How much is the deposit for the car?", RENTAL, "Deposit 5,000 NOK"),
        ("沙箱环境的地址是什么？", PAYING, "正式环境 https://pay.example.cn，沙箱环境 https://sandbox"),
        ("Are PDF tickets still supported?", POOL, "PDF tickets were dropped"),  # and not “Support”, another word
    ],
)
def test_the_sentence_that_tells_it_comes_first(question, text, begins):
    assert answered(question, text).startswith(begins)


def test_what_happens_then_is_told_with_the_limit():
    assert "Above that you get 429" in answered("What happens when I make too many calls?", LIMITS)
    assert "Above that" not in answered("How many calls a minute are allowed for each key?", LIMITS)


def test_of_an_item_the_label_that_tells_who_is_kept_and_no_day_is_somebody():
    answer = answered("Who leads the walk to Black Tarn?", WALKS)
    assert "Leader: Aled Pugh" in answer
    assert "Meet at 8:00" not in answer


def test_a_row_of_heads_is_no_answer_and_a_label_alone_says_little():
    answer = answered("系统故障打什么电话？", ROSTER, "# 联系方式\n\n系统故障：信息中心 62750088。\n")
    assert answer.startswith("系统故障：信息中心 62750088")
    assert "日期 | 星期" not in answer
