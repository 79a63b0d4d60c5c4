"""Makes `translation/regional_words.txt` of the phrase tables that come with OpenCC: run it after an update of OpenCC.

The tables are in OpenCC's own format; the program that its package brings for Linux and macOS writes them as text.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from text import fold
from translation.regional import LONGEST, PATH

_TABLES = {  # whether the words of the mainland come second
    "TWPhrases": False,
    "TWPhrasesRev": True,
    "HKPhrases": False,
    "HKPhrasesRev": True,
}
_SHORTEST = 2  # characters: a single one is part of many words that mean something else
_HEAD = """\
# Words of the mainland and what Taiwan or Hong Kong says for them, in simplified characters.
# Made of the phrase tables of OpenCC {version} (https://github.com/BYVoid/OpenCC), Apache License 2.0, by
# scripts/make_regional_words.py. Changed: both directions in one list, in simplified script, without single characters.
"""


def pairs() -> list[tuple[str, str]]:
    """Of the mainland and of Taiwan or Hong Kong, as search folds them, each pair once."""
    found = set()
    for name, mainland_second in _TABLES.items():
        for word, others in _rows(name):
            for other in others:
                pair = (fold(other), fold(word)) if mainland_second else (fold(word), fold(other))
                if pair[0] != pair[1] and all(_SHORTEST <= len(one) <= LONGEST for one in pair):
                    found.add(pair)
    return sorted(found)


def _rows(name: str) -> Iterator[tuple[str, list[str]]]:
    spec = find_spec("opencc")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(spec.submodule_search_locations[0]) / "clib"
    with tempfile.TemporaryDirectory() as folder:
        made, table = Path(folder) / "table.txt", package / "share" / "opencc" / f"{name}.ocd2"
        convert = [package / "bin" / "opencc_dict", "-f", "ocd2", "-t", "text", "-i", table, "-o", made]
        subprocess.run(convert, check=True)
        lines = made.read_text(encoding="utf-8").splitlines()
    for line in lines:
        word, _, others = line.partition("\t")
        yield word, others.split(" ")


if __name__ == "__main__":
    rows = pairs()
    text = _HEAD.format(version=version("opencc")) + "".join(f"{one} {other}\n" for one, other in rows)
    PATH.write_text(text, encoding="utf-8")
    print(f"{len(rows)} pairs, {PATH.stat().st_size:,} bytes: {PATH}")
