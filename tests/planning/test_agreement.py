"""A bare yes or no to an offer, and everything that is more than that."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planning.agreement import read_agreement
from tests.each_row import each_row
from tests.growth import assert_growth


@each_row(
    "message",
    [
        "好", "好的", "好的。", "好呀！", "好好好", "可以", "可以的", "行", "行吧", "嗯", "嗯嗯，搜吧", "搜吧",
        "搜索", "要", "是的", "对", "当然可以", "上网搜一下吧", "那就上网搜一下吧", "好的，请搜索",
        "麻烦你上网查一下", "联网查查看", "去网上找找", "帮我搜一下，谢谢", "  好的 谢谢  ", "要不搜一下", "没问题",
        "👍", "好的👌", "👍🏻", "試試吧", "查一下", "同意", "ＯＫ", "yes", "Yes!", "YES", "y", "yes please",
        "Yes, please.", "sure", "sure, go ahead", "Sure thing 👍", "ok", "okay", "yep", "yeah", "go ahead",
        "please do", "Of course.", "why not", "search the web", "yes, search online", "google it", "look it up",
        "please search the web for me", "sounds good", "ok, do it", "That would be great, thanks", "✅",
    ],
)  # fmt: skip
def test_yes(message: str) -> None:
    assert read_agreement(message) is True


@each_row(
    "message",
    [
        "不", "不用", "不用了", "不用了，谢谢", "不要", "不必了", "不需要", "别搜", "别搜了", "不用上网搜", "先不用",
        "算了", "算了吧", "没必要", "否", "好的，不用了", "谢谢，不用", "不了", "不不不", "暂时不用", "下次吧",
        "不要聯網", "不用麻烦了", "👎", "不行", "no", "No.", "n", "no thanks", "No, thanks!", "no thank you", "nope",
        "nah", "not now", "don't", "please don't", "don't bother", "never mind", "Nevermind", "skip it",
        "ok, no thanks", "no need", "no no no", "don't search the web", "rather not", "maybe later", "❌",
    ],
)  # fmt: skip
def test_no(message: str) -> None:
    assert read_agreement(message) is False


@each_row(
    "message",
    [
        "", "  ", "。", "谢谢", "thanks", "好的，那年假呢？", "好的，那病假有几天", "可以吗？", "好吗", "yes?",
        "搜索 年假", "上网搜一下黄金价格", "不用谢", "不搜不行", "好不好", "可以不搜吗", "不是很清楚",
        "不用vpn能登录吗", "是的是的我想问年假", "yes, but only for Python", "no results were found",
        "sure, what about part-time staff?", "go ahead and list the files", "search the web for gold prices",
        "不，搜吧", "yes no", "OK computer", "不用手册怎么办", "对比一下", "要多少钱", "don't panic", "好人",
        "行程单",
    ],
)  # fmt: skip
def test_more_than_that(message: str) -> None:
    assert read_agreement(message) is None


@given(
    st.text(max_size=80) | st.lists(st.sampled_from("好 不 用 搜 吧 ， yes no ok 谢谢 👍 ? 。".split(" "))).map("".join)
)
def test_any_text_is_read(message: str) -> None:
    assert read_agreement(message) in (True, False, None)


@each_row("unit", ["好", "不", "那就", "那么", "谢", "yes ", "no", "的", "上网", " ", "，", "先", "go "])
def test_no_message_makes_a_pattern_try_all_ways_to_read_it(unit: str) -> None:
    short, long = ((unit * size)[:size] + "x" for size in (14, 56))
    assert_growth(read_agreement, short, long, 64)  # 4 where linear, 64 where cubic
