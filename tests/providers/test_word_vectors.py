import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.features import token_key
from providers.word_vectors import DIMENSIONS, alignment, cosines, packed, shipped, sums, unpacked
from tests.each_row import each_row
from text import search_tokens


def vector(word):
    keys = np.array([token_key(token) for token in search_tokens(word)], np.uint64)
    (row,) = sums([(keys, np.ones(len(keys)))])
    return row / np.linalg.norm(row)


@each_row(
    ("word", "near", "far"),
    [
        ("browser", "website", "bread"),
        ("remove", "delete", "mountain"),
        ("工资", "薪水", "河流"),
        ("浏览器", "网页", "面包"),
        ("浏览器", "browser", "bread"),
        ("密码", "password", "river"),
        ("voucher", "coupon", "river"),
        ("parcel", "package", "membership"),
        ("overseas", "abroad", "invoice"),
        ("户头", "账户", "面包"),
        ("打折", "优惠", "河流"),
        ("提成", "佣金", "面包"),
    ],
)
def test_what_means_much_the_same_is_near(word, near, far):
    assert vector(word) @ vector(near) > vector(word) @ vector(far) + 0.2


def test_a_word_that_nobody_knows_adds_nothing():
    known, unknown = token_key("password"), token_key("xqzzyvw")
    alone, both, none = sums(
        [
            (np.array([known], np.uint64), [2.0]),
            (np.array([unknown, known], np.uint64), [9.0, 2.0]),
            (np.array([unknown], np.uint64), [1.0]),
        ]
    )
    np.testing.assert_array_equal(alone, both)
    assert alone.any()
    assert not none.any()


def test_cosines_of_words_are_one_for_the_same():
    keys = np.array([token_key(word) for word in ("bike", "bicycl", "xqzzyvw")], np.uint64)
    places = shipped().places(keys)
    assert places[2] == -1
    found = cosines(places[:2], places[:2])
    np.testing.assert_allclose(np.diag(found), [1, 1], atol=1e-5)
    assert 0.5 < found[0, 1] < 1


def test_keys_are_sorted_and_said_once():
    keys = shipped()._keys
    assert len(keys) > 50_000
    assert (np.diff(keys.astype(object)) > 0).all()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(0, 5), st.floats(1e-3, 1e3))
def test_half_a_byte_keeps_a_direction(seed, count, scale):
    rows = np.random.RandomState(seed).normal(scale=scale, size=(count, DIMENSIONS)).astype(np.float32)
    halves, scales = packed(rows)
    back = unpacked(halves) * scales[:, None].astype(np.float32)
    assert back.shape == rows.shape
    cosines = (rows * back).sum(axis=1) / (np.linalg.norm(rows, axis=1) * np.linalg.norm(back, axis=1))
    assert (cosines > 0.97).all()


def keys(text):
    return np.array([token_key(token) for token in search_tokens(text)], np.uint64)


def test_a_text_that_says_it_in_other_words_is_aligned_more():
    near, same, far, empty = alignment(
        keys("delete my account"), [keys("remove the profile"), keys("account delete"), keys("river bread"), keys("")]
    )
    assert same == pytest.approx(1)
    assert far < near < same
    assert near > 0.4
    assert empty == 0


def test_what_has_no_word_with_a_vector_is_aligned_with_nothing():
    assert alignment(keys("xqzzyv"), [keys("delete"), keys("xqzzyv")]).tolist() == [0, 0]
