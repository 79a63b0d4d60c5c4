"""The forest: document > headings > names, without loops, circles, repetitions and ways that longer ones imply."""

from __future__ import annotations

import random
from dataclasses import replace

from store_cases import batch, serve

from schema import Document
from stores.base import DocumentBatch, Store
from stores.embedded import EmbeddedStore
from stores.forest import ROOT, DocumentTree, clean_edges, document_tree, forest
from tests.each_row import each_row


@each_row(
    ("paths", "edges"),
    [
        ([["a", "b"], ["a", "b"]], [("a", "b")]),
        ([["a", "a", "b"]], [("a", "b")]),
        ([["a", "b"], ["b", "a"]], [("a", "b")]),
        ([["a", "b", "c"], ["c", "a"], ["c", "b"]], [("a", "b"), ("b", "c")]),
        ([["a", "b", "c"], ["a", "c"]], [("a", "b"), ("b", "c")]),
        ([["a", "b", "c", "d"], ["a", "d"], ["b", "d"]], [("a", "b"), ("b", "c"), ("c", "d")]),
        ([["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"]], [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]),
        ([[], ["a"]], []),
    ],
)
def test_edges_are_cleaned(paths: list[list[str]], edges: list[tuple[str, str]]) -> None:
    assert clean_edges(paths) == edges


def test_whatever_the_paths_there_is_no_circle_and_no_way_twice() -> None:
    chance = random.Random(3)
    for _ in range(300):
        paths = [chance.choices("abcdefgh", k=chance.randint(1, 5)) for _ in range(chance.randint(1, 9))]
        edges = clean_edges(paths)
        assert len(set(edges)) == len(edges)
        for parent, child in edges:
            assert parent not in reached(edges, child)
            assert child not in reached([one for one in edges if one != (parent, child)], parent)


def reached(edges: list[tuple[str, str]], start: str) -> set[str]:
    """What stands beneath it, itself included."""
    found, todo = {start}, [start]
    while todo:
        below = {child for parent, child in edges if parent == todo[-1]} - found
        todo.pop()
        found |= below
        todo += below
    return found


def manual(name: str, doc_set: str = "", **sections: str) -> DocumentBatch:
    """A document with a chunk for each section: `Safety_Gloves="text"` is what stands under Safety > Gloves."""
    made = batch(name, list(sections.values()), doc_set)
    chunks = [
        replace(chunk, headings=tuple(path.split("_"))) for chunk, path in zip(made.chunks, sections, strict=True)
    ]
    return replace(made, chunks=chunks)


def test_a_document_as_a_tree(store: Store) -> None:
    store.put(
        manual(
            "pump manual.md", "plant",
            Pump_Start="The key of the valve in Lund is with Otto Brandt.",
            Pump_Start_Valve="Otto Brandt has the key.",
            Pump_安全="戴上手套。《操作规程》适用。",
            Pump_Start_Pump="Nothing here.",
        )
    )  # fmt: skip
    store.put(manual("notes.md", "", Lund="A town. It knows 《操作规程》."))
    tree = document_tree(store, "pump manual.md", "plant")
    assert tree.children() == {
        ROOT: ["pump"],
        "pump": ["start", "安全"],
        "start": ["valve", "lund"],
        "valve": ["otto brandt"],  # said under Start as well, which stands above
        "安全": ["操作规程"],
    }
    assert tree.written["otto brandt"] == "Otto Brandt"
    assert store.hits([tree.chunks["otto brandt"]])[0].headings == ("Pump", "Start")
    assert tree.headings == {"pump", "start", "valve", "安全"}
    assert document_tree(store, "nobody.md").edges == ()
    assert [(one.doc_set, one.document) for one in forest(store)] == [("", "notes.md"), ("plant", "pump manual.md")]


def test_after_any_changes_it_is_as_if_made_from_scratch() -> None:
    """`python -m benchmarks crash --part forest` does so on the disk, killed."""
    chance, store = random.Random(11), EmbeddedStore()
    serve(store)
    known: dict[tuple[str, str], DocumentBatch] = {}
    for _ in range(60):
        key = chance.choice(["a.md", "b.md", "c.md"]), chance.choice(["", "north"])
        kind = chance.random()
        if kind < 0.25:
            assert store.delete(*key) == (known.pop(key, None) is not None)
        elif kind < 0.3:
            to = "north" if not key[1] else ""
            if key in known and (key[0], to) not in known:
                store.move(*key, to)
                known[key[0], to] = moved(known.pop(key), to)
        else:
            known[key] = manual(*key, **dict(some_sections(chance)))
            store.put(known[key])
    fresh = EmbeddedStore()
    serve(fresh)
    fresh.put_all(list(known.values()))
    try:
        assert bare(forest(store)) == bare(forest(fresh))
        assert sum(len(tree.edges) for tree in forest(store)) > 5
    finally:
        fresh.close()
        store.close()


def moved(one: DocumentBatch, to: str) -> DocumentBatch:
    document: Document = one.document
    return replace(one, document=replace(document, doc_set=to))


def some_sections(chance: random.Random) -> list[tuple[str, str]]:
    names = ["Otto Brandt", "Lund", "Arden Mill", "《操作规程》", "南京"]
    paths = ["Pump", "Pump_Start", "Start_Pump", "安全", "安全_Pump"]
    return [(path, f"See {chance.choice(names)} and {chance.choice(names)}.") for path in chance.sample(paths, 3)]


def bare(trees: list[DocumentTree]) -> list[tuple[object, ...]]:
    """Without the ids of chunks."""
    return [(tree.doc_set, tree.document, tree.edges, tree.headings, tree.written) for tree in trees]
