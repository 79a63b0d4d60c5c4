"""The benchmark of storing a folder, on a handful of files: every part runs, and its figures are of what happened."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import ingest, ingest_work
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc")


def test_cost_and_kill_of_a_few_files() -> None:
    report = measured("ingest", "--files", "12", "--part", "cost", "--part", "kill")
    assert report.metrics["files"]["count"] == 12
    ours, hand = report.metrics["ours"], report.metrics["by hand"]
    assert ours["chunks"] > 12
    assert hand["chunks"] > 12
    assert 0 < ours["of it vectors"] < ours["CPU"]
    assert hand["of it vectors"] < hand["CPU"]
    assert ours["peak MB"] > 50  # at least two processes with numpy
    assert report.bars["files stored, or refused with the reason"].value == 1
    assert report.bars["peak MB"].ok
    killed = report.metrics["killed"]
    assert 6 <= killed["stored by then"] <= killed["stored in the end"] == 12
    assert report.bars["lost by the kill"].value == report.bars["stored differently or twice"].value == 0


@pytest.mark.usefixtures("ingested_here")
def test_a_real_folder_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def here(job: str, *arguments: str) -> ingest.Ran:  # that parts are processes of their own is tested above
        return ingest.Ran(getattr(ingest_work, job)(*arguments), 0.0, 0.0, 0.0, "")

    monkeypatch.setattr(ingest, "process", here)
    monkeypatch.setattr(ingest, "_MANUALS", 10)
    monkeypatch.setattr(ingest, "_IDLE", 5)
    folder = ingest.make_folder(tmp_path, 4, [])
    (folder / "000" / "00003.md").unlink()
    report = measured("ingest", "--folder", str(folder), "--part", "ask")
    assert report.metrics["files"]["count"] == 3
    assert report.metrics["seconds of a turn"]["questions"] >= 1
    assert sorted(path.name for path in folder.rglob("*.md")) == ["00000.md", "00001.md", "00002.md"]


def test_made_files_are_always_the_same_and_in_both_languages(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.md").write_text("# Lamp\n\nThe lamp.\n\n## Wick\n\nIt is trimmed.", encoding="utf-8")
    (tmp_path / "data" / "corpus.jsonl").write_text('{"text": "雾钟每两分钟敲响一次。"}\n', encoding="utf-8")
    made = [ingest.make_folder(tmp_path / name, 6, [tmp_path / "data"]) for name in ("one", "two")]
    texts = [[path.read_text(encoding="utf-8") for path in sorted(one.rglob("*.md"))] for one in made]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) == 6
    assert sum("雾钟" in text for text in texts[0]) == 3
    assert sum("lamp" in text or "Wick" in text for text in texts[0]) == 3
