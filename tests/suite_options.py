"""Options for whoever looks after the suite: `--cpu` says what it costs, `--reverse-files` that no file leans on
another one before it, `--both-languages` that the page does the same in Chinese and in English."""

from __future__ import annotations

import fcntl
import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.program import cpu_of

DEAREST = 25  # files and tests that are shown
TESTS = Path(__file__).parent
GARBAGE = (10_000, 10, 20)  # how seldom it is looked for, as gc.set_threshold takes it: a test makes little of it


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("citewise", "the suite itself")
    group.addoption(
        "--cpu", action="store_true", help="end with the seconds of processor of files and tests, their children's too"
    )
    group.addoption("--both-languages", action="store_true", help="each test of the page in both, not by turns")
    group.addoption("--reverse-files", action="store_true", help="the last file first; within a file nothing changes")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--cpu"):
        config.pluginmanager.register(CpuReport(), "cpu-report")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: looking it over again and again would be a third of the beginning, and some of every
    test."""
    gc.disable()
    try:
        with one_compiles():
            return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        gc.enable()


@contextmanager
def one_compiles(tests: Path = TESTS) -> Iterator[None]:
    """Where nothing has been compiled yet, every worker would compile all that is collected, the same at the same time,
    for two thirds of what its beginning costs: now the first does it, and the others wait for that."""
    last = max(tests.rglob("test_*.py"), key=lambda path: path.parts)
    compiled = any((last.parent / "__pycache__").glob(f"{last.stem}.*pytest*.pyc"))
    with Path(__file__).open() as shared:
        if not compiled and not sys.dont_write_bytecode:
            fcntl.flock(shared, fcntl.LOCK_EX)
        yield


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--reverse-files"):
        files = list(dict.fromkeys(item.path for item in items))
        items.sort(key=lambda item: -files.index(item.path))


class CpuReport:
    """Seconds of processor by file, with every process that is running below this one, and by test, with those that
    have ended within it. Of each worker of pytest-xdist, added up where their work comes together."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()
        self._spent = self._before_its_end = 0.0

    def pytest_collection_finish(self) -> None:
        self._spent = _spent_by_family()
        self.files["(beginning, collection)"] += round(self._spent, 2)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        before = _spent_here()
        yield
        self.tests[item.nodeid] += round(_spent_here() - before, 2)
        if _is_last(item, nextitem):
            spent = _spent_by_family()
            # What ends without anybody waiting for it, as the parts of a browser do, takes its seconds along.
            self.files[_name(item)] += max(0.0, round(max(spent, self._before_its_end) - self._spent, 2))
            self._spent = spent

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        if _is_last(item, nextitem):
            self._before_its_end = _spent_by_family()
        yield

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cpu"] = (dict(self.files), dict(self.tests))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        files, tests = getattr(node, "workeroutput", {}).get("cpu", ({}, {}))
        self.files.update(files)
        self.tests.update(tests)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section(f"processor: {sum(self.files.values()) / 60:.1f} minutes")
        for spent in (self.files, self.tests):
            for name, seconds in spent.most_common(DEAREST):
                terminalreporter.write_line(f"{seconds:8.2f} s  {name}")
            terminalreporter.write_line("")


def _is_last(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Of its file."""
    return nextitem is None or nextitem.path != item.path


def _name(item: pytest.Item) -> str:
    return str(item.path.relative_to(Path(item.config.rootpath)))


def _spent_here() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _spent_by_family() -> float:
    """Also of what is still running; where /proc does not tell, of what has ended."""
    return max(cpu_of(os.getpid()), _spent_here())
