import json

import pytest

from benchmarks.report import DATA
from benchmarks.routing import judge, measure
from planning.overview import asks_for_overview
from planning.rules import plan_by_rules
from schema import Scope
from tests.each_row import each_row

ROWS = [json.loads(line) for line in (DATA / "plain_words.jsonl").read_text(encoding="utf-8").splitlines()]
FLOORS = {1: 1.0, 0: 0.90}  # by id modulo 2
LIBRARY = ["payments-outage-postmortem.md", "refund-outage-notes.md", "公司报销制度2024.md", "会议纪要三月.md"]


@pytest.mark.parametrize("half", [1, 0], ids=["mended with", "kept back"])
def test_everyday_words_choose_the_strategy_and_the_file(half):
    metrics = measure([judge(row) for row in ROWS if row["id"] % 2 == half])
    assert metrics["rows"] >= FLOORS[half]
    assert max(metrics["false_alarms"].values()) == 0


@pytest.mark.parametrize(
    ("part", "rows", "files", "intent"),
    [
        ("first", 0.95, 0.98, 0.95), ("second", 0.84, 0.86, 0.95), ("third", 0.96, 0.94, 0.95),
        ("fourth", 0.88, 0.83, 0.95), ("fifth", 0.89, 0.86, 0.95), ("sixth", 0.77, 0.66, 0.92),
    ],
    ids=["mended with", "kept back", "mended with later", "kept back later", "mended with last", "kept back last"],
)  # fmt: skip
def test_messages_that_were_written_apart(part, rows, files, intent):
    lines = (DATA / f"everyday_{part}.jsonl").read_text(encoding="utf-8").splitlines()
    metrics = measure([judge(json.loads(line)) for line in lines])
    assert metrics["rows"] >= rows
    assert metrics["fields"]["files"] >= files
    assert metrics["fields"]["intent"] >= intent
    assert max(metrics["false_alarms"].values()) <= 0.02


@pytest.mark.parametrize(
    ("half", "rows", "files", "alarms"),
    [("first", 0.96, 0.95, 0.02), ("second", 0.84, 0.82, 0.08)],
    ids=["mended with", "kept back"],
)
def test_files_that_are_named_in_passing(half, rows, files, alarms):
    lines = (DATA / f"named_{half}.jsonl").read_text(encoding="utf-8").splitlines()
    metrics = measure([judge(json.loads(line)) for line in lines])
    assert metrics["rows"] >= rows
    assert metrics["fields"]["files"] >= files
    assert metrics["fields"]["intent"] >= 0.98
    assert metrics["false_alarms"]["files"] <= alarms


def test_messages_of_every_day_that_no_rule_was_mended_with():
    lines = (DATA / "daily_seventh_blind.jsonl").read_text(encoding="utf-8").splitlines()
    metrics = measure([judge(json.loads(line)) for line in lines])
    assert metrics["rows"] >= 0.77
    assert metrics["fields"]["intent"] >= 0.95
    assert max(metrics["false_alarms"].values()) <= 0.04


@each_row(
    ("part", "rows", "files"),
    [
        ("first", 0.96, 0.98),
        ("second", 0.96, 0.98),
        ("third", 0.96, 0.98),
        ("fourth", 0.93, 0.94),
        ("fifth", 0.96, 0.96),
        ("sixth", 0.95, 0.95),
        ("seventh", 0.90, 0.85),
    ],
)
def test_messages_of_every_day_over_other_libraries(part, rows, files):
    lines = (DATA / f"daily_{part}.jsonl").read_text(encoding="utf-8").splitlines()
    metrics = measure([judge(json.loads(line)) for line in lines])
    assert metrics["rows"] >= rows
    assert metrics["fields"]["files"] >= files
    assert max(metrics["false_alarms"].values()) <= 0.01


