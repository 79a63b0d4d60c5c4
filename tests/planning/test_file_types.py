"""Files that are called by their type: all PDFs, the spreadsheets, Word documents."""

from __future__ import annotations

from planning.rules import plan_by_rules
from tests.each_row import each_row

PDFS, SHEETS, WORDS = (
    ["car-policy.pdf", "租房合同.pdf"],
    ["headcount.xlsx", "水电费.xlsx"],
    ["购车合同.docx", "leave.docx"],
)
NOTES = ["notes.md", "电梯维修记录.md"]
LIBRARY = [*PDFS, *SHEETS, *WORDS, *NOTES]


def but(*out):
    return [name for name in LIBRARY if name not in out]


@each_row(
    ("message", "files", "question"),
    [
        ("Only the PDFs: who pays for parking?", PDFS, "who pays for parking?"),
        ("only PDFs please, who pays for parking?", PDFS, "who pays for parking?"),
        ("the Word documents only: who pays for parking?", WORDS, "who pays for parking?"),
        ("In the spreadsheets, who pays for parking?", SHEETS, "who pays for parking?"),
        ("skip the PDFs: who pays for parking?", but(*PDFS), "who pays for parking?"),
        ("Except for the Excel files, where is parking mentioned?", but(*SHEETS), "where is parking mentioned?"),
        ("只看PDF，停车费谁出？", PDFS, "停车费谁出？"),
        ("md文件里有没有提到停车", NOTES, "有没有提到停车"),
        ("Excel里停车费多少", SHEETS, "停车费多少"),
        ("别翻表格，停车费谁出？", but(*SHEETS), "停车费谁出？"),
        ("除了word文档以外，哪里提到停车？", but(*WORDS), "哪里提到停车？"),
    ],
)
def test_all_files_of_a_type_are_the_place_to_look_or_left_out(message, files, question):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert (sorted(plan.scope.documents), plan.question) == (sorted(files), question)
    assert plan.strategy is None


@each_row(
    "message",
    [
        "How do I merge PDFs?",
        "Are only PDFs accepted?",
        "Only PDFs are accepted, right?",
        "How do I insert a table in Word documents?",
        "Should we send Word documents, not PDFs?",
        "who keeps the slides",
        "表格怎么画",
        "Excel里怎么合并单元格",
        "只收pdf吗",
        "上传的表格要盖章吗",
    ],
)
def test_a_type_that_is_only_spoken_of_calls_none(message):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents == ()


def test_a_type_of_all_files_limits_nothing():
    assert plan_by_rules("Only the PDFs: who pays?", uploads=[], library=PDFS).scope.documents == ()
