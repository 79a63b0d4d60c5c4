"""What the dictionary adds to a question: milliseconds in made libraries of two languages, and of one.

The chunks are made of sentences of the sections, drawn anew; the questions are those of the sections, each asked for
the first time in the library, and then again.
"""

from __future__ import annotations

import gc
import random
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from benchmarks.report import Bar, Report, progress
from providers.hashing import HashingEmbedder
from retrieval.blocking_search import BlockingSearch, SearchResources
from retrieval.translated_form import glosses
from schema import Chunk, Chunking, Document, Language, SearchRequest
from settings import Settings
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from text import detect_language, search_tokens, sentences

_MOST, _NOTHING = 2.0, 0.05  # milliseconds that it may add: with documents of the other language, and without any
_DOCUMENT, _SENTENCES, _AT_ONCE = 20, 5, 50  # chunks of a document, sentences of a chunk, documents of a transaction
_DIMENSIONS, _QUESTIONS, _COUNT = 128, 100, 20
_FIGURES: dict[str, Callable[[Any], Any]] = {
    "mean": np.mean, "median": np.median, "p95": partial(np.percentile, q=95)
}  # fmt: skip
Texts = Mapping[Language, Sequence[str]]
Times = npt.NDArray[np.float64]  # (questions, 2)


def add_costs(report: Report, texts: Texts, questions: Texts, sizes: Sequence[int]) -> None:
    """`texts` and `questions` are those of the sections, by language."""
    said = {language: [*_sentences(texts[language])] for language in texts}
    for size in sizes:
        for name, languages in (("two languages", tuple(said)), ("one language", tuple(said)[:1])):
            asked = [one for language in languages for one in random.Random(1).sample(*_of(questions[language]))]
            first, again = _milliseconds({language: said[language] for language in languages}, asked, size)
            measured = {"first": first[:, 0], "again": again[:, 0], "search without, first": first[:, 1]}
            report.metrics[f"{size:,} chunks, {name}"] = {
                f"{when}, {what}": float(figure(times))
                for when, times in measured.items()
                for what, figure in _FIGURES.items()
            }
            most = _MOST if len(languages) > 1 else _NOTHING
            report.bars[f"{size:,} chunks, {name}: CPU ms"] = Bar(float(np.median(first[:, 0])), most, most=True)


def _of(questions: Sequence[str]) -> tuple[Sequence[str], int]:
    return questions, min(_QUESTIONS, len(questions))


def _sentences(texts: Sequence[str]) -> list[str]:
    return [text[start:end] for text in texts for start, end in sentences(text)]


def _milliseconds(said: Texts, asked: Sequence[str], size: int) -> tuple[Times, Times]:
    """Of this thread's processor, that the dictionary adds to the search for each question, and the whole search takes:
    the first time, and the second."""
    prefix = "citewise-crosslingual-"
    with tempfile.TemporaryDirectory(prefix=prefix) as folder, closing(EmbeddedStore(Path(folder))) as store:
        embedder = _fill(store, said, size)
        resources = SearchResources(store, embedder, Settings.from_mapping({}))
        _added(resources, "warm up, 预热")
        gc.freeze()  # as in the program: the collector need not walk through what was loaded
        first, again = (np.array([_added(resources, one) for one in asked]) for _ in range(2))
        return first, again


def _added(resources: SearchResources, question: str) -> tuple[float, float]:
    """What the search takes more with the dictionary than without, and what it takes without. That is searched once
    before, so that the dictionary pays for what it alone finds, and then on both sides: what comes later is faster."""
    without = patch("retrieval.blocking_search.translated_form", lambda *_: None)
    with without:
        whole, before = _spent(resources, question), _spent(resources, question)
    translated = _spent(resources, question)
    with without:
        return translated - (before + _spent(resources, question)) / 2, whole


def _spent(resources: SearchResources, question: str) -> float:
    search = BlockingSearch(SearchRequest(question, in_context=True), "default", resources, _COUNT)
    start = time.thread_time()
    found = search.run()
    glosses(found.by_dictionary, search.language, found.hits[: resources.settings.top_k])  # of what is shown
    return 1000 * (time.thread_time() - start)


def _fill(store: EmbeddedStore, said: Texts, size: int) -> HashingEmbedder:
    embedder, chance = HashingEmbedder(_DIMENSIONS), random.Random(size)
    store.swap_space(embedder.space, [], embedder.embed([]))
    languages = list(said)
    places = range(0, size, _DOCUMENT)
    for start in progress(range(0, len(places), _AT_ONCE), f"{size:,} chunks"):
        batches = []
        for number in places[start : start + _AT_ONCE]:
            known = said[languages[number // _DOCUMENT % len(languages)]]
            texts = [" ".join(chance.choices(known, k=_SENTENCES)) for _ in range(min(_DOCUMENT, size - number))]
            batches.append(_batch(number, texts, embedder))
        store.put_all(batches)
    return embedder


def _batch(number: int, texts: Sequence[str], embedder: HashingEmbedder) -> DocumentBatch:
    chunks, place = list[Chunk](), 0
    for line, text in enumerate(texts, 1):
        chunks.append(Chunk(text, place, place + len(text), line, line, ()))
        place += len(text) + 1
    document = Document(f"{number:06}.md", "\n".join(texts), "", "markdown", detect_language(texts[0]) or "en")
    terms = [" ".join(search_tokens(text)) for text in texts]
    return DocumentBatch(document, Chunking(), chunks, terms, embedder.embed(list(texts)), embedder.space.key)
