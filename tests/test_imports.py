"""Imports point down only, and heavy frameworks stay in their rooms."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
LAYERS = [
    {"demo"},
    {"app", "cli", "citewise", "benchmarks"},
    {"ui", "commands"},
    {"doors"},
    {"graph"},
    {"nodes"},
    {"planning", "answering", "library"},
    {"ingestion", "retrieval", "web", "evaluation"},
    {"providers", "stores"},
    {"translation"},
    {"entities", "tables"},
    {"question_words"},
    {"text", "background", "logs", "printed_headings"},
    {"settings"},
    {"config_file"},
    {"setting_names", "setting_types", "profiles", "validation"},
    {"errors"},
    {"schema"},
]
LEVEL = {name: number for number, layer in enumerate(LAYERS) for name in layer}
# in benchmarks: a bare chat and a bare graph to compare with
ROOMS = {"gradio": {"ui", "app", "benchmarks"}, "langgraph": {"graph", "nodes", "benchmarks"}}
FILES = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0].removesuffix(".py") in LEVEL]


class Imports(NamedTuple):
    """What a file imports. Its tree is not kept: those of all files would be most of what a run of tests holds on to,
    and each look for garbage walks through that."""

    packages: frozenset[str]  # anywhere in it, the first part of each name
    at_once: frozenset[str]  # when it is loaded: modules, and whatever is taken from one, which may be a module too


@functools.cache
def imports_of(path: Path) -> Imports:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    packages, at_once = set[str](), set[str]()
    for node in statements(tree):
        names = set[str]()
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        packages |= {name.split(".")[0] for name in names}
        at_once |= names if node in tree.body else set()
    return Imports(frozenset(packages), frozenset(at_once))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All that stand in it; what is within them, where no import can be, makes most of a tree."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, name, [])
        for one in inner if isinstance(inner, list) else ():
            yield one
            yield from statements(one)


def imported(path: Path) -> frozenset[str]:
    return imports_of(path).packages


def test_imports_point_down() -> None:
    found = {str(path.relative_to(ROOT)): list(wrong_imports(path)) for path in FILES}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def wrong_imports(path: Path) -> Iterator[str]:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for name in imported(path):
        if name in LEVEL and name != own and LEVEL[name] <= LEVEL[own]:
            yield f"{own} must not import {name}"
        if own not in ROOMS.get(name, {own}):
            yield f"{own} must not know {name}"
        if name in {"langchain_community", "langchain_experimental"} and own != "benchmarks":
            yield f"{name} is for benchmarks"
        # Nothing that was stored or sent is ever unpickled; a worker process and its parent speak in pickles.
        if name == "pickle" and path != ROOT / "ingestion" / "worker.py":
            yield name


def test_every_python_file_has_a_place() -> None:
    known = {path.relative_to(ROOT).parts[0] for path in FILES} | {"tests", "scripts", "mutants"}
    found = {path.relative_to(ROOT).parts[0] for path in ROOT.glob("*/*.py")} | {p.name for p in ROOT.glob("*.py")}
    assert found <= known


def test_the_lab_is_loaded_when_it_is_opened() -> None:
    """The page starts without it: what is imported at the beginning of files, and of those that these import."""
    files = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in FILES}
    left, loaded = ["ui.site", "graph.turns", "doors.mcp_server", "doors.http_api"], set[str]()
    while left:
        name = left.pop()
        path = files.get(name) or files.get(f"{name}.__init__")
        if path is None or name in loaded:
            continue
        loaded.add(name)
        left += imports_of(path).at_once
    assert {"ui.lab", "ui.lab_handlers", "doors.lab"} <= loaded
    assert {name for name in loaded if name.startswith(("evaluation.lab.", "graph.lab."))} == {"graph.lab.variants"}


def test_any_file_may_be_imported_first() -> None:
    """A circle of imports holds only as long as they are begun at the right end of it."""
    imports = imports_by_module()
    done, circles = set[str](), list[str]()

    def follow(way: tuple[str, ...]) -> None:
        for name in sorted(imports[way[-1]]):
            if name in way:
                circles.append(" -> ".join([*way[way.index(name) :], name]))
            elif name not in done:
                follow((*way, name))
        done.add(way[-1])

    for name in imports:
        if name not in done:
            follow((name,))
    assert circles == []


def imports_by_module() -> dict[str, set[str]]:
    """What each module has imported when it has been loaded, but for the packages that it is in: those are there."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}
    found: dict[str, set[str]] = {}
    for module, path in modules.items():
        names = {*imports_of(path).at_once}
        names |= {package for name in names for package in packages_of(name)}
        found[module] = (names & modules.keys()) - {module, *packages_of(module)}
    return found


def packages_of(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]
