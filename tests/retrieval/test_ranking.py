import random

import pytest

from retrieval.calibration import Calibration
from retrieval.fusion import fuse
from retrieval.lexical import WeightedTerms
from schema import Space


class Counts:
    """A store that only knows how frequent terms are."""

    def __init__(self, chunks, **frequencies):
        self.chunks, self.frequencies = chunks, frequencies

    def stats(self):
        return self

    def generation(self):
        return 1

    def languages(self):
        return {}

    def document_frequencies(self, terms):
        return [self.frequencies.get(term, 0) for term in terms]


def weighted(question, **frequencies):
    return WeightedTerms.of(question.split(), Counts(100, **frequencies))


def test_terms_close_together_earn_more():
    near = "copper wire carries current " + "filler " * 60
    far = "copper " + "filler " * 30 + "wire " + "filler " * 30 + "current"
    question = weighted("copper wire current", copper=5, wire=5, current=5)
    assert question.bonus(near) > question.bonus(far) > 0
    assert question.bonus("nothing of it") == 0


def test_a_phrase_earns_more_than_its_words_turned_around():
    question = weighted("copper wire", copper=5, wire=5)
    assert question.bonus("the copper wire") > question.bonus("the wire of copper")


def test_rare_terms_weigh_more_and_unknown_ones_most():
    idf = weighted("often rare never", often=90, rare=1).idf
    assert idf["often"] < idf["rare"] < idf["never"]


def test_coverage_is_the_share_of_the_weight():
    question = weighted("copper wire", copper=3, wire=3)
    assert question.coverage("wire and copper") == pytest.approx(1)
    assert question.coverage("copper") == pytest.approx(0.5)
    assert question.coverage("tin") == 0
    assert weighted("").coverage("tin") == 0


def test_terms_of_the_conversation_cover_where_the_question_does_not():
    store = Counts(100, copper=3, wire=3)
    assert WeightedTerms.of(["second"], store, ["copper", "wire"]).coverage("copper wire") > 0.5
    assert WeightedTerms.of(["copper"], store, ["wire"]).coverage("copper") == pytest.approx(1)


def test_of_very_many_terms_the_rarest_that_are_known_are_asked():
    known = {f"known{n}": n + 1 for n in range(200)}
    asked = weighted(" ".join([*(f"other{n}" for n in range(5000)), *known]), **known)
    assert set(asked.terms) == {f"known{n}" for n in range(128)}


def test_a_window_is_found_wherever_it_is():
    question = weighted("a1 b2 c3", a1=1, b2=1, c3=1)
    chance = random.Random(0)
    for _ in range(200):
        tokens = [chance.choice(["a1", "b2", "c3", *"xyz"]) for _ in range(40)]
        width = chance.randint(1, 12)
        windows = [set(tokens[start : start + width]) & question.idf.keys() for start in range(len(tokens))]
        best = max(sum(question.idf[term] for term in found) for found in windows)
        assert question._nearest(question.idf.keys(), [*enumerate(tokens)], width) == pytest.approx(best)


def test_fusion_keeps_what_is_best_by_far_and_weighs_the_rest():
    calibration = Calibration(vector_weight=0.2, background=0.1, match=0.6)
    fused = fuse({1: 30.0, 2: 6.0}, {1: 0.1, 2: 0.4, 3: 1.0}, calibration)
    assert fused[1] == pytest.approx(0.8)
    assert fused[2] == pytest.approx(0.8 * 0.2 + 0.2 / 3)
    assert fused[3] == pytest.approx(0.2)


def test_keywords_count_less_where_they_say_little_of_the_question():
    keyword, cosine, calibration = {1: 30.0, 2: 6.0}, {1: 0.0, 2: 0.9}, Calibration(vector_weight=0.4)
    for coverage, best in ((1.0, 1), (0.25, 2), (0.0, 2)):
        fused = fuse(keyword, cosine, calibration, coverage)
        assert max(fused, key=fused.__getitem__) == best
        assert fused[1] == pytest.approx(0.6 * coverage**0.5)


def test_vectors_count_more_where_a_long_question_is_little_covered():
    calibration = Calibration(vector_weight=0.2, subject_weight=0.8)
    assert calibration.weight(0.2, 3) == pytest.approx(0.2)
    assert calibration.weight(1.0, 30) == pytest.approx(0.2)
    assert calibration.weight(0.0, 30) == pytest.approx(0.8)
    assert 0.2 < calibration.weight(0.5, 10) < calibration.weight(0.5, 20) < 0.8
    assert Calibration(vector_weight=0.2).weight(0.0, 30) == 0.2
    keyword, cosine = {1: 30.0, 2: 6.0}, {1: 0.2, 2: 0.9}
    for words, best in ((4, 1), (30, 2)):
        fused = fuse(keyword, cosine, calibration, 0.5, words)
        assert max(fused, key=fused.__getitem__) == best


def test_words_are_counted_alike_in_both_languages():
    english, chinese = weighted("copper wire carries current copper"), weighted("铜线 铜 线传 传导 导电 电流")
    assert english.words == 4
    assert chinese.words == pytest.approx(2.4)


def test_a_small_library_whose_scores_are_low_is_weighed_as_a_large_one():
    """Of few passages every word is common: the scores of BM25 say who is best, and not how good it is."""
    cosine, calibration = {1: 0.1, 2: 0.4}, Calibration(vector_weight=0.2, background=0.1, match=0.6)
    assert fuse({1: 0.3, 2: 0.06}, cosine, calibration) == pytest.approx(fuse({1: 30, 2: 6}, cosine, calibration))


def test_vectors_alone_rank_where_no_word_is_found():
    assert fuse({}, {1: 0.5, 2: 0.7}, Calibration(0.1)) == pytest.approx({1: 0.5, 2: 0.7})


def test_calibration_is_read_per_language_with_safe_defaults():
    space = Space("p", "m", "1", 2, calibration={"zh": {"vector_weight": 0.4, "background": 0.2, "match": 0.7}})
    assert Calibration.of(space, "zh") == Calibration(0.4, 0.2, 0.7)
    assert Calibration.of(space, "en") == Calibration.of(None, "zh") == Calibration()
    assert Calibration(0.4, 0.2, 0.7).similarity(0.45) == pytest.approx(0.5)
    assert Calibration(0.4, 0.2, 0.7).least_cosine(0.5) == pytest.approx(0.45)
    assert [Calibration(0.1, 0.3, 0.3).similarity(x) for x in (0.2, 0.4)] == [0, 1]
