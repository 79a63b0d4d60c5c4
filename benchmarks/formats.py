"""Whether files of every common format are read: all of their words, each at its place; and hostile ones.

The files are made here, from our own texts in both languages, with the places of all that they say. Of hostile files it
counts those that were read rightly or refused for the right reason.
"""

from __future__ import annotations

import argparse
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.format_files import MadeFile, Section, Table, Text, of_sections, of_tables
from benchmarks.format_hostile import hostile_files
from benchmarks.report import DATA, Bar, Report
from ingestion.readers import read_document
from schema import Document

_LARGEST = 20_000_000
_ODD = Section(
    "Odd characters 奇怪的字符", ("“Café” naïve — 12 € · 𠮷野家 😀 {x} \\ # not a heading", "# also none", "<b>&amp;")
)
_filler = re.compile(r"[\s\\]+")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, nargs="+", default=[DATA / "crosslingual", DATA / "manuals"],
                        help="folders of Markdown that the files are made of")  # fmt: skip


def run(options: argparse.Namespace) -> Report:
    recalls, places = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for made in _files(options.data):
        kind = made.name.rpartition(".")[2]
        recall, right = _read(made)
        recalls[kind].append(recall)
        places[kind].append(right)
    hostile = {file.label: file.verdict() for file in hostile_files()}
    metrics = {
        kind: f"{len(recalls[kind])} files, recall {_mean(recalls[kind]):.4f}, places {_mean(places[kind]):.4f}"
        for kind in sorted(recalls)
    }
    wrong = [f"{label}: {verdict}" for label, verdict in hostile.items() if verdict]
    return Report(
        {**metrics, "hostile files": len(hostile), "read or refused rightly": len(hostile) - len(wrong)},
        {
            "files of the rarest kind": Bar(min(map(len, recalls.values())), 5),
            "lowest recall of a kind": Bar(min(map(_mean, recalls.values())), 0.98),
            "lowest share of right places": Bar(min(map(_mean, places.values())), 1.0),
            "hostile files": Bar((len(hostile) - len(wrong)) / len(hostile), 1.0),
        },
        wrong,
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _files(folders: list[Path]) -> Iterator[MadeFile]:
    """At least five of each kind."""
    texts = sorted(path for folder in folders for path in folder.rglob("*.md"))
    documents = [_sections(path.read_text(encoding="utf-8")) for path in texts]
    for variant, sections in enumerate(documents[nth % len(documents)] for nth in range(max(5, len(documents)))):
        yield from of_sections([*sections[:12], _ODD], variant)
        yield from of_tables(_tables(sections, variant), variant)


def _sections(text: str) -> list[Section]:
    """Headings with the plain paragraphs below them."""
    found: list[Section] = []
    for part in re.split(r"^#{1,6} ", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        plain = [" ".join(block.split()) for block in body.split("\n\n") if block.strip() and block[0] not in "|-*>1`["]
        found.append(Section(re.sub(r"\s*\{#.*\}", "", title).strip(), tuple(plain)))
    return [one for one in found if one.title and one.paragraphs]


def _tables(sections: list[Section], variant: int) -> dict[str, Table]:
    """Two sheets with titles above the head, empty rows and cells, numbers and dates."""
    head: list[list[str | float | date]] = [
        ["Overview 概览"],
        [],
        ["name 名称", "text 文字", "amount 金额", "day 日期", "note 备注"],
    ]
    rows: list[list[str | float | date]] = [
        [one.title, "" if nth % 4 == 3 else one.paragraphs[0], 100.5 * nth + variant,
         date(2024, 1, 1) + timedelta(nth), f"n{nth}"] if nth % 5 != 4 else []
        for nth, one in enumerate(sections)
    ]  # fmt: skip
    return {"第一页 & one": [*head, *rows], "Two": [*head[2:], *reversed(rows)]}


def _read(made: MadeFile) -> tuple[float, float]:
    """(share of the characters that are in the text, share of the texts found that stand at their place)."""
    document = read_document(made.name, made.data, max_bytes=_LARGEST)
    bare, offsets = _bare(document.text)
    found = whole = right = placed = 0
    for text in made.texts:
        words = _bare(text.text)[0]
        whole += len(words)
        ats = [match.start() for match in re.finditer(re.escape(words), bare)]
        found += len(words) if ats else 0
        placed += bool(ats)
        right += any(_stands(document, text, offsets[at]) for at in ats)
    return found / whole, right / placed


def _bare(text: str) -> tuple[str, list[int]]:
    """Without blanks and the marks that escape, and where each character stood."""
    kept = [(mark, at) for at, mark in enumerate(text) if not _filler.fullmatch(mark)]
    return "".join(mark for mark, _ in kept), [at for _, at in kept]


def _stands(document: Document, text: Text, at: int) -> bool:
    if not text.kind:
        return not document.places
    nth = bisect_right(document.places, at, key=lambda place: place.start) - 1
    return nth >= 0 and document.places[nth][1:4] == (text.kind, text.number, text.part)
