"""The benchmarks as README and docs write them."""

from __future__ import annotations

import gc
import json
import re
from pathlib import Path

from benchmarks.__main__ import parsed
from benchmarks.report import Report

ROOT = Path(__file__).parents[2]
_COMMAND = re.compile(r"uv run (?:--group (\w+) )?python -m benchmarks (\w+)((?: -[^`\n]*)?)")


def written() -> dict[str, tuple[str, list[str]]]:
    """By name: the dependency group that a command asks for, and the options behind it."""
    pages = [ROOT / "README.md", ROOT / "README.zh.md", *(ROOT / "docs").glob("*.md")]
    found = _COMMAND.findall("\n".join(page.read_text(encoding="utf-8") for page in pages))
    return {name: (group, options.split()) for group, name, options in found}


def measured(name: str, *smallest: str) -> Report:
    """What its command, as it is written, finds at its smallest; it can be printed and made JSON."""
    _, module, options = parsed([name, *written()[name][1], *smallest])
    gc.freeze()  # some look for garbage in what they measure, and not in what the tests before them have left
    report: Report = module.run(options)
    report.print(name)
    assert json.loads(json.dumps(report.to_dict(name)))["benchmark"] == name
    return report
