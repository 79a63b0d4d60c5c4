"""Rows within one test: all of them are looked at, and those that fail are told."""

from __future__ import annotations

import pytest
from _pytest.outcomes import Failed

from tests.each_row import each_row

seen: list[tuple[int, str]] = []


@each_row("number", [1, 2])
@each_row("word, length", [("a", 1), ("bc", 2)])
def test_each_row_with_each_and_with_what_else_is_asked_for(
    number: int, word: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(word) == length
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    seen.append((number, word))


def test_none_was_left_out() -> None:
    assert seen == [(1, "a"), (1, "bc"), (2, "a"), (2, "bc")]


def test_every_row_that_fails_is_shown_with_its_reason() -> None:
    looked_at: list[int] = []

    @each_row("number", [1, 2, 3, 4, 5])
    def fails(number: int) -> None:
        looked_at.append(number)
        assert number != 2
        if number == 3:
            raise KeyError("lost")
        if number == 4:
            with pytest.raises(KeyError):
                pass

    with pytest.raises(Failed) as told:
        fails()
    assert looked_at == [1, 2, 3, 4, 5]
    said = str(told.value)
    assert said.startswith("3 of 5 rows:")
    assert "{'number': 2}" in said
    assert "assert 2 != 2" in said
    assert "KeyError: 'lost'" in said
    assert "DID NOT RAISE" in said
    assert "'number': 5" not in said
    assert "test_each_row.py" in said


def test_no_rows_are_no_test() -> None:
    with pytest.raises(AssertionError, match="no rows"):
        each_row("number", [])(lambda number: None)()
