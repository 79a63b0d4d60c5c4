"""A worker process for the processor's part of ingestion: in a thread it would hold up the chat, by the GIL.

Not `multiprocessing`: its spawned children import the main module again (with it the whole page), demand a guard of
every script, and outlive a killed parent. This is a plain child that speaks over its two pipes and ends with them.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from errors import CitewiseError, FileError, StoreError
from ingestion.job_runner import JobRunner, UnknownSpaceError
from ingestion.memory import give_back
from schema import Message
from settings import Settings

log = logging.getLogger(__name__)
T = TypeVar("T")

_ROOT = Path(__file__).parent.parent


class WorkerDied(Exception):
    """The process ended in the middle of a job: out of memory, killed, or a crash in a library."""


class Worker(Protocol):
    def call(self, job: str, *arguments: Any, report: Callable[..., None]) -> Any:
        """The result of a job of `JobRunner`, by name. Raises what it raises, and WorkerDied."""

    def close(self) -> None: ...

    def take_over(self, other: Any) -> None:
        """The process of another one, with what it has loaded, where this one has none."""


class WorkerThread:
    """The same without a process: the job runs in the calling thread."""

    def __init__(self, settings: Settings) -> None:
        self._workshop = JobRunner(settings)

    def call(self, job: str, *arguments: Any, report: Callable[..., None]) -> Any:
        return getattr(self._workshop, job)(*arguments, report)

    def close(self) -> None:
        pass

    def take_over(self, other: WorkerThread) -> None:
        pass


class WorkerProcess:
    """A child process, begun at the first job and again after its death. For one thread at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, job: str, *arguments: Any, report: Callable[..., None]) -> Any:
        answered = False
        try:
            process = self._running()
            assert process.stdin
            assert process.stdout
            _send(process.stdin, (job, arguments))
            while not answered:
                kind, content = pickle.load(process.stdout)  # from our own child, never from a disk
                answered = kind != "report"
                if not answered:
                    report(*content)  # may raise, to give the job up
        except (EOFError, BrokenPipeError, ValueError, pickle.UnpicklingError) as error:
            raise WorkerDied(job) from error
        finally:
            if not answered:
                self.close()
        if kind == "error":
            raise content
        return content

    @property
    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def take_over(self, other: WorkerProcess) -> None:
        if other._alive and not self._alive:
            self._process, other._process = other._process, None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or not self._alive:
            path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
            environment = {**os.environ, "PYTHONPATH": path}
            command = [sys.executable, "-P", "-c", "from ingestion.worker import main; main()"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            assert self._process.stdin
            _send(self._process.stdin, self._settings)
        return self._process

    def close(self) -> None:
        """End it at once: it holds nothing that is not written elsewhere. From any thread."""
        if process := self._process:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what was not sent yet
                    if pipe:
                        pipe.close()


def make_worker(settings: Settings) -> Worker:
    return WorkerProcess(settings) if settings.ingest_workers else WorkerThread(settings)


class WorkerPool:
    """As many workers as the settings say, lent to one job at a time."""

    def __init__(self, settings: Settings) -> None:
        self._make: Callable[[], Worker] = lambda: make_worker(settings)
        self._workers: list[Worker] = [self._make() for _ in range(settings.ingest_workers or 1)]
        self._free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._lent: dict[int, Worker] = {}  # by the thread that has it
        self.closed = False
        for worker in self._workers:
            self._free.put(worker)

    def __len__(self) -> int:
        return len(self._workers)

    @contextmanager
    def borrow(self) -> Iterator[Worker]:
        worker = self._free.get()
        self._lent[threading.get_ident()] = worker
        try:
            yield worker
        finally:
            self._lent.pop(threading.get_ident(), None)
            self._free.put(worker)

    def interrupt(self, thread: int) -> bool:
        """The job of a thread ends with WorkerDied; `run` begins it anew, and is told whether it is still wanted. False
        where it has no worker yet, or no more."""
        worker = self._lent.get(thread)
        if worker:
            worker.close()
        return worker is not None

    def run(self, over: str, work: Callable[[Worker], T]) -> T:
        """A worker does it, another one when its process dies; what ends it twice is refused, by the name of a file."""
        for last_try in (False, True):
            try:
                with self.borrow() as worker:
                    return work(worker)
            except WorkerDied as error:
                if self.closed:
                    raise StoreError(Message(zh="知识库正在关闭。", en="The library is being closed.")) from error
                log.warning("the worker process died over %s", over)
                if last_try:
                    raise worker_died(over) from error
        raise AssertionError("unreachable")

    def rest(self) -> None:
        """End the processes that nobody uses now; the next job begins them again."""
        idle: list[Worker] = []
        with suppress(queue.Empty):
            while True:
                idle.append(self._free.get_nowait())
        for worker in idle:
            worker.close()
            self._free.put(worker)

    @contextmanager
    def extra(self, loaded: bool = False) -> Iterator[Worker]:
        """One more, for a long job that files must not wait for. `loaded`: with the process of an idle one, which it
        gives back unless a file has made that one begin another meanwhile."""
        worker = self._make()
        self._workers.append(worker)
        try:
            if loaded:
                self._with_idle(worker.take_over)
            yield worker
        finally:
            self._workers.remove(worker)
            if loaded:
                self._with_idle(lambda idle: idle.take_over(worker))
            worker.close()

    def _with_idle(self, work: Callable[[Worker], None]) -> None:
        with suppress(queue.Empty):
            idle = self._free.get_nowait()
            work(idle)
            self._free.put(idle)

    def close(self) -> None:
        """Running jobs end with WorkerDied."""
        self.closed = True
        for worker in list(self._workers):
            worker.close()


def worker_died(over: str) -> FileError:
    return FileError(
        Message(zh=f"处理 {over} 时工作进程意外终止。", en=f"The worker process died over {over}."),
        Message(
            zh="请把文件拆小后再试；内存不足时请先关闭其他程序。",
            en="Split the file and try again; if memory is short, close other programs first.",
        ),
    )


# --- the child ---------------------------------------------------------------------------------------------------


def main() -> None:
    """Take jobs from standard input until it closes, answer on what was standard output."""
    try:
        _serve(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    except (EOFError, BrokenPipeError):  # the parent has ended
        os._exit(0)


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    os.dup2(2, 1)  # whatever a library prints must not get among the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with suppress(AttributeError, OSError):
        os.nice(10)  # the chat goes first
    workshop = JobRunner(pickle.load(requests))
    jobs: queue.SimpleQueue[tuple[str, tuple[Any, ...]]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, jobs), daemon=True).start()
    while True:
        job, arguments = jobs.get()
        try:
            answer = "result", getattr(workshop, job)(*arguments, lambda *stage: _send(answers, ("report", stage)))
        except (CitewiseError, UnknownSpaceError) as error:
            answer = "error", error
        except Exception:
            answer = "error", RuntimeError(f"in the worker process:\n{traceback.format_exc()}")
        _send(answers, answer)
        del answer, arguments  # of a large file hundreds of megabytes, which nobody needs until the next job comes
        give_back()


def _listen(requests: BinaryIO, jobs: queue.SimpleQueue[tuple[str, tuple[Any, ...]]]) -> None:
    """The pipe closes when the parent ends, however it ends: then end too, also in the middle of a job."""
    try:
        while True:
            jobs.put(pickle.load(requests))
    except (EOFError, pickle.UnpicklingError, OSError):
        os._exit(0)


def _send(pipe: Any, content: Any) -> None:
    pickle.dump(content, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()
