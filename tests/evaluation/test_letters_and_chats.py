"""Titles that run in, the lines of a chat, questions that tell something too, and who signed a letter."""

from __future__ import annotations

from evaluation.blocks import units
from evaluation.extractive import extract_answer
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit

LETTER = """Dear Mr Lund,

Start of work. You begin on Tuesday 3 March. Come to the gate at eight.

Tools. We lend you a drill and a saw. The start of the saw needs two hands.

Parking. There is room behind the shed. Ask Ivo for a card.

This offer ends on Friday.

With kind regards,
Nora Beck
"""
DIARY = """Rain fell. We stayed in and played cards all day.

The clock stopped. Ivo took it apart on Monday and could not put it together.

Guests came. There were nine of them, and we had soup for four.
"""
CHAT = """周末聚餐群
阿明 18:02：我周六过生日，在江边老船厂餐厅请客，大家能来吗？
小白 18:05：能来，几点？
阿明 18:09：晚上七点。餐厅找的哪个？多少钱？不用你们操心。
小白 18:11：停车方便吗？贵吗？
阿明 18:20：楼下有车库，前两小时免费。
"""


FETCHED = """Ida 18:02: who fetches the child tomorrow?
Al 18:05: the weather is bad
Max 18:09: homework is in the group
Ida 18:11: thanks
Max 18:20: I do, at half past four
"""
REPORT = """The house was seen on Monday.

**Roof.** Nine tiles have slipped. Allow £400 to £500.

**Wall.** It leans. A mason should look at it.
Until then nobody goes near.
**Drains.** They were not tested.
"""
ALERTS = """[06:41] bot: ALERT queue is full
[07:31] Clara: the fix is in change 5512, Yusuf can you look?
[07:46] Yusuf: fine, merged
[08:05] Clara: v3.1.1 is out
[08:30] Ingrid: page set to green
[08:40] bot: queue is empty
[08:41] bot: all is well
[08:55] Ingrid: lunch at one
[09:12] Ingrid: meeting tomorrow 14:00 in Tern
"""


NEIGHBOURS = """5月14日 周三
09:14 1501林工：快充有吗
09:16 管家小贺：在西门外面，每度1.35元，坏了打桩上的电话
09:20 701小孟：充满了不开走怎么算
09:22 管家小贺：半小时后开始收占位费，封顶40块
11:48 701小孟：我明天去
12:10 1501林工：顶楼漏水报的维修基金批了没
12:15 管家小贺：批了，8.6万，6月初开工
"""
TEAM = """09:14 Ida: can we still book the van
09:16 Mr Bell: yes, until Friday at noon
09:20 Ida: what does it cost
09:22 Mr Bell: forty pounds with a full tank
09:30 Ida: thanks
"""


def texts(text: str) -> list[str]:
    return [unit.text for unit in units(1, hit(1, text))]


def answered(question: str, text: str) -> str:
    return extract_answer(question, [hit(1, text)], "en" if question.isascii() else "zh").replace("**", "")


def test_a_title_that_runs_in_leads_to_its_paragraph_alone() -> None:
    found = {unit.text: unit.headings for unit in units(1, hit(1, LETTER))}
    assert found["Start of work: You begin on Tuesday 3 March."] == ("Start of work",)
    assert found["Come to the gate at eight."] == ("Start of work",)
    assert found["This offer ends on Friday."] == ()


def test_a_bold_title_that_runs_in_leads_to_all_of_its_paragraph() -> None:
    found = {unit.text: unit.headings for unit in units(1, hit(1, REPORT))}
    assert found["The house was seen on Monday."] == ()
    assert found["Roof: Nine tiles have slipped."] == ("Roof",)
    assert found["Allow £400 to £500."] == ("Roof",)
    assert found["Until then nobody goes near."] == ("Wall",)
    assert found["Drains: They were not tested."] == ("Drains",)
    assert answered("How much will the roof cost?", REPORT).startswith("Roof: Allow £400 to £500")


def test_a_chat_whose_lines_begin_with_the_time_tells_no_times() -> None:
    assert "管家小贺：批了，8.6万，6月初开工" in texts(NEIGHBOURS)
    assert "Mr Bell: yes, until Friday at noon" in texts(TEAM)


@each_row(
    ("question", "chat", "answer"),
    [
        ("充满了还不开走怎么罚？", NEIGHBOURS, "管家小贺：半小时后开始收占位费，封顶40块"),
        ("顶楼漏水的维修基金批了多少？", NEIGHBOURS, "管家小贺：批了，8.6万"),
        ("What does the van cost?", TEAM, "Mr Bell: forty pounds with a full tank"),
        ("Until when can the van be booked?", TEAM, "Mr Bell: yes, until Friday at noon"),
    ],
)
def test_a_question_without_a_mark_leads_to_the_reply(question, chat, answer):
    assert answered(question, chat).startswith(answer)


def test_a_title_that_asks_is_no_question_of_a_chat() -> None:
    found = units(1, hit(1, "A: How long\n\nThe frame has ten years.\n\nWhat is covered\n\nThe motor has two.\n"))
    assert all(unit.answers for unit in found)


def test_a_lead_in_is_no_question_in_a_chat() -> None:
    text = "Descale every two months, or when the light blinks:\n\n1. Empty the tank.\n2. Let it run.\n"
    assert not units(1, hit(1, text))[0].answers


def test_a_question_in_a_chat_may_tell_something_itself() -> None:
    found = {unit.text: unit for unit in units(1, hit(1, ALERTS))}
    asked = "[07:31] Clara: the fix is in change 5512, Yusuf can you look?"
    assert found[asked].answers
    assert found["[07:46] Yusuf: fine, merged"].context == asked
    assert answered("Which change has the fix?", ALERTS).startswith(asked[:40])
    assert "[08:05] Clara: v3.1.1" in answered("Which version has the fix?", ALERTS)
    assert "half past four" in answered("Who fetches the child?", FETCHED)


def test_short_sentences_of_a_diary_are_no_titles() -> None:
    assert texts(DIARY)[:4] == [
        "Rain fell.",
        "We stayed in and played cards all day.",
        "The clock stopped.",
        "Ivo took it apart on Monday and could not put it together.",
    ]


@each_row(
    ("question", "begins"),
    [
        ("When do I start?", "Start of work: You begin on Tuesday 3 March"),
        ("Who signed the letter?", "With kind regards, Nora Beck"),
        ("Who wrote it?", "With kind regards, Nora Beck"),
    ],
)
def test_a_letter_answers(question, begins):
    assert answered(question, LETTER).startswith(begins)


def test_what_somebody_wrote_in_a_chat_does_not_say_when() -> None:
    assert "小白：能来，几点？" in texts(CHAT)
    assert not any("18:" in text for text in texts(CHAT))


@each_row(
    "text",
    [
        "10:30 server: restarted\n11:00 server: up\n11:05 server: down\n",  # a log tells when
        "小白 18:05：能来\n其余的人没有回复。\n",  # one line is no chat
        "开门 9:00：前门\n",
        "9:00 大会：开幕\n10:30 茶歇：大厅\n11:00 讨论：机器会思考吗\n15:30 茶歇：大厅\n",  # a programme
    ],
)
def test_other_times_stay(text):
    assert any(":0" in one or ":3" in one for one in texts(text))


@each_row(
    ("question", "answer"),
    [
        ("生日在哪里过？", "江边老船厂餐厅"),  # a question that tells something first
        ("停车方便吗？", "楼下有车库"),  # another question stands between it and its answer
    ],
)
def test_a_chat_answers(question, answer):
    assert answer in answered(question, CHAT).split("[1]")[0]
