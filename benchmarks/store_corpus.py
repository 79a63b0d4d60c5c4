"""A made library of any size, always the same: Zipf's words, clustered vectors, sets and authors; and its questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

from schema import EVERYWHERE, Chunk, Chunking, Document, Scope, Space, Vectors
from stores.base import DocumentBatch

BLOCK = 1_000  # chunks; each has two documents of ten chunks, one of a hundred, the others have twenty
RARE = "rare"  # the set, and the author, of one chunk in a hundred
ADDED = 20  # chunks of a document that comes later
_SIZES = [10, 10, 100, *[ADDED] * 44]
_WORDS, _TOKENS = 50_000, 120  # of the vocabulary, of a chunk
_TERMS = 8  # of a question
_PER_CENTRE = 100  # chunks, on average
_ON_TOPIC = 0.7  # the share of a document's chunks that are of the document's own cluster
_SPREAD = 1.2  # length of the noise beside a centre or, in a question, beside the chunk it is about
_HOW = Chunking(strategy="fixed", size=1000)


@dataclass(frozen=True)
class Question:
    """About one chunk: some of its words, and a vector that is near to its own."""

    terms: list[str]
    vector: Vectors
    document: str

    def scope(self, among: str) -> Scope:
        scopes = {
            "everywhere": EVERYWHERE,
            "1 % by set": Scope(doc_sets=(RARE,)),
            "1 % by metadata": Scope(metadata=(("author", RARE),)),
            "one document": Scope(documents=(self.document,)),
        }
        return scopes[among]


SCOPES = ("everywhere", "1 % by set", "1 % by metadata", "one document")


class Corpus:
    """`chunks` is a multiple of a thousand."""

    def __init__(self, chunks: int, dimensions: int) -> None:
        if chunks < BLOCK or chunks % BLOCK:
            raise ValueError(f"a made library has a multiple of {BLOCK} chunks, not {chunks}")
        self.chunks, self.dimensions = chunks, dimensions
        self.space = Space("synthetic", "clusters", "1", dimensions)
        self._words = np.array([f"w{rank}" for rank in range(_WORDS)], object)
        self._zipf = np.cumsum(1 / np.arange(1, _WORDS + 1))

    @cached_property
    def _centres(self) -> Vectors:
        count = max(10, self.chunks // _PER_CENTRE)
        return _unit(np.random.default_rng(0).standard_normal((count, self.dimensions), np.float32))

    @cached_property
    def _popularity(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Cumulated: some topics have many more documents than others."""
        return np.cumsum(1 / np.sqrt(np.arange(1, len(self._centres) + 1)))

    def blocks(self) -> Iterator[list[DocumentBatch]]:
        for block in range(self.chunks // BLOCK):
            yield self.block(block)

    def block(self, number: int) -> list[DocumentBatch]:
        """The documents of a thousand chunks."""
        chance = np.random.default_rng((1, number))
        sizes = chance.permutation(_SIZES)
        small = iter((RARE, ""))
        return [
            self._batch(chance, f"{number:04}-{place:02}.md", int(size), next(small) if size == 10 else None)
            for place, size in enumerate(sizes)
        ]

    def later(self, number: int) -> DocumentBatch:
        """A document that is not among those of the blocks."""
        return self._batch(np.random.default_rng((2, number)), f"later-{number:05}.md", ADDED, None)

    def _batch(self, chance: np.random.Generator, name: str, size: int, rare_set: str | None) -> DocumentBatch:
        """`rare_set`: RARE for a document of the rare set, "" for one of the rare author, None for a usual one."""
        drawn = np.searchsorted(self._zipf, chance.random((size, _TOKENS)) * self._zipf[-1])
        texts = [" ".join(words) for words in self._words[drawn].tolist()]
        ends = np.cumsum([len(text) + 1 for text in texts]).tolist()
        chunks = [
            Chunk(text, end - 1 - len(text), end - 1, line, line)
            for line, (text, end) in enumerate(zip(texts, ends, strict=True), 1)
        ]
        author = RARE if rare_set == "" else f"author {chance.integers(50)}"
        text = "\n".join(texts)
        doc_set = rare_set or f"set {chance.integers(5)}"
        document = Document(name, text, doc_set, "text", "en", len(text), {"author": author})
        return DocumentBatch(
            document, _HOW, chunks, texts, self._vectors(chance, size), self.space.key, tokens=size * _TOKENS
        )

    def _vectors(self, chance: np.random.Generator, count: int) -> Vectors:
        topics = np.searchsorted(self._popularity, chance.random(count + 1) * self._popularity[-1])
        clusters = np.where(chance.random(count) < _ON_TOPIC, topics[-1], topics[:-1])
        return _blurred(chance, self._centres[clusters])

    def questions(self, count: int) -> Iterator[Question]:
        """Evenly spread over the library."""
        chance = np.random.default_rng(3)
        blocks = np.linspace(0, self.chunks // BLOCK, count, endpoint=False).astype(int).tolist()
        known: tuple[int, list[DocumentBatch]] = (-1, [])
        for block in blocks:
            if known[0] != block:
                known = block, self.block(block)
            batch = known[1][chance.integers(len(known[1]))]
            position = int(chance.integers(len(batch.chunks)))
            terms = chance.choice(sorted(set(batch.terms[position].split())), _TERMS, replace=False).tolist()
            vector = _blurred(chance, batch.vectors[position : position + 1])[0]
            yield Question(terms, vector, batch.document.name)


def _blurred(chance: np.random.Generator, vectors: Vectors) -> Vectors:
    noise = _unit(chance.standard_normal(vectors.shape, np.float32))
    return _unit(vectors + np.float32(_SPREAD) * noise)


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def write_questions(path: Path, questions: list[Question]) -> None:
    path.write_text(json.dumps([{**asdict(one), "vector": one.vector.tolist()} for one in questions]))


def read_questions(path: Path) -> list[Question]:
    rows = json.loads(path.read_text())
    return [Question(row["terms"], np.array(row["vector"], np.float32), row["document"]) for row in rows]


def exact(corpus: Corpus, questions: list[Question], k: int) -> dict[str, list[list[str]]]:
    """For each scope the k nearest chunks of each question ("document#position"), every vector compared in float32."""
    names: list[str] = []
    groups: dict[str, list[int]] = {"": [], "set": [], "author": []}  # places of chunks; also by document
    parts: list[Vectors] = []
    for batch in chain.from_iterable(corpus.blocks()):
        of, places = batch.document, range(len(names), len(names) + len(batch.chunks))
        names += [f"{of.name}#{position}" for position in range(len(places))]
        parts.append(batch.vectors)
        rare = {"set": of.doc_set == RARE, "author": of.metadata["author"] == RARE}
        for group in ("", of.name, *(name for name, chosen in rare.items() if chosen)):
            groups.setdefault(group, []).extend(places)
    vectors = np.concatenate(parts)
    found: dict[str, list[list[str]]] = {among: [] for among in SCOPES}
    for question in questions:
        cosines = vectors @ question.vector
        for among, group in zip(SCOPES, ("", "set", "author", question.document), strict=True):
            allowed = np.array(groups[group])
            best = allowed[np.argsort(-cosines[allowed], kind="stable")[:k]]
            found[among].append([names[place] for place in best])
    return found
