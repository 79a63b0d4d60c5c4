"""Question sets in every form that is read, and written back without loss."""

from __future__ import annotations

import io
import json
from pathlib import Path

import openpyxl
import pytest

from benchmarks.report import DATA
from errors import FileError
from evaluation.lab.cases import LabCase, case_of, set_digest, to_jsonl
from evaluation.lab.reading import parse_set, read_set
from evaluation.lab.tables import decoded, to_csv
from tests.each_row import each_row

FULL = {
    "id": "leave",
    "question": "How many days of leave, and who grants it?",
    "answer": ["15 days", "15, the head of the office"],
    "evidence": [
        {"document": "hr.md", "quote": "Staff have 15 days."},
        {"document": "hr.md", "quote": "He grants it."},
    ],
    "kind": "number",
    "tolerance": 0.01,
    "tags": ["en", "leave"],
    "doc_set": "handbook",
    "after": ["What about leave?", "And of part-time staff?"],
    "author": "Li",
}
PLAIN = {"id": "plain", "question": '谁批准 "假期"，以及\n何时？', "answer": "院长"}


def test_our_own_form_comes_back_as_it_was() -> None:
    written = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (FULL, PLAIN))
    cases = parse_set("a.jsonl", written.encode())
    assert [json.loads(line) for line in to_jsonl(cases).splitlines()] == [FULL, PLAIN]
    assert parse_set("b.jsonl", to_jsonl(cases).encode()) == cases
    assert set_digest(cases) == set_digest(cases[::-1]) != set_digest(cases[:1])


def test_a_table_comes_back_as_it_was() -> None:
    cases = [case_of(row, "") for row in (FULL, PLAIN)]
    again = parse_set("a.csv", to_csv(cases).encode())
    assert [case.model_dump() for case in again] == [case.model_dump() for case in cases]


@each_row("form", ["csv", "tsv", "excel csv", "xlsx", "yaml"])
def test_tables_with_headings_of_both_languages(form: str) -> None:
    head = ["问题", "答案", "文档", "原文", "类型", "标签"]
    row = ["年假几天？", "15天", "手册.md", "员工每年享有15天带薪年假。", "数字", "假期；人事"]
    english = ["question", "answer", "document", "quote", "kind", "tags"]
    if form == "xlsx":
        book = openpyxl.Workbook()
        for cells in (head, row, ["有几人？", 12, None, None, "数字", None]):
            book.active.append(cells)
        stream = io.BytesIO()
        book.save(stream)
        cases = parse_set("题.xlsx", stream.getvalue())
        assert (cases[1].answer, cases[1].kind, cases[1].evidence) == ("12", "number", ())
    elif form == "yaml":
        data = (
            "- question: 年假几天？\n  answer: 15天\n  kind: number\n  tags: [假期, 人事]\n"
            "  evidence: [{document: 手册.md, quote: 员工每年享有15天带薪年假。}]\n"
        )
        cases = parse_set("题.yaml", data.encode())
    else:
        sign = "\t" if form == "tsv" else ","
        names = english if form == "csv" else head
        data = "\n".join(sign.join(cells) for cells in (names, row)).encode(
            "gb18030" if form == "excel csv" else "utf-8-sig"
        )
        cases = parse_set("题.tsv" if form == "tsv" else "题.csv", data)
    case = cases[0]
    assert (case.question, case.answer, case.kind, case.tags) == ("年假几天？", "15天", "number", ("假期", "人事"))
    assert [(one.document, one.quote) for one in case.evidence] == [("手册.md", "员工每年享有15天带薪年假。")]


def test_sets_of_others() -> None:
    text = "The tower opened in 1901. It has 310 steps and no lift."
    squad = {"data": [{"title": "Tower", "paragraphs": [{"context": text, "qas": [
        {"id": "s1", "question": "How many steps?", "answers": [{"text": "310", "answer_start": text.find("310")}]},
        {"id": "s2", "question": "Who built it?", "answers": [], "is_impossible": True},
    ]}]}]}  # fmt: skip
    found = parse_set("squad.json", json.dumps(squad).encode())
    assert [(case.kind, case.answer) for case in found] == [("text", ("310",)), ("refuse", "")]
    assert found[0].evidence[0].quote == "It has 310 steps and no lift."
    cmrc = [{"title": "塔", "context_id": "T1", "context_text": "塔于1901年开放。塔有310级台阶。", "qas": [
        {"query_id": "c1", "query_text": "有多少级？", "answers": ["310级", "310"]},
    ]}]  # fmt: skip
    assert parse_set("cmrc.json", json.dumps(cmrc).encode())[0].evidence[0].quote == "塔有310级台阶。"
    facts = [["Mill", 1], ["Dam", 0]]
    context = [["Mill", ["It is old.", " It stands by the dam."]], ["Dam", ["The dam is of stone."]]]
    hop = {"_id": "h1", "question": "Of what is it?", "answer": "stone", "supporting_facts": facts, "context": context}
    columns = {
        "supporting_facts": {"title": ["Mill", "Dam"], "sent_id": [1, 0]},
        "context": {"title": ["Mill", "Dam"], "sentences": [context[0][1], context[1][1]]},
    }
    for one in (hop, {**hop, **columns}):
        quotes = [passage.quote for passage in parse_set("hotpot.json", json.dumps([one]).encode())[0].evidence]
        assert quotes == ["It stands by the dam.", "The dam is of stone."]
    gsm = {"question": "Two and sixteen?", "answer": "2+16=<<2+16=18>>18\n#### 18"}
    case = parse_set("test.jsonl", json.dumps(gsm).encode())[0]
    assert (case.kind, case.answer, case.model_extra) == ("math", "18", {"solution": gsm["answer"]})
    cmath = parse_set("cmath.jsonl", json.dumps({"question": "一共几个？", "golden": "18", "grade": 3}).encode())[0]
    assert (cmath.kind, cmath.answer, cmath.model_extra) == ("math", "18", {"grade": 3})
    for row in ({"input": 7, "golden": "18"}, {"question": 7, "answer": "2+16 #### 18"}):
        with pytest.raises(FileError, match=r"^cmath\.jsonl, 18: question: "):
            parse_set("cmath.jsonl", json.dumps(row).encode())


