from answering.closest import closest_sentences
from schema import Hit
from tests.each_row import each_row

SHOP = {
    "en": {
        "How can I get a refund?": "Open the order and choose 'After sales'; money returns within three days.",
        "Why does my coupon not work?": "Coupons have a minimum spend and an expiry date.",
        "How do I charge the watch?": "Place it on the magnetic dock, two hours to full.",
        "Do you ship abroad?": "We deliver within the country only.",
    },
    "zh": {
        "怎样申请退款？": "在订单详情页点击“申请售后”，审核通过后 3 个工作日原路退回。",
        "如何注销账户？": "进入“设置-账户安全”，提交后 15 天内不登录即注销。",
        "手表如何充电？": "使用磁吸底座，约 2 小时充满。",
        "海外可以购买吗？": "目前仅支持中国大陆地区配送。",
    },
}


def shop(language):
    text = "# Shop\n\n" + "\n".join(f"## {asked}\n\n{said}\n" for asked, said in SHOP[language].items())
    return [Hit(1, "faq.md", "", text, 0, len(text), 1, text.count("\n") + 1, headings=("Shop",))]


@each_row(
    ("question", "first"),
    [
        ("the discount voucher is rejected", "**Why does my coupon not work**: Coupons have a minimum spend"),
        ("I want my money back", "**How can I get a refund**: Open the order"),
        ("do you send parcels overseas", "**Do you ship abroad**: We deliver"),
        ("我想把钱要回来", "**怎样申请退款**：在订单详情页"),
        ("把我的户头删掉", "**如何注销账户**：进入“设置-账户安全”"),
    ],
)
def test_what_is_asked_in_other_words_is_listed(question, first):
    hits = shop("zh" if question > "\u4e00" else "en")
    listed = closest_sentences(question, hits).splitlines()
    assert 1 <= len(listed) <= 3
    assert any(line.startswith(f"- {first}") for line in listed[:2]), listed
    assert all("[1]" in line for line in listed)


@each_row("question", ["who won the world cup in 1998", "法国的首都是哪里", "", "？？", "xqzzyv"])
def test_what_is_about_something_else_lists_nothing(question):
    assert closest_sentences(question, shop("en") + shop("zh")) == ""


def test_a_hit_without_sentences_is_not_listed():
    table = "| refund | days |\n| --- | --- |\n| money back | 3 |"
    assert closest_sentences("I want my money back", [Hit(1, "a.md", "", table, 0, len(table), 1, 3)]) == ""
    assert closest_sentences("I want my money back", []) == ""
