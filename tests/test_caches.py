"""What is kept only to be faster can be looked at and cleared: from Python, from the terminal, beside the program."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import citewise
import cli
from errors import CitewiseError
from schema import Space
from stores.answers import AnswerStore
from stores.caches import CacheRegistry, CacheSize
from stores.pages import CachedPage, PageFile
from stores.vector_cache import VectorCache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a library that is open and has used its caches."""
    for name, value in {
        "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_INGEST_WORKERS": "0", "CITEWISE_OLLAMA": "false",
        "LC_ALL": "en_GB.UTF-8", "COLUMNS": "200",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "library"


Files = tuple[AnswerStore, PageFile, VectorCache]


def filled(folder: Path) -> Files:
    """The stores of a running program, of which each holds something."""
    folder.mkdir(exist_ok=True)
    answers = AnswerStore(folder / "answers.sqlite", 10, 1)
    answers.put("q", 1, "fifteen")
    pages = PageFile(folder / "pages.sqlite", 10)
    pages.put(
        CachedPage("https://a.lan/1", "https://a.lan/1", datetime.now(UTC), name="a", etag="1", data=b"x" * 50_000)
    )
    vectors = VectorCache(folder / "vectors.db", 10)
    vectors.put(Space("p", "m", "1", 8, b""), {f"text {n}": np.full(8, n, np.float32) for n in range(2)})
    return answers, pages, vectors


def close(stores: Files) -> None:
    for store in stores:
        store.close()


def entries(sizes: dict[str, CacheSize]) -> dict[str, int]:
    return {name: size.entries for name, size in sizes.items()}


def test_python_shows_and_clears_them(folder: Path) -> None:
    close(filled(folder))
    with citewise.open() as library:
        library.add_content("rules.md", "# Rules\n\nNo smoking in the archive.")
        assert [hit.document for hit in library.search("Where is smoking forbidden?")] == ["rules.md"]
        before = library.caches()
        assert (before["answers"].entries, before["pages"].entries, "vectors" in before) == (1, 1, True)
        assert before["passages"].entries > 0 < before["passages"].bytes
        assert library.clear_caches("pages") == {"pages": before["pages"]}
        assert (library.caches()["answers"].entries, library.caches()["pages"].entries) == (1, 0)
        library.clear_caches()
        assert set(entries(library.caches()).values()) == {0}
        with pytest.raises(CitewiseError, match="no cache cookies"):
            library.clear_caches("answers", "cookies")
        assert [hit.document for hit in library.search("Where is smoking forbidden?")] == ["rules.md"]


def test_the_terminal_shows_and_clears_them_while_the_program_runs(folder: Path) -> None:
    def run(*arguments: str) -> tuple[int, list[list[str]]]:
        done = CliRunner().invoke(cli.cli, ["cache", *arguments])
        return done.exit_code, [line.split() for line in done.output.splitlines()]

    answers, pages, vectors = stores = filled(folder)
    status, rows = run()
    assert (status, [row[:2] for row in rows]) == (0, [["answers", "1"], ["pages", "1"], ["vectors", "2"]])
    assert run("--clear", "vectors", "--clear", "answers")[0] == 0
    assert [row[1] for row in run()[1]] == ["0", "1", "0"]
    assert run("--clear", "cookies")[0] == 1
    assert run("--clear", "all")[0] == 0
    assert [store.size().entries for store in stores] == [0, 0, 0]
    assert (answers.find("q", 1), vectors.spaces()) == (None, [])
    kept = pages.get("https://a.lan/1")
    assert kept is not None
    assert (kept.data, kept.etag, kept.name) == (None, "1", "a"), "what a refresh asks with stays"
    close(stores)


def test_a_library_without_caches_has_empty_ones(folder: Path) -> None:
    assert CliRunner().invoke(cli.cli, ["cache", "--clear", "all"]).exit_code == 0
    assert not folder.exists()


def test_what_cannot_be_cleared_is_said() -> None:
    class Stuck:
        def size(self) -> CacheSize:
            return CacheSize(3, 100)

        def clear(self) -> None:
            return

    with pytest.raises(CitewiseError, match="pages could not be cleared"):
        CacheRegistry({"pages": Stuck()}).clear()
