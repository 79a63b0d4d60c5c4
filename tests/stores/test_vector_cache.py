"""The cache of vectors: by space and text, bounded, and never in the way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from store_cases import alike, embed, space

from stores.vector_cache import VectorCache

TEXTS = [f"text{n}" for n in range(50)]
ONE, TWO = space("one"), space("two")


def put(cache: VectorCache, texts: list[str], name: str = "one") -> None:
    cache.put(space(name), dict(zip(texts, embed(texts, name), strict=True)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "vectors.db"


@pytest.fixture(params=["disk", "memory"])
def cache(request: pytest.FixtureRequest, path: Path):
    cache = VectorCache(path if request.param == "disk" else None, 10)
    yield cache
    cache.close()


def test_vectors_come_back_by_space_and_text(cache):
    put(cache, TEXTS[:3])
    put(cache, TEXTS[2:4], "two")
    found = cache.get(ONE, TEXTS)
    assert set(found) == set(TEXTS[:3])
    for text, vector in found.items():
        assert alike(vector, embed([text])[0])
    assert set(cache.get(TWO, TEXTS)) == set(TEXTS[2:4])
    assert cache.get(space("three"), TEXTS) == {}
    assert [known.key for known in cache.spaces()] == [ONE.key, TWO.key]
    assert cache.spaces()[0] == replace(ONE, fitted_on=0, calibration=None)


def test_floats_that_were_written_earlier_are_read_and_counted(path):
    cache = VectorCache(path, 10 * (4 * 16 + 100) / 1e6)
    put(cache, TEXTS[:20])
    with sqlite3.connect(path) as database:
        for key, vector in zip(range(1, 21), embed(TEXTS[:20]), strict=True):
            database.execute("UPDATE vectors SET vector = ? WHERE id = ?", [vector.tobytes(), key])
    database.close()
    found = cache.get(ONE, TEXTS)
    assert set(found) == set(TEXTS[:20])
    assert all((vector == embed([text])[0]).all() for text, vector in found.items())
    cache.clean({ONE.key})
    assert set(cache.get(ONE, TEXTS)) == set(TEXTS[10:20])
    cache.close()


@pytest.mark.parametrize("damaged", ["x'010203'", "zeroblob(8)", "'text'", "5"])
def test_a_damaged_vector_is_none(path, damaged):
    cache = VectorCache(path, 10)
    put(cache, TEXTS[:3])
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE vectors SET vector = {damaged} WHERE id = 1")
    database.close()
    assert set(cache.get(ONE, TEXTS)) == set(TEXTS[1:3])
    cache.close()


def test_spaces_that_nobody_needs_go(cache):
    put(cache, TEXTS[:3])
    put(cache, TEXTS[:3], "two")
    cache.clean({TWO.key})
    assert cache.get(ONE, TEXTS) == {}
    assert len(cache.get(TWO, TEXTS)) == 3
    assert [known.key for known in cache.spaces()] == [TWO.key]


def test_it_is_bounded_but_for_a_space_on_its_way(path):
    cache = VectorCache(path, 10 * (2 * 16 + 100) / 1e6)
    put(cache, TEXTS)
    put(cache, TEXTS, "two")
    cache.clean({ONE.key, TWO.key}, unlimited=TWO.key)
    assert set(cache.get(ONE, TEXTS)) == set(TEXTS[-10:])  # the newest
    assert len(cache.get(TWO, TEXTS)) == 50
    cache.close()


def test_what_goes_leaves_room_on_the_disk(path):
    cache = VectorCache(path, 100)
    many = [f"text{n}" for n in range(2000)]
    cache.put(ONE, {text: np.ones(16, np.float32) for text in many})
    full = path.stat().st_size + path.with_name("vectors.db-wal").stat().st_size
    cache.clean(())
    assert path.stat().st_size < full / 3
    cache.close()


def test_it_outlives_a_kill(path):
    code = """if True:
        import os, sys
        from pathlib import Path
        from store_cases import embed, space
        from stores.vector_cache import VectorCache
        cache = VectorCache(Path(sys.argv[1]), 10)
        cache.put(space(), dict(zip(["a", "b"], embed(["a", "b"]))))
        os._exit(9)
    """
    python_path = os.pathsep.join([str(Path(__file__).parent), os.getcwd()])
    subprocess.run([sys.executable, "-c", code, str(path)], env={**os.environ, "PYTHONPATH": python_path})
    cache = VectorCache(path, 10)
    assert set(cache.get(ONE, ["a", "b", "c"])) == {"a", "b"}
    cache.close()


@pytest.mark.parametrize("content", [b"nonsense" * 1000, b""])
def test_a_damaged_file_is_begun_anew(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    cache = VectorCache(path, 10)
    put(cache, TEXTS[:1])
    assert set(cache.get(ONE, TEXTS)) == {TEXTS[0]}
    cache.close()


def test_the_file_comes_with_its_first_vector(path):
    cache = VectorCache(path, 10)
    assert cache.get(ONE, TEXTS) == {}
    assert cache.spaces() == []
    cache.clean(())
    assert not path.exists()
    put(cache, TEXTS[:1])
    assert path.exists()
    cache.close()


def test_without_a_place_on_disk_vectors_are_kept_in_memory(tmp_path):
    (tmp_path / "file").write_text("no folder")
    cache = VectorCache(tmp_path / "file" / "vectors.db", 10)
    put(cache, TEXTS[:1])
    assert set(cache.get(ONE, TEXTS)) == {TEXTS[0]}
    cache.close()
    assert cache.get(ONE, TEXTS) == {}
