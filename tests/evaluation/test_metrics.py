import math

import numpy as np
import pytest

from evaluation import metrics

A, B, MIDDLE = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


def vectors(*rows):
    return np.array(rows, dtype=np.float32).reshape(-1, 2)


def test_similarities_are_mean_and_maximum_cosine():
    question = np.array(A, dtype=np.float32)
    assert metrics.mean_similarity(question, vectors(A, B, MIDDLE)) == pytest.approx(1.6 / 3)
    assert metrics.max_similarity(question, vectors(A, B, MIDDLE)) == pytest.approx(1.0)
    assert metrics.mean_similarity(question, vectors()) is None
    assert metrics.max_similarity(question, vectors()) is None


def test_diversity_is_defined_for_none_one_and_many():
    assert metrics.diversity(vectors()) is None
    assert metrics.diversity(vectors(A)) == 0.0
    assert metrics.diversity(vectors(A, A, A)) == pytest.approx(0.0)
    assert metrics.diversity(vectors(A, B)) == pytest.approx(1.0)
    assert metrics.diversity(vectors(A, B, MIDDLE)) == pytest.approx(1 - (0 + 0.6 + 0.8) / 3)


def test_ranking_figures():
    ranked = ["a", "b", "c", "d"]
    assert metrics.recall_at(ranked, {"b", "d", "x"}, 2) == pytest.approx(1 / 3)
    assert metrics.precision_at(ranked, {"b", "d", "x"}, 4) == pytest.approx(2 / 4)
    assert metrics.precision_at(["b"], {"b"}, 4) == pytest.approx(1 / 4)
    assert metrics.mrr_at(ranked, {"c", "d"}, 10) == pytest.approx(1 / 3)
    assert metrics.mrr_at(ranked, {"c"}, 2) == 0.0
    assert metrics.recall_at(ranked, set(), 2) == 0.0


def test_ndcg_by_hand():
    gained = 1 / math.log2(3) + 2 / math.log2(5)
    ideal = 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert metrics.ndcg_at(["x", "b", "y", "a"], {"a": 2, "b": 1, "c": 1}, 10) == pytest.approx(gained / ideal)
    assert metrics.ndcg_at(["a"], {"a": 1}, 10) == 1.0
    assert metrics.ndcg_at(["x"], {}, 10) == 0.0


def test_auroc_counts_ties_half():
    assert metrics.auroc([3, 4], [1, 2]) == 1.0
    assert metrics.auroc([1, 2], [3, 4]) == 0.0
    assert metrics.auroc([1, 1], [1, 1]) == 0.5
    assert metrics.auroc([2, 3], [1, 2, 4]) == pytest.approx((1.5 + 2) / 6)
    assert math.isnan(metrics.auroc([], [1]))
