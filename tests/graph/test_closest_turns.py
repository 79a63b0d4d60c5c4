import pytest
from turn_cases import assistant_of, of, say, upload

from nodes.events import Answered, EvidenceFound, Token


@pytest.mark.parametrize(
    ("question", "lead", "listed"),
    [
        ("the rebates and discounts are rejected", "Nothing in the library answers", "Why does my coupon not work"),
        ("我想把钱要回来", "知识库里没有直接回答这个问题", "怎样申请退款"),
    ],
)
async def test_what_is_asked_in_other_words_is_shown_what_is_closest(make_settings, tmp_path, question, lead, listed):
    shop = {
        "Why does my coupon not work?": "Coupons have a minimum spend and an expiry date.",
        "How do I charge the watch?": "Place it on the magnetic dock, two hours to full.",
        "怎样申请退款？": "在订单详情页点击“申请售后”，审核通过后原路退回。",
        "手表如何充电？": "使用磁吸底座，约两小时充满。",
    }
    text = "\n".join(
        f"## {asked}\n\n{said}\n" for asked, said in shop.items() if (asked > "\u4e00") == (question > "\u4e00")
    )
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "faq.md", text))
        events = await say(assistant, question)
        answer = of(events, Answered)[0].answer
        assert answer.text.startswith(lead)
        assert f"**{listed}**" in answer.text
        assert "".join(one.text for one in of(events, Token)) == answer.text
        assert all(one.supported for one in answer.statements)
        assert answer.sources
        assert answer.confidence < 0.02
        assert not of(events, EvidenceFound)[-1].coverage.covered
