"""What a disk, a file or another process can do to a library: it heals or says what to do; no loss goes unsaid."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from benchmarks.crash_faults import FAULTS
from benchmarks.crash_model import State
from benchmarks.crash_work import first_state, make

SLOW = {
    "no space to open",
    "full disk",
    "damaged log",
    "damaged segments",
}  # many openings: `python -m benchmarks crash`


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, State]:
    folder, state = tmp_path_factory.mktemp("faults") / "library", first_state("faults", 6)
    make(folder, state)
    return folder, state


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in SLOW])
def test_a_library_stands_it(name, made, tmp_path):
    folder, state = made
    for above in (tmp_path, *tmp_path.parents[:2]):
        above.chmod(0o755)  # an unprivileged process looks at it
    library = shutil.copytree(folder, tmp_path / "library")
    assert list(FAULTS[name](library, state, random.Random(f"tests {name}"))) == []
