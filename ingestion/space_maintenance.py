"""The upkeep of a library's embedding space: another model, a fit that is outgrown, vectors that are missing.

A space is made beside the serving one from the stored text, while searches and uploads go on, and swapped in when every
chunk has its vector there. What fails is tried again, later and later.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from errors import CitewiseError
from ingestion.fit_sample import fit_sample, texts_and_terms
from ingestion.spaces import Spaces, silent
from ingestion.vector_spool import VectorSpool
from ingestion.worker import WorkerDied, WorkerPool, worker_died
from providers import embeddings
from providers.base import EmbeddingError
from schema import EVERYWHERE, Message, Space, Vectors
from settings import Settings
from stores.base import Store
from stores.problems import SpaceChanged, VectorsMissing
from stores.vector_cache import VectorCache
from text import detect_language

log = logging.getLogger(__name__)

SMALL = 1_000  # chunks; a library up to this is fitted again whenever it has changed and rests, later at doublings
_SLICE = 256  # chunks that a model embeds before the next look at what else is to do
_MANY = 2_000  # the same without a model
_ALL = 2**31  # more chunks than a document has
_SAMPLE = 1_500  # chunks from which it is learned how far to trust the vectors
_READ = 200  # of these and of each language, to tell whether the model can read them
_GROWTH = 1.5  # of the library since that was learned, after which it is learned anew
_FIRST_WAIT, _LONGEST_WAIT = 5.0, 600.0  # seconds until what failed is tried again
_LATE = 3  # times that a swap waits for chunks that came in meanwhile
_OVER = "the library"


class SpaceMaintenance:
    """Blocking; `due` from any thread, `run` from one at a time."""

    def __init__(self, store: Store, settings: Settings, pool: WorkerPool, spaces: Spaces, cache: VectorCache) -> None:
        self._store, self._settings, self._pool, self._spaces, self._cache = store, settings, pool, spaces, cache
        self._failures, self._retry_at = 0, 0.0
        self.problem: Message | None = None  # why the last task could not be done, until it can
        self.since = ""  # when that was the case for the first time; ISO 8601, UTC
        self._tidy = False  # whether the cache holds nothing that nobody needs
        self._to_fill: bool | None = None  # whether vectors are missing that may be had; None: not known
        self.missing = 0  # chunks that have none in the serving space
        self.refused = False  # whether those are texts that the model does not take
        self.progress: tuple[int, int] | None = None  # chunks that have their vectors in the coming space, of how many

    def due(self, resting: bool) -> bool:
        """Whether there is something to do; a library that rests is worth more trouble."""
        return self._task(resting) is not None

    def wait(self) -> float | None:
        """Seconds until what failed is to be tried again; None when nothing has."""
        return max(0.0, self._retry_at - time.monotonic()) if self._failures else None

    def vectors_are_missing(self, count: int) -> None:
        self.missing += count
        self._to_fill, self.refused = True, False

    def recount(self) -> None:
        """Another program may have made vectors, or left them out."""
        if self._to_fill is not None:
            self._to_fill = None
            self.missing = len(self._store.without_vectors()) if self.missing else 0

    def try_now(self) -> None:
        """Whatever failed may work by now."""
        self._spaces.reconsider()
        self._failures, self._retry_at = 0, 0.0

    def run(self, resting: bool = True) -> None:
        """Do what is due. Raises CitewiseError when that cannot be done now; it is due again after a while."""
        task = self._task(resting)
        if task is None:
            return
        try:
            task()
        except SpaceChanged:
            pass  # what is due now is another matter
        except (CitewiseError, WorkerDied) as problem:
            error = problem if isinstance(problem, CitewiseError) else worker_died(_OVER)
            self._failures += 1
            wait = min(_FIRST_WAIT * 2.0 ** (self._failures - 1), _LONGEST_WAIT) * random.uniform(0.8, 1.2)
            asked = error.retry_after if isinstance(error, EmbeddingError) else 0.0
            self._retry_at = time.monotonic() + max(wait, min(asked, _LONGEST_WAIT))
            if self.problem is None:
                self.since = datetime.now(UTC).isoformat(timespec="seconds")
            self.problem = error.in_full
            if error is problem:
                raise
            raise error from problem
        else:
            if not self._spaces.outdated():  # else it is another thing that works
                self._failures, self._retry_at, self.problem = 0, 0.0, None
        finally:
            self._spaces.coming = self.progress = None

    def _task(self, resting: bool) -> Callable[[], None] | None:
        space = self._spaces.now()
        chunks = self._store.stats().chunks if space else 0
        if not chunks or space is None:
            return None
        ready = time.monotonic() >= self._retry_at
        outdated = self._spaces.outdated()
        if ready and outdated:
            return self.renew
        if not outdated and not self._tidy:
            self._cache.clean({space.key})
            self._tidy = True
        modelless = space.provider in embeddings.MODELLESS
        if self._to_fill is None:
            self.missing = len(self._store.without_vectors())
            self._to_fill = self.missing > 0
        if self._to_fill and modelless and not resting:
            return None  # many files are coming in: everything is embedded once, when they are here
        if space.provider == "tfidf" and _outgrown(space.fitted_on, chunks, resting):
            return self.refit
        learned = max(space.fitted_on, 1)
        to_learn = resting and space.provider != "tfidf" and not learned / _GROWTH < chunks <= learned * _GROWTH
        # `serving` comes last: it may have to load the space
        if (self._to_fill or to_learn) and ready and self._spaces.serving() is not None:
            return self.fill if self._to_fill else self.learn
        return None

    # --- what there is to do -------------------------------------------------------------------------------------

    def renew(self) -> None:
        """The space that the settings ask for, in place of another."""
        if embeddings.chosen(self._settings).provider in embeddings.MODELLESS:
            self.refit()
            return
        space = self._spaces.open(_OVER)
        if space.key == self._store.space_key():  # the same model after all
            self._spaces.confirm(space.key)
            return
        self._spaces.coming = space
        wanted = self._store.opening(EVERYWHERE, _ALL)
        chunk_ids: list[int] = []
        with VectorSpool(space.dimensions, self._settings.data_dir) as vectors:
            for place in range(0, len(wanted), _SLICE):
                self.progress = place, len(wanted)
                done, rows = self._embedded(wanted[place : place + _SLICE], space)
                vectors.append(rows)
                chunk_ids += done
            self.progress = len(wanted), len(wanted)
            learned = self._learned(space, wanted)
            self._swap(learned, chunk_ids, vectors, lambda late: self._embedded(late, learned))
        log.info("the library has a new space, %s", space.key)

    def refit(self) -> None:
        """A space without a model, fitted to all that is stored. In memory is a slice of it at a time."""
        chunk_ids = self._store.opening(EVERYWHERE, _ALL)
        if not chunk_ids:
            return
        with self._pool.borrow() if len(chunk_ids) <= SMALL else self._pool.extra(loaded=True) as worker:
            space: Space = worker.call("fit", *fit_sample(self._store, self._settings, chunk_ids), report=silent)

            def embed(some: Sequence[int]) -> tuple[list[int], Vectors]:
                texts = dict(self._store.indexed_texts(some))
                indexed = texts_and_terms(self._store, texts)
                return list(texts), worker.call("embed_indexed", space.key, *indexed, report=silent)

            with VectorSpool(space.dimensions, self._settings.data_dir) as vectors:
                done: list[int] = []
                for place in range(0, len(chunk_ids), _MANY):
                    self.progress = place, len(chunk_ids)
                    some, rows = embed(chunk_ids[place : place + _MANY])
                    vectors.append(rows)
                    done += some
                self._swap(space, done, vectors, embed)
        log.info("the library has a new space, fitted on %d chunks", len(chunk_ids))

    def fill(self) -> None:
        """The vectors that are missing in the serving space. A text that its model refuses is tried again when the
        library is opened again."""
        key = self._store.space_key()
        assert key is not None
        self._to_fill = self.refused = False  # before it is looked what is missing: more may come
        try:
            missing = self._store.without_vectors()
            space = self._spaces.space(key)
            size = _MANY if space.provider in embeddings.MODELLESS else _SLICE
            for place in range(0, len(missing), size):
                self._store.add_vectors(key, *self._embedded(missing[place : place + size], space))
                self.missing = len(missing) - place
        except BaseException:
            self._to_fill = True
            raise
        self.missing = len(self._store.without_vectors())
        self.refused = self.missing > 0 and not self._to_fill

    def learn(self) -> None:
        """How far the vectors of the serving space can be trusted in this library, and what its model can read."""
        key = self._store.space_key()
        assert key is not None
        space = self._learned(self._spaces.space(key), self._store.opening(EVERYWHERE, _ALL))
        self._store.note_learned(space)
        self._spaces.know(space)

    # --- parts of it ---------------------------------------------------------------------------------------------

    def _embedded(self, chunk_ids: Sequence[int], space: Space) -> tuple[list[int], Vectors]:
        """Those of them that are still there and have a vector, and their vectors."""
        texts = dict(self._store.indexed_texts(chunk_ids))
        if space.provider in embeddings.MODELLESS:
            return list(texts), self._spaces.embed_indexed(*texts_and_terms(self._store, texts), space, _OVER)
        found = self._spaces.embed(list(texts.values()), space, _OVER)
        done = [chunk_id for chunk_id in chunk_ids if texts.get(chunk_id) in found]
        rows = np.array([found[texts[chunk_id]] for chunk_id in done], np.float32)
        return done, rows.reshape(len(done), space.dimensions)

    def _swap(
        self,
        space: Space,
        chunk_ids: list[int],
        vectors: VectorSpool,
        embed: Callable[[Sequence[int]], tuple[list[int], Vectors]],
    ) -> None:
        # Where files never stop coming in, the last ones follow after it, and where a text is refused, it goes without.
        for last_try in (False,) * _LATE + (True,):
            try:
                self._store.swap_space(space, chunk_ids, vectors, partial=last_try)
                break
            except VectorsMissing as missing:
                late, rows = embed(missing.chunk_ids)
                chunk_ids = [*chunk_ids, *late]
                vectors.append(rows)
        self._spaces.coming = None
        self._spaces.know(space)
        self._to_fill, self._tidy = None, False

    def _learned(self, space: Space, chunk_ids: Sequence[int]) -> Space:
        """The space with what this library teaches about it."""
        step = max(1, -(-len(chunk_ids) // _SAMPLE))
        texts = [text for _, text in self._store.indexed_texts(chunk_ids[::step])]
        trial = self._call("prepare_trial", texts)
        found = self._spaces.embed(trial.texts, space, _OVER)
        asked = self._spaces.embed_questions(trial.questions, space, _OVER)
        nothing = np.zeros(space.dimensions, np.float32)
        rows = [
            np.array([vectors.get(text, nothing) for text in of], np.float32).reshape(len(of), space.dimensions)
            for vectors, of in ((found, trial.texts), (asked, trial.questions))
        ]
        calibration = self._call("learn_from_trial", trial, *rows)
        if space.provider not in embeddings.MODELLESS:
            calibration["reading"] = self._readings(space, texts)
        return replace(space, calibration=calibration, fitted_on=len(chunk_ids))

    def _readings(self, space: Space, texts: Sequence[str]) -> dict[str, dict[str, float | None]]:
        """By language, what share of the tokens the model does not know, and of the chunks it does not read whole."""
        by_language: dict[str, list[str]] = {}
        for text in texts:
            if language := detect_language(text):
                by_language.setdefault(language, []).append(text)
        return {
            language: self._spaces.reading(some[:_READ], space, _OVER)._asdict()
            for language, some in sorted(by_language.items())
        }

    def _call(self, job: str, *arguments: Any) -> Any:
        return self._pool.run(_OVER, lambda worker: worker.call(job, *arguments, report=silent))


def _outgrown(fitted_on: int, chunks: int, resting: bool) -> bool:
    """Whether a fit is to be made again: texts newer than it are found less well."""
    if resting and chunks <= SMALL:
        return chunks != fitted_on
    return chunks >= (1.25 if resting else 2) * fitted_on
