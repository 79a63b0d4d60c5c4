"""Ways to look names up: what each says of known and unknown names after changes, and how it holds them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from retrieval.lookups import LOOKUPS, known_places
from tests.recorded.normal import Json

_NAMES = [f"{word} {number}" for number in range(150) for word in ("mill", "灯塔", "otto brandt", "年假", "Ω")]


def lookup_rows() -> Iterator[Json]:
    for method in sorted(LOOKUPS):
        lookup: Any = LOOKUPS[method](40)
        for place, name in enumerate(_NAMES):
            lookup.add(name, 7 * place % 1000)
        for name in _NAMES[::5]:
            for place in range(zlib.crc32(name.encode()) % 9):
                lookup.add(name, place)
        gone = [lookup.remove(name) for name in [*_NAMES[::3], "mill", _NAMES[0]]]
        for name in _NAMES[3::9]:
            lookup.add(name, 5)
        asked = [*_NAMES[::2], *_NAMES[::4], "nowhere", "", *(f"unknown {number}" for number in range(60))]
        said = known_places(lookup, asked)
        found = (
            lookup.found_in("the mill 4 and otto brandt 17, otto brandt 171；灯塔 8")
            if method == "aho_corasick"
            else {}
        )
        yield {"row": f"lookup, {method}", "said": said, "gone": gone, "found": found, "held": _held(lookup)}


def _held(lookup: Any) -> Json:
    """Digests of what a filter is made of: the same names make the same filter on every machine."""
    kept = {
        name: value for name, value in vars(lookup).items() if hasattr(value, "tobytes") or isinstance(value, bytearray)
    }
    digests = {name: [len(value), zlib.crc32(bytes(value))] for name, value in sorted(kept.items())}
    heat = [lookup.temperature(name) for name in _NAMES[:40]] if hasattr(lookup, "temperature") else []
    return [digests, heat, getattr(lookup, "names", None)]
