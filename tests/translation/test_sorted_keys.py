"""Keys in few strings are found as in a sorted list."""

from __future__ import annotations

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as some

from translation.sorted_keys import SortedKeys

_key = some.text("ab 年假", min_size=1, max_size=4).filter(lambda key: key == key.strip())


@given(some.sets(_key, min_size=1, max_size=30), _key, some.integers(1, 5))
def test_keys_are_found_as_in_a_sorted_list(keys: set[str], asked: str, size: int) -> None:
    listed = sorted(keys)
    blocks = [listed[place : place + size] for place in range(0, len(listed), size)]
    widths = [max(map(len, block)) for block in blocks]
    joined = "".join(key.ljust(width) for block, width in zip(blocks, widths, strict=True) for key in block)
    read = SortedKeys(joined, widths, size)
    assert [read.at(number) for number in range(len(listed))] == listed
    for key in (asked, *listed):
        assert read.number_of(key) == (listed.index(key) if key in keys else None)
        assert read.first_from(key) == bisect_left(listed, key)
    for beginning in (asked, *(key[:size] for key in listed for size in range(1, len(key) + 1))):
        if beginning == beginning.strip():
            assert read.begins(beginning) == any(key.startswith(beginning) for key in listed)
