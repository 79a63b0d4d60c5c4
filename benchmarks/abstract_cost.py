"""What `abstract` takes and keeps beside `default`, in made libraries of several sizes whose passages name each other.

Each section is about a name of its own and says six names of other sections; half of the documents are Chinese.
"""

from __future__ import annotations

import gc
import random
import tempfile
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.report import Bar, Report, progress
from providers.hashing import HashingEmbedder
from retrieval.blocking_search import BlockingSearch, SearchResources
from retrieval.passages import PassageCache
from schema import Chunk, Chunking, Document, Language, SearchRequest, StrategyName
from settings import Settings
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from text import search_tokens

_SECTIONS, _SAYS = 20, 6  # of a document; names of others in a section, beside one that is said of its own
_DIMENSIONS, _AT_ONCE = 128, 50  # of vectors; documents of a transaction
_QUESTIONS, _ROUNDS = 40, 3  # each question by each strategy; its fastest round counts
_BESIDE: tuple[StrategyName, StrategyName] = ("default", "abstract")
_COUNT = 20  # candidates that go on: what a turn asks for
_MOST = {10_000: 15.0, 100_000: 30.0}  # milliseconds more than `default`
_MOST_KEPT = 100.0  # bytes a chunk
_SYLLABLES = "ar bel cor dan el fen gar hol il jor kel lun mar nor os per quil ros sel tor ul ven wis yor zan".split()
_HAN = "云山江河湖海松竹梅兰石泉雨雪风霜明远清文武安宁康平永春秋冬夏东西南北金玉林田原野"
_SAID: dict[Language, list[str]] = {
    "en": [
        "{0} was repaired after the flood by people from {1}.", "The road to {0} passes {1} and an old quarry.",
        "Grain from {0} was sold at the market of {1} every autumn.",
    ],
    "zh": [
        "洪水之后，“{0}”由来自“{1}”的工匠修复。", "通往“{0}”的道路经过“{1}”和一座旧采石场。",
        "每年秋天，“{0}”的粮食在“{1}”的集市上出售。",
    ],
}  # fmt: skip
_ASKED: dict[Language, str] = {
    "en": "Who repaired the place that the grain of {} was sold at?",
    "zh": "“{}”的粮食出售的地方是由谁修复的？",
}


class _Section(NamedTuple):
    name: str
    text: str
    language: Language


def add_costs(report: Report, sizes: list[int]) -> None:
    """Milliseconds a question, with what `abstract` takes more, and the bytes that it keeps."""
    for size in sizes:
        with (
            tempfile.TemporaryDirectory(prefix="citewise-names-") as folder,
            closing(EmbeddedStore(Path(folder))) as store,
        ):
            report.metrics[f"{size:,} chunks"] = rows = _measure(store, size)
        if size in _MOST:
            report.bars[f"{size:,} chunks: CPU ms more"] = Bar(rows["CPU ms more"], _MOST[size], most=True)
            report.bars[f"{size:,} chunks: bytes a chunk more"] = Bar(rows["bytes a chunk more"], _MOST_KEPT, most=True)


def _measure(store: EmbeddedStore, size: int) -> dict[str, float]:
    embedder = HashingEmbedder(_DIMENSIONS)
    store.swap_space(embedder.space, [], embedder.embed([]))
    sections = list(_sections(size))
    for start in progress(range(0, size, _SECTIONS * _AT_ONCE), f"{size:,} chunks"):
        places = range(start, min(size, start + _SECTIONS * _AT_ONCE), _SECTIONS)
        store.put_all([_batch(place, sections[place : place + _SECTIONS], embedder) for place in places])
    resources = SearchResources(store, embedder, Settings.from_mapping({}))
    asked = [_ASKED[one.language].format(one.name) for one in random.Random(1).sample(sections, _QUESTIONS)]
    kept = [_kept(resources, asked, strategy) for strategy in _BESIDE]
    pairs = [[_fastest(resources, question, strategy) for strategy in _BESIDE] for question in asked]
    (default, default_cpu), (abstract, abstract_cpu) = 1000 * np.median(np.array(pairs), 0)
    return {
        "default, ms": float(default),
        "abstract, ms": float(abstract),
        "default, CPU ms": float(default_cpu),
        "abstract, CPU ms": float(abstract_cpu),
        "CPU ms more": float(abstract_cpu - default_cpu),
        "bytes a chunk more": kept[1] / size,
    }


def _kept(resources: SearchResources, asked: list[str], strategy: StrategyName) -> int:
    """Bytes that the questions leave behind: what is filled at the first of them and stays. Of a strategy that comes
    later, what the ones before it have not left already. The passages that they have read do not count: these are
    remembered for every strategy, and only so many."""
    tracemalloc.start()
    for question in asked:
        BlockingSearch(SearchRequest(question, in_context=True), strategy, resources, _COUNT).run()
    PassageCache().clear()
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept


def _fastest(resources: SearchResources, question: str, strategy: StrategyName) -> tuple[float, float]:
    """Seconds by the clock and of this thread's processor: of the fastest round, whatever else the machine does."""
    rounds = []
    for _ in range(_ROUNDS):
        began, cpu = time.perf_counter(), time.thread_time()
        BlockingSearch(SearchRequest(question, in_context=True), strategy, resources, _COUNT).run()
        rounds.append((time.perf_counter() - began, time.thread_time() - cpu))
    clock, cpu_times = zip(*rounds, strict=True)
    return min(clock), min(cpu_times)


def _sections(size: int) -> Iterator[_Section]:
    chance = random.Random(size)
    names: dict[Language, list[str]] = {
        "en": [f"{_word(chance)} {_word(chance)}" for _ in range(size // 2)],
        "zh": ["".join(chance.choices(_HAN, k=4)) for _ in range(size - size // 2)],
    }
    own = {language: iter(known) for language, known in names.items()}
    for place in range(size):
        language: Language = "en" if place // _SECTIONS % 2 == 0 else "zh"
        name = next(own[language], "") or chance.choice(names[language])
        pairs = [(name, *chance.choices(names[language], k=1))] + [
            tuple(chance.choices(names[language], k=2)) for _ in range(_SAYS // 2)
        ]
        yield _Section(name, " ".join(chance.choice(_SAID[language]).format(*pair) for pair in pairs), language)


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=3)).capitalize()


def _batch(number: int, sections: Sequence[_Section], embedder: HashingEmbedder) -> DocumentBatch:
    chunks, text = list[Chunk](), ""
    for line, one in enumerate(sections):
        text += f"# {one.name}\n{one.text}\n"
        start = len(text) - len(one.text) - 1
        chunks.append(Chunk(one.text, start, len(text) - 1, 2 * line + 2, 2 * line + 2, (one.name,)))
    indexed = [f"{one.name}\n{one.text}" for one in sections]
    document = Document(f"{number:05}.md", text, "", "markdown", sections[0].language)
    terms = [" ".join(search_tokens(one)) for one in indexed]
    return DocumentBatch(document, Chunking(), chunks, terms, embedder.embed(indexed), embedder.space.key)