def test_a_beir_folder() -> None:
    cases = read_set(DATA / "retrieval")
    assert len({case.id for case in cases}) == len(cases) > 30
    assert all(case.evidence and not case.evidence[0].quote for case in cases)


def test_ids_are_distinct_and_made_of_the_question() -> None:
    rows = "".join(json.dumps({"question": one}) + "\n" for one in ("a?", "a?", "b?"))
    cases = parse_set("a.jsonl", rows.encode())
    assert len({case.id for case in cases}) == 3
    assert cases[0].id == LabCase(id=cases[0].id, question="a?").id


FIELDS = (
    "每个问题至少要有 question；docs/lab.md 列出了全部字段。"
    "|A case needs at least a question; docs/lab.md lists the fields."
)
FORMS = (
    "可读的格式有：JSONL、JSON、CSV、TSV、XLSX、YAML、BEIR 文件夹；docs/lab.md 有例子。"
    "|JSONL, JSON, CSV, TSV, XLSX, YAML and BEIR folders are read; docs/lab.md has examples."
)
COLUMNS = (
    "第一行请写列名：问题、答案、文档、原文、类型、标签。"
    "|Name the columns in the first row: question, answer, document, quote, kind, tags."
)
KNOWN = "Input should be 'text', 'number', 'math', 'choice', 'yes_no', 'list' or 'refuse'"
QUESTION = '{"question": "a"}\n'


@each_row(
    ("name", "content", "told", "remedy"),
    [
        (
            "a.jsonl",
            QUESTION + "{oops\n",
            "a.jsonl 第 2 行不是 JSON。|a.jsonl, line 2 is no JSON.",
            "每行写一个 JSON 对象。|Write one JSON object a line.",
        ),
        (
            "a.jsonl",
            QUESTION + '{"answer": "b"}\n',
            "a.jsonl, 2：question 不对（Field required）。|a.jsonl, 2: question: Field required.",
            FIELDS,
        ),
        (
            "a.jsonl",
            '{"question": "a", "kind": "riddle"}\n' + QUESTION,
            f"a.jsonl, 1：kind 不对（{KNOWN}）。|a.jsonl, 1: kind: {KNOWN}.",
            FIELDS,
        ),
        (
            "a.jsonl",
            QUESTION + '{"question": "a", "evidence": [{"quote": "x"}]}\n',
            "a.jsonl, 2：evidence.0.document 不对（Field required）。|a.jsonl, 2: evidence.0.document: Field required.",
            FIELDS,
        ),
        (
            "a.json",
            '[{"question": "a"}, {"question": null}]',
            "a.json, 2：question 不对（Input should be a valid string）。"
            "|a.json, 2: question: Input should be a valid string.",
            FIELDS,
        ),
        (
            "a.csv",
            "question,kind\na,text\nb,riddle\n",
            f"a.csv, 3：kind 不对（{KNOWN}）。|a.csv, 3: kind: {KNOWN}.",
            FIELDS,
        ),
        ("a.jsonl", QUESTION + '["b"]\n', "a.jsonl, 2 不是问题集。|a.jsonl, 2 is no question set.", FORMS),
        ("a.yaml", "just text", "a.yaml 不是问题集。|a.yaml is no question set.", FORMS),
        ("a.yaml", "- question: [\n", "a.yaml 不是问题集。|a.yaml is no question set.", FORMS),
        ("a.json", '"text"', "a.json 不是问题集。|a.json is no question set.", FORMS),
        ("a.csv", "one,two\n1,2\n", "a.csv 没有“问题”一列。|a.csv has no column of questions.", COLUMNS),
        (
            "a.xlsx",
            "x",
            "a.xlsx 不是可读的 Excel 文件（File is not a zip file）。"
            "|a.xlsx is no readable workbook (File is not a zip file).",
            "请在 Excel 中重新保存，或存为 CSV。|Save it in Excel again, or as CSV.",
        ),
    ],
)
def test_what_is_no_set_is_told_with_its_place_and_a_remedy(name: str, content: str, told: str, remedy: str) -> None:
    with pytest.raises(FileError) as error:
        parse_set(name, content.encode())
    said = [error.value.message, *error.value.suggestions]
    assert [f"{one.zh}|{one.en}" for one in said] == [told, remedy]


@each_row(
    ("text", "data"),
    [("问题,答案", "问题,答案".encode(form)) for form in ("utf-8", "utf-8-sig", "utf-16", "gb18030")]
    + [("?�", b"?\xff")],
)
def test_text_is_read_as_programs_write_it(text: str, data: bytes) -> None:
    assert decoded(data) == text


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(FileError) as error:
            read_set(path)
        assert path.name in error.value.message.zh
        assert path.name in error.value.message.en
        assert error.value.suggestions
