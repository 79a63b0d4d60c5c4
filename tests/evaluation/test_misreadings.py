"""What rests on words that were read from a picture, and perhaps misread, holds no more than the reading."""

from __future__ import annotations

from evaluation.misreadings import with_misreadings
from schema import Message, Place, Support
from tests.each_row import each_row

HELD = Support(0.9, True, (Message(zh="前", en="before"),))


def lines(*doubts: str) -> list[Place]:
    return [Place(0, "picture", 1, doubts=doubts)]


@each_row(
    ("claim", "doubts", "score"),
    [
        ("The deposit is 8,000 dollars.", ["8,000 0.62"], 0.62),
        ("The deposit is 8,000 dollars.", ["8,000 0.62", "The 0.40"], 0.40),  # a name, for all that is known
        ("The deposit is 8,000 dollars.", ["deposit 0.62"], None),  # no name, and read well enough
        ("The deposit is 8,000 dollars.", ["deposit 0.59"], 0.59),
        (
            "The deposit is 8,000 dollars.",
            ["000 0.30", "8 0.30", "dollar 0.20", "7,000 0.10"],
            None,
        ),  # no words of the claim
        ("The model is (B-7).", ["B-7 0.95"], 0.9),  # it was not as sure before
        ("押金为八千元。", ["八千 0.7"], 0.7),
        ("押金为八千元。", ["押金 0.7"], None),
        ("押金为八千元。", ["押金 0.5"], 0.5),
        ("押金为八千元。", ["九千 0.1"], None),
    ],
)
def test_a_claim_is_as_sure_as_its_words_were_read(claim: str, doubts: list[str], score: float | None) -> None:
    told = with_misreadings(HELD, claim, lines(*doubts))
    if score is None:
        assert told == HELD
    else:
        assert (told.score, told.supported) == (score, False)


def test_each_doubtful_word_is_named_with_how_sure_it_was() -> None:
    told = with_misreadings(HELD, "Rule 5 costs 8,000.", [*lines("8,000 0.625"), *lines("Rule 0.5")])
    assert [reason.en for reason in told.reasons] == [
        "before",
        '"8,000" was read from a picture, with a confidence of only 0.62: check the page',
        '"Rule" was read from a picture, with a confidence of only 0.50: check the page',
    ]
    assert told.reasons[1].zh == "“8,000”是从图片中识别的，把握只有 0.62，请对照原页"


def test_what_could_not_be_compared_stays_so() -> None:
    unknown = Support(0.0, True, comparable=False)
    assert with_misreadings(unknown, "押金为八千元。", lines("八千 0.7")) == unknown
