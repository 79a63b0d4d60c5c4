"""The forest of a library: document set > document > headings > names in a section.

It is read from what a store keeps of its chunks, their headings and names, which change with their document in one
transaction: there is no second copy that could say anything else after a kill.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from entities import ChunkNames, document_name, folded, heading_name
from schema import Hit, PairAbstract
from stores.base import Store
from stores.pairs import pair_key, pairs
from text import fold

ROOT = ""  # of each tree: the document
_heading_line = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*)$", re.MULTILINE)
_LEVELS = 16  # above a name, that are looked through for a way round
_KNOWN = 2  # chunks that say a name which none is about; with fewer it connects nothing

Edge = tuple[str, str]  # parent and child


@dataclass(frozen=True)
class DocumentTree:
    """What stands beneath what in a document. A name may stand beneath several others, and in several trees."""

    document: str
    doc_set: str
    edges: tuple[Edge, ...]  # by names as they are compared; parents before their children
    headings: frozenset[str]  # names of sections
    chunks: Mapping[str, int]  # where each name stands first
    written: Mapping[str, str]  # each name as the document has it

    def children(self) -> dict[str, list[str]]:
        """Of each name that has some; those of the document by `ROOT`."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for parent, child in self.edges:
            found[parent].append(child)
        return dict(found)


def forest(store: Store) -> list[DocumentTree]:
    """The trees of all documents, by set and name."""
    places = sorted((info.doc_set, info.name) for info in store.documents())
    return [document_tree(store, name, doc_set) for doc_set, name in places]


def document_tree(store: Store, name: str, doc_set: str = "") -> DocumentTree:
    """Without edges when there is no such document."""
    hits = store.chunks(name, doc_set, k=sys.maxsize)
    names = store.names([hit.chunk_id for hit in hits])
    said = dict.fromkeys(one for each in names.values() for one in each.says)
    known = {one for one, places in store.name_places(said, _KNOWN).items() if len(places) == _KNOWN or places[0].home}
    sections = [(hit, Sections(hit)) for hit in hits]
    paths = [path for _, within in sections for path in within.paths]
    headings = frozenset(one for path in paths for one in path) | {document_name(name)}
    leaves = [
        [(within.path_of(one) or [ROOT])[-1], one]
        for wanted in (lambda of: of.about, lambda of: [one for one in of.says if one in known])
        for hit, within in sections
        for one in wanted(names.get(hit.chunk_id, ChunkNames()))
        if one not in headings
    ]
    related = [
        [(within[0].path_of(folded(one.parent)) or [ROOT])[-1], folded(one.parent), folded(one.child)]
        for written, within in _abstracts(store, sections)
        for one in written.relations
    ]
    edges = clean_edges([*([ROOT, *path] for path in paths), *related, *leaves])
    chunks, written = _places(hits, names, {child for _, child in edges})
    return DocumentTree(name, doc_set, tuple(edges), headings - {document_name(name)}, chunks, written)


def _abstracts(store: Store, sections: Sequence[tuple[Hit, Sections]]) -> Iterator[tuple[PairAbstract, list[Sections]]]:
    """What a model has written about the document's pairs of chunks, with their sections."""
    of = {hit.chunk_id: within for hit, within in sections}
    keyed = {pair_key(pair): pair for pair in pairs([hit for hit, _ in sections])}
    for key, written in store.abstracts(list(keyed)).items():
        yield written, [of[hit.chunk_id] for hit in keyed[key]]


class Sections:
    """The sections that a chunk lies in: the one that its headings say, and those that begin within it."""

    def __init__(self, hit: Hit) -> None:
        self._text, own = hit.text, document_name(hit.document)
        above = [name for name in map(heading_name, hit.headings) if name and name != own]
        self._starts, self.paths = [0], [list(dict.fromkeys(above))]
        within: list[tuple[int, str]] = []
        for line in _heading_line.finditer("" if hit.origin.code_language else hit.text):
            level, name = len(line[1]), heading_name(line[2])
            within = [one for one in within if one[0] < level] + ([(level, name)] if name and name != own else [])
            self._starts.append(line.start())
            self.paths.append(list(dict.fromkeys([*above, *(name for _, name in within)])))

    @cached_property
    def _folded(self) -> str:
        return fold(self._text).casefold()

    def path_of(self, name: str) -> list[str]:
        """The names of the headings above where a name stands first, the highest first, without what is called like
        the document; where it stands in a heading, that one last."""
        return self.paths[bisect_right(self._starts, max(0, self._folded.find(name))) - 1]


def clean_edges(paths: Iterable[Sequence[str]]) -> list[Edge]:
    """From paths, from the top down, to the edges of trees: each once, in order, none to itself, none round in a
    circle, and none that a longer way implies.

    What was named first is above: an edge that leads back to it is left out, so that there is no circle.
    """
    paths = list(paths)
    rank = {name: place for place, name in enumerate(dict.fromkeys(name for path in paths for name in path))}
    edges = dict.fromkeys(edge for path in paths for edge in pairwise(path) if rank[edge[0]] < rank[edge[1]])
    parents: defaultdict[str, list[str]] = defaultdict(list)
    for parent, child in edges:
        parents[child].append(parent)
    above = {child: _above(parents, found) for child, found in parents.items() if len(found) > 1}
    return [(parent, child) for parent, child in edges if parent not in above.get(child, ())]


def _above(parents: Mapping[str, Sequence[str]], names: Sequence[str]) -> set[str]:
    """What stands above any of the names, some levels up."""
    found, level = set[str](), set(names)
    for _ in range(_LEVELS):
        level = {one for name in level for one in parents.get(name, ())} - found
        if not level:
            break
        found |= level
    return found


def written_in(hit: Hit, name: str) -> str:
    """A name as a passage writes it, in which it stands."""
    return _as_written(fold(hit.indexed_text), name)


def _as_written(text: str, name: str) -> str:
    place = text.casefold().find(name)
    found = text[max(0, place) : max(0, place) + len(name)]
    return found if found.casefold() == name else name  # letters that change their length do not fold alike


def _places(
    hits: Sequence[Hit], names: Mapping[int, ChunkNames], wanted: set[str]
) -> tuple[dict[str, int], dict[str, str]]:
    """Where each name stands first, and how it is written there."""
    chunks: dict[str, int] = {}
    written: dict[str, str] = {}
    for hit in hits:
        for heading in (*hit.headings, *(line[2] for line in _heading_line.finditer(hit.text))):
            if (name := heading_name(heading)) in wanted and name not in chunks:
                chunks[name], written[name] = hit.chunk_id, heading
    for hit in hits:
        of = names.get(hit.chunk_id, ChunkNames())
        if fresh := [name for name in (*of.about, *of.says) if name in wanted and name not in chunks]:
            text = fold(hit.indexed_text)
            chunks |= dict.fromkeys(fresh, hit.chunk_id)
            written |= {name: _as_written(text, name) for name in fresh}
    return chunks, written
