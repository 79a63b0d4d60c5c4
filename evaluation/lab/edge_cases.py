"""Questions at the edges, in both languages, that no library answers: empty, very long, signs and pictures alone, SQL,
HTML and orders to the model, mixed scripts, files that are not there, several questions in one."""

from __future__ import annotations

from pathlib import Path

from evaluation.lab.cases import LabCase
from evaluation.lab.reading import read_set

EDGE_CASES = "edge-cases"  # the name by which the set is run


def edge_cases() -> list[LabCase]:
    return read_set(Path(__file__).parent / "data" / "edge_cases.jsonl")
