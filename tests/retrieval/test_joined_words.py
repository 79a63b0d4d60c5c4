"""An English word that is written apart in a question and in one in the library, and the other way."""

from __future__ import annotations

import pytest

from library import Library
from retrieval.joined_words import joined_words, with_joined

MANUAL = """# Release

The command rollback goes to the release before. Every signup is checked. The back door opens at six.

Set up the printer first. A backup is made at night.
"""


@pytest.fixture
async def library(make_settings):
    async with await Library.open(make_settings()) as library:
        await library.add("release.md", MANUAL.encode())
        yield library


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("How do I roll back a release?", "How do I roll back rollback a release?"),
        ("Who is rolling back?", "Who is rolling back rollback?"),
        ("Is a sign-up checked?", "Is a sign-up signup checked?"),
        ("How is the setup of the printer?", "How is the setup set up of the printer?"),
        ("Does the backdoor open?", "Does the backdoor back door open?"),
        ("Is the back up made at night?", "Is the back up backup made at night?"),
        ("How do I rollback?", ""),
        ("Is the printer back at night?", ""),  # no word printerback
        ("Where is the set?", ""),
        ("Does the doorback open?", ""),  # both halves, and never side by side
        ("回滚怎么做？", ""),
        ("", ""),
    ],
)
async def test_what_is_searched_for(library, question, searched) -> None:
    assert with_joined(question, joined_words(question, library.store)) == (searched or question)


async def test_it_is_found_and_said(library) -> None:
    found = await library.search("How do I roll back?")
    assert "rollback" in found.hits[0].text
    assert found.found_by is not None
    assert found.found_by.en == "Searched for “rollback”, which the documents say for “roll back”."
    assert found.found_by.zh == "“roll back”在资料中作“rollback”，已一并检索。"
