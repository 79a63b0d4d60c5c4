"""Thumbs and words on answers: kept, counted, exported, forgotten, backed up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import cli
from errors import StoreError
from stores.embedded import EmbeddedStore
from stores.feedback import FEEDBACK, LONGEST, Counts, Feedback, FeedbackStore
from stores.safety.health import check_library


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FEEDBACK


def lines(store: FeedbackStore) -> list[dict[str, object]]:
    return [json.loads(line) for line in store.export()]


def test_nothing_is_made_until_something_is_said(path: Path) -> None:
    store = FeedbackStore.in_file(path)
    assert (store.counts(), store.of("t"), lines(store)) == (Counts(), {}, [])
    assert store.counts().share is None
    store.forget("t")
    store.withdraw("t", "1")
    store.close()
    assert not path.exists()


def test_the_last_word_on_an_answer_counts_and_survives(path: Path) -> None:
    store = FeedbackStore.in_file(path)
    store.put("anna/t", Feedback("1", 1, "好", "年假几天？", "十五天", "default", "m"))
    store.put(
        "anna/t", Feedback("1", -1, " 不对\n ", "年假几天？", "十五天", "default", "m", "2026-01-02T03:04:05+00:00")
    )
    store.put("t", Feedback("1", 1))
    store.close()
    again = FeedbackStore.in_file(path)
    assert again.of("anna/t")["1"] == Feedback(
        "1", -1, "不对", "年假几天？", "十五天", "default", "m", "2026-01-02T03:04:05+00:00"
    )
    assert again.counts() == Counts(1, 1)
    assert again.counts().share == 0.5
    assert {one["user"] for one in lines(again)} == {"anna", ""}
    again.withdraw("anna/t", "1")
    assert again.counts() == Counts(1, 0)
    again.close()


def test_with_the_conversation_goes_what_was_said_but_not_the_thumb(path: Path) -> None:
    store = FeedbackStore.in_file(path)
    for turn in ("1", "2"):
        store.put("t", Feedback(turn, -1, "secret word", "secret question", "secret answer", "hyde", "m"))
    store.put("other", Feedback("1", 1, "kept"))
    store.forget("t")
    store.forget("t")
    assert store.of("t") == {}
    assert store.counts() == Counts(1, 2)
    told = list(store.export())
    assert not any("secret" in line for line in told)
    assert [one["strategy"] for one in lines(store)] == ["hyde", "hyde", ""]
    store.close()
    assert b"secret" not in path.read_bytes()


def test_a_line_of_the_export_is_json_whatever_was_said(path: Path) -> None:
    store = FeedbackStore.in_file(path)
    word = '“不好”\n<script>alert(1)</script> "${x}" \u2028'
    store.put("a%2Fb/c", Feedback("1", 1, word, "q" * 3_000, "a", "", ""))
    [line] = store.export()
    told = json.loads(line)
    assert told["word"] == word.strip()
    assert (told["user"], told["conversation"]) == ("a/b", "c")
    assert len(told["question"]) < 600
    store.put("t", Feedback("1", 1, "x" * (LONGEST + 1)))
    assert len(store.of("t")["1"].word) == LONGEST
    store.close()


def test_a_user_has_what_is_theirs_alone(path: Path) -> None:
    store = FeedbackStore.in_file(path)
    for thread in ("anna/t", "annabel/t", "a%2Fb/t", "t"):
        store.put(thread, Feedback("1", 1))
    assert [[json.loads(line)["user"] for line in store.export(user)] for user in ("anna", "a/b", "nobody")] == [
        ["anna"], ["a/b"], [],
    ]  # fmt: skip
    assert len(lines(store)) == 4
    store.close()


def test_the_last_thumbs_come_in_the_order_in_which_they_were_given(path: Path) -> None:
    store = FeedbackStore.in_file(path)
    assert store.last(2) == []
    for turn, value in (("1", 1), ("2", 1), ("3", -1), ("1", -1), ("4", 1)):
        store.put("t", Feedback(turn, value))
    assert store.last(10) == [True, False, False, True]
    assert store.last(2) == [False, True]
    store.close()


def test_many_are_exported_once_each(path: Path) -> None:
    store = FeedbackStore.in_file(path)
    for number in range(1_003):
        store.put("t", Feedback(str(number), 1))
    assert [one["turn"] for one in lines(store)] == [str(number) for number in range(1_003)]
    store.close()


def test_a_damaged_file_is_told_where_something_would_be_lost(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)
    store = FeedbackStore.in_file(path)
    assert (store.counts(), store.of("t")) == (Counts(), {})
    with pytest.raises(StoreError) as told:
        store.put("t", Feedback("1", 1))
    assert told.value.suggestions
    with pytest.raises(StoreError):
        list(store.export())
    store.close()


def test_a_backup_holds_it_and_brings_it_back_also_while_it_is_open(tmp_path: Path) -> None:
    library = EmbeddedStore(tmp_path / "library")
    store = FeedbackStore.in_file(tmp_path / "library" / FEEDBACK)
    store.put("t", Feedback("1", 1, "before"))
    library.backup(tmp_path / "b.zip")
    store.put("t", Feedback("1", -1, "after"))
    store.put("t", Feedback("2", -1))
    library.restore(tmp_path / "b.zip")
    assert [one.word for one in store.of("t").values()] == ["before"]
    assert store.counts() == Counts(1, 0)
    store.close()
    library.close()
    assert {one.kind for one in check_library(tmp_path / "library") if one.part == FEEDBACK} == {"ok"}


def test_the_terminal_writes_it_as_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert CliRunner().invoke(cli, ["feedback", "--folder", str(tmp_path)]).exit_code == 1  # no library at all
    EmbeddedStore(tmp_path).close()
    nothing = CliRunner().invoke(cli, ["feedback", "--folder", str(tmp_path)])
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "还没有评价" in nothing.stderr
    store = FeedbackStore.in_file(tmp_path / FEEDBACK)
    store.put("t", Feedback("1", 1, "很好"))
    store.close()
    told = CliRunner().invoke(cli, ["feedback", "--folder", str(tmp_path)])
    assert json.loads(told.stdout)["word"] == "很好"
    assert "👍 1  👎 0" in told.stderr
