"""Citewise from Python: a library of documents, and answers from it with checked citations.

    import citewise

    with citewise.open("my_library") as library:
        library.add("docs/", doc_set="handbook")
        answer = library.ask("年假有几天？")
        print(answer, answer.sources, answer.verdict)

    async with citewise.aopen("my_library") as library:
        answer = await library.ask("How long is the notice period?", doc_sets=["handbook"])

Both are the same: the first waits on one background event loop that all libraries share, so it works in scripts, in
threads and in notebooks. Settings come from the environment, .env and config.yaml, as for the page; keywords win.
What a person can act on is a `CitewiseError`; nothing else is raised but for wrong use.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, fields
from functools import update_wrapper, wraps
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import schema
from background import SHARED
from errors import CitewiseError
from nodes.events import Answered, Evaluated, Event, Failed, PlanMade, Replied, Reset, Token, Traced
from schema import (
    AS_USUAL,
    Chunking,
    DocumentInfo,
    Evidence,
    Hit,
    Message,
    Plan,
    Scope,
    Stored,
    StrategyName,
    Task,
    Trace,
    Verdict,
)

if TYPE_CHECKING:
    from graph.asking import Where
    from graph.turns import Assistant
    from library import Library, LibraryStats
    from nodes.state import Controls
    from providers.llm import Model
    from retrieval.langchain import CitewiseRetriever, CitewiseVectorStore
    from retrieval.langchain.documents import Filter
    from settings import Settings

__all__ = [
    "Added", "Answer", "Answered", "AsyncCitewise", "Chunking", "Citewise", "CitewiseError", "Evaluated", "Event",
    "Failed", "PlanMade", "Replied", "Reset", "Token", "Traced", "aopen", "open",
]  # fmt: skip

P = ParamSpec("P")
T = TypeVar("T")
Names = Sequence[str] | str


class Added(NamedTuple):
    """What became of the files: `failed` by name, `skipped` files of folders with the reason."""

    stored: list[Stored]
    failed: dict[str, CitewiseError]
    skipped: list[tuple[str, Message]]


@dataclass(frozen=True, slots=True)
class Answer(schema.Answer):
    """`str(answer)` is its text with markers; `statements` hold the checked citations, `sources` what they point to.

    What is no question gets a hint as text, without sources.
    """

    verdict: Verdict | None = None  # None: not evaluated
    plan: Plan | None = None  # how the question was understood
    trace: Trace | None = None

    def __str__(self) -> str:
        return self.text


def open(data_dir: str | Path | None = None, **settings: Any) -> Citewise:
    """A library in a folder, made where there is none; raises CitewiseError when it cannot be opened.

    `settings` are fields of `settings.Settings`: `citewise.open("lib", llm_model="qwen3", top_k=8)`.
    """
    return Citewise(_settings(data_dir, settings))


def aopen(data_dir: str | Path | None = None, **settings: Any) -> AsyncCitewise:
    """The same for `async with citewise.aopen(...) as library`; it is opened on entering."""
    return AsyncCitewise(_settings(data_dir, settings))


class AsyncCitewise:
    """A library with everything that answers from it. Open within `async with`, or between `start` and `close`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._open: Assistant | None = None
        self._loop: asyncio.AbstractEventLoop | None = None  # that it is open on

    async def start(self) -> AsyncCitewise:
        """Raises CitewiseError when the library cannot be opened."""
        if self._open is None:
            self._loop = asyncio.get_running_loop()
            from graph.turns import Assistant

            self._open = await Assistant.open(self.settings)
        return self

    async def close(self) -> None:
        """Files on their way stop, and go on when the library is opened again."""
        assistant, self._open = self._open, None
        if assistant is not None:
            await assistant.close()

    async def __aenter__(self) -> AsyncCitewise:
        return await self.start()

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    @property
    def assistant(self) -> Assistant:
        """Conversations and events, for what this class does not cover."""
        if self._open is None:
            raise CitewiseError(
                "store",
                Message(zh="知识库没有打开。", en="The library is not open."),
                [Message(zh="请在 with 语句之内使用它。", en="Use it inside of its `with` statement.")],
            )
        return self._open

    @property
    def library(self) -> Library:
        """Tasks, chunks, document sets, embeddings, for what this class does not cover."""
        return self.assistant.library

    # --- documents -----------------------------------------------------------------------------------------------

    async def add(
        self,
        *paths: str | Path,
        doc_set: str = "",
        chunking: Chunking = AS_USUAL,
    ) -> Added:
        """Store files, folders and zip archives, and wait until they can be found. What has not changed is left as it
        is. One file's error does not stop the others; it is raised where there is but one file.

            added = library.add("docs/", "notes.pdf", doc_set="handbook", chunking=citewise.Chunking(size=500))
        """
        from ingestion.folders import incoming_of, split_unchanged

        library = self.library
        found = await asyncio.to_thread(incoming_of, paths, doc_set, chunking)
        fresh, unchanged = split_unchanged(found.files, library.documents())
        submitted = asyncio.create_task(library.submit(fresh))
        try:
            tasks = await asyncio.shield(submitted)
            outcomes = await library.finished([task.id for task in tasks])
        except asyncio.CancelledError:  # whoever waited has given up
            await asyncio.shield(_cancel(library, submitted))
            raise
        names = {task.id: task.name for task in [*tasks, *library.tasks()]}
        failed = {names.get(i, str(i)): what for i, what in outcomes.items() if isinstance(what, CitewiseError)}
        if failed and len(outcomes) == 1 and len(found.files) == 1:
            raise next(iter(failed.values()))
        stored = [what for what in outcomes.values() if isinstance(what, Stored)]
        return Added([*stored, *(Stored("unchanged", info) for info in unchanged)], failed, found.skipped)

    async def add_content(
        self, name: str, content: bytes | str, *, doc_set: str = "", chunking: Chunking = AS_USUAL
    ) -> Stored:
        """A document from its bytes or its text; the ending of its name tells what it is.

        library.add_content("rules.md", "# Rules\n\nNo smoking in the archive.")
        """
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        return await self.library.add(name, data, chunking=chunking, doc_set=doc_set)

    async def list(self, doc_sets: Names = ()) -> Sequence[DocumentInfo]:
        """The stored documents, of all sets or of these, newest first."""
        return self.library.documents(Scope(doc_sets=_names(doc_sets)))

    async def doc_sets(self) -> Sequence[str]:
        """Their names."""
        return self.library.doc_sets()

    async def delete(self, name: str, doc_set: str | None = None) -> int:
        """How many documents of this name were deleted: of one set, or wherever they are."""
        sets = {info.doc_set for info in self.library.documents(Scope(documents=(name,)))}
        wanted = sets if doc_set is None else {doc_set}
        return sum([await self.library.delete(name, one) for one in sorted(wanted)])

    async def stats(self) -> LibraryStats:
        """Documents, chunks, tokens, bytes on disk, embedding space, files on their way."""
        return await asyncio.to_thread(self.library.stats)

    # --- questions -----------------------------------------------------------------------------------------------

    async def search(
        self,
        question: str,
        *,
        doc_sets: Names = (),
        documents: Names = (),
        kinds: Names = (),
        where: Where = (),
        strategy: StrategyName | None = None,
        top_k: int | None = None,
    ) -> Sequence[Hit]:
        """The passages that fit a question best: `hit.text`, `hit.score`, `hit.document`, `hit.metadata`."""
        controls = self._controls(doc_sets, documents, kinds, where, strategy)
        model = self.assistant.chain.model()
        evidence = await self.library.search(
            question, strategy=controls.strategy, scope=controls.scope, top_k=top_k, model=model
        )
        return evidence.hits

    async def ask(
        self,
        question: str,
        *,
        doc_sets: Names = (),
        documents: Names = (),
        kinds: Names = (),
        where: Where = (),
        strategy: StrategyName | None = None,
        evaluate: bool = True,
        conversation: str | None = None,
    ) -> Answer:
        """An answer from the library, or from some of its sets or documents, those of some `kinds` ("pdf", as lists
        show them), or `where` their metadata say so: `where={"author": "Li"}`.

        Without `evaluate` no model judges the answer; citations are checked in any case. Questions of one
        `conversation` may lean on those before ("and the second one?"), and are kept until `forget`.
        """
        answer, verdict, trace, said = None, None, None, ""
        plan: Plan = Plan()
        notices: tuple[Message, ...] = ()
        how = {
            "doc_sets": doc_sets, "documents": documents, "kinds": kinds, "where": where, "strategy": strategy,
            "evaluate": evaluate,
        }  # fmt: skip
        async with aclosing(self.stream(question, conversation=conversation, **how)) as events:  # type: ignore[arg-type]
            async for event in events:
                match event:
                    case Failed(error):
                        raise error
                    case PlanMade():
                        plan, notices = event.plan, event.notices
                    case Replied(text):
                        said = text
                    case Answered():
                        answer = event.answer
                    case Evaluated():
                        verdict = event.verdict
                    case Traced():
                        trace = event.trace
        if answer is None:
            return Answer(said, language=plan.language, answered_by="", notices=notices, plan=plan, trace=trace)
        given = {field.name: getattr(answer, field.name) for field in fields(schema.Answer)}
        given["notices"] = (*notices, *answer.notices)
        return Answer(**given, verdict=verdict, plan=plan, trace=trace)

    async def stream(
        self,
        question: str,
        *,
        doc_sets: Names = (),
        documents: Names = (),
        kinds: Names = (),
        where: Where = (),
        strategy: StrategyName | None = None,
        evaluate: bool = True,
        conversation: str | None = None,
    ) -> AsyncGenerator[Event, None]:
        """What happens on the way to an answer: `PlanMade`, `Token` by token, `Reset` where another model begins anew,
        `Answered`, `Evaluated`, or `Failed`.

            for event in library.stream("..."):  # `async for` where it is asynchronous
                if isinstance(event, citewise.Token):
                    print(event.text, end="")
        """
        from graph.turns import Request

        controls = self._controls(doc_sets, documents, kinds, where, strategy, evaluate)
        thread = conversation or f"once-{uuid.uuid4().hex}"
        try:
            async with aclosing(self.assistant.run_turn(Request(thread, question, controls=controls))) as events:
                async for event in events:
                    yield event
        finally:
            if conversation is None:
                await asyncio.shield(self.assistant.forget(thread))

    async def forget(self, conversation: str) -> None:
        """Delete a conversation."""
        await self.assistant.forget(conversation)

    # --- for LangChain -------------------------------------------------------------------------------------------

    def as_retriever(
        self,
        *,
        strategy: StrategyName | None = None,
        k: int | None = None,
        filter: Filter = None,
        doc_set: str | None = None,
    ) -> CitewiseRetriever:
        """The library as a retriever of LangChain, to be used while it is open: `invoke`, `ainvoke` and chains.

        library.as_retriever(strategy="hybrid", k=5, filter={"doc_type": "pdf"}).invoke("年假有几天？")
        """
        from retrieval.langchain import CitewiseRetriever

        return CitewiseRetriever(
            store=self.library.store,
            strategy=strategy or self.settings.strategy,
            k=k or self.settings.top_k,
            filter=filter,
            doc_set=doc_set,
            searches=_Searching(self),
            loop=self._loop,
        )

    def as_vector_store(self, doc_set: str | None = None) -> CitewiseVectorStore:
        """The library as a vector store of LangChain, to be used while it is open: texts come in whole, with ids and
        metadata, beside its documents, which are found chunk by chunk."""
        from retrieval.langchain import CitewiseVectorStore
        from retrieval.langchain.embedding import Served

        return CitewiseVectorStore(Served(self.library.embedder), store=self.library.store, doc_set=doc_set)

    def _controls(
        self,
        doc_sets: Names,
        documents: Names,
        kinds: Names,
        where: Where,
        strategy: StrategyName | None,
        evaluate: bool = True,
    ) -> Controls:
        from graph.asking import controls_for

        places = _names(doc_sets), _names(documents)
        return controls_for(self.library, *places, strategy, evaluate, kinds=_names(kinds), where=where)


