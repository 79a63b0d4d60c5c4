"""Files that are named in passing: by a day, a year, an author, a matter, with an error; and words that name none."""

from __future__ import annotations

from planning.known_files import KnownFiles
from planning.rules import plan_by_rules
from tests.each_row import each_row

OFFICE = ["board-minutes-2025-06-18.md", "hiring-plan.xlsx", "pricing-strategy.docx", "remote_work_guidelines.md"]
PAPERS = ["smith2021_sleep.pdf", "jones-2019-caffeine.pdf", "thesis chapter 2.docx", "thesis chapter 3.docx"]
HOME = ["letter-to-council.docx", "boiler_manual.pdf", "遗嘱草稿.docx", "release-notes-3.2.md", "项目周报-第32周.md"]
HAN = ["体检报告2023.pdf", "体检报告2024.pdf", "故障复盘-支付.md", "校服采购公告.pdf", "劳动合同_张伟.pdf"]
LIBRARY = [*OFFICE, *PAPERS, *HOME, *HAN]


@each_row(
    ("message", "files", "question"),
    [
        ("according to last week's minutes, who was absent", OFFICE[:1], "who was absent"),
        ("in Monday's minutes, who was absent", OFFICE[:1], "who was absent"),
        ("In chapter 2 of my thesis, where is recall defined?", PAPERS[2:3], "where is recall defined?"),
        ("the letter to the council: did I mention the noise?", HOME[:1], "did I mention the noise?"),
        ("I'm only interested in the will draft - who gets the piano", HOME[2:3], "who gets the piano"),
        ("per Smith, how long do people nap?", PAPERS[:1], "how long do people nap?"),
        ("the week 32 report: who was ill", HOME[4:], "who was ill"),
        ("发布说明3.2修了什么", HOME[3:4], "3.2修了什么"),
        ("3.2的发布说明里修了什么", HOME[3:4], "修了什么"),
        ("2024年的体检报告，尿酸多少", HAN[1:2], "尿酸多少"),
        ("23年的体检报告里尿酸多少", HAN[:1], "尿酸多少"),
        ("那篇讲校服的，投标截止是哪天", HAN[3:4], "投标截止是哪天"),
    ],
)
def test_one_file(message, files, question):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert (sorted(plan.scope.documents), plan.question) == (sorted(files), question)


def test_a_word_that_begins_with_上_is_no_place():
    titles = KnownFiles({"清单.csv": "项目 | 预算"}, ("清单.csv",))
    for message in ("预算上限是多少？", "预算上调了多少？"):
        plan = plan_by_rules(message, uploads=[], library=["清单.csv", "纪要.md"], known=titles)
        assert (plan.scope.documents, plan.question) == ((), message)
    assert plan_by_rules("预算上写了什么？", uploads=[], library=["清单.csv", "纪要.md"], known=titles).scope.documents


@each_row(
    ("message", "files"),
    [
        ("Jones and Smith, do they agree on sample sizes?", PAPERS[:2]),
        ("hiring plan and boiler manual: which one mentions limescale", [OFFICE[1], HOME[1]]),
        ("compare the hiring plan with the pricing strategy, do they assume the same revenue?", OFFICE[1:3]),
        ("the hiring plan and the boiler manual both mention June?", [OFFICE[1], HOME[1]]),
        ("Caffeine and sleep, how are they related?", []),  # subjects
    ],
)
def test_two_files(message, files):
    assert sorted(plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents) == sorted(files)


@each_row(
    "message",
    [
        "What are the guidelines of good writing?",
        "How many days a week do we work?",
        "what belongs in board minutes",
        "故障复盘应该怎么写",
        "劳动合同有法律效力吗",
        "劳动合同丢了怎么办",
        "故障复盘该如何写",
        "劳动合同法对加班怎么规定",
        "劳动合同要保存几年",
        "劳动合同以后会变吗",
        "2022年的体检报告里尿酸多少",
        "那篇讲书包的，投标截止是哪天",
    ],
)
def test_words_that_name_no_file(message):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents == ()


@each_row(
    ("message", "files"),
    [
        ("are the guests allowed to park?", []),  # not what a guest list allows
        ("does the guest list allow children?", ["guest list.xlsx"]),
        ("The newsletter mentions a fair. When?", ["school newsletter october.pdf"]),
        ("the newsletter: when is the fair?", ["school newsletter october.pdf"]),
    ],
)
def test_what_people_do_and_what_a_file_says(message, files):
    library = ["guest list.xlsx", "school newsletter october.pdf", "notes.md"]
    assert sorted(plan_by_rules(message, uploads=[], library=library).scope.documents) == files


def test_of_files_of_both_languages_that_a_word_fits_none_is_taken():
    library = ["headcount.xlsx", "水电费.xlsx", "notes.md"]
    assert plan_by_rules("the spreadsheet: who pays?", uploads=[], library=library).scope.documents == ()
    assert plan_by_rules("the spreadsheet: who pays?", uploads=[], library=library[1:]).scope.documents == (
        "水电费.xlsx",
    )


@each_row(
    ("message", "files"),
    [
        ("what's the timeline in the hirng plan", OFFICE[1:2]),  # one letter too few
        ("boiler manaul, how do I bleed the radiators", HOME[1:2]),  # two in each other's place
        ("the boileer manual: how do I bleed the radiators", HOME[1:2]),  # one too many
        ("pricing stratefy: what discount is allowed?", OFFICE[2:3]),  # a wrong one
        ("in the pricing strategic, what discount is allowed?", []),
        ("in the hiring plant, who waters the flowers?", []),  # another word
    ],
)
def test_a_name_with_a_typing_error(message, files):
    assert sorted(plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents) == sorted(files)


@each_row(
    ("message", "files"),
    [
        ("lease", []),
        ("lease?!", []),
        ("annual report ... !?", []),
        ("the lease: who pays?", ["lease.md"]),
        ("annual report!!! who signed it?", ["annual-report.md"]),
    ],
)
def test_a_name_alone_asks_nothing_of_its_file_whatever_stops_stand_behind_it(message, files):
    plan = plan_by_rules(message, uploads=[], library=["lease.md", "annual-report.md"])
    assert [*plan.scope.documents] == files
