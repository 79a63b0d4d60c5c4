"""What is shown with the sentence that answers best: what goes on behind it, and what stands around it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from evaluation.answer_reading import Array
from evaluation.answer_types import AnswerType, holds
from evaluation.asked_units import asked_quantity, asked_span
from evaluation.item_sentences import GOES_ON
from evaluation.pointers import is_pointer
from evaluation.scored_units import ScoredUnit, is_record
from text import simplified

_asks_consequence = re.compile(r"\bwhat (?:happens|if)\b|会怎[么样]|怎么办|有什么后果", re.IGNORECASE)
_consequence = re.compile(
    r"(?:above that|after that|otherwise|then|in that case|if so|from then on|beyond that)\b"
    r"|否则|不然|之后|此后|逾期|届时|超过的",
    re.IGNORECASE,
)
_LITTLE, _AROUND = 0.3, 2  # of the question in what comes first; units before and behind it


def continuing(
    one: ScoredUnit, scored: Sequence[ScoredUnit], question: str, kinds: Collection[AnswerType]
) -> Iterator[ScoredUnit]:
    """The sentence behind it, where that goes on about the same thing and says what is asked for, and this does not:
    “A deposit of £900 is held. It is returned within ten days.” Of what happens, where it says what happens then."""
    behind = scored.index(one) + 1
    if one.unit.kind != "prose" or behind == len(scored) or any(holds(kind, one.unit.text) for kind in kinds):
        return
    unit = scored[behind].unit
    if unit.hit != one.unit.hit or unit.kind != "prose":
        return
    told = GOES_ON.match(unit.text) and any(holds(kind, unit.text) for kind in kinds)
    if told or (_asks_consequence.search(question) and _consequence.match(unit.text)):
        yield scored[behind]


def told_around(
    question: str, one: ScoredUnit, scored: Sequence[ScoredUnit], said: Array, kinds: Collection[AnswerType]
) -> list[ScoredUnit]:
    """What stands around a sentence that says little of the question, in the same section, and holds an answer of a
    kind that is asked for: “Malham, 11 - 13 May. The balance is due on 27 March.” It may be the one in other words."""
    place = scored.index(one)
    if said[place] >= _LITTLE or one.unit.kind not in ("prose", "item") or is_record(one.unit):
        return []
    quantity = asked_quantity(question) or asked_span(question)

    def tells(text: str) -> bool:
        told = any(holds(kind, text) for kind in kinds)
        return told and (quantity is None or quantity.search(simplified(text)) is not None)

    if (one.led or one.unit.kind == "item") and tells(one.unit.text):
        return []  # what it stands under says the rest; the items beside it are other cases
    around = scored[max(place - _AROUND, 0) : place + _AROUND + 1]
    return [
        other
        for other in around
        if other is not one
        and other.unit.answers
        and other.unit.kind in ("prose", "item")
        and (other.unit.hit, other.unit.headings) == (one.unit.hit, one.unit.headings)
        and tells(other.unit.text)
        and not is_pointer(other.unit.text)
    ]
