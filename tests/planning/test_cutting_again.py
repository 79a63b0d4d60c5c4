"""Orders to cut stored files again, in everyday words and without a file beside them."""

from planning.numerals import find_numbers
from planning.rules import plan_by_rules
from schema import Chunking
from tests.each_row import each_row

LIBRARY = ["lease-agreement-2024.pdf", "oncall-runbook.md", "2025 Q3 report.md", "员工手册_v2.md", "差旅报销制度.pdf"]


@each_row(
    ("message", "file", "wish"),
    [
        ("The lease needs re-splitting, by headings this time", "lease-agreement-2024.pdf", {"strategy": "markdown"}),
        ("chunks of the runbook are too big, make them 400", "oncall-runbook.md", {"size": 400}),
        ("chunks of the runbook are too big", "oncall-runbook.md", {"size": 500}),
        ("make the runbook's chunks twice as big", "oncall-runbook.md", {"size": 2000}),
        ("I want the Q3 report in smaller pieces, say 250 characters", "2025 Q3 report.md", {"size": 250}),
        ("Could the third quarter report be re-cut by topic?", "2025 Q3 report.md", {"strategy": "semantic"}),
        ("change the overlap of the runbook to 60", "oncall-runbook.md", {"overlap": 60}),
        ("员工手册切得太碎了，重新切，每段八百字", "员工手册_v2.md", {"size": 800}),
        ("报销制度别用固定长度了，按条款标题切", "差旅报销制度.pdf", {"strategy": "markdown"}),
        ("员工手册的重叠改成一百", "员工手册_v2.md", {"overlap": 100}),
        ("差旅制度切成两三百字一段，重叠一成", "差旅报销制度.pdf", {"size": 250, "overlap": 25}),
    ],
)
def test_a_stored_file_is_cut_again(message, file, wish):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert plan.actions == ("save",)
    assert plan.scope.documents == (file,)
    assert plan.chunking_for(file) == Chunking(**wish)


@each_row(
    "message",
    [
        "Does the lease mention chunks of ice on the roof?",
        "What does the runbook say about splitting traffic?",
        "员工手册里加班工资怎么分段计算",
        "search the runbook for pieces of 300 characters",
        "合同切割条款是什么意思",
    ],
)
def test_a_question_about_a_file_cuts_nothing(message):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).actions == ("retrieve",)


def test_what_could_not_be_read_whole_is_left_to_a_model():
    plan = plan_by_rules("The lease was split badly. Do it again, by headings.", uploads=[], library=LIBRARY)
    assert (plan.actions, plan.certain) == (("save",), False)


@each_row(
    ("text", "value"), [("一两百字", 150), ("三四百字", 350), ("千把字", 1000), ("五百来字", 500), ("百来字", 100)]
)
def test_rough_numbers(text, value):
    assert [number.value for number in find_numbers(text)] == [value]
