"""The benchmark of questions asked in the other language, at its smallest."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import crosslingual_cost
from benchmarks.crosslingual import sections
from benchmarks.crosslingual_small import read_small
from benchmarks.report import DATA
from retrieval import blocking_search
from retrieval.blocking_search import SearchResources
from retrieval.translated_form import translated_form
from settings import Settings
from stores.embedded import EmbeddedStore
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
    assert two["again, median"] > one["again, median"]  # a translation was searched for, and none
    assert two["search without, first, p95"] > two["search without, first, median"] > 0


def test_the_dictionary_costs_what_a_search_takes_more_with_it_than_around_it(monkeypatch) -> None:
    asked, took = list[bool](), iter([9.0, 5.0, 8.0, 4.0])

    def spent(resources: SearchResources, question: str) -> float:
        asked.append(blocking_search.translated_form is translated_form)
        return next(took)

    monkeypatch.setattr(crosslingual_cost, "_spent", spent)
    resources = SearchResources(EmbeddedStore(), None, Settings())
    assert crosslingual_cost._added(resources, "what?") == (8 - 4.5, 9)
    assert asked == [False, False, True, False]
    resources.store.close()


def test_sections_are_paired_by_their_anchors(tmp_path: Path) -> None:
    for language, body in (("en", "The pump rests for ninety seconds."), ("zh", "水泵须静置九十秒才能启动。")):
        code = "```\n# code {#code}\n```\n"
        page = f"# T {{#top}}\n\n## One {{#one}}\n\n{code}{body}\n\n## Two {{#{language}}}\n\n{body}\n"
        (tmp_path / language).mkdir()
        (tmp_path / language / "page.md").write_text(page, encoding="utf-8")
    [section] = sections(tmp_path)
    assert section.key == "page.md#one"
    assert section.question == {"en": "The pump rests for ninety seconds.", "zh": "水泵须静置九十秒才能启动。"}