class _Searching:
    """`Library.search` with the models of an open library."""

    def __init__(self, of: AsyncCitewise) -> None:
        self._of = of

    async def search(self, question: str, *, model: Model | None, **how: Any) -> Evidence:
        return await self._of.library.search(question, model=model or self._of.assistant.chain.model(), **how)


async def _cancel(library: Library, submitted: asyncio.Task[list[Task]]) -> None:
    await library.cancel([task.id for task in await submitted])


# --- without asyncio -----------------------------------------------------------------------------------------------


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
    add_content = _waited_for(AsyncCitewise.add_content)
    list = _waited_for(AsyncCitewise.list)
    doc_sets = _waited_for(AsyncCitewise.doc_sets)
    delete = _waited_for(AsyncCitewise.delete)
    stats = _waited_for(AsyncCitewise.stats)
    search = _waited_for(AsyncCitewise.search)
    ask = _waited_for(AsyncCitewise.ask)
    forget = _waited_for(AsyncCitewise.forget)
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


# --- what people hand in -------------------------------------------------------------------------------------------


def _settings(data_dir: str | Path | None, given: dict[str, Any]) -> Settings:
    """Raises CitewiseError for what is no setting, and for values that do not fit."""
    from pydantic import ValidationError

    from graph.asking import unfit
    from settings import Settings

    if unknown := given.keys() - Settings.model_fields:
        raise CitewiseError(
            "settings",
            Message(
                zh=f"没有这个设置：{'、'.join(sorted(unknown))}。", en=f"No setting: {', '.join(sorted(unknown))}."
            ),
            [Message(zh="可用的设置见 settings.py。", en="The settings there are stand in settings.py.")],
        )
    try:
        return Settings(**given if data_dir is None else {**given, "data_dir": data_dir})
    except ValidationError as error:
        raise unfit(error) from error


def _names(given: Names) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
