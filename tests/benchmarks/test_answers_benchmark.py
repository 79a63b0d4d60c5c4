import numpy as np
import pytest

from benchmarks.answers import Asked, bars_of, figures_of, holds
from benchmarks.answers_fit import Sample, fit
from evaluation.answer_ranking import WEIGHTS
from schema import Answer, Citation, Hit, Statement, Support
from tests.benchmarks.commands import measured

HITS = tuple(Hit(n, f"{n}.txt", "", "text", 0, 4, 1, 1) for n in range(2))


def asked(text, *sentences, golds=("1874",), confidence=0.9, doubted=False):
    """The answer's sentences cite the sources in turn."""
    statements = tuple(
        Statement(said, (Citation(n + 1, n, 0, 4, 1, 1, "text", Support(1.0, True)),))
        for n, said in enumerate(sentences)
    )
    answer = Answer(text, statements, HITS, confidence)
    return Asked(golds, frozenset({"0.txt"}), answer, doubted, "It was built in 1874.", None)


def test_whole_turns_are_asked_and_weights_fitted():
    report = measured("answers", "--questions", "12", "--fit")
    figures = report.metrics["retrieval"]
    assert figures["held"] >= figures["first alone"] > 0.5
    assert figures["first citation right"] > 0.5
    assert 0 < figures["characters"] < figures["passage characters"]
    assert figures["passage held"] > 0.5
    assert 0 <= figures["unanswerable doubted"] <= 1
    assert not report.bars
    assert report.metrics["weights"]["questions"] > 6
    assert len(report.notes) == len(WEIGHTS)


def test_an_answer_holds_what_it_shows_whatever_the_type():
    assert holds("Built in **18**74 [1].", ["18 74"])
    assert holds("**五 月** 一日 [2]", ["五月一日"])
    assert not holds("There are many [7].", ["7"])


def test_figures_by_hand():
    answerable = [
        asked("It was old [1]. Built in **1874** [2].", "It was old.", "Built in 1874."),
        asked("In 1874 [1].", "In 1874.", confidence=0.95),
        asked("Nobody knows [1].", "Nobody knows.", confidence=0.2, doubted=True),
        Asked(("1874",), frozenset(), None, True, "", None),
    ]
    figures = figures_of([*answerable, asked("Tea [1].", "Tea.", golds=(), confidence=0.5)])
    assert (figures["held"], figures["first alone"], figures["first citation right"]) == (0.5, 0.25, 0.75)
    assert figures["characters"] == pytest.approx(np.mean([len("It was old. Built in 1874."), 8, 13]), abs=1)
    assert (figures["bold"], figures["doubted"], figures["passage held"]) == (0.25, 0.5, 0.75)
    assert (figures["right auroc"], figures["unanswerable auroc"], figures["unanswerable doubted"]) == (1.0, 0.5, 0.0)


def test_bars_are_of_the_large_sets_alone():
    figures = {"held": 0.9, "characters": 421.0, "first alone": 0.78}
    assert [bar.ok for bar in bars_of("squad_en", figures).values()] == [True, False, True]
    assert not bars_of("retrieval", figures)


def test_what_tells_right_sentences_from_others_is_learned():
    chance = np.random.default_rng(0)
    samples = []
    for _ in range(50):
        values = chance.normal(size=(6, 3))
        samples.append(Sample(values, values[:, 1] == values[:, 1].max()))
    weights = fit(samples)
    assert weights[1] > 5 * max(abs(weights[0]), abs(weights[2]))
