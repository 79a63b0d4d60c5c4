"""The breaker, with a clock that only the test moves."""

from __future__ import annotations

import pytest

from providers.breaker import COOLDOWN, FAILURES, LONGEST, Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock)
    for _ in range(FAILURES):
        assert breaker.admit()
        breaker.failed()
    return breaker


def test_it_opens_after_failures_in_a_row_only(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(3 * FAILURES):
        assert breaker.admit()
        breaker.failed()
        breaker.succeeded()
    assert breaker.state == "closed"
    breaker = opened(clock)
    assert breaker.state == "open"
    assert not breaker.admit()
    assert breaker.left == COOLDOWN


def test_after_the_cooldown_one_probe_decides(clock: Clock) -> None:
    breaker = opened(clock)
    clock.now += COOLDOWN
    assert breaker.state == "half_open"
    assert breaker.admit()
    assert not breaker.admit()  # one at a time
    breaker.succeeded()
    assert breaker.admit()
    assert breaker.admit()


def test_a_failed_probe_doubles_the_cooldown_up_to_a_limit(clock: Clock) -> None:
    breaker = opened(clock)
    waits = []
    for _ in range(8):
        waits.append(breaker.left)
        clock.now += breaker.left
        assert breaker.admit()
        breaker.failed()
    assert waits[:3] == [COOLDOWN, 2 * COOLDOWN, 4 * COOLDOWN]
    assert waits[-1] == LONGEST
    clock.now += LONGEST
    assert breaker.admit()
    breaker.succeeded()
    assert opened(clock).left == COOLDOWN


def test_a_withdrawn_probe_leaves_room_for_the_next(clock: Clock) -> None:
    breaker = opened(clock)
    clock.now += COOLDOWN
    assert breaker.admit()
    breaker.release()
    assert breaker.state == "half_open"
    assert breaker.admit()


def test_a_reason_that_will_not_pass_opens_at_once(clock: Clock) -> None:
    breaker = Breaker(clock)
    assert breaker.admit()
    breaker.failed(rest=120.0)
    assert (breaker.state, breaker.left) == ("open", 120.0)
    breaker.failed(rest=20.0)  # a call that began earlier does not shorten it
    assert breaker.left == 120.0


def test_failures_that_arrive_late_do_not_prolong_it(clock: Clock) -> None:
    breaker = opened(clock)
    breaker.failed()
    assert breaker.left == COOLDOWN
    breaker.succeeded()  # whoever began earlier and was answered: it is there
    assert breaker.state == "closed"


def test_a_probe_that_is_being_answered_lets_others_in_and_its_failure_shuts_them_out(clock: Clock) -> None:
    breaker = opened(clock)
    clock.now += COOLDOWN
    assert breaker.admit()
    assert not breaker.admit()
    breaker.begun()
    assert breaker.admit()
    breaker.failed()
    assert breaker.state == "open"
    clock.now += COOLDOWN
    assert breaker.admit()
    breaker.begun()
    breaker.succeeded()
    breaker.failed()
    assert breaker.state == "closed"


def test_the_first_words_of_one_who_is_well_do_not_forgive_what_failed(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(FAILURES):
        breaker.begun()
        breaker.failed()
    assert breaker.state == "open"
