"""The recording of plans: what the rules make of messages and of questions over tables. Made, read, compared, drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tests.recorded import planned_merges, planned_messages, planned_mixtures, planned_tables, planned_variations
from tests.recorded.normal import Json, differences
from tests.recorded.packed import path_of, read
from tests.recorded.telling import telling

PATH = path_of("plans")
LANGUAGES = ("zh", "en")
Rows = list[dict[str, Any]]


class Drawn(NamedTuple):
    """What is said stands in the recording, chosen once of what `proposed` gives; `planned` says what comes of it."""

    proposed: Callable[[], Iterator[Json]]
    planned: Callable[[Json], dict[str, Json]]
    said: tuple[str, ...]  # names of what is said, in a row
    all: bool = False  # not only those that tell something that others do not


_message = partial(Drawn, planned=planned_messages.planned_message, said=planned_messages.SAID)
_question = partial(Drawn, planned=planned_tables.planned_question, said=planned_tables.SAID)

# In the order in which they are drawn: what a person wrote goes before what is put together.
DRAWN: Mapping[str, Drawn] = {
    **{f"messages-{one}": _message(partial(planned_messages.messages_of, one)) for one in LANGUAGES},
    "questions-of-libraries": _message(planned_messages.questions_of_libraries),
    **{f"mixed-messages-{one}": _message(partial(planned_mixtures.messages, one)) for one in LANGUAGES},
    "questions-elsewhere": _question(planned_tables.questions_elsewhere),
    **{f"changed-{one}": _question(partial(planned_mixtures.changed, one)) for one in LANGUAGES},
    **{f"conditions-{one}": _question(partial(planned_variations.conditions_asked, one)) for one in LANGUAGES},
    **{f"words-{one}": _question(partial(planned_variations.words_asked, one), all=True) for one in LANGUAGES},
    **{f"mixed-{one}": _question(partial(planned_mixtures.questions, one)) for one in LANGUAGES},
}
MADE: Mapping[str, Callable[[], Rows]] = {
    **{f"merged-{one}": partial(planned_merges.merged, one) for one in LANGUAGES},
    **{f"prompts-{one}": partial(planned_merges.prompts, one) for one in LANGUAGES},
    **{f"tables-{name}": partial(planned_tables.tables_of, name) for name in planned_tables.SHOWN},
    **{f"answers-{name}": partial(planned_tables.answers_of, name) for name in planned_tables.SHOWN},
    **{f"proposed-{name}": partial(planned_tables.proposed_over, name) for name in ("first", "sixth", "tenth")},
}
SUBJECTS = (*MADE, *DRAWN)


def planned(subject: str, before: Mapping[str, Rows]) -> Rows:
    """The rows of a subject as they are now; of what is drawn, those that stand in the recording."""
    if subject in MADE:
        return MADE[subject]()
    drawn = DRAWN[subject]
    said = ({name: row[name] for name in drawn.said if name in row} for row in before.get(subject, []))
    return [{**one, **drawn.planned(one)} for one in said]


def now() -> list[Json]:
    """All subjects as they are planned now, each behind a line with its name."""
    before = recorded()
    return _lines({subject: planned(subject, before) for subject in SUBJECTS})


def drawn() -> list[Json]:
    """The same, with messages and questions drawn anew; it takes some minutes."""
    taken: Counter[Any] = Counter()
    rows = {name: made() for name, made in MADE.items()}
    for name, one in DRAWN.items():
        proposed = one.proposed()
        chosen = proposed if one.all else telling(proposed, one.planned, taken)
        rows[name] = [{**said, **one.planned(said)} for said in chosen]
    return _lines(rows)


def recorded() -> dict[str, Rows]:
    """By subject."""
    return _by_subject(read(PATH))


def compared(lines: Sequence[Json]) -> list[str]:
    before, after = recorded(), _by_subject(lines)
    return [line for name in {**before, **after} for line in subject_differences(name, before, after)]


def subject_differences(name: str, before: Mapping[str, Rows], after: Mapping[str, Rows]) -> list[str]:
    """Row by row, each called by what was said."""
    return differences(_by_row(before.get(name, [])), _by_row(after.get(name, [])), name)


def counted(lines: Sequence[Json]) -> str:
    subjects = sum("subject" in line for line in lines)
    return f"{len(lines) - subjects} rows of {subjects} subjects"


def _lines(rows: Mapping[str, Rows]) -> list[Json]:
    return [line for subject, of in rows.items() for line in ({"subject": subject}, *of)]


def _by_subject(lines: Sequence[Json]) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    for line in lines:
        if "subject" in line:
            held = found.setdefault(line["subject"], [])
        else:
            held.append(line)
    return found


def _by_row(lines: Sequence[Mapping[str, Json]]) -> Json:
    seen: Counter[str] = Counter()
    found = {}
    for line in lines:
        said = next(iter(line.values()))
        found[f"{said!r}#{seen[said]}"] = line
        seen[said] += 1
    return found
