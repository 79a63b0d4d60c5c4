"""The options of the suite itself."""

from __future__ import annotations

import fcntl
import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest

from tests import suite_options
from tests.suite_options import CpuReport, one_compiles, pytest_collection_modifyitems

ROOT = Path(__file__).parent


def item(name: str) -> Any:
    path = ROOT / name.partition("::")[0]
    return SimpleNamespace(nodeid=name, path=path, config=SimpleNamespace(rootpath=ROOT))


def test_files_are_reversed_and_what_is_in_them_is_not() -> None:
    names = ["a.py::1", "a.py::2", "b/c.py::1", "d.py::2", "d.py::1"]
    for asked, expected in ((False, names), (True, ["d.py::2", "d.py::1", "b/c.py::1", "a.py::1", "a.py::2"])):
        items = [item(name) for name in names]
        pytest_collection_modifyitems(SimpleNamespace(getoption=lambda _, asked=asked: asked), items)
        assert [one.nodeid for one in items] == expected


def test_what_a_test_costs_is_counted_for_it_and_its_file() -> None:
    report, added = CpuReport(), CpuReport()
    report.pytest_collection_finish()
    run = report.pytest_runtest_protocol(item("a.py::dear"), item("a.py::cheap"))
    next(run)
    begun = time.process_time()
    while time.process_time() < begun + 0.2:
        sum(range(10_000))
    next(run, None)
    run = report.pytest_runtest_protocol(item("a.py::cheap"), None)
    next(run)
    next(run, None)
    assert report.tests["a.py::dear"] >= 0.15 > report.tests["a.py::cheap"]  # the clock ticks in hundredths
    assert report.files["a.py"] >= 0.15
    session = SimpleNamespace(config=SimpleNamespace(workeroutput={}))
    report.pytest_sessionfinish(session)
    added.pytest_testnodedown(SimpleNamespace(workeroutput=session.config.workeroutput), None)
    assert (added.files, added.tests) == (report.files, report.tests)


def test_what_a_browser_takes_along_when_it_ends_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = iter([1.0, 21.0, 4.0, 5.0, 6.0])  # at the beginning, before and after the end of each file
    monkeypatch.setattr(suite_options, "_spent_by_family", lambda: next(spent))
    report = CpuReport()
    report.pytest_collection_finish()
    for test, following in ((item("browser.py::last"), item("b.py::one")), (item("b.py::one"), None)):
        run = report.pytest_runtest_protocol(test, following)
        next(run)
        teardown = report.pytest_runtest_teardown(test, following)
        next(teardown)
        next(teardown, None)
        next(run, None)
    assert (report.files["browser.py"], report.files["b.py"]) == (20, 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_what_nobody_has_compiled_is_collected_by_one_at_a_time(
    compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    kept = tmp_path / "a" / "__pycache__"
    kept.mkdir(parents=True)
    (kept.parent / "test_last.py").touch()
    (tmp_path / "a" / "test_first.py").touch()
    if compiled:
        (kept / "test_last.cpython-311-pytest-9.2.0.pyc").touch()
    with ExitStack() as first:
        first.enter_context(one_compiles(tmp_path))
        assert _another_waits() is not compiled
    assert not _another_waits()


def _another_waits() -> bool:
    with Path(suite_options.__file__).open() as shared:
        try:
            fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_no_example_fails_because_the_machine_is_busy() -> None:
    """With a deadline one fails that took long, and passes when it is tried again."""
    assert hypothesis.settings().deadline is None
    assert hypothesis.HealthCheck.too_slow in hypothesis.settings().suppress_health_check
