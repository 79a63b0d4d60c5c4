"""What several steps of a turn were told by the same failing provider, said once."""

from __future__ import annotations

from collections.abc import Iterable

from schema import Call, Message


def without_repeats(
    notices: Iterable[Message], calls: Iterable[Call], known: Iterable[Message] = ()
) -> tuple[Message, ...]:
    """The notices in order, without what one before them, or one of `known`, says already.

    A step's notice may end with why its model failed. The failures of the turn's calls tell where: a provider that is
    given a rest fails the next step for the same reason. What is left of a notice without it stays.
    """
    failures = sorted({call.error for call in calls if call.error}, key=lambda one: len(one.zh), reverse=True)
    failures_told: list[Message] = []
    given = tuple(known)
    kept = list[Message]()
    for notice in dict.fromkeys((*given, *notices)):
        new = []
        for failure in failures:
            if _holds(notice, failure):
                if any(_same(failure, other) for other in failures_told):
                    notice = _without(notice, failure)
                else:
                    new.append(failure)
        failures_told += new
        for other in kept:
            if _holds(notice, other):
                notice = _without(notice, other)
        if notice.zh and not any(_holds(other, notice) for other in kept):
            kept.append(notice)
    return tuple(one for one in kept if one not in given)


def _holds(notice: Message, other: Message) -> bool:
    return other.zh in notice.zh and other.en in notice.en


def _same(failure: Message, other: Message) -> bool:
    """Whether the reasons are one: that of a provider at rest goes on to say for how long."""
    return any(one.en.startswith(base.en.removesuffix(".")) for one, base in ((failure, other), (other, failure)))


def _without(notice: Message, part: Message) -> Message:
    zh, en = notice.zh.replace(part.zh, "", 1), notice.en.replace(part.en, "", 1)
    return Message(zh=zh.strip(), en=" ".join(en.split()))
