"""What `scripts/mutate` says of a mutant is true: its tests run in processes of their own, once more without it."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "mutate"
TESTS = """
import os, time

MUTANT = os.environ["MUTANT_UNDER_TEST"]

def test_that_notices():
    assert MUTANT != "noticed"
    time.sleep(30 * (MUTANT == "hangs"))
    os._exit(9) if MUTANT == "kills" else None

def test_of_its_own_troubles():
    assert MUTANT == "never"
"""


@pytest.fixture
def mutate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("mutate", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    monkeypatch.setattr(module, "START", 4)  # what hangs is ended after a second, and all after four
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return module


def test_each_verdict_is_what_processes_of_their_own_say(mutate: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    child = functools.partial(
        mutate.run_tests, extra=["-p", "pytest_timeout", "-p", "no:cacheprovider"], folder=tmp_path
    )

    def verdict(mutant: str, *tests: str) -> str:
        return str(mutate.verdict(mutant, {f"test_it.py::test_{test}": 0.01 for test in tests}, child))

    assert verdict("survives", "that_notices") == mutate.SURVIVED
    assert verdict("noticed", "that_notices") == mutate.KILLED
    assert verdict("hangs", "that_notices") == mutate.KILLED
    assert verdict("kills", "that_notices") == mutate.KILLED
    assert verdict("noticed", "of_its_own_troubles") == mutate.NOT_JUDGED
    assert verdict("noticed", "that_has_gone") == mutate.NOT_JUDGED


def test_what_runs_without_the_mutant_ends_with_the_test_that_failed(mutate: ModuleType) -> None:
    tests = ["a.py::one[x - y]", "a.py::two", "b.py::two[a b]"]
    assert mutate.upto_failed(tests, "FAILED a.py::two - assert 1") == tests[:2]
    assert mutate.upto_failed(tests, "FAILED a.py::one[x - y]") == tests[:1]
    assert mutate.upto_failed(tests, "ERROR b.py::two[a b] - OSError") == tests
    assert mutate.upto_failed(tests, "ERROR b.py - SyntaxError") == tests


def test_what_runs_while_modules_are_imported_is_judged_by_all_tests_of_its_module(mutate: ModuleType) -> None:
    seconds = {"a.py::first": 1.0, "a.py::two": 2.0, "b.py::three": 3.0}
    table = {"p.m.x_load": ["a.py::first"], "p.m.x_ask": ["a.py::two"], "p.n.x_say": ["b.py::three"]}
    assert mutate.reaching("p.m.x_load", table, seconds) == {"a.py::first": 1.0, "a.py::two": 2.0}
    assert mutate.reaching("p.m.x_ask", table, seconds) == {"a.py::two": 2.0}
    assert mutate.reaching("p.m.x_unknown", table, seconds) == {}


def test_a_share_has_the_bounds_of_wilson(mutate: ModuleType) -> None:
    assert mutate.interval(15, 100) == pytest.approx((0.0931, 0.2328), abs=1e-4)
    assert mutate.interval(0, 0) == (0.0, 1.0)


def test_what_lies_beside_mutants_is_as_in_the_checkout(
    mutate: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copy = tmp_path / "mutants"
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    monkeypatch.setattr(mutate, "COPY", copy)
    monkeypatch.setattr(mutate, "options", lambda: {"source_paths": ["planning"]})
    now = ["planning/a.py", "planning/weights.npz", "tests/test_a.py"]
    for name, text in [*((name, "now") for name in now), *((f"mutants/{name}", "mutants") for name in now),
                       ("mutants/tests/test_gone.py", "before")]:  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    mutate.copy_the_rest([tmp_path / name for name in now])
    assert [(copy / name).read_text(encoding="utf-8") for name in now] == ["mutants", "now", "now"]
    assert not (copy / "tests" / "test_gone.py").exists()
