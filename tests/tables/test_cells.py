"""Numbers and dates as people write them into cells."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tables.cells import date_order, han_value, is_blank, read_date, read_day, read_number
from tests.each_row import each_row


@each_row(
    ("text", "value", "unit"),
    [
        ("1,200.50", 1200.5, ""),
        ("¥1,200.50", 1200.5, "元"),
        ("￥ 1,200", 1200, "元"),
        ("RMB 300", 300, "元"),
        ("-¥30", -30, "元"),
        ("¥-30", -30, "元"),
        ("(1,234)", -1234, ""),
        ("($40.20)", -40.2, "$"),
        ("−5", -5, ""),
        ("3.5%", 0.035, "%"),
        ("1.2万元", 12000, "元"),
        ("12亿", 1_200_000_000, ""),
        ("100万", 1_000_000, ""),
        ("$3k", 3000, "$"),
        ("$1.5bn", 1_500_000_000, "$"),
        ("２.５万", 25000, ""),
        ("5 m", 5, "m"),
        ("1.2M", 1_200_000, ""),
        ("1 234 567", 1234567, ""),
        ("三百二十", 320, ""),
        ("三百二", 320, ""),
        ("一万二千", 12000, ""),
        ("十二亿", 1_200_000_000, ""),
        ("百分之五", 0.05, "%"),
        ("壹佰元整", 100, "元"),
        ("1e5", 100000, ""),
        ("15 kg", 15, "kg"),
        ("8小时", 8, "小时"),
        ("2020年", 2020, "年"),
        ("3,850元/月", 3850, "元/月"),
        ("$120 per night", 120, "$/night"),
        ("21层", 21, "层"),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, value: float, unit: str) -> None:
    assert read_number(text) == (value, unit)


@each_row(
    "text", ["1,23", "12元/斤", "5月3日", "3 May 2024", "2班", "A1", "1.2.3", "10-20", "(5", "万", "5k", "x" * 99]
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_number(text) is None


@each_row("text", ["", " - ", "—", "N/A", "null", "无", "暂无"])
def test_a_blank_is_no_value(text: str) -> None:
    assert is_blank(text)


@each_row(
    ("text", "day"),
    [
        ("2024年5月3日", "2024-05-03"),
        ("2024/5/3", "2024-05-03"),
        ("2024.05.03", "2024-05-03"),
        ("2024-05", "2024-05-01"),
        ("２０２４年５月３日", "2024-05-03"),
        ("3 May 2024", "2024-05-03"),
        ("May 3rd, 2024", "2024-05-03"),
        ("Sep 2023", "2023-09-01"),
        ("2024-05-03T08:15:00Z", "2024-05-03 08:15"),
        ("13/04/2024", "2024-04-13"),
        ("04/13/2024", "2024-04-13"),
        ("03/04/2024", None),
        ("2024-13-01", None),
        ("2024-02-30", None),
        ("2023-02-29", None),
        ("1.5", None),
        ("5月3日", None),
    ],
)
def test_a_date_is_read(text: str, day: str | None) -> None:
    assert read_date(text) == day


def test_a_column_tells_which_part_is_the_month() -> None:
    assert date_order(["03/04/2024", "25/04/2024"]) == "day first"
    assert date_order(["03/04/2024", "04/25/2024"]) == "month first"
    assert date_order(["03/04/2024"]) == ""
    assert read_date("03/04/2024", "day first") == "2024-04-03"
    assert read_date("20240503") is None
    assert read_date("20240503", packed=True) == "2024-05-03"


@given(st.integers(-(10**12), 10**12), st.integers(0, 2))
def test_whole_numbers_are_read_however_they_are_grouped(value: int, way: int) -> None:
    text = (f"{value:,}", str(value), f"({-value:,})" if value < 0 else f"{value:,}")[way]
    assert read_number(text) == (value, "")


@given(st.integers(1, 99_999_999))
def test_chinese_numerals_are_read(value: int) -> None:
    assert han_value(_in_han(value)) == value
    assert han_value(f"十四亿零{_in_han(value)}") == 1_400_000_000 + value


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_number(text), read_date(text, packed=True), is_blank(text)


@given(st.dates())
def test_dates_are_read_as_they_are_written(day: object) -> None:
    text = str(day)
    assert read_date(text) == (text if re.match("1[6-9]|2[01]", text) else None)


def _in_han(value: int) -> str:
    """A number below a hundred million in full."""
    if value >= 10_000:
        rest = value % 10_000
        return _in_han(value // 10_000) + "万" + ("零" * (0 < rest < 1000) + _in_han(rest) if rest else "")
    text, zero = "", False
    for power, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, power)
        if digit:
            text += "零" * (zero and bool(text)) + "零一二三四五六七八九"[digit] + unit
        zero = not digit
    return text


@each_row(
    ("text", "day"),
    [("8月3日", "XXXX-08-03"), ("Sat 3 Aug", "XXXX-08-03"), ("Feb 29th", "XXXX-02-29"), ("2月30日", None), ("3", None)],
)
def test_a_day_without_a_year_is_read(text: str, day: str | None) -> None:
    assert read_day(text) == day


def test_a_weekday_beside_a_date_is_no_obstacle() -> None:
    assert read_date("Sat 3 Aug 2024") == read_date("2024-08-03 周六") == "2024-08-03"
