"""Words that ask for a new answer, and words that only look like them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planning.new_answer import read_new_answer_wish
from tests.each_row import each_row


@each_row(
    "words",
    [
        "重新回答", "再答一次", "再回答一遍。", "请重新生成", "重答", "请你重新回答这个问题",
        "Ask again", "answer anew", "Try again!",
        "regenerate the answer", "please answer it again", "give me a new answer",
    ],
)  # fmt: skip
def test_alone(words: str) -> None:
    assert read_new_answer_wish(words) == (True, "")


@each_row(
    ("message", "rest"),
    [
        ("重新回答：年假有几天？", "年假有几天？"),
        ("年假有几天？（重新回答）", "年假有几天？"),
        ("年假有几天？重新回答", "年假有几天？"),
        ("Ask again: how long is it?", "how long is it?"),
        ("How long is it? (answer anew)", "How long is it?"),
        ("How long is it? Answer again.", "How long is it?"),
    ],
)
def test_beside_a_question(message: str, rest: str) -> None:
    assert read_new_answer_wish(message) == (True, rest)


@each_row(
    "message",
    [
        "怎么重新生成密钥？", "重新生成证书的步骤是什么", "How do I answer again on the phone?",
        "Try again later means what?",
        "把 a.md 重新切片", "再次感染怎么办", "What does “ask again” mean in the manual?", "",
    ],
)  # fmt: skip
def test_not_meant(message: str) -> None:
    assert read_new_answer_wish(message) == (False, message)


@given(st.text(max_size=60))
def test_any_text_is_read(message: str) -> None:
    anew, rest = read_new_answer_wish(message)
    assert (rest == message) != anew or not message.strip()
    assert len(rest) <= len(message)
