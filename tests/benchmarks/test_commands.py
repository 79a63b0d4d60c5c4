"""Each benchmark of docs/benchmarks.md runs as it is written there: with what a user has, and without other files."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.__main__ import BACKENDS, BENCHMARKS, CHECKED, NEEDED, main, parsed
from benchmarks.report import DATA
from tests.benchmarks.benchmark_commands import ROOT, measured, written


def test_all_are_written_and_each_is_run_by_a_test() -> None:
    assert written().keys() == BENCHMARKS.keys()
    tests = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert {name for name in BENCHMARKS if not re.search(rf'measured\(\s*"{name}"', tests)} == set()


def test_a_command_asks_for_the_group_that_it_needs() -> None:
    groups = {name: group for name, (group, _) in written().items() if group}
    assert groups == {name: group for name, (_, group) in NEEDED.items()}


def test_nothing_else_is_needed_that_users_do_not_have() -> None:
    asked = {}
    for path in (ROOT / "benchmarks").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            asked |= {name.partition(".")[0]: path.name for name in names}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [one for group in project["dependency-groups"].values() for one in group]
    users = {canonicalize_name(Requirement(one).name) for one in project["project"]["dependencies"]}
    packages = {canonicalize_name(Requirement(one).name) for one in groups} - users
    # a package may add to what another brings, as those of langgraph do
    modules = {module: {*map(canonicalize_name, brought)} for module, brought in packages_distributions().items()}
    extra = {module for module, brought in modules.items() if packages & brought and not users & brought}
    needed = {*(module for module, _ in NEEDED.values()), *CHECKED, *BACKENDS["milvus"]}
    assert {name for name in asked if name in extra} == needed - {"milvus_lite"}  # which is started as a program


def test_texts_are_ours_unless_others_are_named() -> None:
    options = [vars(parsed([name, *words])[2]) for name, (_, words) in written().items()]
    paths = [path for one in options for key in ("data", "zh") for path in np.atleast_1d(one.get(key) or [])]
    assert len(paths) == 23
    assert all(path.is_relative_to(DATA) and path.exists() for path in paths)


@pytest.mark.parametrize(
    ("name", "options", "needed", "group"),
    [
        *((name, [], *needed) for name, needed in NEEDED.items()),
        *(("store", ["--backend", backend], needed[0], "dev") for backend, needed in BACKENDS.items()),
    ],
)
def test_what_is_missing_is_said_with_the_command(
    name: str, options: list[str], needed: str, group: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert main([name, *options]) == 2
    said = capsys.readouterr().err
    assert len(re.findall(rf"{needed}.+uv run --group {group} python -m benchmarks {name}\n", said)) == 2


def test_messages_are_understood() -> None:
    assert measured("routing").ok
