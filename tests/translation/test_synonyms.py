"""Two words of one language that the dictionary translates alike."""

from __future__ import annotations

import pytest

from translation.synonyms import share_meaning


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("buy", "purchas", True),
        ("bike", "bicycl", True),
        ("buy", "sell", False),  # both are halves of 买卖
        ("landlord", "tenant", False),
        ("bike", "qqzzy", False),
        ("升降机", "电梯", True),
        ("房东", "承租人", False),
        ("不必", "需要", False),  # "need not" and "need"
        ("升降机", "喵呜啾", False),
    ],
)
def test_they_mean_the_same(one: str, other: str, same: bool) -> None:
    assert share_meaning(one, other) == share_meaning(other, one) == same
