"""The benchmark of questions asked in the other language, at its smallest."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.crosslingual import sections
from benchmarks.crosslingual_small import read_small
from benchmarks.report import DATA
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")


def test_the_other_languages_section_is_found() -> None:
    report = measured("crosslingual", "--limit", "4")
    assert report.ok
    assert report.metrics["zh to en"]["recall@1"] == 1.0


def test_a_small_library_is_asked_in_the_other_language() -> None:
    folder = DATA / "crosslingual_small"
    questions = read_small(folder)
    assert all(one.words in (folder / one.file).read_text(encoding="utf-8") for one in questions if one.file)
    report = measured("crosslingual", "--data", str(folder), "--limit", "1")
    assert report.metrics["first, zh to en"] == {"found": 1.0, "first": 1.0, "other things covered": 0.0}
    assert report.notes == ["10 questions"]


def test_what_a_translation_costs_in_libraries_of_two_languages_and_of_one() -> None:
    report = measured("crosslingual", "--sizes", "40")
    two, one = report.metrics["40 chunks, two languages"], report.metrics["40 chunks, one language"]
    assert report.bars.keys() == {"40 chunks, two languages: CPU ms", "40 chunks, one language: CPU ms"}
    assert two["again, median"] > one["again, median"] > 0  # a translation was searched for, and none


def test_sections_are_paired_by_their_anchors(tmp_path: Path) -> None:
    for language, body in (("en", "The pump rests for ninety seconds."), ("zh", "水泵须静置九十秒才能启动。")):
        code = "```\n# code {#code}\n```\n"
        page = f"# T {{#top}}\n\n## One {{#one}}\n\n{code}{body}\n\n## Two {{#{language}}}\n\n{body}\n"
        (tmp_path / language).mkdir()
        (tmp_path / language / "page.md").write_text(page, encoding="utf-8")
    [section] = sections(tmp_path)
    assert section.key == "page.md#one"
    assert section.question == {"en": "The pump rests for ninety seconds.", "zh": "水泵须静置九十秒才能启动。"}
