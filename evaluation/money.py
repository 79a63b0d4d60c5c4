"""Sentences that name an amount of money, where it is asked what something costs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import question_terms
from text import search_tokens, simplified

_asks_money = re.compile(
    r"\bhow much\b.{0,60}\b(?:costs?|pay|paid|charged?|earn|spen[dt]|rent|fine|fee|price|deposit|owed?)\b"
    r"|\b(?:what|which)\b.{0,40}\b(?:costs?|prices?|fees?|fines?|charges?|rent|penalty|fares?|deposit)\b"
    r"|\b(?:is|are)\b.{0,60}\b(?:free|charged)\b|\bhow expensive\b|\bdiscounts?\b"
    r"|多少[钱元]|几[元块]钱?|什么价|价[格钱位]|怎么(?:收费|算钱|计费)|收费|要钱|免费吗|要付费|优惠|打折|折扣|[花赔罚退扣交付]多少|费用|押金|租金",
    re.IGNORECASE,
)
_words_of_money = re.compile(
    r"\b(?:how much|costs?|pay(?:s|ing)?|paid|charge[ds]?|prices?|fees?|fines?|money|free|expensive)\b"
    r"|多少|[钱元价费收要花赔罚退扣交付]",
    re.IGNORECASE,
)
_money = re.compile(  # the last digit of a number does: to read it from each of its digits on takes the square
    r"[$€£¥￥]\s?\d|\d[.,]*\s?(?:million |billion |thousand |k )?(?:euros?|pounds?|dollars?|cents?|pence|francs?|yuan"
    r"|rmb|eur|usd|gbp|cny|chf|nok|sek|dkk|pln|czk|huf|jpy|krw|inr|hkd|twd|sgd|aud|nzd|cad|mxn|brl|zar|yen|rupees?"
    r"|kron[eo]r|zloty)\b|\d[.,]*\s?[$€£%]|\bfor free\b|\bfree of charge\b|\b(?:is|are) (?:always )?free\b"
    r"|[\d〇零一二两三四五六七八九十百千万]\s?[万亿千百]?(?:美|欧|日|港)?(?:元|块|円)"
    r"|免费|免收|减免|不收费|不另收|[\d一二三四五六七八九]折|优惠|\breduced\b|\bhalf price\b",
    re.IGNORECASE,
)
_asks_amount = re.compile(
    r"\bhow much (?:do|does|did)\b|\bhow much\b.{0,60}\bcosts?\b|\bhow expensive\b|多少钱|几[元块]钱?", re.IGNORECASE
)
_asks_price = re.compile(r"\bhow (?:much|expensive)\b|\bcosts?\b|\bprices?\b|多少|几[元块]|价[格钱]", re.IGNORECASE)
_share = re.compile(r"\d\s?%|(?:百|千|万)分之")
_asks_free = re.compile(
    r"\b(?:is|are)\b.{0,60}\bfree\b|\bdo (?:i|we|you) (?:have|need) to pay\b|要钱吗|免费吗|收费吗|要付费吗",
    re.IGNORECASE,
)
_free = re.compile(r"\bfree\b|\bnothing\b|免费|免收|不收费|不另收", re.IGNORECASE)
_charges = re.compile(r"(?<!\ba )\b(?:charge[sd]?|costs?|pays|fees?|prices?|fines?)\b|[收按]|每", re.IGNORECASE)
_TIME = frozenset(
    "year month week day night hour one 年 月 天 一年 每年 每月 一天 小时 一个 个月".split()
)  # no subject
_SAID, _TITLED = 100.0, 1000.0  # times as likely, and right under a title that says all of what is asked about
_CHARGED, _FREE = 5.0, 20.0  # and where it says that it is charged; or free, where that is asked


def asks_price(question: str) -> bool:
    """Whether it is asked how much something costs, and not when a deposit is paid."""
    said = simplified(question)
    return bool(_asks_money.search(said) and _asks_price.search(said))


def names_money(text: str) -> bool:
    """Whether a text in simplified script names an amount of money, or says that there is none to pay."""
    return _money.search(text) is not None


def names_amount(text: str) -> bool:
    """The same, where a share of something is none: nobody pays 5 %."""
    return _money.search(_share.sub(" ", text)) is not None


def with_money(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """Such a sentence is likelier where it, the sentence before it or what it stands under says what the money is
    for."""
    said = simplified(question)
    if not _asks_money.search(said):
        return shares
    names = names_amount if _asks_amount.search(said) else names_money
    priced = asks_price(question)
    subjects = frozenset(question_terms(_words_of_money.sub(" ", said))) - _TIME
    texts = [simplified(unit.text) for unit in units]
    chosen, titled = [], []
    hit, before, itself = 0, frozenset[str](), False
    for unit, text in zip(units, texts, strict=True):
        own = frozenset(search_tokens(text))
        around = own | frozenset(search_tokens(simplified(f"{' '.join(unit.headings)} {unit.context}")))
        around |= before if unit.hit == hit else frozenset()
        chosen.append(names(text) and not subjects.isdisjoint(around))
        title = frozenset(search_tokens(simplified(unit.headings[-1]))) if unit.headings else frozenset()
        titled.append(chosen[-1] and priced and bool(subjects) and subjects <= title)
        itself = itself or (chosen[-1] and subjects <= own)
        hit, before = unit.hit, own
    sure, factor = (_free, _FREE) if _asks_free.search(said) else (_charges, _CHARGED)
    surely = [named and sure.search(text) is not None for named, text in zip(chosen, texts, strict=True)]
    titled = [one and not itself for one in titled]
    return raised(raised(raised(shares, chosen, _SAID), titled, _TITLED), surely, factor)
