"""What is installed for the program without any extra: megabytes on the disk, as the packages list their files, and how
much of it is there for the formats of documents alone.

What a package brings is counted with it unless something else needs it too. Compiled Python is not counted: it is made
where it runs.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from tomllib import loads

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.report import Bar, Report

_MOST = 15.0  # megabytes that reading documents may add
_FOR_DOCUMENTS = ("python-calamine", "olefile", "pillow")
_PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_extra = re.compile(r"\bextra\s*==")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--without", nargs="*", default=list(_FOR_DOCUMENTS), metavar="PACKAGE",
        help=f"packages whose share is told ({', '.join(_FOR_DOCUMENTS)})",
    )  # fmt: skip
    parser.add_argument("--largest", type=int, default=10, help="packages that are listed")


def run(options: argparse.Namespace) -> Report:
    project = loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    needed = [Requirement(one) for one in project["dependencies"]]
    all_ = _closure(needed)
    left_out = {canonicalize_name(one) for one in options.without}
    before = _closure(one for one in needed if canonicalize_name(one.name) not in left_out)
    sizes = {name: _megabytes(one) for name, one in all_.items()}
    total = sum(sizes.values())
    added = total - sum(sizes[name] for name in before)
    largest = sorted(sizes, key=lambda name: -sizes[name])[: options.largest]
    return Report(
        {
            "packages": len(all_),
            "MB": round(total, 1),
            "MB without them": round(total - added, 1),
            "largest, MB": {name: round(sizes[name], 1) for name in largest},
        },
        {f"MB that {', '.join(options.without)} add": Bar(added, _MOST, most=True)},
    )


def _closure(needed: Iterable[Requirement]) -> dict[str, Distribution]:
    """The packages that are installed for these, by name; what is not here, as on another system, is none."""
    found: dict[str, Distribution] = {}
    waiting = [(one, "") for one in needed]
    seen: set[tuple[str, str]] = set()
    while waiting:
        one, extra = waiting.pop()
        if one.marker is not None and not one.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(one.name)
        for wanted in ("", *one.extras):
            if (name, wanted) in seen:
                continue
            seen.add((name, wanted))
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                continue
            listed = found[name].requires or ()
            waiting += [(Requirement(line), wanted) for line in listed if bool(_extra.search(line)) == bool(wanted)]
    return found


def _megabytes(one: Distribution) -> float:
    paths = (Path(str(file.locate())) for file in one.files or () if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
