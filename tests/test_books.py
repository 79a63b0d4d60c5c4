"""The books are true: the floor plan is today's, named files are there, and the written steps work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.floor_plan import BESIDE, PAGE, name_of, renewed, without_detours
from tests.test_imports import LEVEL, ROOT

TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### An? (.+?)\n(.*?)(?=^###? |\Z)", TEXT, re.S | re.M))
FORKS = """
import json, os, sys
import citewise, graph.turns, retrieval.search, faiss, rjieba, tantivy
for number, block in enumerate(json.load(sys.stdin)):
    if not (begun := os.fork()):
        os.dup2(os.open(f"{number}.out", os.O_WRONLY | os.O_CREAT), 1)
        exec(compile(block, "a block", "exec"), {"__name__": "__main__"})
        sys.stdout.flush()
        os._exit(0)  # nothing that was loaded is taken apart
    if os.waitstatus_to_exitcode(os.waitpid(begun, 0)[1]):
        sys.exit(f"block {number} failed")
"""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.S | re.M)
_NAMED = re.compile(r"`([\w./-]+/|(?:[\w-]+/)*[\w-]+\.(?:py|md|yaml)|scripts/[\w-]+)`")
_NEW = re.compile(r"A new file, `(.+?)`")
SHOWN = {  # what each step's last block prints
    "retrieval strategy": "Leave is granted by the head of the office.\nverbatim\n",
    "reader": "The pump must rest for **ninety seconds** [1].\n",
    "chunker": "['# Rules', 'No smoking.', 'No open fire.']",
    "store": "stored: tides.md\n",
    "text": "端口 7860 已被占用。请用 --port 换一个端口。 Port 7860 is in use. Choose another one with --port.\n",
}


def test_the_picture_is_drawn_from_the_imports_of_today() -> None:
    assert renewed(TEXT) == TEXT, "scripts/floor-plan draws it anew"


def test_a_page_without_its_markers_is_not_written() -> None:
    with pytest.raises(ValueError, match="floor plan"):
        renewed("# Architecture")


def test_only_arrows_that_others_imply_are_left_out() -> None:
    imports = {"graph": {"nodes", "schema", "text"}, "nodes": {"schema"}, "text": {"schema"}, "schema": set[str]()}
    assert without_detours(imports) == [("graph", "nodes"), ("graph", "text"), ("nodes", "schema"), ("text", "schema")]


def test_every_room_is_described() -> None:
    rows = re.findall(r"^\| (`.+?`) \|", TEXT, re.M)
    assert sorted(re.findall("`(.+?)`", " ".join(rows))) == sorted(map(name_of, LEVEL.keys() - BESIDE))


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_file_that_is_named_is_there(name: str) -> None:
    page = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.S | re.M)
    named = set(_NAMED.findall(page)) - set(_NEW.findall(page)) - {"config.yaml"}  # which is the reader's own
    assert len(named) > 5
    assert [one for one in sorted(named) if not (ROOT / one).exists()] == []


def test_the_tests_that_are_run_as_examples_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert (paths := set(re.findall(r"tests/[\w/]+\.py", text)))
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
    for path, words in re.findall(r"(tests/[\w/]+\.py) -k (\w+)", text):
        assert re.search(rf"def test_\w*{words}", (ROOT / path).read_text(encoding="utf-8"))


def test_what_stands_before_a_file_is_in_it() -> None:
    """`Assistant.run_turn` (`graph/turns.py`): both the class and the method."""
    pairs = re.findall(r"`([A-Za-z_.]+)`\s+\(`([\w/]+\.py)`\)", TEXT)
    assert len(pairs) > 20
    for name, path in pairs:
        source = (ROOT / path).read_text(encoding="utf-8")
        first, _, method = name.partition(".")
        if first == "Library":  # its parts are classes of their own
            first = "Library\\w*"
        assert re.search(rf"^(?:class|def|async def) {first}\b|^{first}\b.* = ", source, re.M), (name, path)
        assert not method or re.search(rf"^    (?:async )?def {method}\b", source, re.M), (name, path)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The product's code with all of the written steps done in it, one after the other."""
    there = tmp_path_factory.mktemp("citewise")
    for room in map(name_of, LEVEL.keys() - BESIDE):
        source = ROOT / room
        if source.is_dir():
            shutil.copytree(source, there / room)
        else:
            shutil.copy2(source, there)
    for section in SECTIONS.values():
        for path, language, code in steps(section):
            if language == "diff":
                change(there / path, code)
            elif path:
                assert not (there / path).exists(), "a new file"
                (there / path).write_text(code, encoding="utf-8")
    return there


def test_every_step_has_code_to_try_or_files_to_edit() -> None:
    tried = {what for what, section in SECTIONS.items() if any(not path for path, _, _ in steps(section))}
    assert tried == SHOWN.keys()
    assert tried | {"provider"} == SECTIONS.keys()


@pytest.fixture(scope="module")
def printed(copy: Path) -> dict[str, str]:
    """By what was added, what its last block prints; "page": what the page offers."""
    blocks = {what: code for what in SHOWN for path, _, code in steps(SECTIONS[what]) if not path}
    blocks["page"] = "from ui.options import chunkers, strategies\nprint(strategies('en'), chunkers('zh'))"
    return dict(zip(blocks, run([*blocks.values()], copy), strict=True))


@pytest.mark.parametrize("what", SHOWN)
def test_what_was_added_works_as_it_is_written(what: str, printed: dict[str, str]) -> None:
    assert SHOWN[what] in printed[what]


def test_the_page_offers_what_was_added(printed: dict[str, str]) -> None:
    assert "('word for word', 'verbatim')" in printed["page"]
    assert "('单句', 'sentence')" in printed["page"]


def steps(section: str) -> Iterator[tuple[str, str, str]]:
    """The path that a block is for (none: it is to be run), the block's language, its text."""
    path, position = "", 0
    for block in _BLOCK.finditer(section):
        before = section[position : block.start()]
        if found := re.findall(r"(?:[Ii]n|A new file,) `([\w/.]+\.py)`:", before):
            path = found[-1]
        elif block[1] == "python":
            path = ""
        yield path, block[1], block[2]
        position = block.end()


def change(file: Path, diff: str) -> None:
    """Apply a diff whose old lines stand once in the file."""
    lines, text = diff.splitlines(), file.read_text(encoding="utf-8")
    old, new = ("".join(f"{line[1:]}\n" for line in lines if line[0] in signs) for signs in (" -", " +"))
    assert f"\n{text}".count(f"\n{old}") == 1, f"{file.name} does not hold once:\n{old}"
    file.write_text(f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:], encoding="utf-8")


def run(blocks: list[str], folder: Path) -> list[str]:
    """What each prints, run as a program in the folder: as a fork of one process that has loaded what all of them
    need."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
        "PYTHONPATH": str(folder), "CITEWISE_OLLAMA": "false", "CITEWISE_EMBEDDING": "hashing",
        "CITEWISE_INGEST_WORKERS": "0", "PYTHONUTF8": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", FORKS], input=json.dumps(blocks), cwd=folder, env=environment, capture_output=True,
        text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [(folder / f"{number}.out").read_text(encoding="utf-8") for number in range(len(blocks))]
