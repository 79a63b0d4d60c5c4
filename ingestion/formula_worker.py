"""The worker process that compares formulas: one that hangs over one of them is ended, and the next has another."""

from __future__ import annotations

import threading

from errors import CitewiseError
from ingestion.worker import WorkerDied, WorkerProcess
from providers.formulas import check_installed
from schema import Message
from settings import Settings

_PATIENCE = 60.0  # seconds for two formulas; the first of them load the package, 1 to 15 by how busy it is


class FormulaWorker:
    """Begun with the first formula. For one thread at a time."""

    def __init__(self, settings: Settings) -> None:
        self._worker = WorkerProcess(settings)
        self._lock = threading.Lock()

    def equal(self, answer: str, reference: str) -> bool:
        """Raises CitewiseError where the package is missing, and for formulas that take too long."""
        check_installed()
        with self._lock:
            limit = threading.Timer(_PATIENCE, self._worker.close)
            limit.start()
            try:
                return bool(self._worker.call("equal_formulas", answer, reference, report=lambda *_: None))
            except WorkerDied as error:
                raise _not_compared() from error
            finally:
                limit.cancel()

    def close(self) -> None:
        self._worker.close()


def _not_compared() -> CitewiseError:
    return CitewiseError(
        "internal",
        Message(
            zh=f"没能比较出这两个公式是否相等（限时 {_PATIENCE:.0f} 秒）。",
            en=f"The two formulas could not be compared (the limit is {_PATIENCE:.0f} seconds).",
        ),
        Message(zh="请把参考答案写得更简单。", en="Write the reference answer in a simpler form."),
    )
