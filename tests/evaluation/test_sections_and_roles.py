"""Sections that only their headings name, questions that a source answers itself, and who wrote a text."""

from evaluation.blocks import units
from evaluation.extractive import extract_answer
from evaluation.source_questions import answer_around
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit

PAINTS = """# 油漆使用说明

## 水性木器漆
每天刷一遍，两遍之间隔六小时。

## 防锈漆
每层干透要一天，一天一遍，不得多刷。
"""
VISIT = """# Summer camp

## Your last day
Come to the gate at 14:30. Bring a bag for wet clothes.

## Lessons
On the last three days there is no lesson before 10:00. The day begins with a walk.
"""
QUESTIONS = """# Pool: questions

**I lost my key. What now?**
Ask at the desk. A new one costs 12 pounds.

**Which cards do you take?**
Visa and Maestro. With another card you pay at the machine by the entrance.
"""
LONG = "## What is a lease?\n\n" + "A lease is a contract that both sides sign before the first day. " * 8
NOTES = "# Annual report\n\n*Prepared by Ada Byron, 3 May*\n\nThe annual profit fell. Tom Lee paid the annual fee.\n"
TRIP = """Pick up the car at nine. Driver: Marcus only. Drive to the ferry. The walk to the tarn takes a day."""
TALK = """访谈在周二。记录员：何静。采访者：韩雪。"""
RULES = "# 实验室办法\n\n## 门禁\n卡丢失须挂失。\n\n## 试剂\n试剂用后放回柜中，领用登记。联系人：李雷，分机6018。\n"


def answered(question: str, text: str) -> str:
    return extract_answer(question, [hit(1, text)], "en" if question.isascii() else "zh").replace("**", "")


@each_row(
    ("question", "text", "begins"),
    [
        ("水性木器漆一天刷几遍？", PAINTS, "水性木器漆：每天刷一遍"),  # 木器漆 stands in the heading alone
        ("防锈漆一天刷几遍？", PAINTS, "防锈漆：每层干透要一天"),
        ("When does my last day end?", VISIT, "Come to the gate at 14:30"),  # its title says two words of the question
    ],
)
def test_a_section_that_a_heading_names_answers(question, text, begins):
    assert answered(question, text).startswith(begins)


def test_no_other_section_goes_on_behind_the_one_that_is_named():
    answer = answered("水性木器漆一天刷几遍？", PAINTS)
    assert "两遍之间隔六小时" in answer
    assert "干透" not in answer


@each_row(
    ("question", "answer"),
    [
        ("My key is lost, what now?", "Ask at the desk [1]. A new one costs 12 pounds [1]."),
        (
            "Which cards can I pay with?",
            "Visa and Maestro [1]. With another card you pay at the machine by the entrance [1].",
        ),
    ],
)
def test_a_question_of_the_source_is_answered_whole_and_in_order(question, answer):
    assert answered(question, QUESTIONS) == answer


def test_a_long_section_under_a_question_is_not_shown_whole():
    found = units(1, hit(1, LONG))
    assert len(found) == 8
    assert answer_around("What is a lease?", found, 2) == [2]


def test_a_line_in_bold_that_asks_is_one_question_however_many_sentences_it_has():
    first, *behind = units(1, hit(1, QUESTIONS))
    assert (first.text, first.answers) == ("I lost my key. What now?", False)
    assert [unit.context for unit in behind if unit.text == "Ask at the desk."] == [
        "Pool: questions\nI lost my key. What now?"
    ]


STUDY = """# Reading notes: "Afternoon naps in offices"

Authors: Hartmann, Osei and Lindqvist. Read on 2 November.

## Results

- Those who napped longer felt groggy.
- Write to the nap study group to take part.
"""


@each_row(
    ("question", "text", "begins"),
    [
        ("Who wrote the annual report?", NOTES, "Prepared by Ada Byron"),
        ("Who wrote the nap study?", STUDY, "Authors: Hartmann"),
        ("Who paid the annual fee?", NOTES, "Tom Lee paid"),
        ("试剂的事找谁问？", RULES, "联系人：李雷"),
        ("试剂用后放哪里？", RULES, "试剂用后放回柜中"),
        ("Who is allowed to drive the car?", TRIP, "Driver: Marcus only"),
        ("Who leads the walk to the tarn?", TRIP, "The walk to the tarn takes a day"),  # no leader is named
        ("Who runs the car company?", TRIP, "Pick up the car"),  # nor whoever runs it
        ("访谈是谁记录的？", TALK, "记录员：何静"),
        ("Who owns the filters?", "# Filters\n\nOwner: Ada · Designer: Tom\n\nThe shop has filters.", "Owner: Ada"),
        ("Who owns the moon?", "# Filters\n\nOwner: Ada · Designer: Tom\n\nThe moon is far.", "The moon is far"),
    ],
)
def test_who_wrote_it_and_whom_to_ask(question, text, begins):
    assert answered(question, text).startswith(begins)
