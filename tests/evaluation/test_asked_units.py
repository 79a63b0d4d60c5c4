"""Quantities of what is asked for, days, codes, and the clause in which an answer stands."""

from __future__ import annotations

from evaluation.answer_types import expected_types, holds
from evaluation.extractive import extract_answer
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit

KETTLE = """# Kettle

Descale the kettle every three months. The kettle boils 1.7 litres at once.

| Setting | Value | Use |
|---|---|---|
| Green | 80 °C | green tea |
| Black | 96 °C | black tea |

The kettle must not stand in water. With the base it is 1.2 kg.

## Faults

If the kettle stops early, wait ten minutes. A kettle that smells is rinsed twice.

| Code | Meaning |
|---|---|
| K2 | no water |
| K7 | too hot |
"""
HEATER = """# 暖风机

暖风机每次最多开 4 小时。指示灯亮 3 秒后熄灭。

| 项目 | 数值 |
|---|---|
| 供暖 | 12–18 平方米 |
| 暖风机运转 | 45 dB |

出风口不能用水冲；底座每三个月擦一次。出风口一般半年清一次灰。
"""
PAY = "# 薪酬\n\n月工资为 9000 元，按月发放。每月 15 日发工资，遇节假日提前。工资条发到邮箱。\n"
LEAVE = "# 约定\n\n调岗须提前 15 日商量。试用期内离职须提前 3 日说明。每月 10 日领取补贴。\n"


def first(question: str, text: str) -> str:
    """What stands before the first marker of the answer."""
    answer = extract_answer(question, [hit(1, text)], "en" if question.isascii() else "zh")
    return answer.replace("**", "").split("[1]")[0]


SETUP = """# Setup

You need Runner 2.4 and a key. Minor versions come out on the first Tuesday. A version is kept for long.

Start Runner once a week. `make test` takes three minutes. The tests with a browser need port 5433.
"""
PANELS = """# Panels

The panels should make about 5,600 kWh a year. Sheep graze beside the panels; the roof faces south-west. Panels: 14.

A new fuse box may be needed; a car charger is from £850. A new fuse costs £3.

- Clean the panels in spring. Ladders are lent at the gate.
- The roof must not be walked on. It is slippery.

An electrician must look at the fuse box. The fuse box is of 1987.
"""
TIERS = """# Versions

The small version is for beginners. Version 2 costs £30. Release 4 added calendars.

If there is a leak, call Anna at the desk, extension 411. You can cancel until 2026-03-02.
For invoices call 0800 222 333.

Ladders are inspected by Tom Reed. All ladders should be kept dry. The lodge must read the report.
"""
GUESTS = (
    "**Fees.** Members pay £40. A guest pays £5 a visit. Lessons are extra: a lesson costs £12.\n\n**Bar.** It is open."
)
SICK = "# 小白\n\n品种：短毛猫 出生：2022年3月 主人：方婧\n\n小白打了疫苗。出险后拨打 95519 报案。报案要快。\n"
SIEVE = "# 滤网\n\n滤网一般 6 到 12 个月换一次，剩余寿命低于 5% 时灯闪烁。原装滤网 30 元，两只装 55 元。\n"
CARE = """# Service

Have the serial number of the kettle ready. Service line: 0800 123 4567, on weekdays.

## Hours

Staff of the kettle works are paid in full for eight weeks a year. The kettle works run 37.5 hours in a normal week.
"""


@each_row(
    ("question", "text", "said"),
    [
        ("How hot does it get on Black?", KETTLE, "96 °C"),
        ("How heavy is the kettle?", KETTLE, "1.2 kg"),
        ("The kettle shows K7, what now?", KETTLE, "too hot"),  # and not “wait ten minutes”
        ("What's the service number?", CARE, "0800 123 4567"),
        ("一个滤网多少钱？", SIEVE, "30 元"),  # and not 5 %
        ("How many hours a week is full time?", CARE, "37.5 hours"),  # and not weeks
        ("Which version of Runner do I need?", SETUP, "Runner 2.4"),
        ("How long do the tests take?", SETUP, "three minutes"),
        ("How much electricity do the panels make?", PANELS, "5,600 kWh"),
        ("Which way does the roof face?", PANELS, "south-west"),
        ("What does a new fuse cost?", PANELS, "£3"),  # £850 is what something else costs
        ("Who must check the fuse box?", PANELS, "An electrician"),
        ("Which version is for beginners?", TIERS, "The small version"),
        ("Which release added calendars?", TIERS, "Release 4"),
        ("What number should I call if there is a leak?", TIERS, "extension 411"),
        ("Who should inspect the ladders?", TIERS, "Tom Reed"),
        ("What are the fees for guests?", GUESTS, "£5"),
        ("小白多大了？", SICK, "2022年3月"),
        ("报案电话是多少？", SICK, "95519"),
        ("暖风机适合多大的房间？", HEATER, "12–18 平方米"),
        ("暖风机有多吵？", HEATER, "45 dB"),
        ("出风口多久清一次？", HEATER, "半年清一次"),  # in the other sentence the base is wiped
        ("每个月几号发工资？", PAY, "每月 15 日"),
        ("试用期离职要提前几天？", LEAVE, "提前 3 日"),  # the other sentence says less of the question
    ],
)
def test_what_is_asked_for_comes_first(question, text, said):
    assert said in first(question, text)


@each_row(
    ("question", "kind", "text"),
    [
        ("What is the service number?", "contact", "Service line: 0800 555 0199"),
        ("What time does it start?", "time", "Please come at 9.15 on Monday"),
    ],
)
def test_kinds_of_answers(question, kind, text):
    assert kind in expected_types(question)
    assert holds(kind, text)


def test_a_rate_is_no_time() -> None:
    assert not holds("time", "It grew at 3.15 per cent, at 2.50% in winter and at 4.30 m.")
