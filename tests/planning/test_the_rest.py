"""Several files in one message: each has its wish, "the rest" is what is not named, what is left over is uncertain."""

import pytest

from planning.rules import plan_by_rules
from schema import Chunking
from tests.each_row import each_row

FILES = ["a.md", "b.md", "c.txt"]
SEMANTIC, RECURSIVE = Chunking(strategy="semantic"), Chunking(strategy="recursive", size=300)


def wishes(message, uploads=FILES, library=()):
    return plan_by_rules(message, uploads=list(uploads), library=list(library))


@each_row(
    "message",
    [
        "a.md用语义切片，其他的用递归300",
        "a.md 用语义切片，其余用递归300",
        "a.md 语义，剩下的文件按递归300",
        "a.md用语义切片，别的用递归，每片300字",
        "其他的用递归300，a.md用语义切片",
        "除了a.md用语义，其他都用递归300",
        "a.md semantic, the rest recursive 300",
        "Chunk a.md semantically and everything else recursively with 300 characters",
        "Use recursive 300 for the others and semantic for a.md",
        "Semantic for a.md, the remaining files recursive 300",
    ],
)
def test_the_rest_has_a_wish_of_its_own(message):
    plan = wishes(message)
    assert [plan.chunking_for(name) for name in FILES] == [SEMANTIC, RECURSIVE, RECURSIVE]
    assert plan.certain


@each_row("message", ["除了a.md，其他都用递归300", "除了 a.md 以外都切成递归300", "Everything but a.md recursive 300"])
def test_what_is_excepted_is_cut_as_usual(message):
    plan = wishes(message)
    assert [plan.chunking_for(name) for name in FILES] == [Chunking(), RECURSIVE, RECURSIVE]


def test_each_file_of_a_list_has_its_wish():
    plan = wishes("a.md和b.md用语义切片，c.txt用固定大小500")
    assert [plan.chunking_for(name) for name in FILES] == [SEMANTIC, SEMANTIC, Chunking(strategy="fixed", size=500)]
    plan = wishes("a.md 500, b.md 300, the rest 800. How many days?")
    assert [plan.chunking_for(name).size for name in FILES] == [500, 300, 800]
    assert plan.question == "How many days?"


@pytest.mark.parametrize(
    "message", ["把a.md用语义切片，其他的用递归300", "Re-chunk a.md semantically, the rest recursive 300"]
)
def test_stored_files_are_cut_again_each_in_its_way(message):
    plan = wishes(message, uploads=(), library=FILES)
    assert plan.every_file
    assert [plan.chunking_for(name) for name in FILES] == [SEMANTIC, RECURSIVE, RECURSIVE]


@each_row(
    "message",
    [
        "存一下，每片300字，400，重叠50",
        "保存，a.md用语义切片，b.md 300 200",
        "用语义切片，每片300字，每片500字",
        "a.md、b.md、c.txt用语义切片，其他的用递归300",  # there is no other
        "Save it in chunks of 300 characters, 400",
        "Semantic chunks please, fixed ones",
    ],
)
def test_what_is_left_over_is_not_certain(message):
    assert not wishes(message).certain


@pytest.mark.parametrize("message", ["其他的用递归300", "Use recursive 300 for all the others"])
def test_without_a_named_file_the_others_are_all(message):
    assert wishes(message).chunking == RECURSIVE


@each_row(
    ("message", "wish"),
    [
        ("存一下，每段半千字", Chunking(size=500)),
        ("Store it in pieces of half a thousand characters", Chunking(size=500)),
        ("切成一样长的小块，每块八百字，前后重叠十分之一，存起来", Chunking(strategy="fixed", size=800, overlap=80)),
        ("保存，每片500字，一成重叠", Chunking(size=500, overlap=50)),
        ("Save it: 1k characters per chunk, a tenth of that shared", Chunking(size=1000, overlap=100)),
        ("话题一换就断开，收录进来", Chunking(strategy="semantic")),
        ("Save it, cut wherever the topic changes", Chunking(strategy="semantic")),
        ("Save it in equal pieces of 400 characters", Chunking(strategy="fixed", size=400)),
    ],
)
def test_sizes_and_methods_in_everyday_words(message, wish):
    assert wishes(message, uploads=["a.md"]).chunking == wish
