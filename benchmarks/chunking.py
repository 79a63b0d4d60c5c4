"""How much of the right text each chunker brings within 4,000 characters, how often a chunk ends inside a sentence, and
what semantic chunking costs.

Recall, precision and IoU in characters follow "Evaluating Chunking Strategies for Retrieval" (Smith and Troynikov,
2024), at an equal budget of text instead of an equal number of chunks. One BM25 index over all corpora; the hits are
read best first, the last one cut at the budget, and characters that overlap count once. "In sections" reads as an
answer does: the first `top_k` hits, those that touch as one, each grown towards its section up to the same budget.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.report import DATA, Bar, Report, progress
from ingestion.chunking import CHUNKERS, chunk_document
from ingestion.readers import read_document
from providers.hashing import HashingEmbedder
from retrieval.sections import grow_hits, merge_neighbours
from schema import ChunkerName, Chunking, Document, Hit, Vectors
from settings import Settings
from text import search_tokens

BASELINE = "langchain_recursive_1000_200"
_BUDGET = 4000  # characters
_K1, _B = 1.2, 0.75  # Lucene's defaults
_MARGIN = 0.02  # by which the default chunker's recall must pass the baseline's
_INSIDE = 0.05  # the share of chunks that may end inside a sentence
_SEMANTIC = 3  # times the time of the recursive chunker, beside embedding the sentences
_PARAGRAPHS, _RUN_TOGETHER = 20, 4  # paragraphs of a Chinese file, texts of a paragraph: long enough to be cut


class Span(NamedTuple):
    """A chunk of one corpus, and what is indexed of it."""

    corpus: str
    start: int
    end: int
    indexed: str
    headings: tuple[str, ...] = ()


class Question(NamedTuple):
    corpus: str
    terms: list[str]
    references: list[tuple[int, int]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "chunking", help="corpora and questions.jsonl (ours)")
    parser.add_argument("--zh", type=Path, default=DATA / "retrieval", help="corpus.jsonl with Chinese texts (ours)")
    parser.add_argument("--size", type=int, help="of our chunks, in characters (each chunker's default)")
    parser.add_argument("--overlap", type=int, help="of our chunks, in characters (each chunker's default)")


def run(options: argparse.Namespace) -> Report:
    corpora = sorted((options.data / "corpora").glob("*.md"))
    english = {path.name: read_document(path.name, path.read_bytes(), max_bytes=10**9) for path in corpora}
    chinese = {document.name: document for document in _joined(options.zh)}
    questions = list(_questions(options.data / "questions.jsonl"))
    settings = Settings.from_mapping({})
    metrics: dict[str, Any] = {}
    for name in progress([*CHUNKERS, BASELINE], "chunkers"):
        cut = _Cutter(name, Chunking(size=options.size, overlap=options.overlap), settings)
        spans = [span for document in english.values() for span in cut(document)]
        metrics[name] = {
            **measure(spans, english, questions),
            "inside_sentence_en": _inside(spans, english),
            "inside_sentence_zh": _inside([span for document in chinese.values() for span in cut(document)], chinese),
            "chunks": len(spans),
            "characters": round(float(np.mean([span.end - span.start for span in spans]))),
        }
        if name == settings.chunker:
            metrics[f"{name}, in sections"] = measure(spans, english, questions, top_k=settings.top_k)
    costs = {"en": _semantic_cost(english.values(), settings), "zh": _semantic_cost(chinese.values(), settings)}
    for language, cost in costs.items():
        metrics[f"semantic, seconds of processor time ({language})"] = cost
    default = metrics[settings.chunker]
    bars = {
        "recall": Bar(default["recall"], min(metrics[BASELINE]["recall"] + _MARGIN, 1.0)),
        "inside_sentence_en": Bar(default["inside_sentence_en"], _INSIDE, most=True),
        "inside_sentence_zh": Bar(default["inside_sentence_zh"], _INSIDE, most=True),
        **{f"semantic_cost_{language}": Bar(cost["ratio"], 1.0, most=True) for language, cost in costs.items()},
    }
    notes = [
        f"the default chunker is {settings.chunker}; {len(questions)} questions",
        f"semantic_cost: its time over {_SEMANTIC} x recursive + embedding the sentences",
    ]
    return Report(metrics, bars, notes)


# --- what is measured on ---------------------------------------------------------------------------------------------


def _questions(path: Path) -> Iterator[Question]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        references = [(reference["start"], reference["end"]) for reference in row["references"]]
        yield Question(row["corpus"], search_tokens(row["text"]), references)


def _joined(folder: Path) -> Iterator[Document]:
    """Long files, each joined from texts that follow each other in the corpus, several to a paragraph."""
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row["text"] for row in corpus if row.get("lang", "zh") == "zh"]
    paragraphs = ["".join(rows[first : first + _RUN_TOGETHER]) for first in range(0, len(rows), _RUN_TOGETHER)]
    for first in range(0, len(paragraphs), _PARAGRAPHS):
        yield Document(f"{first:05}.txt", "\n\n".join(paragraphs[first : first + _PARAGRAPHS]), language="zh")


class _Cutter:
    """A chunker by name at its default sizes, or the baseline."""

    def __init__(self, name: str, wish: Chunking, settings: Settings) -> None:
        self._name, self._wish, self._settings = name, wish, settings
        self._embed = HashingEmbedder(settings.hashing_dimensions).embed

    def __call__(self, document: Document) -> Iterator[Span]:
        if self._name == BASELINE:
            yield from _baseline(document)
            return
        strategy: ChunkerName = next(known for known in CHUNKERS if known == self._name)
        wish = Chunking(strategy=strategy).over(self._wish)
        for chunk in chunk_document(document, wish, self._settings, self._embed)[1]:
            yield Span(document.name, chunk.start, chunk.end, chunk.indexed_text, chunk.headings)


def _baseline(document: Document) -> Iterator[Span]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
    for part in splitter.create_documents([document.text]):
        start = part.metadata["start_index"]
        yield Span(document.name, start, start + len(part.page_content), part.page_content)


def _semantic_cost(documents: Iterable[Document], settings: Settings) -> dict[str, float]:
    """Seconds of processor time of both chunkers and of embedding for one of them, and the ratio that has a bar."""
    embedder, embedding = HashingEmbedder(settings.hashing_dimensions), 0.0

    def embed(texts: Sequence[str]) -> Vectors:
        nonlocal embedding
        began = time.process_time()
        vectors = embedder.embed(texts)
        embedding += time.process_time() - began
        return vectors

    def seconds(strategy: ChunkerName) -> float:
        began = time.process_time()
        for document in documents:
            chunk_document(document, Chunking(strategy=strategy), settings, embed)
        return time.process_time() - began

    recursive, semantic = seconds("recursive"), seconds("semantic")
    ratio = semantic / max(_SEMANTIC * recursive + embedding, 1e-9)
    return {"recursive": recursive, "semantic": semantic, "of it embedding": embedding, "ratio": ratio}


# --- recall at an equal budget ---------------------------------------------------------------------------------------


class BM25:
    """Lucene's formula over lists of terms."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        lengths = np.array([len(terms) for terms in texts], dtype=float)
        self._norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1e-9))
        places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, terms in enumerate(texts):
            for term, count in Counter(terms).items():
                places[term].append((number, count))
        self._postings = {term: np.array(found).T for term, found in places.items()}

    def scores(self, terms: Sequence[str]) -> npt.NDArray[np.float64]:
        total = np.zeros(len(self._norm))
        for term in terms:
            if term in self._postings:
                numbers, counts = self._postings[term]
                rarity = math.log(1 + (len(total) - len(numbers) + 0.5) / (len(numbers) + 0.5))
                total[numbers] += rarity * counts * (_K1 + 1) / (counts + self._norm[numbers])
        return total


