"""Hostile files through the whole library: stored rightly or refused with the reason, and nothing else happens."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from errors import CitewiseError
from library import Library
from schema import IncomingFile, Message, Scope, StoreOutcome
from settings import Settings
from tests.each_row import Rows
from tests.ingestion.hostile_files import EN, LOST, SECRET, cases
from tests.ingestion.hostile_parts import Case, text

PATIENCE = 280.0  # seconds for all files together: what hangs is told by name


class Run(NamedTuple):
    library: Library
    root: Path
    before: dict[str, str]  # what lay around the library
    cases: list[Case]
    outcomes: dict[str, StoreOutcome | CitewiseError | None]  # by label


@pytest.fixture(scope="module")
async def run(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Run]:
    """A library deep within a folder whose every file is known, with a worker process whose home and temporary folder
    are there as well."""
    root = tmp_path_factory.mktemp("hostile")
    for folder in ("home", "temporary", "a/b"):
        (root / folder).mkdir(parents=True)
    secret = root / "secret.txt"
    secret.write_text(SECRET)
    settings = Settings.from_mapping(
        {
            "CITEWISE_DATA_DIR": str(root / "a/b/library"),
            "CITEWISE_OLLAMA": "false",
            "CITEWISE_MAX_FILE_MB": "20",
            "CITEWISE_INGEST_WORKERS": "1",
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root / "home"))
        patch.setenv("TMPDIR", str(root / "temporary"))
        patch.setattr(tempfile, "tempdir", None)
        patch.chdir(root / "home")
        files = cases(str(secret))
        before = snapshot(root)
        async with await Library.open(settings) as library:
            tasks = await library.submit([IncomingFile(case.name, case.data, doc_set=case.label) for case in files])
            found = await library.finished([task.id for task in tasks], PATIENCE)
            outcomes = {case.label: found.get(task.id) for case, task in zip(files, tasks, strict=True)}
            yield Run(library, root, before, files, outcomes)


def snapshot(root: Path) -> dict[str, str]:
    """Every file around the library, with its content, links not followed."""
    found = {}
    for path in root.rglob("*"):
        if root / "a/b/library" not in (path, *path.parents):
            whole = path.is_file() and not path.is_symlink()
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() if whole else "folder or link"
    return found


def problems(run: Run, case: Case) -> list[Message]:
    """Why the file, or those within it, were not stored."""
    outcome = run.outcomes[case.label]
    said = [outcome.in_full] if isinstance(outcome, CitewiseError) else []
    return said + [task.problem for task in run.library.tasks() if task.doc_set == case.label and task.problem]


async def test_there_are_enough(run):
    labels = [case.label for case in run.cases]
    assert len(labels) >= 60
    assert len(set(labels)) == len(labels)


async def test_each_that_cannot_be_read_is_refused_with_the_reason(run):
    rows = Rows()
    for case in run.cases:
        if case.refused:
            with rows.row(case.label):
                is_refused(run, case)
    rows.end()


def is_refused(run: Run, case: Case) -> None:
    assert run.library.documents(Scope(doc_sets=(case.label,))) == []
    [problem, *_] = problems(run, case)
    assert case.refused in problem.en
    assert re.search("[\u4e00-\u9fff]", problem.zh)
    assert problem.en.count(".") + problem.en.count(":") >= 2, "what happened, and what to do about it"
    assert "Traceback" not in problem.en


async def test_each_other_is_stored_and_found_by_its_place(run):
    rows = Rows()
    for case in run.cases:
        if not case.refused:
            with rows.row(case.label):
                await is_stored(run, case)
    rows.end()


async def is_stored(run: Run, case: Case) -> None:
    assert not problems(run, case)
    [info] = run.library.documents(Scope(doc_sets=(case.label,), documents=(case.stored or case.name,)))
    document = run.library.document(info.name, case.label)
    assert document.text.count(case.finds) >= 1
    assert LOST not in document.text
    assert SECRET not in document.text
    evidence = await run.library.search(case.finds, strategy="keyword", scope=Scope(doc_sets=(case.label,)), top_k=5)
    [hit, *_] = [hit for hit in evidence.hits if case.finds in hit.text]
    assert hit.text == document.text[hit.start : hit.end]
    assert hit.start_line == document.text.count("\n", 0, hit.start) + 1
    assert hit.end_line == document.text.count("\n", 0, hit.end - 1) + 1
    at = hit.start + hit.text.index(case.finds)
    if case.line:  # a line of the file
        assert document.text.count("\n", 0, at) + 1 == case.line
        assert not document.places
    if case.place:
        [place, *_] = hit.places_of(at, at + len(case.finds))
        assert (place.kind, place.number) == case.place


async def test_a_name_twice_is_one_document(run):
    files = [IncomingFile("twice.md", text("first version")), IncomingFile("./twice.md", text("second version"))]
    tasks = await run.library.submit(files)
    await run.library.finished([task.id for task in tasks], PATIENCE)
    assert [info.name for info in run.library.documents(Scope(documents=("twice.md",)))] == ["twice.md"]
    assert run.library.document("twice.md").text.startswith("second version")


async def test_nothing_is_written_elsewhere_and_the_library_answers(run):
    await run.library.add("after.md", b"# After\n\nThe blue lighthouse closes at midnight.\n")
    evidence = await run.library.search("When does the blue lighthouse close?")
    assert "midnight" in evidence.hits[0].text
    assert EN not in evidence.hits[0].text
    assert run.library.problem is None
    assert snapshot(run.root) == run.before
    assert not os.path.lexists("/tmp/citewise-hostile.md")  # noqa: ASYNC240  # of the archive with absolute paths


async def test_the_spool_is_left_empty(run):
    kept, incoming = {task.path for task in run.library.tasks()}, run.root / "a/b/library/incoming"
    while {str(path) for path in incoming.rglob("*") if path.is_file()} - kept:  # noqa: ASYNC110 - nobody is told
        await asyncio.sleep(0.01)
