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
