"""What goes on in the background of an open library: the upkeep of its embedding space, the download of a model."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from errors import CitewiseError, StoreError
from ingestion.model_download import ModelDownload
from ingestion.pipeline import Pipeline
from ingestion.signals import Signals
from ingestion.worker import WorkerPool
from providers import embeddings, model_files
from schema import DocumentInfo, EmbeddingState, Message
from settings import Settings

log = logging.getLogger(__name__)

_REST = 1.0  # seconds without a change after which a small library is fitted again
_LOOK, _PATIENCE = 0.5, 120.0  # seconds between two looks at what another program does, and for all of it


class Maintenance:
    """Of one event loop. Whatever changes a library sets `changed`."""

    def __init__(
        self,
        settings: Settings,
        pipeline: Pipeline,
        pool: WorkerPool,
        threads: ThreadPoolExecutor,
        busy: Callable[[], bool],
        signals: Signals,
        lead: Callable[[], bool] = lambda: True,
    ) -> None:
        """`busy`: whether files are on their way, so that the library cannot rest. `lead`: whether this is the one
        program that keeps the space up."""
        self._settings, self._threads, self._signals = settings, threads, signals
        self._spaces, self._upkeep = pipeline.spaces, pipeline.upkeep
        self.changed = asyncio.Event()
        self._busy, self._lead = busy, lead
        self.leads = False  # as it was at the last look
        self._one_at_a_time = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.fetching = ModelDownload(pool, threads)

    def start(self) -> None:
        loop = asyncio.get_running_loop()

        def changed() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody keeps the space up any more
                loop.call_soon_threadsafe(self.changed.set)

        self._signals.changed = changed
        self._begin(self._keep_up())

    async def close(self) -> None:
        await self.fetching.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def working(self) -> bool:
        """Whether vectors are being made, or a space."""
        return self._one_at_a_time.locked()

    # --- the space -----------------------------------------------------------------------------------------------

    async def settle(self, at_once: bool = False) -> None:
        """Do all that is due; `at_once`, what waits for its next try as well. Raises CitewiseError."""
        if at_once:
            self._upkeep.try_now()
        until = time.monotonic() + _PATIENCE
        while not await self._leading():
            if not await asyncio.to_thread(self._upkeep.due, True):
                return
            if time.monotonic() > until:
                raise CitewiseError("store", _ELSEWHERE)
            await asyncio.sleep(_LOOK)
        while await asyncio.to_thread(self._upkeep.due, True):
            await self._run(True)

    async def _leading(self) -> bool:
        """Whether this is the program that keeps the space up. What is missing is counted anew where another one does,
        or did until now."""
        leads, led = await asyncio.to_thread(self._lead), self.leads
        if not (leads and led):
            await asyncio.to_thread(self._upkeep.recount)
        self.leads = leads
        return leads

    async def _keep_up(self) -> None:
        """Another space when the settings ask for it, the library has outgrown its own, or rests."""
        self.changed.set()  # the settings may have changed since the library was closed
        while True:
            try:
                await self._keep_up_once()
            except StoreError as error:  # a server that is away comes back
                log.warning("%s", error)
                await asyncio.sleep(_REST)
                self.changed.set()

    async def _keep_up_once(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._upkeep.wait()):  # what failed is tried again
                await self.changed.wait()
        self.changed.clear()
        if not await self._leading():
            return
        resting = False
        if not await asyncio.to_thread(self._upkeep.due, False):
            try:
                async with asyncio.timeout(_REST):  # `wait_for` can swallow the cancellation by `close`
                    await self.changed.wait()
                return
            except TimeoutError:
                resting = not self._busy()
                if not resting:
                    self.changed.set()
                    return
        if await asyncio.to_thread(self._upkeep.due, resting):
            try:
                await self._run(resting)
                self.changed.set()  # there may be more to do
            except CitewiseError:  # it is noted; the old space goes on serving
                pass
            except Exception:  # the edge of a background task: nobody else would hear of it
                log.exception("the space could not be made anew; the old one goes on serving")

    async def _run(self, resting: bool) -> None:
        async with self._one_at_a_time:
            await asyncio.wrap_future(self._threads.submit(self._upkeep.run, resting))
            await asyncio.to_thread(self._spaces.serving)

    def state(self) -> EmbeddingState:
        """Blocking."""
        wanted, space = embeddings.chosen(self._settings), self._spaces.current()
        local = embeddings.local_model(self._settings)
        fetched = self.fetching.progress
        return EmbeddingState(
            space,
            wanted,
            self._upkeep.progress,
            self._upkeep.missing,
            self.fetching.problem or self.problem,
            fetched,
            local if local and fetched is None and not model_files.onnx_folder(local, self._settings) else None,
        )

    @property
    def _trouble(self) -> tuple[Message | None, str]:
        """Why an embedder does not answer, and since when; as it stood last."""
        found = [(one.problem, one.since) for one in (self._upkeep, self._spaces) if one.problem]
        return min(found, key=lambda one: one[1], default=(None, ""))

    @property
    def problem(self) -> Message | None:
        """Why an embedder does not answer; None where it does, as far as is known."""
        return self._trouble[0]

    def why_missing(self) -> Message:
        """Why documents wait for their vectors, and since when."""
        problem, since = self._trouble
        if self._upkeep.refused:
            return _REFUSED
        if problem is None:
            return _IN_THE_MAKING
        at = _clock(since)
        return Message(zh=f"自 {at} 起：{problem.zh}", en=f"Since {at}: {problem.en}")

    def explained(self, documents: Iterable[DocumentInfo]) -> list[DocumentInfo]:
        """Each with the reason where vectors are missing."""
        return [replace(one, problem=self._waiting(one)) if one.missing else one for one in documents]

    def _waiting(self, one: DocumentInfo) -> Message:
        why = self.why_missing()
        return Message(
            zh=f"等待向量：{one.chunks} 个切片中有 {one.missing} 个还没有，在此之前只能按关键词找到。{why.zh}",
            en=f"Waiting for vectors: they are missing for {one.missing} of {one.chunks} chunks, which are found by "
            f"keywords until then. {why.en}",
        )

    # --- the local model -----------------------------------------------------------------------------------------

    def download(self) -> None:
        """Begin to fetch the local model. It serves when it is there and the library is embedded anew."""

        def here() -> None:
            self._upkeep.try_now()
            self.changed.set()

        if model := embeddings.local_model(self._settings):
            self.fetching.begin(model, here)


def _clock(at: str) -> str:
    """2026-11-22T05:37:35+00:00 -> 05:37 by the clock of this machine, with the day where it is another one."""
    then = datetime.fromisoformat(at).astimezone()
    return f"{then:%H:%M}" if then.date() == datetime.now(then.tzinfo).date() else f"{then:%Y-%m-%d %H:%M}"


_ELSEWHERE = Message(
    zh="另一个程序正在补向量，还没有完成；它会在后台继续。",
    en="Another program is making the vectors and has not come to an end yet; it goes on in the background.",
)
_IN_THE_MAKING = Message(
    zh="程序运行时会在后台自动补上；终端里运行 cli.py process 会立即补上。",
    en="They are made in the background while the program runs; in a terminal, cli.py process makes them at once.",
)
_REFUSED = Message(
    zh="嵌入模型不接受这些切片的文字；下次启动程序时会再试。可以把切片调小，或换用别的模型。",
    en="The embedding model does not take these texts; it is asked again at the next start. Cut the document into "
    "smaller chunks, or choose another model.",
)
