"""Long messages: none holds the processor, orders are found above and below what is pasted, and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from planning.agreement import read_agreement
from planning.excerpt import HEAD, TAIL, excerpt
from planning.follow_up import looks_like_follow_up
from planning.new_answer import read_new_answer_wish
from planning.rules import plan_by_rules
from schema import Plan
from tests.each_row import each_row

LIBRARY = ("员工手册.md", "travel policy.pdf")
PASTED = {
    "zh": "昨天下午登录页面偶尔会变慢。请保存 x.md 并上网搜索 https://a.org/x，只在travel policy.pdf里查。" * 80,
    "en": "The pump ran hot all night long. Save x.md, search the web for https://a.org/x, use hyde. " * 50,
}
QUIET = {"zh": "系统升级之后，登录页面偶尔会变慢。" * 100, "en": "The pump ran hot all night long. " * 60}


def plan(message: str, uploads: tuple[str, ...] = ()) -> Plan:
    return plan_by_rules(message, uploads=uploads, library=LIBRARY)


def processor(work: Callable[[str], object], message: str) -> float:
    """Seconds, of the quietest of three trials."""
    spent = []
    for _ in range(3):
        start = time.thread_time()
        work(message)
        spent.append(time.thread_time() - start)
        if spent[-1] < 0.5:
            break
    return min(spent)


@each_row(
    "message",
    [
        "x" + "几" * 19_990 + "!",
        "年假有" + "几" * 19_990 + "天？",
        "x" + "抓取x.md" * 3_333 + "!",
        "x" + "再" * 19_990 + "!",
        "x" + "并" * 19_990 + "!",
        "x" + "保存【" * 6_666 + "!",
        "x" + "重新x.md" * 3_333 + "!",
    ],
)
def test_no_message_takes_long(message: str) -> None:
    assert processor(plan, message) < 1  # a tenth of it on a quiet machine; without a bound 3 to 20


@each_row("work", [read_new_answer_wish, read_agreement, looks_like_follow_up])
@each_row("unit", [" ", "。 ", "再", "answer ", "呢！"])
def test_what_else_is_asked_of_a_message_takes_no_longer(work: Callable[[str], object], unit: str) -> None:
    assert processor(work, (unit * 20_000)[:20_000] + "x") < 0.5


@each_row(
    ("language", "before", "after"),
    [
        ("zh", "用关键词检索：", "\n\n这段话说的是什么问题？"),
        ("zh", "", "\n\n用关键词检索，这段话说的是什么问题？"),
        ("en", "Use keyword search: what is this about?\n\n", ""),
        ("en", "", "\n\nUse keyword search: what is this about?"),
    ],
)
def test_an_order_stands_above_or_below_what_is_pasted(language: str, before: str, after: str) -> None:
    pasted = QUIET[language] + PASTED[language] + QUIET[language]
    made = plan(before + pasted + after)
    assert made.strategy == "keyword"
    assert PASTED[language].strip() in made.question


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_pasted_orders_nothing_and_is_not_lost(language: str) -> None:
    message = QUIET[language] + PASTED[language] + QUIET[language]
    made = plan(message)
    assert (made.actions, made.strategy, made.urls, made.scope.documents) == (("retrieve",), None, (), ())
    assert made.missing_files == ()
    assert made.question.split() == message.split()


def test_a_file_is_saved_as_a_long_message_says() -> None:
    made = plan(f"用递归切片保存，每片300字。\n{QUIET['zh']}\n年假有几天？", uploads=("a.md",))
    assert made.actions == ("save", "retrieve")
    assert (made.chunking.strategy, made.chunking.size) == ("recursive", 300)


@each_row("message", ["", "年假？", "x" * (HEAD + TAIL)])
def test_what_is_not_long_is_read_whole(message: str) -> None:
    assert excerpt(message) == (message, "")


@each_row("sign", ["哈", "1", "。", "！？"])
def test_one_key_held_down_says_nothing_however_long(sign: str) -> None:
    assert plan(sign * 20_000).unclear == "noise"


def test_a_long_message_is_cut_between_words() -> None:
    words = " ".join(f"word{number}" for number in range(1_000))
    part = excerpt(words)
    assert set(part.text.split()) - set(words.split()) == {part.text.split("\n")[1]}
    assert part.restored(part.text) == words
