"""Sentences by what they mean, where words say little."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation import meaning
from evaluation.answer_units import AnswerUnits, read_units
from evaluation.meaning import with_meaning
from evaluation.scored_units import scored_units
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit


def parted(question: str, *texts: str) -> tuple[AnswerUnits, np.ndarray, np.ndarray]:
    """The sentences, with shares that leave the first one the likeliest by far, before and after."""
    among = read_units(question, [hit(1, "\n\n".join(texts))])
    before = np.array([0.5, *[0.4 / (len(among.units) - 1)] * (len(among.units) - 1)])
    return among, before, with_meaning(question, among.units, among.features.coverage, before)


@each_row(
    ("question", "texts"),
    [
        ("How much do I get back if I pull out?",
         ("The office is open from nine to five.", "Whoever cancels receives half of the price as a refund.")),
        ("看病的钱谁出？", ("办公室九点开门，五点关门。", "医疗费用由公司承担。")),
        ("May I bring my puppy?", ("Breakfast is served from seven.", "Dogs and cats are not allowed.")),
        ("宠物可以带吗？", ("早餐七点开始供应。", "猫和狗不得入内。")),
    ],
)  # fmt: skip
def test_what_means_the_same_counts_more(question: str, texts: tuple[str, ...]) -> None:
    among, before, after = parted(question, *texts)
    assert [unit.text for unit in among.units] == list(texts)
    assert after.argmax() == 1
    assert sorted(after) == sorted(before)  # what tells how sure it is stays as it was


def test_where_words_say_it_they_decide() -> None:
    question = "When is breakfast served?"
    _, before, after = parted(question, "Breakfast is served from seven.", "One can eat in the morning.")
    assert after is before


def test_only_the_likeliest_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_MOST", 2)
    question = "May I bring my puppy?"
    _, before, after = parted(question, "Breakfast is at seven.", "The pool is closed.", "Dogs are not allowed.")
    assert after[2] == before[2]
    _, _, compared = parted(question, "# Dogs", "Not allowed.", "The pool is closed.")
    assert compared[0] == compared.max()


def test_what_is_no_answer_stays_none() -> None:
    among = read_units("May I bring my puppy?", [hit(1, "Dogs are not allowed.\n\nThe pool is closed.\n\nCats too.")])
    after = with_meaning("May I bring my puppy?", among.units, among.features.coverage, np.array([0.0, 0.6, 0.4]))
    assert after[0] == 0


def test_what_words_put_first_is_second_at_least() -> None:
    texts = ("The office opens at nine.", "Dogs are not allowed.", "Cats and dogs stay outside.", "The pool is closed.")
    _, before, after = parted("May I bring my puppy?", *texts)
    assert after.argmax() != 0
    assert after[0] == sorted(before)[-2]


def test_an_answer_in_other_words_is_found_in_a_long_passage() -> None:
    rooms = [f"Room {number} has a view of the garden." for number in range(1, 25)]
    among, _, after = parted("May I bring my puppy?", *rooms, "Dogs are not allowed.")
    assert among.units[after.argmax()].text == "Dogs are not allowed."


def test_translations_before_a_question_do_not_blur_what_it_means() -> None:
    question, translated = "签了合同又后悔，能全额退吗？", "sign get back money thing mind change"
    said = ["Sign for each thing that you get back.", "Change money before the trip.", "Regrets mean a full refund."]
    among = read_units(f"{translated} {question}", [hit(1, "\n\n".join(said))], asked=question)
    shares = [one.share for one in scored_units(among, "en", 1.0, None)]
    assert shares[2] > shares[1]
