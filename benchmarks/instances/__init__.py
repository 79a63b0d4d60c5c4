"""Several instances of the program over one PostgreSQL, behind a proxy that keeps a browser at one of them.

`--part` runs one part alone. The server is that of CITEWISE_DATABASE_URL, or one is started for the run.
"""

from __future__ import annotations

import argparse

from benchmarks.instances import conversations, ingestion
from benchmarks.report import Report

PARTS = {"conversations": conversations, "ingestion": ingestion}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be given again")
    for part in PARTS.values():
        part.add_arguments(parser)


def run(options: argparse.Namespace) -> Report:
    report = Report({})
    for name in options.part or PARTS:
        PARTS[name].run(options, report)
    return report
