"""The breaker's three states."""

from __future__ import annotations

from providers.breaker import Breaker

REASON = ValueError("away")


def test_closed_open_half_open() -> None:
    breaker = Breaker(first=60)
    assert breaker.enter()
    assert breaker.enter()  # side by side
    breaker.failed(REASON)
    assert (breaker.state, breaker.error) == ("open", REASON)
    assert 0 < breaker.wait < 80
    assert not breaker.enter()
    breaker._until = 0.0
    assert breaker.state == "half open"
    assert breaker.enter()
    assert not breaker.enter()  # one tries, the others go on without
    breaker.succeeded()
    assert (breaker.state, breaker.error, breaker.wait) == ("closed", None, 0.0)


def test_failures_in_a_row_wait_longer_up_to_a_limit() -> None:
    breaker = Breaker(first=10, longest=100)
    waits = []
    for _ in range(30):
        breaker.failed(REASON)
        waits.append(breaker.wait)
    assert waits[0] < waits[1] < waits[2]
    assert max(waits) <= 120


def test_who_is_told_when_to_come_back_waits_that_long() -> None:
    breaker = Breaker(first=1)
    breaker.failed(REASON, retry_after=50)
    assert breaker.wait > 40


def test_a_trial_given_up_leaves_room_for_the_next() -> None:
    breaker = Breaker(first=0)
    breaker.failed(REASON)
    assert breaker.enter()
    breaker.gave_up()
    assert breaker.enter()