@each_row(
    ("message", "files"),
    [
        ("What does the postmortem say about retries?", ["payments-outage-postmortem.md"]),
        ("In the outage, who was called?", []),  # two names hold it
        ("From the notes, who was called?", []),  # says nothing of its own
        ("报销制度里，打车能报吗？", ["公司报销制度2024.md"]),
        ("考勤制度里，迟到怎么算？", []),
        ("会议里谁发言了？", []),
        ("Does the postmortem already mention retries?", ["payments-outage-postmortem.md"]),
        ("Compare the outage postmortem with the refund notes: who was called?", LIBRARY[:2]),
        ("Search everything but the postmortem for retries", LIBRARY[1:]),
        ("对比报销制度和会议纪要里关于打车的说法", LIBRARY[2:]),
        ("公司制度：打车能报吗？", []),
        ("报销那份文件里，打车能报吗？", ["公司报销制度2024.md"]),
        ("除了报销制度，别的文件里有没有提到打车？", [*LIBRARY[:2], "会议纪要三月.md"]),
        ("What does the postmortem template look like?", []),  # another thing
        ("the expense rules, can I take a taxi?", ["公司报销制度2024.md"]),
        ("How do I write a good postmortem?", []),
        ("What did meetings report on retries?", []),  # people and things do so as well
        ("报销制度规定打车能报吗", ["公司报销制度2024.md"]),
        ("怎么写报销制度？", []),
        ("Ignore everything outside the postmortem: who was called?", LIBRARY[:1]),
        ("disregard all files apart from the postmortem, who was called?", LIBRARY[:1]),
        ("除了报销制度，别的都不用看：打车能报吗？", ["公司报销制度2024.md"]),
        ("报销制度以外的文件都忽略，打车能报吗？", ["公司报销制度2024.md"]),
        ("报销守则里，打车能报吗？", ["公司报销制度2024.md"]),  # a kind near its own
        ("报销合同里，打车能报吗？", []),  # another kind
        ("The postmortem is all I care about. Who was called?", LIBRARY[:1]),
        ("who was called? the postmortem should say", LIBRARY[:1]),
        ("who was called - refund notes pls", LIBRARY[1:2]),
        ("any file but the postmortem: who was called?", LIBRARY[1:]),
        ("which section of the postmortem covers retries", LIBRARY[:1]),
        ("who was called, according to the doc about refunds", LIBRARY[1:2]),
        ("报销那份呢，打车能报吗", ["公司报销制度2024.md"]),
        ("关于报销的文件讲了啥", ["公司报销制度2024.md"]),
        ("不考虑报销制度的话，打车能报吗", [*LIBRARY[:2], "会议纪要三月.md"]),
        ("My question is about the refund notes: who was called?", ["refund-outage-notes.md"]),
        ("payments 那份里，谁接的电话？", LIBRARY[:1]),
        ("别看会议纪要，谁负责打车？", [*LIBRARY[:2], "公司报销制度2024.md"]),
    ],
)
def test_a_file_is_called_by_words_that_only_its_name_has(message, files):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert list(plan.scope.documents) == files


DESK = [
    "2025_Q3_report.md",
    "2024_report.pdf",
    "statement-of-work.md",
    "会议纪要0312.md",
    "张伟简历.pdf",
    "李娜简历.docx",
]


@each_row(
    ("message", "files"),
    [
        ("What was net revenue in the quarterly report?", DESK[:1]),
        ("In the third quarter report, what was net revenue?", DESK[:1]),
        ("三季度报告里净收入是多少", DESK[:1]),
        ("According to the annual report, who left?", DESK[1:2]),
        ("Per the SOW, what is due first?", DESK[2:3]),
        ("看一眼3月12号的会议纪要，谁缺席", DESK[3:4]),
        ("对比张伟和李娜的简历，谁会日语", DESK[4:]),
        ("In the first quarter report, what was net revenue?", []),
        ("四月的会议纪要里谁缺席", []),
        ("What is the report?", []),  # there are two
        ("who writes the statement of work", []),
        ("会议纪要多久写一次", []),
        ("会议纪要的保存期限是多久", []),
    ],
)
def test_periods_initials_and_shared_words_call_a_file(message, files):
    plan = plan_by_rules(message, uploads=[], library=DESK)
    assert sorted(plan.scope.documents) == sorted(files)


@each_row(
    ("message", "files"),
    [
        ("总结一下报销制度", ["公司报销制度2024.md"]),
        ("用三句话概括公司报销制度", ["公司报销制度2024.md"]),
        ("介绍一下打车", []),
    ],
)
def test_a_file_that_is_to_be_summed_up_is_called(message, files):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert [*plan.scope.documents] == files
    assert not files or asks_for_overview(plan.asked, plan.scope)


@each_row(
    ("question", "whole"),
    [
        ("这份文件讲了什么？", True), ("用三句话总结它", True), ("列出三条要点", True), ("第三条说了什么", False),
        ("租金条款的要点", False), ("Summarize it in three sentences", True), ("Give me the key points", True),
        ("List the main points in 5 bullets", True), ("What is the key?", False), ("这份通知是谁发的？", False),
        ("when was this document written", False), ("summarize the rate limits", False),
    ],
)  # fmt: skip
def test_nothing_in_particular_is_asked_of_a_file(question, whole):
    assert asks_for_overview(question, Scope(documents=("a.md",))) is whole


@each_row(
    "message",
    [
        "Imagine an answer first",  # alone it is no order for anything
        "Don't go by meaning, what is RRF?",
        "为什么按意思找更好？字面匹配呢？",
        "Save and then answer: what is the deadline?",
        "How do I save by meaning, and when?",
    ],
)
def test_what_only_speaks_of_searching_orders_nothing(message):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).strategy is None


@each_row("message", ["拜拜", "好", "早"])
def test_small_talk_of_one_character_is_no_noise(message):
    assert plan_by_rules(message, uploads=[], library=[]).unclear == "small_talk"


@each_row(
    ("message", "strategy", "question"),
    [
        ("措辞对不上也没关系，凭语义去找，出差补贴多少？", "vector", "出差补贴多少？"),
        ("先搜一遍，从靠前的结果里挑些词补进问题，再搜第二遍：出差补贴", "rm3", "出差补贴"),
        ("Match my words as typed, no synonyms: refund window", "keyword", "refund window"),
        ("Use the summaries of each file, not the full text: who owns billing?", "abstract", "who owns billing?"),
    ],
)
def test_every_clause_that_only_orders_is_cut(message, strategy, question):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert (plan.strategy, plan.question) == (strategy, question)
