"""Two programs over one library in PostgreSQL: one takes files in, the other works on them, and both tell the same."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

import cli
from errors import CitewiseError
from library import Library
from schema import IncomingFile, StoreOutcome, Task
from settings import Settings
from tests.stores.postgres_server import database_url, empty

LONG = 200.0  # seconds after which a test that hangs fails
TEXT = "# About {0}\n\nThe word here is {0}, and nothing else is said.\n"


def files(*words: str, doc_set: str = "") -> list[IncomingFile]:
    return [IncomingFile(f"{word}.md", TEXT.format(word).encode(), doc_set=doc_set) for word in words]


class Programs:
    """Libraries in folders of their own, over one database."""

    def __init__(self, path: Path) -> None:
        self.path, self.count = path, 0

    @asynccontextmanager
    async def library(self, works: bool) -> AsyncIterator[Library]:
        self.count += 1
        values = {"CITEWISE_DATA_DIR": str(self.path / str(self.count)), "CITEWISE_DATABASE_URL": database_url()}
        more = {"CITEWISE_INGEST_WORKERS": "0", "CITEWISE_INGEST_HERE": str(works), "CITEWISE_EMBEDDING": "hashing"}
        async with await Library.open(Settings.from_mapping({**values, **more}), warm=False) as library:
            yield library


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    empty(database_url())
    return Programs(tmp_path)


@pytest.fixture
async def page(programs: Programs) -> AsyncIterator[Library]:
    async with programs.library(works=False) as library:
        yield library


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(LONG):
        while not holds():  # noqa: ASYNC110 - another program tells nobody
            await asyncio.sleep(0.02)


def held(library: Library, monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Its work on files begins, and waits for a gate."""
    reached, gate, process = threading.Event(), threading.Event(), library._pipeline.process

    def waiting(tasks: Sequence[Task], report: Any, *, later: bool = False) -> Any:
        report(tasks[0].id, "read", 0.1)
        reached.set()
        assert gate.wait(LONG)
        return process(tasks, report, later=later)

    monkeypatch.setattr(library._pipeline, "process", waiting)
    return reached, gate


def in_folder(library: Library) -> list[Path]:
    library._queue._spool._remover.submit(lambda: None).result(LONG)
    return list((Path(library.settings.data_dir) / "incoming").iterdir())


async def test_a_file_that_another_program_stores(programs: Programs, page: Library) -> None:
    [early] = await page.submit(files("early"))
    version, stages = page.version, []
    async with programs.library(works=True) as worker:
        stored = await page.add("apple.md", TEXT.format("apple").encode(), progress=lambda *stage: stages.append(stage))
        assert (stored.outcome, stored.document.name, stored.document.chunks) == ("added", "apple.md", 1)
        assert (await page.add("apple.md", TEXT.format("apple").encode())).outcome == "unchanged"
        assert isinstance((await page.finished([early.id]))[early.id], StoreOutcome)
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for word in ("pear", "plum"):
                archive.writestr(f"{word}.md", TEXT.format(word))
        tasks = await page.submit([IncomingFile("fruit.zip", packed.getvalue()), IncomingFile("empty.md", b"")])
        outcomes = list((await page.finished([task.id for task in tasks])).values())
        assert [isinstance(outcome, StoreOutcome) for outcome in outcomes].count(False) == 1, outcomes
        # the other one of the archive leaves the worker's list after the page has its outcome
        await until(lambda: [(task.name, task.status) for task in worker.tasks()] == [("empty.md", "failed")])
        assert [task.name for task in page.tasks()] == [task.name for task in worker.tasks()] == ["empty.md"]
        assert set(page.names()) == {"early.md", "apple.md", "fruit/pear.md", "fruit/plum.md"}
        assert page.version > version
        await page.cancel([task.id for task in page.tasks()])
        await until(lambda: not worker.tasks())
        assert in_folder(page) == in_folder(worker) == []
        seen = worker.version
        await page.delete("apple.md")
        await until(lambda: worker.version > seen)


async def test_what_is_done_to_a_file_while_another_program_has_it(
    programs: Programs, page: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with programs.library(works=True) as worker:
        reached, gate = held(worker, monkeypatch)
        (moved,) = await page.submit(files("moved", doc_set="old"))
        assert await asyncio.to_thread(reached.wait, LONG)
        await until(lambda: [(task.stage, task.status) for task in page.tasks()] == [("read", "processing")])
        cancelled, replaced = await page.submit(files("cancelled", "replaced"))
        await until(lambda: {t.name for t in page.tasks() if t.status == "processing"} == {"moved.md", "cancelled.md"})
        await page.rename_doc_set("old", "new")
        await page.cancel([cancelled.id])
        [newer] = await page.submit([IncomingFile("replaced.md", TEXT.format("newer").encode())])
        gate.set()
        outcomes = await page.finished([moved.id, cancelled.id, replaced.id, newer.id])
        assert isinstance(outcomes[moved.id], StoreOutcome)
        assert isinstance(outcomes[cancelled.id], CitewiseError)
        assert isinstance(outcomes[replaced.id], StoreOutcome)  # of the newer one
        assert {(info.doc_set, info.name) for info in page.documents()} == {("new", "moved.md"), ("", "replaced.md")}
        document = page.document("replaced.md")
        assert document is not None
        assert "newer" in document.text


async def test_a_program_that_ends_gives_back_what_it_holds(
    programs: Programs, page: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with programs.library(works=True) as first:
        reached, gate = held(first, monkeypatch)
        tasks = await page.submit(files("apple", "pear", "plum"))
        assert await asyncio.to_thread(reached.wait, LONG)
        first._queue.stop()
        gate.set()
    assert {(task.status, task.attempts) for task in page.store.tasks()} == {("pending", 0)}
    async with programs.library(works=True):
        with psycopg.connect(database_url(), autocommit=True) as connection:  # as a restart of the server does
            connection.execute(
                "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
            )
        outcomes = await page.finished([task.id for task in tasks])
        again = [task_id for task_id, outcome in outcomes.items() if not isinstance(outcome, StoreOutcome)]
        assert all(isinstance(outcome, StoreOutcome) for outcome in (await page.finished(again)).values())
    assert len(page.documents()) == 3


async def test_the_worker_of_the_terminal_stores_files_until_it_is_told_to_end(page: Library) -> None:
    environment = {
        **os.environ, "CITEWISE_DATABASE_URL": database_url(), "CITEWISE_DATA_DIR": str(page.settings.data_dir),
        "CITEWISE_EMBEDDING": "hashing", "LANG": "C.UTF-8",
    }  # fmt: skip
    command = [str(Path(cli.__file__)), "worker", "--processes", "0"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        assert (await page.add("apple.md", TEXT.format("apple").encode())).outcome == "added"
        process.send_signal(signal.SIGTERM)
        said = (await asyncio.wait_for(process.communicate(), LONG))[0].decode()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    assert process.returncode == 0, said
    assert "Ctrl+C" in said
    assert "Traceback" not in said


def test_a_library_in_a_folder_has_no_workers(bare_environment: None) -> None:
    assert "CITEWISE_DATABASE_URL" in CliRunner().invoke(cli.cli, ["worker"]).stderr
