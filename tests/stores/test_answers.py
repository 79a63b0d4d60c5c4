"""Remembered answers: bounded, of one generation, and never worth an error."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from stores import answers as module
from stores.answers import AnswerStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def kept(path: Path) -> set[str]:
    with sqlite3.connect(path) as database:
        return {key for (key,) in database.execute("SELECT key FROM answers")}


def test_what_was_put_is_found_again_also_after_a_restart(path):
    store = AnswerStore(path, entries=10, days=1)
    assert store.find("a", 1) is None
    store.put("a", 1, "十五天 🌿")
    assert store.find("a", 1) == "十五天 🌿"
    store.close()
    again = AnswerStore(path, entries=10, days=1)
    assert again.find("a", 1) == "十五天 🌿"
    again.close()


def test_another_generation_finds_nothing_and_deletes_the_text_for_good(path):
    store = AnswerStore(path, entries=10, days=1)
    text = "".join(random.choices("abcdefghij", k=3000))
    store.put("a", 1, text)
    store.put("b", 1, text)
    assert store.find("a", 2) is None
    store.close()
    assert kept(path) == set()
    packed = module.zlib.compress(text.encode(), 1)
    assert packed[10:50] not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_the_least_recently_used_go_first(path):
    store = AnswerStore(path, entries=3, days=1)
    for key in "abc":
        store.put(key, 1, key)
    assert store.find("a", 1) == "a"
    store.put("d", 1, "d")
    store.close()
    assert kept(path) == {"a", "c", "d"}


def test_old_answers_are_not_given(path, monkeypatch):
    store = AnswerStore(path, entries=10, days=1)
    store.put("a", 1, "a")
    now = module.time.time()
    monkeypatch.setattr(module.time, "time", lambda: now + 86_401)
    assert store.find("a", 1) is None
    store.clean(1)
    store.close()
    assert kept(path) == set()


def test_a_giant_is_not_kept(path):
    store = AnswerStore(path, entries=10, days=1)
    store.put("a", 1, random.Random(1).randbytes(1_500_000).hex())
    assert store.find("a", 1) is None
    store.close()


@pytest.mark.parametrize("content", [b"no database " * 500, b""])
def test_a_damaged_file_is_a_miss_and_is_made_anew(path, content):
    path.write_bytes(content)
    store = AnswerStore(path, entries=10, days=1)
    assert store.find("a", 1) is None
    store.put("a", 1, "a")
    assert store.find("a", 1) == "a"
    store.close()


@pytest.mark.parametrize("content", ["'text'", "5", "x'0102'"])
def test_a_damaged_answer_is_a_miss(path, content):
    store = AnswerStore(path, entries=10, days=1)
    store.put("a", 1, "a")
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE answers SET content = {content}")
    database.close()
    assert store.find("a", 1) is None
    store.put("a", 1, "a")
    assert store.find("a", 1) == "a"
    store.close()


def test_a_folder_that_cannot_be_written_is_only_a_miss(tmp_path):
    store = AnswerStore(tmp_path / "absent" / "answers.sqlite", entries=10, days=1)
    store.put("a", 1, "a")
    assert store.find("a", 1) is None
    store.close()
