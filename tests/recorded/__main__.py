"""The command that compares or records; see the package's docstring."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tests.recorded import evidence, plans, rows, turns
from tests.recorded.normal import Json
from tests.recorded.packed import written

PARTS: dict[str, Any] = {"turns": turns, "rows": rows, "plans": plans, "evidence": evidence}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS, help="only this one")
    parser.add_argument("--write", action="store_true", help="record anew instead of comparing")
    parser.add_argument("--draw", action="store_true", help="of the plans, choose anew what is said, and record it")
    parser.add_argument("--scene", action="append", help="of the turns, only this one; may be repeated")
    parser.add_argument("--show", action="store_true", help="print what is there now, as JSON lines")
    options = parser.parse_args()
    differing = 0
    for name in [options.part] if options.part else PARTS:
        if options.draw and name != "plans":
            parser.error("only what is said for the plans is drawn: python -m tests.recorded plans --draw")
        now = plans.drawn() if options.draw else _now(name, options.scene)
        if options.show:
            print(*(json.dumps(line, ensure_ascii=False) for line in now), sep="\n")
        elif options.write or options.draw:
            if options.scene:
                parser.error("one recording holds all scenes")
            path: Path = PARTS[name].PATH
            written(now, path)
            print(f"{name}: {PARTS[name].counted(now)} in {path.stat().st_size:,} bytes")
        else:
            found = PARTS[name].compared(now)
            print(f"{name}: {PARTS[name].counted(now)}, {len(found)} differences", *found[:200], sep="\n  ")
            differing += len(found)
    return 1 if differing else 0


def _now(name: str, scenes: list[str] | None) -> list[Json]:
    return turns.now(scenes) if name == "turns" and scenes else PARTS[name].now()


if __name__ == "__main__":
    sys.exit(main())
