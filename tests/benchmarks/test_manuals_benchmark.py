import pytest

from benchmarks.how_to import Question, Section, figures_of, holds_in_order, judged, lines_of, questions
from benchmarks.report import DATA
from schema import Answer, Citation, Hit, Statement, Support
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")

TEXT = (
    "# Tea { #tea }\n\nHot.\n\n## Make it\n\n```sh\n## no heading\n```\n\n### Milk\n\nCold.\n\n## Drink it\n\nSlowly.\n"
)
HITS = (Hit(1, "tea.md", "", TEXT, 0, len(TEXT), 1, 17), Hit(2, "changes.md", "", "Milk.", 0, 5, 1, 1))


def question(steps=(), **given):
    return Question(text="How?", lang="en", sections=[Section(file="tea.md", heading="Make it")], steps=steps, **given)


def answer(text, *places):
    """`places`: source and line of each citation."""
    support = Support(1.0, True)
    cited = (Citation(1, source, 0, 4, line, line, "text", support) for source, line in places)
    return Answer(text, tuple(Statement("Said.", (one,)) for one in cited), HITS, 0.9)


def asked(*places, text="Take two [1].", steps=(), **given):
    return judged(question(steps, **given), [("tea.md", (5, 13))], answer(text, *places), HITS[1])


def test_how_to_questions_are_asked():
    report = measured("manuals", "--mistakes")
    figures = report.metrics["all"]
    assert figures["questions"] == 8
    assert figures["first"] >= 0.75
    assert figures["steps whole"] == 1
    assert figures["among three"] >= figures["first"]
    assert figures["characters"] < figures["passage characters"]
    assert {"first half", "second half", "words of the heading", "other words", "en", "zh"} < report.metrics.keys()
    assert not report.bars
    assert len(report.notes) == round(4 * (1 - report.metrics["first half"]["first"]))


def test_questions_on_pages_that_are_not_shipped_are_in_two_halves():
    documentation = (DATA / "documentation.jsonl").read_text(encoding="utf-8")
    found = [Question.model_validate_json(line) for line in documentation.splitlines()]
    counted = {(lang, half): 0 for lang in ("en", "zh") for half in ("first", "second")}
    for one in found:
        counted[one.lang, one.half] += 1
    assert set(counted.values()) == {15}
    assert sum(one.words == "other" for one in found) == 30


def test_only_questions_on_files_that_are_there_are_asked(tmp_path):
    assert questions(tmp_path) == []
    file = tmp_path / "en/apisix/admin-api.md"
    file.parent.mkdir(parents=True)
    file.touch()
    assert {section.file for one in questions(tmp_path) for section in one.sections} == {"en/apisix/admin-api.md"}


def test_a_section_ends_at_the_next_heading_that_is_as_high():
    assert lines_of(Section(file="tea.md", heading="Make it"), TEXT) == (5, 14)
    assert lines_of(Section(file="tea.md", heading="Milk"), TEXT) == (11, 14)
    assert lines_of(Section(file="tea.md", heading="Tea"), TEXT) == (1, 18)
    with pytest.raises(ValueError, match="0 times"):
        lines_of(Section(file="tea.md", heading="no heading"), TEXT)


def test_a_citation_is_right_in_its_section_and_file():
    assert asked((0, 3), (1, 7), (0, 7)).right == (False, False, True)
    assert not asked((0, 7)).passage_right
    assert judged(question(), [("tea.md", (5, 13))], None, HITS[0]).passage_right


def test_steps_stand_whole_and_in_order():
    said = "1. **Boil** the `water` [1].\n2. Pour\nit [2]."
    assert holds_in_order(said, ["boil the water", "pour it"])
    assert not holds_in_order(said, ["pour it", "boil the water"])
    assert not holds_in_order(said, ["boil the water", "drink it"])


def test_figures_by_hand():
    found = [
        asked((0, 7), text="Boil [1]. Pour [1].", steps=("boil", "pour")),
        asked((1, 1), (0, 7), text="Pour [1]. Boil [2].", steps=("boil", "pour")),
        asked((1, 1), text="No [1]."),
        asked(text=""),
    ]
    figures = figures_of(found)
    assert (figures["first"], figures["among three"]) == (0.25, 0.5)
    assert (figures["with steps"], figures["steps whole"]) == (2, 0.5)
    assert figures["characters"] == pytest.approx((11 + 11 + 3 + 0) / 4, abs=1.5)
    assert figures["passage characters"] == 5
