import random

import pytest

from retrieval.lookups import LOOKUPS, CuckooFilter, known_places
from tests.each_row import each_row

EXACT = sorted(LOOKUPS.keys() - {"none", "cuckoo_unkeyed"})
NAMES = [f"{word} {n}" for n in range(200) for word in ("mill", "灯塔", "otto brandt")]


def filled(method):
    lookup = LOOKUPS[method](len(NAMES))
    for place, name in enumerate(NAMES):
        lookup.add(name, place)
    return lookup


@each_row("method", EXACT)
def test_all_give_the_same_places(method):
    lookup = filled(method)
    assert known_places(lookup, NAMES) == {name: [place] for place, name in enumerate(NAMES)}
    assert known_places(lookup, ["mill", "mill 200", "灯塔", ""]) == {}
    for place in (1000, 1001, 1002, 1003):
        lookup.add("灯塔 7", place)
    assert sorted(lookup.places("灯塔 7")) == [NAMES.index("灯塔 7"), 1000, 1001, 1002, 1003]


@each_row("method", EXACT)
def test_what_is_removed_is_gone_and_may_come_back(method):
    lookup = filled(method)
    assert lookup.remove("mill 3")
    assert not lookup.remove("mill 3")
    assert not lookup.remove("mill 999")
    assert lookup.places("mill 3") == []
    assert lookup.places("mill 4") == [NAMES.index("mill 4")]
    lookup.add("mill 3", 5)
    assert lookup.places("mill 3") == [5]


def test_without_a_lookup_nothing_is_known():
    lookup = filled("none")
    assert lookup.places(NAMES[0]) == []
    assert not lookup.remove(NAMES[0])


@each_row("seed", range(3))
def test_after_any_changes_a_cuckoo_filter_says_what_a_dictionary_says(seed):
    chance, cuckoo, known = random.Random(seed), CuckooFilter(4), {}
    names = [f"name {n}" for n in range(300)]
    for _ in range(6_000):
        name, place = chance.choice(names), chance.randrange(2**32)
        if chance.random() < 0.3:
            assert cuckoo.remove(name) == (known.pop(name, None) is not None)
        elif chance.random() < 0.2:
            assert cuckoo.places(name) == known.get(name, [])
        else:
            cuckoo.add(name, place)
            known.setdefault(name, []).append(place)
    assert {name: cuckoo.places(name) for name in names if cuckoo.places(name)} == known
    assert cuckoo.names == len(known)


def test_it_grows_by_doubling_and_keeps_all():
    cuckoo = CuckooFilter(1)
    for n in range(5_000):
        cuckoo.add(f"name {n}", n)
        if n == 10:
            cuckoo.places("name 3")
    assert all(cuckoo.places(f"name {n}") == [n] for n in range(5_000))
    assert cuckoo.temperature("name 3") == 2
    assert cuckoo.temperature("name 4") == 1
    assert cuckoo.temperature("nobody") == 0
    with pytest.raises(ValueError, match="power of two"):
        CuckooFilter(3)


def test_the_hottest_of_a_bucket_comes_first():
    cuckoo = CuckooFilter(1)
    for n in range(4):
        cuckoo.add(f"name {n}", n)
    for n, times in ((3, 5), (1, 3), (0, 2)):
        for _ in range(times):
            cuckoo.places(f"name {n}")
    assert list(cuckoo._heat[:4]) == [5, 3, 2, 0]
    assert [cuckoo.temperature(f"name {n}") for n in range(4)] == [2, 3, 0, 5]


def test_unkeyed_it_takes_few_unknown_names_for_known_ones():
    unkeyed = CuckooFilter(keyed=False)
    for n in range(10_000):
        unkeyed.add(f"name {n}", n)
    wrong = sum(bool(unkeyed.places(f"other {n}")) for n in range(10_000))
    assert 0 < wrong / 10_000 < 0.004


def test_the_automaton_finds_the_whole_names_of_a_text_in_one_pass():
    automaton = LOOKUPS["aho_corasick"](3)
    assert automaton.found_in("otto") == {}
    for place, name in enumerate(["art", "otto brandt", "灯塔", "灯塔 3", "c++"]):
        automaton.add(name, place)
    text = "a party of otto brandt's at 老灯塔 3, art of c++"
    assert automaton.found_in(text) == {"otto brandt": [1], "灯塔": [2], "灯塔 3": [3], "art": [0], "c++": [4]}
    assert automaton.found_in("artists are smart, or parts") == {}
    automaton.add("art", 9)
    automaton.remove("灯塔")
    assert automaton.found_in(text) == {"otto brandt": [1], "灯塔 3": [3], "art": [0, 9], "c++": [4]}


def test_an_only_place_takes_no_block():
    cuckoo = CuckooFilter(16)
    for place in (2**32 - 1, 5, 6, 7, 8):
        cuckoo.add("mill", place)
        cuckoo.add(f"mill {place}", place)
    assert len(cuckoo._next) == 2  # of the five places of one name, three and two
    assert cuckoo.places("mill") == [2**32 - 1, 5, 6, 7, 8]
    assert cuckoo.places("mill 7") == [7]
