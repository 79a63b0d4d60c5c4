"""The recording of plans: what the rules make of messages and of questions over tables. Made, read, compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tests.recorded import planned_merges, planned_messages, planned_mixtures, planned_tables, planned_variations
from tests.recorded.normal import Json, differences
from tests.recorded.packed import path_of, read

PATH = path_of("plans")
SUBJECTS: dict[str, Callable[[], list[Json]]] = {
    **{
        f"messages-{name}-{language}": partial(planned_messages.messages_of, name, language)
        for name in planned_messages.SHOWN
        for language in ("zh", "en")
    },
    **{
        f"small-library-{name}": partial(planned_messages.questions_of_library, name) for name in planned_messages.SMALL
    },
    **{f"merged-{language}": partial(planned_merges.merged, language) for language in ("zh", "en")},
    **{f"prompts-{language}": partial(planned_merges.prompts, language) for language in ("zh", "en")},
    **{f"tables-{name}": partial(planned_tables.tables_of, name) for name in planned_tables.SHOWN},
    **{f"answers-{name}": partial(planned_tables.answers_of, name) for name in planned_tables.SHOWN},
    **{f"other-tables-{name}": partial(planned_tables.refused_by, name) for name in planned_tables.SHOWN},
    **{f"proposed-{name}": partial(planned_tables.proposed_over, name) for name in ("first", "sixth", "tenth")},
    **{f"words-{language}": partial(planned_variations.words_asked, language) for language in ("zh", "en")},
    **{f"conditions-{language}": partial(planned_variations.conditions_asked, language) for language in ("zh", "en")},
}
MIXED = {
    f"mixed-{kind}-{language}-{part}": partial(mixed, language, part)
    for kind, mixed in planned_mixtures.KINDS.items()
    for language in ("zh", "en")
    for part in planned_mixtures.PARTS
}
SUBJECTS |= {name: partial(lambda mixed: planned_mixtures.digests(mixed()), mixed) for name, mixed in MIXED.items()}


def now() -> list[Json]:
    """All subjects as they are planned now, each behind a line with its name."""
    return [line for name, planned in SUBJECTS.items() for line in ({"subject": name}, *planned())]


def recorded() -> dict[str, list[Json]]:
    """By subject."""
    return _by_subject(read(PATH))


def compared(lines: Sequence[Json]) -> list[str]:
    before, after = recorded(), _by_subject(lines)
    return [line for name in {**before, **after} for line in subject_differences(name, before, after)]


def subject_differences(name: str, before: dict[str, list[Json]], after: dict[str, list[Json]]) -> list[str]:
    """Row by row, each called by what was said."""
    if name in MIXED:
        old, new = ([one for line in side.get(name, []) for one in line["digests"].split()] for side in (before, after))
        if len(old) == len(new):
            said = zip(MIXED[name](), old, new, strict=True)
            return [
                f"{name}: {one.said!r} has another plan, now {one.planned()}" for one, was, now in said if was != now
            ]
    return differences(_by_row(before.get(name, [])), _by_row(after.get(name, [])), name)


def counted(lines: Sequence[Json]) -> str:
    subjects = sum("subject" in line for line in lines)
    return f"{len(lines) - subjects} rows of {subjects} subjects"


def _by_subject(lines: Sequence[Json]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for line in lines:
        if "subject" in line:
            held = found.setdefault(line["subject"], [])
        else:
            held.append(line)
    return found


def _by_row(lines: Sequence[Json]) -> Json:
    said = [next(iter(line.values())) for line in lines]
    return {f"{text!r}#{said[:at].count(text)}": line for at, (text, line) in enumerate(zip(said, lines, strict=True))}
