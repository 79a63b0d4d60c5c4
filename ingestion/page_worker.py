"""A worker that draws pages for whoever looks at them now: they do not wait for files, and files not for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ingestion.worker import Worker, WorkerDied, make_worker, worker_died
from settings import Settings

if TYPE_CHECKING:
    from ingestion.page_pictures import PageBoxes
    from ingestion.readers.embedded_pictures import EmbeddedPicture

_KEPT = 30  # pictures, of some hundred kilobytes each
_PATIENCE = 20.0  # seconds that a page may take


class PageWorker:
    """Begun with the first page that is asked for. From any thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock, self._working = threading.Lock(), threading.Lock()
        self._worker: Worker | None = None
        self._kept: OrderedDict[tuple[str, int | str], Any] = OrderedDict()

    def picture(self, name: str, digest: str, number: int, data: Callable[[], bytes]) -> bytes:
        """A page of a file as a PNG, from memory where it was drawn lately. Raises CitewiseError."""
        found: bytes = self._known(digest, number, lambda: self._call(name, "page_picture", data(), number))
        return found

    def embedded(self, name: str, digest: str, data: Callable[[], bytes]) -> list[EmbeddedPicture]:
        """The pictures within a file. Raises CitewiseError."""
        found: list[EmbeddedPicture] = self._known(
            digest, "pictures", lambda: self._call(name, "embedded_pictures", name, data())
        )
        return found

    def embedded_picture(self, name: str, digest: str, part: str, data: Callable[[], bytes]) -> bytes:
        """One of them as a PNG. Raises CitewiseError."""
        found: bytes = self._known(digest, part, lambda: self._call(name, "embedded_picture", name, data(), part))
        return found

    def _known(self, digest: str, what: int | str, find: Callable[[], Any]) -> Any:
        """From memory, where it was asked for lately."""
        with self._lock:
            found = self._kept.get((digest, what))
        found = find() if found is None else found
        with self._lock:
            self._kept[digest, what] = found
            self._kept.move_to_end((digest, what))
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def boxes(self, name: str, data: bytes, number: int, text: str, spans: Sequence[tuple[int, int]]) -> PageBoxes:
        """Raises CitewiseError."""
        found: PageBoxes = self._call(name, "page_boxes", data, number, text, spans)
        return found

    def _call(self, name: str, job: str, *arguments: Any) -> Any:
        with self._working:
            worker = self._worker = self._worker or make_worker(self._settings)
            limit = threading.Timer(_PATIENCE, worker.close)
            limit.start()
            try:
                return worker.call(job, *arguments, report=lambda *_: None)
            except WorkerDied as error:
                raise worker_died(name) from error
            finally:
                limit.cancel()

    def rest(self) -> None:
        """End the process, unless it draws; the next page begins it again."""
        if self._working.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._working.release()

    def close(self) -> None:
        if worker := self._worker:
            worker.close()
