"""Libraries with a seeded defect, each of which the gate of the lab has to catch, and say where it went wrong."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.retrieval import Dataset, rows
from errors import CitewiseError
from evaluation.lab.cases import LabCase, case_of
from evaluation.lab.comparing import RunComparison, compare_runs, parse_gate
from graph.lab.laboratory import Laboratory
from graph.lab.variants import Variant
from graph.turns import Assistant
from ingestion.chunking import CHUNKERS
from providers.rerankers import Rerankers
from schema import Chunk, Hit, IncomingFile, Vectors
from settings import Settings
from stores.base import Store
from text import sentences

FILES = 8  # that the texts are joined into
_TENTH = 10
_WITHOUT = 3  # of so many questions one is asked a second time without its document: it is to be refused
_SIZES = {  # a paragraph is a chunk or two
    "CITEWISE_TEXT_CHUNK_SIZE": "450", "CITEWISE_TEXT_CHUNK_OVERLAP": "0", "CITEWISE_CHINESE_CHUNK_SIZE": "300",
    "CITEWISE_CHINESE_CHUNK_OVERLAP": "0",
}  # fmt: skip


class Defect(NamedTuple):
    """What is broken, how the runs before and after it ask, and what the losses are to be put down to."""

    key: str
    name: str
    gate: str
    went_wrong: tuple[str, ...]
    variant: Variant = Variant()
    settings: tuple[tuple[str, float], ...] = ()
    left_out: int = 0  # files
    with_answers: bool = False
    around: Callable[[], AbstractContextManager[object]] = nullcontext  # while the library is made and asked
    afterwards: Callable[[Store], None] = lambda store: None


class Corpus(NamedTuple):
    files: dict[str, str]
    cases: list[LabCase]


def corpus_of(dataset: Dataset, folder: Path) -> Corpus:
    """The texts joined into a few files, the questions with the sentence that answers them, and unanswerable ones."""
    texts = list(dataset.documents.items())
    size = -(-len(texts) // FILES)
    place = {key: f"{number // size:02}.md" for number, (key, _) in enumerate(texts)}
    files: dict[str, str] = {}
    for key, text in texts:
        files[place[key]] = files.get(place[key], "") + f"{text}\n\n"
    answers = {row["id"]: row["answers"] for row in rows(folder / "queries.jsonl")}
    cases = []
    for query, question in dataset.queries.items():
        document = next(iter(dataset.relevant[query]))
        quote = quote_of(dataset.documents[document], answers[query])
        evidence = [{"document": place[document], "quote": quote}]
        cases.append(
            case_of({"id": query, "question": question, "answer": answers[query], "evidence": evidence}, query)
        )
    for row in rows(folder / "unanswerable.jsonl") if (folder / "unanswerable.jsonl").exists() else []:
        cases.append(case_of({"id": row["id"], "question": row["text"], "kind": "refuse"}, row["id"]))
    asked = [case for case in cases if case.evidence][::_WITHOUT]
    gone = ({"id": f"{case.id}-gone", "kind": "refuse", "answer": "", "evidence": (),
             "exclude": (case.evidence[0].document,)} for case in asked)  # fmt: skip
    cases += [case.model_copy(update=update) for case, update in zip(asked, gone, strict=True)]
    return Corpus(files, cases)


def quote_of(text: str, answers: Sequence[str]) -> str:
    """The sentence that one of the answers stands in, as it is written."""
    for answer in answers:
        at = text.find(answer)
        for start, end in sentences(text):
            if start <= at < end:
                return text[start:end]
    return text


def defects() -> list[Defect]:
    recall, refusal, vectors = "recall@5 >= -0.02", "refusal >= -0.02", Variant.of("vector")
    return [
        Defect("vectors", "a vector index of noise", recall, ("not_found",), vectors, afterwards=make_noise),
        Defect("file", "a file that is not there", recall, ("not_in_library",), left_out=1),
        Defect("chunker", "a chunker that drops paragraphs", recall, ("not_found",), around=lossy_chunker),
        Defect("reranker", "a reranker that reverses", recall, ("not_read",), around=reversing_reranker),
        Defect(
            "refuse-nothing", "a refusal threshold of 0", refusal, ("wrongly_answered",), with_answers=True,
            settings=(("min_score_threshold", 0.0), ("min_confidence", 0.0)),
        ),
        Defect(
            "refuse-all", "a refusal threshold of 1", refusal, ("wrongly_refused",), with_answers=True,
            settings=(("min_score_threshold", 1.0),),
        ),
    ]  # fmt: skip


@asynccontextmanager
async def laboratory_of(corpus: Corpus, defect: Defect | None = None) -> AsyncIterator[Laboratory]:
    """A library of the corpus, with the defect if there is one."""
    with tempfile.TemporaryDirectory(prefix="citewise-lab-") as folder:
        settings = settings_of(folder).model_copy(update=dict(defect.settings) if defect else {})
        assistant = await Assistant.open(settings, warm=False)
        try:
            await fill(assistant, corpus, defect.left_out if defect else 0)
            if defect:
                defect.afterwards(assistant.library.store)
            yield Laboratory(assistant)
        finally:
            await assistant.close()


def settings_of(folder: str) -> Settings:
    own = {"CITEWISE_DATA_DIR": folder, "CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
    return Settings.from_mapping(own | _SIZES)


async def fill(assistant: Assistant, corpus: Corpus, left_out: int = 0) -> None:
    """Store its files, but for the first so many."""
    incoming = [IncomingFile(name, text.encode()) for name, text in [*corpus.files.items()][left_out:]]
    done = await assistant.library.finished([task.id for task in await assistant.library.submit(incoming)])
    assert not any(isinstance(one, CitewiseError) for one in done.values()), done
    await assistant.library.settle()


async def caught(corpus: Corpus, sound: Laboratory, defect: Defect) -> RunComparison:
    """The defect's run held against that of the sound library, with the defect's gate."""
    asked = corpus.cases if defect.with_answers else [case for case in corpus.cases if case.kind != "refuse"]
    before = await sound.run(defect.name, "corpus", asked, defect.variant, with_answers=defect.with_answers)
    with defect.around():
        async with laboratory_of(corpus, defect) as broken:
            after = await broken.run(defect.name, "corpus", asked, defect.variant, with_answers=defect.with_answers)
    return compare_runs(before.info, before.results, after.info, after.results, [parse_gate(defect.gate)])


def make_noise(store: Store) -> None:
    """Vectors that say nothing in place of all that are there."""
    space = store.space()
    assert space is not None
    ids = [chunk_id for chunk_id, _ in store.indexed_texts()]
    chance = np.random.default_rng(0)

    def noise() -> Iterator[Vectors]:
        for _ in ids:
            drawn = chance.normal(size=space.dimensions).astype(np.float32)
            yield drawn / np.linalg.norm(drawn)

    store.swap_space(space, ids, noise())


@contextmanager
def lossy_chunker() -> Iterator[None]:
    """Every tenth paragraph has no chunks; the text is stored whole."""
    sound = CHUNKERS["recursive"]

    count = 0

    def lossy(document: Any, *how: Any) -> list[Chunk]:
        nonlocal count
        lost, start = [], 0
        for paragraph in document.text.split("\n\n"):
            count += 1
            if count % _TENTH == 0:
                lost.append((start, start + len(paragraph)))
            start += len(paragraph) + 2
        return [one for one in sound(document, *how) if not any(one.start < b and a < one.end for a, b in lost)]

    with patch.dict(CHUNKERS, recursive=lossy):
        yield


@contextmanager
def reversing_reranker() -> Iterator[None]:
    """What the search finds worst comes first."""

    class Reversing:
        name, calibrated = "reversing", False

        async def rerank(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
            return [(n + 1) / len(hits) / 2 + 0.5 for n in range(len(hits))]

    with patch.object(Rerankers, "of", lambda self, settings: Reversing()):
        yield
