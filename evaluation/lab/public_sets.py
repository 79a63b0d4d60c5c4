"""Question sets of others: BEIR folders, SQuAD and CMRC, HotpotQA and what is like it, GSM8K, CMATH."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.lab.cases import LabCase, case_id, case_of
from text import sentences

Row = Mapping[str, Any]


def is_beir(folder: Path) -> bool:
    return (folder / "queries.jsonl").exists()


def read_beir(folder: Path) -> Iterator[LabCase]:
    """The questions that have a relevant document; evidence is the document, by its id. Grades are kept."""
    tables = [folder / "qrels.tsv", *sorted((folder / "qrels").glob("*.tsv"))]
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for table in (path for path in tables if path.exists()):
        for line in table.read_text(encoding="utf-8").splitlines()[1:]:
            query, document, grade = line.split("\t")
            if int(grade) > 0:
                grades[query][document] = int(grade)
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line) if line.strip() else {}
        key = row.get("id") or row.get("_id")
        if key in grades:
            evidence = [{"document": name, "grade": grade} for name, grade in grades[key].items()]
            answers = {"answer": row["answers"]} if row.get("answers") else {}
            yield case_of({"id": key, "question": row["text"], "evidence": evidence, **answers}, folder.name)


def read_json(name: str, content: Any) -> Iterator[LabCase] | None:
    """The cases of a JSON value in one of these forms; None where it is in none of them."""
    if isinstance(content, dict) and isinstance(content.get("data"), list):
        content = content["data"]
    if not isinstance(content, list) or not content or not all(isinstance(row, dict) for row in content):
        return None
    first = content[0]
    if "paragraphs" in first:
        return (case for entry in content for part in entry["paragraphs"] for case in _reading(name, entry, part))
    if "context_text" in first:  # CMRC as it was first published
        return (case for entry in content for case in _reading(name, entry, entry))
    if "supporting_facts" in first:
        return (_hop(name, row) for row in content)
    return read_rows(name, content)


def read_rows(name: str, rows: Sequence[Row]) -> Iterator[LabCase] | None:
    """The same for rows of JSON lines: GSM8K, CMATH, HotpotQA."""
    first = rows[0] if rows else {}
    if "supporting_facts" in first:
        return (_hop(name, row) for row in rows)
    if "golden" in first:
        return (_problem(name, row, str(row["golden"])) for row in rows)
    if rows and all("question" in row and "####" in str(row.get("answer", "")) for row in rows):
        return (_problem(name, row, row["answer"].rpartition("####")[2].strip()) for row in rows)
    return None


def _reading(name: str, entry: Row, part: Row) -> Iterator[LabCase]:
    """SQuAD and CMRC: of each question the sentence that the answer stands in."""
    text = part.get("context") or part.get("context_text") or ""
    title = entry.get("title") or part.get("id") or part.get("context_id") or name
    for asked in part.get("qas", ()):
        answers = [one["text"] if isinstance(one, dict) else one for one in asked.get("answers", ())]
        row: dict[str, Any] = {
            "id": asked.get("id") or asked.get("query_id"),
            "question": asked.get("question") or asked.get("query_text"),
        }
        if asked.get("is_impossible") or not answers:
            row |= {"kind": "refuse"}
        else:
            start = next((one.get("answer_start", -1) for one in asked["answers"] if isinstance(one, dict)), -1)
            place = start if start >= 0 else text.find(answers[0])
            quote = next((text[a:b] for a, b in sentences(text) if a <= place < b), answers[0])
            row |= {"answer": list(dict.fromkeys(answers)), "evidence": [{"document": title, "quote": quote}]}
        yield case_of(row, f"{name}, {row['id']}")


def _hop(name: str, row: Row) -> LabCase:
    """HotpotQA, as its makers and as Hugging Face write it: each supporting sentence is a passage."""
    context, facts = row.get("context", []), row["supporting_facts"]
    if isinstance(context, dict):
        context = list(zip(context["title"], context.get("sentences") or context["content"], strict=True))
    if isinstance(facts, dict):
        facts = list(zip(facts["title"], facts["sent_id"], strict=True))
    texts = dict(context)
    evidence = []
    for title, nth in facts:
        told = texts.get(title, [])
        evidence.append({"document": title, "quote": told[nth].strip() if nth < len(told) else ""})
    key = row.get("_id") or row.get("id") or case_id(row["question"])
    told_answer = row.get("answer", "")
    kind = "yes_no" if str(told_answer).lower() in ("yes", "no") else "text"
    made = {"id": key, "question": row["question"], "answer": told_answer, "kind": kind, "evidence": evidence}
    return case_of(made, f"{name}, {key}")


def _problem(name: str, row: Row, golden: str) -> LabCase:
    """GSM8K and CMATH: the last number is the answer, the worked solution is kept. CMATH calls its question "input"."""
    kept = {key: value for key, value in row.items() if key not in ("question", "input", "answer", "golden", "id")}
    solution = {"solution": row["answer"]} if "####" in str(row.get("answer", "")) else {}
    question = row.get("question") or row.get("input") or ""
    made = {"question": question, "answer": golden, "kind": "math", **kept, **solution}
    return case_of(made, f"{name}, {golden}")
