"""Imports point down only, and heavy frameworks stay in their rooms."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

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


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imported(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module.split(".")[0])
    return frozenset(names)


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
        for node in parsed(path).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                left += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                left += [alias.name for alias in node.names]
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
        names: set[str] = set()
        for node in parsed(path).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        names |= {package for name in names for package in packages_of(name)}
        found[module] = (names & modules.keys()) - {module, *packages_of(module)}
    return found


def packages_of(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]