def measure(
    spans: Sequence[Span], corpora: Mapping[str, Document], questions: Sequence[Question], top_k: int = 0
) -> dict[str, float]:
    """Mean recall, precision and IoU of the retrieved characters; with `top_k`, of so many hits in their sections."""
    index = BM25([search_tokens(span.indexed) for span in spans])
    sections = _Sections(spans, corpora) if top_k else None
    rows = []
    for question in questions:
        scores = index.scores(question.terms)
        ranked = (spans[number] for number in np.argsort(-scores, kind="stable") if scores[number] > 0)
        found = _retrieved(sections.read(ranked, top_k) if sections else ranked, corpora)
        wanted = np.zeros(len(corpora[question.corpus].text), dtype=bool)
        for start, end in question.references:
            wanted[start:end] = True
        retrieved = sum(int(marks.sum()) for marks in found.values())
        hit = int((found[question.corpus] & wanted).sum()) if question.corpus in found else 0
        either = retrieved + int(wanted.sum()) - hit
        rows.append((hit / wanted.sum(), hit / max(retrieved, 1), hit / either))
    recall, precision, iou = (float(mean) for mean in np.mean(rows, axis=0))
    return {"recall": recall, "precision": precision, "iou": iou}


def _retrieved(ranked: Iterable[Span], corpora: Mapping[str, Document]) -> dict[str, npt.NDArray[np.bool_]]:
    """Which characters of each corpus stand within the budget."""
    found: dict[str, npt.NDArray[np.bool_]] = {}
    left = _BUDGET
    for span in ranked:
        if left <= 0:
            break
        marks = found.setdefault(span.corpus, np.zeros(len(corpora[span.corpus].text), dtype=bool))
        fresh = span.start + np.flatnonzero(~marks[span.start : span.end])[:left]
        marks[fresh] = True
        left -= len(fresh)
    return found


