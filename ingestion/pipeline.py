"""From files to stored chunks: read -> chunk -> embed -> store, many small files at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from errors import CitewiseError, StoreError
from ingestion.batches import batch_of, rows_of, texts_of
from ingestion.chunked_document import ChunkedDocument
from ingestion.job_runner import FileJob
from ingestion.memory import give_back
from ingestion.picture_tasks import may_follow
from ingestion.readers.base import OcrNeeded
from ingestion.signals import Signals
from ingestion.space_maintenance import SpaceMaintenance
from ingestion.spaces import Spaces, Tick, silent
from ingestion.unchanged_files import unchanged
from ingestion.worker import WorkerDied, WorkerPool, worker_died
from providers import embeddings
from providers.base import EmbeddingError
from schema import Chunk, Chunking, ImportedDocument, Message, Scope, Space, Stage, StoreOutcome, Task, Vectors
from settings import Settings
from stores.base import Store
from stores.problems import SpaceChanged, TaskGone
from stores.vector_cache import VectorCache
from tables import text_tables
from text import count_tokens, search_tokens

log = logging.getLogger(__name__)

Outcome = tuple[Task, StoreOutcome | CitewiseError]
ReportTo = Callable[[int, Stage, float], None]  # the id of a task, the stage that begins, how far its file is in [0, 1]
_Done = dict[int, StoreOutcome | CitewiseError]

_SWAPS = 5  # a space is not swapped more often than this while one file is stored
_LATER = 4_000  # chunks that go together from which on their vectors follow, where no model is needed for them
_FIRST = 500  # chunks that the first space of a library is fitted to
_FIRST_OF_MANY = 50  # the same where vectors are left to the upkeep, which fits another one to all that has come in


class Pipeline:
    """Blocking, to be called from threads, any number of them; a worker is held for a step, not for a file."""

    def __init__(
        self, store: Store, settings: Settings, pool: WorkerPool, cache: VectorCache, signals: Signals
    ) -> None:
        self._store, self._pool, self._settings = store, pool, settings
        self._recognising = threading.Lock()
        self.spaces = Spaces(store, settings, pool, cache, signals)
        self.upkeep = SpaceMaintenance(store, settings, pool, self.spaces, cache)

    def warm(self) -> None:
        """Start a worker, and let it load what the first file will need."""
        with self._pool.borrow() as worker, suppress(WorkerDied, EmbeddingError):  # the first file will try again
            worker.call("warm", self._store.space(), report=silent)

    def process(self, tasks: Sequence[Task], report: ReportTo, *, later: bool = False) -> list[Outcome]:
        """What became of each, in order; a bad file fails alone. `later`: vectors are left to the upkeep.

        What is stored or unchanged is a task no more. What `report` raises stops the work: then all are stored or
        none. Raises StoreError where the library cannot be written."""
        done: _Done = dict(unchanged(self._store, tasks))
        if done:
            ends = {tasks[place].id: outcome for place, outcome in done.items() if isinstance(outcome, StoreOutcome)}
            self._store.drop_tasks(list(ends), ends)
        if left := {place: task for place, task in enumerate(tasks) if place not in done}:
            done.update(self._process_group(left, report, later))
            if len(left) == 1:  # a large one
                give_back()
        return [(task, done[place]) for place, task in enumerate(tasks)]

    def preview(self, name: str, doc_set: str, chunking: Chunking) -> tuple[Chunking, list[Chunk]]:
        """How a stored document would be cut again; nothing is stored. Raises CitewiseError."""
        [cut] = self._cut([self._recut(name, chunking, doc_set)], lambda *_: None)
        if isinstance(cut, CitewiseError):
            raise cut
        return cut.chunking, cut.chunks

    def store_import(self, given: ImportedDocument) -> StoreOutcome:
        """A document as it is given: cut here unless it has chunks of its own, whose vectors are kept where they are of
        the serving space. Raises CitewiseError."""
        document, wish = given.document, Chunking()
        if document.tables is None:
            document = replace(document, tables=text_tables(document))
        if given.chunks:
            terms = [" ".join(search_tokens(chunk.indexed_text)) for chunk in given.chunks]
            cut: ChunkedDocument | CitewiseError = ChunkedDocument(
                document, wish, list(given.chunks), terms, count_tokens(document.text)
            )
        else:
            [cut] = self._cut([FileJob(document.name, wish, document.doc_set, document=document)], lambda *_: None)
        if isinstance(cut, CitewiseError):
            raise cut
        own = given.vectors is not None and given.space == self._store.space_key()
        [stored] = self._store_cuts([cut], [None], [None], lambda *_: None, own)
        if not own or given.vectors is None or stored.outcome == "unchanged":
            return stored
        hits = self._store.chunks(document.name, document.doc_set, 0, len(given.chunks))
        with suppress(SpaceChanged):  # then the upkeep embeds them
            self._store.add_vectors(given.space, [hit.chunk_id for hit in hits], given.vectors)
            stored = stored._replace(missing_vectors=0)
        return stored

    # --- reading and cutting -------------------------------------------------------------------------------------

    def _process_group(self, tasks: dict[int, Task], report: ReportTo, later: bool) -> _Done:
        """By place. Where the group fails as a whole, each for itself."""
        for task in tasks.values():
            report(task.id, "read", 0.0)
        done: _Done = {}
        jobs: dict[int, FileJob] = {}
        for place, task in tasks.items():
            try:
                jobs[place] = self._job(task)
            except CitewiseError as error:
                done[place] = error
        try:
            return done | self._together({place: (tasks[place], job) for place, job in jobs.items()}, report, later)
        except CitewiseError as error:
            if len(jobs) > 1:
                for place in jobs:
                    done |= self._process_group({place: tasks[place]}, report, later)
                return done
            [(place, job)] = jobs.items()
            if isinstance(error, StoreError) and not isinstance(error, TaskGone) and job.document is None:
                raise  # it is not about this file
            return done | {place: error}

    def _together(self, work: dict[int, tuple[Task, FileJob]], report: ReportTo, later: bool) -> _Done:
        """Of files that share their steps. Raises CitewiseError, and nothing is stored, when a step fails."""
        tasks, jobs = [task for task, _ in work.values()], [job for _, job in work.values()]
        cuts = self._cut(jobs, lambda nth, stage, share: report(tasks[nth].id, stage, share))
        done: _Done = {place: cut for place, cut in zip(work, cuts, strict=True) if isinstance(cut, CitewiseError)}
        good = {place: cut for place, cut in zip(work, cuts, strict=True) if isinstance(cut, ChunkedDocument)}
        ids = [work[place][0].id for place in good]
        documents = [work[place][1].document for place in good]
        stored = self._store_cuts(
            list(good.values()),
            [document.digest if document else None for document in documents],
            [task_id if task_id > 0 else None for task_id in ids],
            lambda nth, stage, share: report(ids[nth], stage, share),
            later,
        )
        return done | dict(zip(good, stored, strict=True))

    def _job(self, task: Task) -> FileJob:
        if task.job == "rechunk":
            return self._recut(task.name, task.chunking, task.doc_set)
        return FileJob(task.name, task.chunking, task.doc_set, task.origin, task.path, metadata=task.metadata)

    def _recut(self, name: str, chunking: Chunking, doc_set: str) -> FileJob:
        """Raises CitewiseError where there is no such document."""
        document = self._store.document(name, doc_set)
        if document is None:
            raise CitewiseError(
                "not_found",
                Message(zh=f"知识库里没有 {name}。", en=f"{name} is not in the library."),
                Message(zh="请先上传这个文件，或检查文件名。", en="Upload it first, or check the name."),
            )
        [info] = self._store.documents(Scope(documents=(name,), doc_sets=(doc_set,)))
        return FileJob(
            name,
            chunking.over(Chunking(strategy=info.chunking.strategy, unit=info.chunking.unit)),
            doc_set,
            document=document,
        )

    def _cut(self, jobs: Sequence[FileJob], report: ReportTo) -> list[ChunkedDocument | CitewiseError]:
        if not jobs:
            return []
        over = jobs[0].name if len(jobs) == 1 else f"{jobs[0].name} … {jobs[-1].name}"
        cuts: list[ChunkedDocument | CitewiseError] = self._pool.run(
            over, lambda worker: worker.call("read_many", jobs, report=report)
        )
        return [
            self._with_pictures(job, cut, partial(report, nth)) if isinstance(cut, OcrNeeded) else cut
            for nth, (job, cut) in enumerate(zip(jobs, cuts, strict=True))
        ]

    def _with_pictures(
        self, job: FileJob, why: OcrNeeded, report: Callable[[Stage, float], None]
    ) -> ChunkedDocument | CitewiseError:
        """Its text now, where it has text and the pictures can follow; else all of it."""
        if not may_follow(self._store, self._settings, job, why):
            return self._recognised(job._replace(recognise=True), report)
        [cut] = self._cut([job._replace(pictures_later=True)], lambda _, stage, share: report(stage, share))
        return cut

    def _recognised(self, job: FileJob, report: Callable[[Stage, float], None]) -> ChunkedDocument | CitewiseError:
        """Minutes for a long scan: one at a time, in a worker of its own. `report` raises when nobody wants it."""
        with self._recognising, self._pool.extra() as worker:
            try:
                [cut] = worker.call("read_many", [job], report=lambda _, stage, share: report(stage, share))
            except WorkerDied:
                return worker_died(job.name)
        found: ChunkedDocument | CitewiseError = cut
        return found

    # --- embedding and storing -----------------------------------------------------------------------------------

    def _store_cuts(
        self,
        cuts: Sequence[ChunkedDocument],
        replaces: Sequence[str | None],
        tasks: Sequence[int | None],
        report: ReportTo,
        later: bool,
    ) -> list[StoreOutcome]:
        """In one transaction. `report` is called with the place of a cut."""
        if not cuts:
            return []
        for _ in range(_SWAPS):
            for nth in range(len(cuts)):
                report(nth, "embed", 0.5)
            over = cuts[0].document.name
            most = _FIRST_OF_MANY if later else _FIRST
            terms = list(islice(chain.from_iterable(cut.joined_terms for cut in cuts), most))
            key = self.spaces.make_first(list(islice(texts_of(cuts), most)), over, terms)
            try:
                rows = self._vectors(cuts, key, report, later)
                batches = [
                    batch_of(cut, row, key, old, task)
                    for cut, row, old, task in zip(cuts, rows, replaces, tasks, strict=True)
                ]
                for nth in range(len(cuts)):
                    report(nth, "store", 0.9)
                stored = self._store.put_all(batches)
            except SpaceChanged as changed:
                log.info("the space changed while %s was embedded", over)
                last = changed
                continue
            counts = [len(missing) for _, missing in rows]
            if any(counts):
                self.upkeep.vectors_are_missing(sum(counts))
            return [
                one if one.outcome == "unchanged" else one._replace(missing_vectors=count)
                for one, count in zip(stored, counts, strict=True)
            ]
        raise last

    def _vectors(
        self, cuts: Sequence[ChunkedDocument], space_key: str, report: ReportTo, later: bool
    ) -> list[tuple[Vectors, frozenset[int]]]:
        """Of every chunk of each cut, in order, and which of them have none. Embedded are only those whose texts the
        library has no vector of. A model that does not answer keeps no file from being stored: its vectors follow."""
        space = self.spaces.space(space_key)
        old = self._stored_as(cuts)
        fresh = [nth for nth in range(len(cuts)) if nth not in old]
        new = list(dict.fromkeys(texts_of([cuts[nth] for nth in fresh])))
        known = self._store.known_vectors(new)
        new = [text for text in new if text not in known]
        done = 0

        def tick(more: int) -> None:
            nonlocal done
            done += more
            for nth in fresh:
                report(nth, "embed", 0.5 + 0.4 * done / len(new))

        later = later or (len(new) > _LATER and space.provider in embeddings.MODELLESS)
        if new and not later:
            try:
                known.update(self._embed(new, {nth: cuts[nth] for nth in fresh}, space, tick))
            except EmbeddingError as error:
                self.spaces.note(error)
        return [rows_of(cut, known, space.dimensions, nth in old) for nth, cut in enumerate(cuts)]

    def _embed(
        self, texts: list[str], cuts: dict[int, ChunkedDocument], space: Space, tick: Tick
    ) -> dict[str, Vectors]:
        over = next(iter(cuts.values())).document.name
        if space.provider not in embeddings.MODELLESS:
            return self.spaces.embed(texts, space, over, tick)
        terms = {text: terms for cut in cuts.values() for text, terms in zip(cut.texts, cut.joined_terms, strict=True)}
        rows = self.spaces.embed_indexed(texts, [terms[text] for text in texts], space, over)
        return dict(zip(texts, rows, strict=True))

    def _stored_as(self, cuts: Sequence[ChunkedDocument]) -> set[int]:
        """Which of them are stored already as they are, so that they need no vectors."""
        names = tuple({cut.document.name for cut in cuts})
        doc_sets = tuple({cut.document.doc_set for cut in cuts})
        stored = self._store.documents(Scope(documents=names, doc_sets=doc_sets))
        by_name = {(info.doc_set, info.name): (info.digest, info.chunking) for info in stored}
        return {
            nth
            for nth, cut in enumerate(cuts)
            if (found := by_name.get((cut.document.doc_set, cut.document.name)))
            and found == (cut.document.digest, cut.chunking)
        }
