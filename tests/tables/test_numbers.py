from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tables.numbers import NUMERALS, WORDS, chinese_value, numbers
from tests.each_row import each_row


def read(text):
    return [(number.value, number.unit) for number in numbers(text)]


@each_row(
    ("text", "value"),
    [
        ("三十", 30),
        ("十", 10),
        ("一百零五", 105),
        ("三百五十万", 3_500_000),
        ("二〇一五", 2015),
        ("三点五亿", 3.5e8),
        ("一万二千", 12_000),
        ("十万零一", 100_001),
        ("八千万亿", 8e15),
        ("两千零一", 2001),
        ("二十五万三千", 253_000),
        ("三点一四", 3.14),
        ("〇八", 8),
        ("一二三", 123),
        ("一亿三千万", 130_000_000),
        ("一万亿", 10**12),
        ("万", 10_000),
        ("", None),
        ("点五", None),
        ("两三", None),  # about so many
        ("一" * 30, float("1" * 30)),
        ("一" * 31, None),
    ],
)
def test_chinese_numerals(text, value):
    assert chinese_value(text) == value


@each_row(
    ("text", "expected"),
    [
        ("三十公斤", [(30, "kg")]),
        ("30 kg", [(30, "kg")]),
        ("百分之三十", [(30, "%")]),
        ("30%", [(30, "%")]),
        ("2015年8月10日", [(2015, "year"), (8, "month"), (10, "day")]),
        ("3.5亿元", [(3.5e8, "cny")]),
        ("第三次", [(3, "")]),
        ("US$2.5 million and $12.50", [(2.5e6, "usd"), (12.5, "usd")]),
        ("twenty-one of two hundred and fifty", [(21, ""), (250, "")]),
        ("the first six books", [(6, "")]),
        ("ninety seconds, then one hundred and twenty seconds", [(90, "second"), (120, "second")]),
        ("the twenty-second of May", [(22, "")]),
        ("since 0.95.0", []),  # a version
        ("20-30 minutes", [(20, ""), (30, "minute")]),
        ("the 1990s and the 21st century", [(1990, ""), (21, "")]),
        ("5GB", [(5, "gb")]),
        ("(born 1972) is", [(1972, "")]),
        ("two thousand five hundred and twelve people", [(2512, "")]),
        ("one million two hundred thousand", [(1_200_000, "")]),
        ("ten thousand and one nights, three billion stars", [(10_001, ""), (3e9, "")]),
        ("three hundreds, nine trillion dollars", [(300, ""), (9e12, "usd")]),
        ("twenty-second, forty first, sixtieth, twelfth", [(22, ""), (41, ""), (60, ""), (12, "")]),
        ("1,234,567.5 kg; 12.5% of 3 per cent", [(1_234_567.5, "kg"), (12.5, "%"), (3, "%")]),
        ("30°C and 5 ° c", [(30, "degree"), (5, "degree")]),
        ("£20 and €30.5, ¥300 or US$ 5", [(20, "gbp"), (30.5, "eur"), (300, "cny"), (5, "usd")]),
        ("8am 9GB 10ml 1st 2nd 100s", [(8, ""), (9, "gb"), (10, "ml"), (1, ""), (2, ""), (100, "")]),
        ("一月三日，三点五万公里", [(1, "month"), (3, "day"), (35_000, "km")]),
        ("1.5亿人，5百万，2万吨", [(1.5e8, ""), (5e6, ""), (20_000, "tonne")]),
        ("十分钟，百分之五点五", [(10, "minute"), (5.5, "%")]),
        ("一千万要付清", [(10_000_000, "")]),
        ("万一千人的十分之一", [(11_000, ""), (10, "")]),
        ("人数三百人，上十级，上第十级", [(300, ""), (10, ""), (10, "")]),
    ],
)
def test_numbers_of_both_languages(text, expected):
    assert read(text) == expected


@each_row(
    "text",
    [
        "四川人十分高兴",
        "万一下雨",
        "一个人",
        "两三天",
        "k8s",
        "v1.2.3",
        "COVID-19",
        "one of them",
        "5k8",
        "千万别去",
        "百分百",
        "数十名员工",
        "几百人",
        "上千元",
        "一一说明",
        "a hundred and one",
        "seconds",
        "First",
    ],
)
def test_what_is_no_number(text):
    assert read(text) == []


@given(st.text(alphabet="零一二三十百千万亿点第百分之0123456789.,%$ 年月日kgtwohundredand-", max_size=40))
def test_any_text_is_read_in_order(text):
    found = list(numbers(text))
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(0 <= number.start < number.end <= len(text) for number in found)


def test_each_number_word_and_numeral_is_found_wherever_it_stands() -> None:
    for word in WORDS.keys() - {"one", "first", "second"}:
        assert [number.value for number in numbers(f"so {word.title()}-fold, {word}s")] == [WORDS[word]] * 2, word
    for sign in NUMERALS:
        assert len([*numbers(f"共第{sign}章")]) == 1, sign