class _Sections:
    """The chunks of all corpora, as a store hands them out."""

    def __init__(self, spans: Sequence[Span], corpora: Mapping[str, Document]) -> None:
        self._corpora = corpora
        self._numbers = {span: number for number, span in enumerate(spans)}
        self._hits = [
            Hit(
                number, span.corpus, "", corpora[span.corpus].text[span.start : span.end], span.start, span.end, 0, 0,
                span.headings,
            )
            for number, span in enumerate(spans)
        ]  # fmt: skip

    def read(self, ranked: Iterator[Span], top_k: int) -> Iterator[Span]:
        hits = [self._hits[self._numbers[span]] for span, _ in zip(ranked, range(top_k), strict=False)]
        for hit in grow_hits(merge_neighbours(hits, self, _BUDGET, len), self, _BUDGET, len):
            yield Span(hit.document, hit.start, hit.end, "")

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
        return {
            number: [
                hit
                for hit in self._hits[max(0, number - reach) : number + reach + 1]
                if hit.document == self._hits[number].document
            ]
            for number in chunk_ids
        }

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str:
        return self._corpora[name].text[start:end]


# --- sentences: an oracle of its own, which knows nothing of how the chunks were made ------------------------------

_closers = " \t\n\"'”’」』）)】]》>*_`~"
_terminators = frozenset(".!?。！？…")
_new_line = re.compile(r"[ \t]*\n[ \t]*(?:\n|#|>|\||[-*+•] |\d+[.)、] ?|```|~~~|[^\n|]* \| |\Z)")


def ends_inside(text: str, end: int) -> bool:
    """Whether text cut at `end` is cut inside a sentence.

    It is not when the last character, but for closing quotes, brackets and marks, ends a sentence in either language,
    nor when the text ends there, or a new paragraph, heading, list item, table row or fence begins.
    """
    before = text[max(0, end - 50) : end].rstrip(_closers)
    if before and before[-1] in _terminators:
        return False
    rest = text[end : end + 300]
    return bool(rest.strip()) and not _new_line.match(rest) and text[max(0, end - 2) : end] != "\n\n"


def _inside(spans: Sequence[Span], corpora: Mapping[str, Document]) -> float:
    return sum(ends_inside(corpora[span.corpus].text, span.end) for span in spans) / len(spans)
