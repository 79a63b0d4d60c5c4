from hypothesis import given
from hypothesis import strategies as st

from planning.folding import folded, normal
from planning.numerals import find_numbers
from tests.each_row import each_row


@each_row(
    ("text", "value"),
    [
        ("三百", 300), ("一千二", 1200), ("一千二百", 1200), ("一千零五十", 1050), ("两百五", 250), ("一百二十八", 128),
        ("十", 10), ("二十", 20), ("两万", 20_000), ("一万两千五", 12_500), ("1千", 1000), ("1,200", 1200), ("1k",
        1000),
        ("1.5k", 1500), ("５００", 500), ("five hundred", 500), ("one thousand two hundred", 1200),
        ("twelve hundred", 1200), ("a thousand", 1000), ("two hundred and fifty", 250), ("sixty-four", 64),
    ],
)  # fmt: skip
def test_reads_numbers_as_people_write_them(text, value):
    assert [number.value for number in find_numbers(folded(text))] == [value]


@each_row(("text", "value"), [("10%", 10), ("百分之二十", 20), ("２５％", 25), ("twenty percent", 20)])
def test_percentages_are_marked(text, value):
    assert [(number.value, number.percent) for number in find_numbers(folded(text))] == [(value, True)]


@each_row("text", ["ab12", "k8s", "v2x", "百度", "12345678901234567890"])
def test_parts_of_names_are_no_numbers(text):
    assert list(find_numbers(text)) == []


@given(st.text(alphabet="零一二三四五六七八九十百千万两〇0123456789,.k% 百分之abthousandhundredfive-", max_size=60))
def test_never_fails_and_stays_within_the_text(text):
    for number in find_numbers(folded(text)):
        assert 0 <= number.start < number.end <= len(text)
        assert number.value >= 0


@given(st.text())
def test_folding_keeps_every_place(text):
    text = normal(text)
    assert len(folded(text)) == len(text)


def test_folding_joins_width_case_and_script():
    assert folded("用語義切片，ＨｙＤＥ：Café") == "用语义切片,hyde:cafe"
