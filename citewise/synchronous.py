"""A library for code that is not asynchronous: the same methods, each waited for on one background event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing
from functools import update_wrapper, wraps
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from background import SHARED
from citewise.asynchronous import AsyncCitewise
from nodes.events import Event

if TYPE_CHECKING:
    from settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


def _waited_for(
    method: Callable[Concatenate[AsyncCitewise, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Citewise, P], T]:
    """The method for code that is not asynchronous."""

    def wait(self: Citewise, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return SHARED.run(method(self.asynchronous, *args, **kwargs))

    update_wrapper(wait, method)
    return wait


def _handed_on(method: Callable[Concatenate[AsyncCitewise, P], T]) -> Callable[Concatenate[Citewise, P], T]:
    """The method, which waits for nothing."""

    def hand_on(self: Citewise, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return method(self.asynchronous, *args, **kwargs)

    update_wrapper(hand_on, method)
    return hand_on


class Citewise:
    """`AsyncCitewise` for code that is not asynchronous. May be used from several threads at once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.asynchronous = AsyncCitewise(settings)  # for `SHARED` alone
        SHARED.run(self.asynchronous.start())
        SHARED.open.add(self)

    def close(self) -> None:
        """Files on their way stop, and go on when the library is opened again."""
        SHARED.open.discard(self)
        SHARED.run(self.asynchronous.close())

    def __enter__(self) -> Citewise:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    add = _waited_for(AsyncCitewise.add)
    add_documents = _waited_for(AsyncCitewise.add_documents)
    import_records = _waited_for(AsyncCitewise.import_records)
    add_content = _waited_for(AsyncCitewise.add_content)
    list = _waited_for(AsyncCitewise.list)
    original = _waited_for(AsyncCitewise.original)
    structured = _waited_for(AsyncCitewise.structured)
    doc_sets = _waited_for(AsyncCitewise.doc_sets)
    delete = _waited_for(AsyncCitewise.delete)
    stats = _waited_for(AsyncCitewise.stats)
    doc_set_infos = _waited_for(AsyncCitewise.doc_set_infos)
    add_doc_set = _waited_for(AsyncCitewise.add_doc_set)
    rename_doc_set = _waited_for(AsyncCitewise.rename_doc_set)
    delete_doc_set = _waited_for(AsyncCitewise.delete_doc_set)
    move = _waited_for(AsyncCitewise.move)
    rechunk = _waited_for(AsyncCitewise.rechunk)
    reread = _waited_for(AsyncCitewise.reread)
    tasks = _waited_for(AsyncCitewise.tasks)
    retry = _waited_for(AsyncCitewise.retry)
    cancel = _waited_for(AsyncCitewise.cancel)
    process = _waited_for(AsyncCitewise.process)
    preview = _waited_for(AsyncCitewise.preview)
    chunks = _waited_for(AsyncCitewise.chunks)
    add_source = _waited_for(AsyncCitewise.add_source)
    sources = _waited_for(AsyncCitewise.sources)
    refresh_source = _waited_for(AsyncCitewise.refresh_source)
    remove_source = _waited_for(AsyncCitewise.remove_source)
    search = _waited_for(AsyncCitewise.search)
    ask = _waited_for(AsyncCitewise.ask)
    retrieve = _waited_for(AsyncCitewise.retrieve)
    handle_query = _waited_for(AsyncCitewise.handle_query)
    fetch = _waited_for(AsyncCitewise.fetch)
    should_fetch = _waited_for(AsyncCitewise.should_fetch)
    forget = _waited_for(AsyncCitewise.forget)
    caches = _waited_for(AsyncCitewise.caches)
    clear_caches = _waited_for(AsyncCitewise.clear_caches)
    unanswered = _waited_for(AsyncCitewise.unanswered)
    clear_unanswered = _waited_for(AsyncCitewise.clear_unanswered)
    glossary = _waited_for(AsyncCitewise.glossary)
    add_to_glossary = _waited_for(AsyncCitewise.add_to_glossary)
    remove_from_glossary = _waited_for(AsyncCitewise.remove_from_glossary)
    import_glossary = _waited_for(AsyncCitewise.import_glossary)
    make_questions = _waited_for(AsyncCitewise.make_questions)
    evaluate_set = _waited_for(AsyncCitewise.evaluate_set)
    compare_runs = _waited_for(AsyncCitewise.compare_runs)
    as_retriever = _handed_on(AsyncCitewise.as_retriever)
    as_vector_store = _handed_on(AsyncCitewise.as_vector_store)

    @wraps(AsyncCitewise.stream)
    def stream(self, question: str, **how: Any) -> Iterator[Event]:
        passed: SimpleQueue[Event | None] = SimpleQueue()

        async def pump() -> None:
            async with aclosing(self.asynchronous.stream(question, **how)) as events:
                async for event in events:
                    passed.put(event)

        async def begin() -> asyncio.Task[None]:
            task = asyncio.create_task(pump())
            task.add_done_callback(lambda _: passed.put(None))
            return task

        async def end() -> None:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()

        task = SHARED.run(begin())
        try:
            while (event := passed.get()) is not None:
                yield event
        finally:  # also when nobody reads on
            SHARED.run(end())
