"""The lab from a terminal: sets in and out, runs, gates by exit status, reports."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from evaluation.lab.cases import case_of
from evaluation.lab.edge_cases import edge_cases
from evaluation.lab.tables import to_csv
from tests.graph.turn_cases import GUIDE, HANDBOOK

ROWS = [
    {"question": "年假有几天？", "answer": "15天", "kind": "number",
     "evidence": [{"document": "手册.md", "quote": "员工每年有十五天带薪年假。"}]},
    {"question": "How long must the pump wait?", "answer": "ninety seconds",
     "evidence": [{"document": "guide.md", "quote": "Wait for ninety seconds."}]},
    *({"question": f"What does a rattling noise mean, in case {n}?",
       "evidence": [{"document": "guide.md", "quote": "A rattling noise means air in the line."}]} for n in range(8)),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_INGEST_WORKERS": "0", "LC_ALL": "en_GB.UTF-8",
        "COLUMNS": "200",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    for name, text in (("手册.md", HANDBOOK), ("guide.md", GUIDE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    assert call("ingest", "手册.md", "guide.md")[0] == 0
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.cli, [*arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def test_a_regression_ends_with_status_one_and_says_where(folder: Path) -> None:
    status, out, _ = call("lab", "run", "mine.jsonl", "--name", "before", "--json")
    assert status == 0
    assert json.loads(out)["runs"][0]["means"]["people"]["figures"]["recall@5"] == 1
    assert call("lab", "run", "mine", "--name", "same")[0] == 0
    gate = ("--gate", "recall@5 >= -0.02")
    assert call("lab", "compare", "before", "same", *gate)[0] == 0
    assert call("delete", "guide.md", "--yes")[0] == 0
    assert call("lab", "run", "mine", "--name", "after")[0] == 0
    status, out, _ = call(
        "lab", "compare", "before", "after", *gate, "--html", "r.html", "--markdown", "r.md", "--json"
    )
    told = json.loads(out)
    assert status == 1
    assert told["lost_to"] == {"not_in_library": 9}
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert not re.search(r"(?:src|href)=|<script|@import|url\(", page)  # nothing comes from elsewhere
    assert "not in the library" in (folder / "r.md").read_text(encoding="utf-8")


def test_sets_are_made_imported_listed_and_written(folder: Path) -> None:
    assert "made" in call("lab", "make", "--count", "5", "-o", "made.csv")[1]
    assert (folder / "made.csv").read_text(encoding="utf-8").startswith("id,question,answer,document,quote")
    assert call("lab", "import", "mine.jsonl", "--name", "people")[0] == 0
    assert call("lab", "export", "people", "-o", "out.jsonl")[0] == 0
    written = [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [{key: value for key, value in row.items() if key != "id"} for row in written] == ROWS
    listed = json.loads(call("lab", "list", "--json")[1])
    assert [(one["name"], one["cases"]) for one in listed["sets"] if one["name"] == "people"] == [("people", 10)]
    assert call("lab", "delete", "--set", "people")[0] == 0
    assert "people" not in call("lab", "list")[1]


def test_wrong_use_ends_with_status_two(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (
        ["run", "none"],
        ["compare", "a", "b"],
        ["choose", "mine.jsonl"],
        ["run", "mine.jsonl", "--strategy", "x"],
    ):
        status, _, told = call("lab", *arguments)
        assert (status, bool(told)) == (2, True), arguments
    assert "nothing to take back" in call("lab", "undo")[1]
    (folder / "gsm8k.jsonl").write_text(json.dumps({"question": "2+2?", "answer": "It is\n#### 4"}), encoding="utf-8")
    status, out, _ = call("lab", "run", "gsm8k.jsonl")
    assert (status, "problems for a model" in out) == (0, True)

    async def broken(*_: object, **__: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("library.Library.evidence_for", broken)
    assert call("lab", "run", "mine.jsonl", "--name", "broken")[0] == 3
    assert call("lab", "run", "mine.jsonl", "--name", "broken 2", "--max-failures", "10")[0] == 0


def test_what_the_page_shows_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parent.parent / "docs" / "lab.md").read_text("utf-8")
    (folder / "questions.csv").write_text(to_csv(case_of(row, "") for row in ROWS), encoding="utf-8")
    (folder / "faq.md").write_text("# FAQ\n\n## Who resets a password?\n\nThe front desk does.\n", encoding="utf-8")
    assert call("ingest", "faq.md")[0] == 0
    lines = re.findall(r"^uv run cli\.py (.+?)(?:\s+#.*)?$", page.split("```")[1], re.M)
    assert [call(*shlex.split(line))[0] for line in lines] == [0] * 5
    exec(compile(re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)[0], "lab.md", "exec"), {})
    assert capsys.readouterr().out.strip() == "[]"
    assert len(edge_cases()) == int(re.findall(r"(\d+)\s+questions in both languages", page)[0])
