"""The terminal: what is stored is listed, counted, asked and deleted."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from library import Library
from schema import WebDocument, WebMetadata
from web.records import Records


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_INGEST_WORKERS": "0", "CITEWISE_OLLAMA": "false",
        "LC_ALL": "en_GB.UTF-8", "COLUMNS": "200",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "CITEWISE_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    for folder, name, text in (
        ("a", "lamp.md", "# Lamp\n\nThe lamp is trimmed at dusk.\n"),
        ("a", "钟[1].md", "# 雾钟\n\n雾钟每两分钟敲响一次。\n"),
        ("b", "lamp.md", "# Lamp\n\nThe lamp of the pier is trimmed at noon.\n"),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
    assert run("ingest", "a")[0] == 0
    assert run("ingest", "b", "--set", "pier")[0] == 0
    return tmp_path


def run(*arguments: str, answer: str | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(cli.cli, list(arguments), input=answer)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_what_is_stored_is_listed_and_counted(stored):
    status, said = run("list")
    assert status == 0
    rows = [line.split() for line in said.splitlines()]
    assert ["lamp.md", "pier", "markdown", "1", "49"] in [row[:5] for row in rows]
    assert ["钟[1].md", "markdown", "1"] in [row[:3] for row in rows]
    assert [row[-1] for row in rows if row[:1] == ["lamp.md"]] == ["✅"] * 2
    status, said = run("list", "--set", "pier")
    assert (status, said.count("lamp.md"), "钟" in said) == (0, 1, False)
    status, said = run("stats")
    assert "3  documents" in said
    assert "1  document sets" in said
    assert "vector index  flat, recall@10 1.000" in said


def test_what_only_questions_need_is_loaded_for_no_other_command(stored, monkeypatch):
    warmed: list[Library] = []
    monkeypatch.setattr(Library, "warm", lambda library: warmed.append(library))
    Path("a", "fog.md").write_text("# Fog\n\nThe bell rings in fog.\n", encoding="utf-8")
    for arguments in (["ingest", "a"], ["list"], ["delete", "fog.md", "--yes"]):
        assert run(*arguments)[0] == 0
    assert not warmed
    assert run("ask", "when is the lamp of the pier trimmed?")[0] == 0
    assert len(warmed) == 1


def test_a_document_without_its_vectors_is_listed_with_the_reason(stored):
    with closing(sqlite3.connect(stored / "library" / "library.db")) as connection, connection:
        connection.execute("UPDATE documents SET missing = 1 WHERE doc_set = 'pier'")
    said = run("list", "--set", "pier")[1].splitlines()
    assert said[1].split()[-1] == "🟡"
    assert said[2].startswith("🟡 lamp.md  Waiting for vectors: they are missing for 1 of 1 chunks")
    assert "cli.py process makes them at once" in said[2]  # nothing runs on behind a command


def test_in_a_pipe_each_document_is_one_line(stored, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    name = f"{'long-' * 20}name.md"
    Path("b", name).write_text("# Pier\n\nThe pier is closed on Mondays.\n", encoding="utf-8")
    assert run("ingest", f"b/{name}")[0] == 0
    [line] = [line for line in run("list")[1].splitlines() if "long-" in line]
    assert line.startswith(f"{name} ")


def test_a_question_is_answered_with_its_sources(stored, monkeypatch):
    status, said = run("ask", "when is the lamp of the pier trimmed?")
    assert status == 0
    assert "noon" in said.splitlines()[0]
    assert "[1] pier › lamp.md › Lamp (line 3)" in said
    status, said = run("ask", "when is the lamp trimmed?", "--set", "", "--file", "lamp.md", "--strategy", "keyword")
    assert ("dusk" in said, "noon" in said) == (True, False)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    status, said = run("ask", "雾钟多久敲响一次？")
    assert "每**两分钟**敲响" in said
    assert "钟[1].md › 雾钟 (行 3)" in said


def test_an_answer_as_one_json_object_or_with_its_evaluation(stored):
    asked = ("ask", "when is the lamp of the pier trimmed?")
    status, said = run(*asked, "--json", "--top-k", "1")
    told = json.loads(said)
    assert status == 0
    assert "noon" in told["answer"]
    assert told["citations"][0]["statement"] in told["answer"].replace(" [1]", "")
    assert (told["citations"][0]["document"], told["citations"][0]["supported"]) == ("lamp.md", True)
    assert {"statements", "sources", "confidence", "verdict", "notices"} <= told.keys()
    plain = run(*asked)[1]
    assert f"confidence {told['confidence']:.2f}" in plain
    assert "support" not in plain
    assert "support 1.00, mean similarity" in run(*asked, "--evaluate")[1]


def test_as_json_a_statement_stands_beside_the_lines_that_it_cites_and_no_others(stored):
    lines = ["The lens of the mole light is cleaned on Fridays.", "The mole light is painted white in spring."]
    Path("mole.md").write_text("# Mole light\n\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
    assert run("ingest", "mole.md")[0] == 0
    told = json.loads(run("ask", "When is the lens of the mole light cleaned, when is it painted?", "--json")[1])
    assert {one["marker"] for one in told["citations"]} == {1}
    assert [one["statement"].replace("**", "") for one in told["citations"]] == lines
    assert [line in one["quote"] for line, one in zip(lines, told["citations"], strict=True)] == [True, True]


def test_a_question_to_a_kind_of_document_or_to_those_of_an_author(stored):
    for name, author, hour in (("li.md", "Li", "seven"), ("wu.md", "Wu", "eight")):
        text = f"---\nauthor: {author}\nyear: 2024\n---\n# Mast\n\nThe lamp of the mast is trimmed at {hour}.\n"
        Path(name).write_text(text, encoding="utf-8")
    Path("mast.py").write_text('def trim():\n    """The lamp of the mast is trimmed at nine."""\n', encoding="utf-8")
    assert run("ingest", "li.md", "wu.md", "mast.py")[0] == 0
    asked = ("ask", "when is the lamp of the mast trimmed?")
    for where, hour in (
        (["--where", "author=Li"], "seven"), (["--where", "author=Wu", "--where", "year=2024"], "eight"),
        (["--kind", "code"], "nine"),
    ):  # fmt: skip
        status, said = run(*asked, *where)
        assert (status, [one for one in ("dusk", "noon", "seven", "eight", "nine") if one in said]) == (0, [hour]), said
    both = run(*asked, "--kind", "code", "--where", "author=Li")
    assert both[0] == 1
    assert "No document meets these conditions: author=Li, doc_type=code." in both[1]


def test_wrong_names_are_said(stored):
    for wrong in (["--set", "HR"], ["--file", "x.md"], ["--strategy", "best"], ["--kind", "pfd"], ["--where", "by:Li"]):
        status, said = run("ask", "?", *wrong)
        assert status == 1
        assert wrong[1] in said or "strategy" in said


def test_what_was_asked_in_vain_is_listed(stored):
    assert run("ask", "which battery voltage does the moon rover need?")[0] == 0
    assert run("ask", "when is the lamp of the pier trimmed?")[0] == 0
    line, count = run("unanswered")[1].splitlines()
    assert count == "Questions without an answer: 1"
    told = json.loads(line)
    assert told["question"] == "which battery voltage does the moon rover need?"
    assert told["reason"] in ("nothing", "not_covered")
    assert run("unanswered", "--clear")[0] == 0
    assert "None" in run("unanswered")[1]


def test_deleting_asks_back(stored):
    assert run("delete", "lamp.md", "nowhere.md", "--yes")[0] == 1
    status, said = run("delete", "lamp.md", answer="n\n")
    assert (status, said.count("lamp.md")) == (1, 2)
    assert run("delete", "lamp.md", "--set", "pier", answer="y\n")[0] == 0
    assert [line.split()[:1] for line in run("list")[1].splitlines()].count(["lamp.md"]) == 1
    assert run("delete", "lamp.md", "钟[1].md", "--yes")[0] == 0
    assert "No documents yet" in run("list")[1]


def test_records_are_imported_and_what_is_none_is_said(stored):
    page = WebDocument(
        content="<p>雾</p>", clean_content="# 雾\n\n雾天敲钟。\n", status="completed",
        meta=WebMetadata(url="https://example.org/雾", title="雾"),
    )  # fmt: skip
    record = Records(stored, 0).save("雾天怎么办？", [page])
    (stored / "none.json").write_text("{}", encoding="utf-8")
    status, said = run("import", str(record), "none.json", "--set", "pier")
    assert status == 1
    assert "1 stored" in said
    assert '"none.json" is no whole record' in said
    assert "雾天敲钟" in run("ask", "雾天怎么办？", "--set", "pier")[1]
