import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.synthetic import Quality, Truth
from providers.calibration import _FEWEST, _weight, calibrate, learn, prepare
from providers.hashing import HashingEmbedder
from providers.tfidf import fit

WORDS = "amber birch copper delta ember falcon granite harbour island juniper kettle lantern marble needle".split()
HAN = "琥珀桦树红铜三角余烬猎鹰花岗港湾岛屿松柏水壶灯笼大理石针叶河流山谷铁路桥梁"


def english(chance, words=12):
    return " ".join(f"{chance.choice(WORDS)}{chance.randint(0, 30)}" for _ in range(words)) + "."


def chinese(chance):
    return "".join(chance.choice(HAN) for _ in range(24)) + "。"


def library_of(chance, texts=120, sentence=english):
    return [" ".join(sentence(chance) for _ in range(3)) for _ in range(texts)]


def weights(texts, quality):
    truth, trial = Truth({text: text for text in texts}, {}), prepare(texts)
    learned = learn(trial, truth.vectors(trial.texts, quality), truth.vectors(trial.questions, quality))
    return {language: found["vector_weight"] for language, found in learned.items()}


def test_the_weight_follows_what_the_vectors_find():
    texts = library_of(random.Random(0))
    useless, weak, good = (weights(texts, Quality(strength))["en"] for strength in (0.0, 0.1, 0.3))
    assert useless < 0.3 < weak < good


def related(chance, texts=30):
    """Pairs of neighbours that share a subject and hardly a sentence's words, among others that do not."""
    found = []
    for subject in range(texts):
        words = [f"{word}{subject}" for word in WORDS]
        for _ in range(3):
            found.append(". ".join(" ".join(chance.sample(words, 6)) for _ in range(4)) + ".")
    return found


def subject_weight(texts, vectors):
    """Learned with vectors of `vectors(places)`, the place of the text that each question is of."""
    trial = prepare(texts)
    own = [next(n for n, text in enumerate(texts) if sentence in text) for _, sentence in trial.pairs["en"]]
    own += [place for _, place in trial.subjects["en"]]
    learned = learn(trial, vectors(range(len(texts))), vectors(own))
    return learned["en"]["subject_weight"]


def test_the_weight_for_subjects_follows_what_vectors_know_of_neighbours():
    texts, chance = related(random.Random(5)), np.random.default_rng(0)

    def knowing(places):
        return np.eye(len(texts) // 3, dtype=np.float32)[[place // 3 for place in places]]

    def useless(places):
        found = chance.normal(size=(len(places), 64)).astype(np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    assert subject_weight(texts, useless) < 0.3 < subject_weight(texts, knowing)


def test_questions_about_subjects_are_sentences_that_a_neighbour_does_not_repeat():
    texts = library_of(random.Random(6)) + library_of(random.Random(7), sentence=chinese)
    trial = prepare(texts)
    assert trial.subjects.keys() == {"zh", "en"}
    for pairs in trial.subjects.values():
        for sentence, place in pairs:
            assert sentence in trial.texts[place]
            near = trial.texts[max(place - 1, 0) : place] + trial.texts[place + 1 : place + 2]
            assert not all(sentence in text for text in near)


def test_each_language_has_its_own_weight():
    texts = library_of(random.Random(1)) + library_of(random.Random(2), sentence=chinese)
    found = weights(texts, Quality(0.4, reads="en"))
    assert found["zh"] + 0.1 < found["en"]


def test_learned_figures_make_sense():
    texts = library_of(random.Random(1))
    learned = calibrate(fit(texts, 512), texts)["en"]
    assert 0 <= learned["vector_weight"] <= 0.6
    assert 0 <= learned["background"] < learned["match"] / 2 < 0.5


def test_learning_is_deterministic_and_silent_where_there_is_too_little():
    texts = library_of(random.Random(2))
    space = HashingEmbedder(64)
    assert calibrate(space, texts) == calibrate(space, texts)
    for few in ([], [""], texts[: _FEWEST - 1], ["short"] * 100):
        assert calibrate(space, few) == {}


def test_questions_are_parts_of_the_sentences_that_they_were_made_of():
    trial = prepare(library_of(random.Random(3)) + library_of(random.Random(4), sentence=chinese))
    assert trial.pairs.keys() == {"zh", "en"}
    for pairs in trial.pairs.values():
        for question, sentence in pairs:
            rest = iter(sentence.replace(" ", ""))
            assert all(letter in rest for letter in question.replace(" ", ""))
        asked, said = (sum(len(pair[of]) for pair in pairs) for of in (0, 1))
        assert 0.15 < asked / said < 0.4


def test_copies_of_a_passage_are_all_right():
    chance = np.random.default_rng(0)
    scores, shares = chance.random((40, 30)), chance.random((40, 30)) * 0.3
    right = np.zeros((40, 30), bool)
    right[:, 0] = True
    shares[:, 0] = 0.9
    once = _weight(scores, shares, right)
    right[:, 1], shares[:, 1], scores[:, 1] = True, shares[:, 0], scores[:, 0]
    assert _weight(scores, shares, right) == pytest.approx(once, abs=0.05)
    right[:, 1] = False  # a rival as near as the right one: vectors tell less
    assert _weight(scores, shares, right) < once


@settings(max_examples=50)
@given(st.integers(1, 70), st.integers(1, 5), st.sampled_from([0.0, 1e-9, 1.0, 1e6]), st.integers(0, 9))
def test_any_scores_give_a_weight(texts, questions, height, seed):
    chance = np.random.default_rng(seed)
    scores, shares = chance.random((questions, texts)) * height, chance.random((questions, texts)).round(1)
    right = chance.random((questions, texts)) < 0.1
    right[:, 0] = True
    assert 0 <= _weight(scores, shares, right) <= 1
