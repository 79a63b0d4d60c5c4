"""Questions that found nothing: kept for their user, bounded, exported, forgotten, cleared."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import cli
from errors import StoreError
from stores import unanswered
from stores.unanswered import UNANSWERED, UnansweredQuestion, UnansweredStore, as_csv, as_jsonl

ASKED = "2026-01-02T03:04:05+00:00"
MOON = UnansweredQuestion("月亮上\n有几天假？", "not_covered", 0.12, "zh", ("人事", ""), ("a.md",), ASKED)
LAMP = UnansweredQuestion("=Which lamp?", "nothing", 0.0, "en", asked=ASKED)


@pytest.fixture
def store(tmp_path: Path):
    opened = UnansweredStore.in_file(tmp_path / UNANSWERED)
    yield opened
    opened.close()


def test_nothing_is_made_until_a_question_finds_nothing(store, tmp_path):
    assert (store.last(), store.count(), list(store.export()), store.clear()) == ([], 0, [], 0)
    store.forget("t")
    assert not (tmp_path / UNANSWERED).exists()


def test_each_user_has_a_list_newest_first(store):
    store.put("anna", "anna/t", MOON)
    store.put("bob", "", LAMP)
    store.put("anna", "anna/u", LAMP)
    moon = UnansweredQuestion("月亮上 有几天假？", *[getattr(MOON, name) for name in UnansweredQuestion.__slots__[1:]])
    assert store.last("anna") == [LAMP, moon]
    assert (store.count(), store.count("bob"), len(store.last("anna", most=1))) == (3, 1, 1)
    assert [row["user"] for row in store.export()] == ["anna", "bob", "anna"]
    store.forget("anna/t")  # the conversation is deleted
    store.forget("")  # this one has none
    assert store.count() == 2
    assert (store.clear("anna"), store.count()) == (1, 1)
    assert (store.clear(), store.count()) == (1, 0)


def test_the_oldest_of_a_user_give_way(store, monkeypatch):
    monkeypatch.setattr(unanswered, "MOST", 3)
    store.put("bob", "", LAMP)
    for number in range(5):
        store.put("anna", "", UnansweredQuestion(f"q{number}", "unsure", 0.2, "en"))
    assert [one.question for one in store.last("anna")] == ["q4", "q3", "q2"]
    assert store.count("bob") == 1
    assert all(one.asked for one in store.last("anna"))


def test_an_export_for_programs_and_for_tables(store):
    store.put("", "", MOON)
    store.put("", "", LAMP)
    first, second = (json.loads(line) for line in as_jsonl(store.export()))
    assert first == {
        "user": "", "question": "=Which lamp?", "reason": "nothing", "score": 0.0, "language": "en", "doc_sets": [],
        "documents": [], "asked": ASKED,
    }  # fmt: skip
    assert second["doc_sets"] == ["人事", ""]
    head, lamp, moon = csv.reader("".join(as_csv(store.export())).splitlines())
    assert head[:3] == ["user", "question", "reason"]
    assert lamp[1] == "'=Which lamp?"  # no formula
    assert moon[1:6] == ["月亮上 有几天假？", "not_covered", "0.12", "zh", "人事; "]


def test_a_damaged_file_is_said_where_it_matters(store, tmp_path):
    (tmp_path / UNANSWERED).write_bytes(b"no database at all" * 100)
    assert (store.last(), store.count()) == ([], 0)
    for call in (lambda: store.put("", "", LAMP), store.clear, lambda: list(store.export())):
        with pytest.raises(StoreError) as error:
            call()
        assert UNANSWERED in error.value.message.en
        assert "移走" in error.value.suggestions[0].zh


@pytest.mark.parametrize(
    ("locale", "none", "cleared"),
    [("zh_CN.UTF-8", "每个问题都", "已清空 1"), ("en_GB.UTF-8", "every question", "Forgotten: 1")],
)
def test_the_terminal_writes_and_clears_it(store, tmp_path, monkeypatch, locale, none, cleared):
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(tmp_path))
    assert none in CliRunner().invoke(cli, ["unanswered"]).stderr
    store.put("", "", LAMP)
    done = CliRunner().invoke(cli, ["unanswered"])
    assert json.loads(done.stdout)["question"] == LAMP.question
    assert "1" in done.stderr
    assert CliRunner().invoke(cli, ["unanswered", "--csv"]).stdout.startswith("user,question")
    assert cleared in CliRunner().invoke(cli, ["unanswered", "--clear"]).stdout
    assert store.count() == 0
