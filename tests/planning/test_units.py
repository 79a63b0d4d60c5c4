"""Sizes in tokens and words: the unit is part of the plan."""

from planning.chunking_words import describe_chunking
from planning.rules import plan_by_rules
from tests.each_row import each_row


def chunking(message, **more):
    return plan_by_rules(message, uploads=["a.md"], library=[], **more).chunking


@each_row(
    ("message", "size", "overlap", "unit"),
    [
        ("存一下，每片512个token", 512, None, "tokens"),
        ("按512 tokens切分", 512, None, "tokens"),
        ("每块300个词元，重叠50", 300, 50, "tokens"),
        ("保存，每片500词", 500, None, "words"),
        ("每段两百个单词，重叠二十个单词", 200, 20, "words"),
        ("Save it in chunks of 200 words", 200, None, "words"),
        ("512-token chunks please", 512, None, "tokens"),
        ("Store it with an overlap of 50 tokens", None, 50, "tokens"),
        ("chunk size: 400 tokens, overlap 10%", 400, 40, "tokens"),
        ("store it, windows of 500 words that move on by 400", 500, 100, "words"),
        ("入库，块长500个token，步长400", 500, 100, "tokens"),
        ("切片大小1000词，重叠率20%，入库", 1000, 200, "words"),
        ("400 words in a chunk, overlapping by an eighth", 400, 50, "words"),
    ],
)
def test_the_unit_of_a_size(message, size, overlap, unit):
    wish = chunking(message)
    assert (wish.size, wish.overlap, wish.unit) == (size, overlap, unit)


@each_row(("message", "unit"), [("每片500字", "characters"), ("chunks of 500 characters", "characters"),
                                               ("chunks of 500", None), ("每片500", None)])  # fmt: skip
def test_characters_are_said_where_the_settings_count_something_else(message, unit):
    assert chunking(message, default_unit="tokens").unit == unit
    assert chunking(message).unit is (None if unit == "characters" else unit)


def test_two_units_in_one_wish_are_not_certain():
    message = "Save it in chunks of 512 tokens with 100 characters of overlap"
    assert not plan_by_rules(message, uploads=["a.md"], library=[]).certain


def test_the_unit_is_described():
    said = describe_chunking(chunking("每片512个token"))
    assert "512 词元" in said.zh
    assert "512 tokens" in said.en
