import numpy as np
import pytest

from benchmarks.answers import AnsweredQuestion, bars_of, figures_of
from benchmarks.answers_fit import fit_logistic, fit_ranking
from benchmarks.answers_judged import calibration_error, holds, reliability
from evaluation.answer_confidence import WEIGHTS
from evaluation.answer_ranking import FEATURES
from schema import Answer, Citation, Hit, Statement, Support
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")

HITS = tuple(Hit(n, f"{n}.txt", "", "text", 0, 4, 1, 1) for n in range(2))


def asked(text, *sentences, golds=("1874",), confidence=0.9, doubted=False, kind="answerable"):
    """The answer's sentences cite the sources in turn."""
    statements = tuple(
        Statement(said, (Citation(n + 1, n, 0, 4, 1, 1, "text", Support(1.0, True)),))
        for n, said in enumerate(sentences)
    )
    answer = Answer(text, statements, HITS, confidence)
    return AnsweredQuestion(kind, golds, frozenset({"0.txt"}), answer, doubted, "It was built in 1874.", None)


def test_whole_turns_are_asked_and_weights_fitted():
    report = measured("answers", "--questions", "12", "--fit")
    figures = report.metrics["retrieval"]
    assert figures["held"] >= figures["first alone"] > 0.5
    assert figures["first citation right"] > 0.5
    assert 0 < figures["characters"] < figures["passage characters"]
    assert figures["passage held"] > 0.5
    assert 0 <= figures["unanswerable doubted"] <= 1
    assert not report.bars
    assert 0 <= figures["missing doubted"] <= 1
    held_out = report.metrics["retrieval held out"]
    assert held_out["held"] >= held_out["first alone"] > 0.3
    assert 0 <= held_out["calibration error"] <= 1
    fitted = [note for note in report.notes if note.startswith('"')]
    assert len(fitted) == len(FEATURES) + len(WEIGHTS)
    assert any("% right" in note for note in report.notes)


def test_an_answer_holds_what_it_shows_whatever_the_type():
    assert holds("Built in **18**74 [1].", ["18 74"])
    assert holds("**五 月** 一日 [2]", ["五月一日"])
    assert not holds("There are many [7].", ["7"])


def test_figures_by_hand():
    answerable = [
        asked("It was old [1]. Built in **1874** [2].", "It was old.", "Built in 1874."),
        asked("In 1874 [1].", "In 1874.", confidence=0.95),
        asked("Nobody knows [1].", "Nobody knows.", confidence=0.2, doubted=True),
        AnsweredQuestion("answerable", ("1874",), frozenset(), None, True, "", None),
    ]
    figures = figures_of([*answerable, asked("Tea [1].", "Tea.", golds=(), confidence=0.5, kind="near")])
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
    questions = []
    for _ in range(50):
        values = chance.normal(size=(6, 3))
        questions.append((values, values[:, 1] == values[:, 1].max()))
    weights = fit_ranking(questions)
    assert weights[1] > 5 * max(abs(weights[0]), abs(weights[2]))


def test_a_confidence_is_learned_that_says_how_many_are_right():
    chance = np.random.default_rng(0)
    values = np.column_stack([np.ones(4_000), chance.normal(size=4_000)])
    true = 1 / (1 + np.exp(-values @ [1.0, 2.0]))
    right = chance.random(4_000) < true
    weights = fit_logistic(values, right)
    assert weights == pytest.approx([1.0, 2.0], abs=0.15)
    assert calibration_error(1 / (1 + np.exp(-values @ weights)), right) < 0.03


def test_reliability_by_hand():
    confidence, right = np.array([0.05, 0.95, 1.0, 0.92]), np.array([False, True, True, False])
    lines = list(reliability(confidence, right))
    assert lines == [" 0 to  10 %:    1 answers, 0% right (5% said)", "90 to 100 %:    3 answers, 67% right (96% said)"]
    assert calibration_error(confidence, right) == pytest.approx((0.05 + 3 * (0.9567 - 0.6667)) / 4, abs=1e-4)
    assert calibration_error(np.array([]), np.array([], dtype=bool)) == 0
