"""Questions to a library: passages, answers, the way to them, and the same for LangChain."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Unpack

from citewise.lifecycle import LibraryLifecycle
from citewise.results import Answer, Hits, Names, names_of
from nodes.events import Event
from nodes.overrides import Options
from schema import HIERARCHY_DEPTH, Evidence, SearchRequest, StrategyName

if TYPE_CHECKING:
    from graph.handle_query import OutputFormat
    from graph.live_turn import LiveTurn
    from graph.query_result import QueryResult
    from graph.request_controls import Where
    from nodes.state import Controls
    from providers.llm import Model
    from retrieval.langchain import CitewiseRetriever, CitewiseVectorStore
    from retrieval.langchain.documents import Filter


class QuestionCalls(LibraryLifecycle):
    """What is asked of a library."""

    async def search(
        self,
        question: str,
        *,
        doc_sets: Names = (),
        documents: Names = (),
        kinds: Names = (),
        where: Where = (),
        strategy: StrategyName | None = None,
        search_method: int | None = None,
        **options: Unpack[Options],
    ) -> Hits:
        """The passages that fit a question best: `hit.text`, `hit.score`, `hit.document`, `hit.metadata`.

        `search_method`, in place of a strategy, is described at `handle_query`.

        `options` are those of `ask`: `top_k` where it is given, else as many as the settings say, RERANK_TOP_K of them
        where a reranker sorted them, and no more than go into `max_context_length`. The result's `notices` say what
        went wrong on the way: an embedder that did not answer, another strategy.
        """
        from graph.search import search_passages

        controls = self._controls(doc_sets, documents, kinds, where, strategy, options, search_method=search_method)
        return Hits.of(await search_passages(self.assistant, question, controls))

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
        web: bool | None = None,
        conversation: str | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """An answer from the library, or from some of its sets or documents, those of some `kinds` ("pdf", as lists
        show them), or `where` their metadata say so, or what they are about: `where={"author": "Li"}`,
        `where={"keywords": "pump"}`.

        Without `evaluate` no model judges the answer; citations are checked in any case. With `web` the web is searched
        for what the library does not cover, False: never, not even where the question asks for it; None: as the setting
        says, and since nobody can be asked, "ask" searches only where the question asks for it. `notices` say where the
        library does not answer a question. Questions of one `conversation` may lean on those before ("and the second
        one?"), and are kept until `forget`.

        `options` stand in place of the settings for this question: `language` of the answer ("zh", "en"), `top_k`,
        `min_similarity`, `min_confidence`, `max_context_length` (tokens), `rerank` (True, False, "llm", "onnx",
        "cross-encoder").
        """
        controls = self._controls(doc_sets, documents, kinds, where, strategy, options, evaluate, web)
        async with self._turn(question, controls, conversation) as turn:
            return await turn.answer()

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
        web: bool | None = None,
        conversation: str | None = None,
        **options: Unpack[Options],
    ) -> AsyncGenerator[Event, None]:
        """What happens on the way to an answer: `TurnBegun`, `PlanMade`, `Gathered` for pages of the web,
        `EvidenceFound`, `Token` by token, `Reset` where another model begins anew, `Answered`, `Evaluated`, `Failed`.
        Where the web may have more, `Offer` comes last: "yes" as the next question of the conversation accepts it.

            for event in library.stream("..."):  # `async for` where it is asynchronous
                if isinstance(event, citewise.Token):
                    print(event.text, end="")
        """
        controls = self._controls(doc_sets, documents, kinds, where, strategy, options, evaluate, web)
        async with self._turn(question, controls, conversation) as turn:
            async for event in turn:
                yield event

    async def handle_query(
        self,
        query: str,
        *,
        extraction_goal: str | None = None,
        output_format: OutputFormat = "markdown",
        force_refresh: bool = False,
        use_web_if_needed: bool = True,
        min_score_threshold: float | None = None,
        search_method: int | None = None,
        max_hierarchy_depth: int = HIERARCHY_DEPTH,
        **options: Unpack[Options],
    ) -> QueryResult:
        """One call for scripts: looks into the library, searches the web where that does not cover the query, keeps
        the pages, asks the model, and saves the answer. It works without a model, too, up to the prompt.

        Args:
            query: what is asked; the whole library is searched for it as it stands, but for words that say in which
                language the answer is wanted.
            extraction_goal: what the model is to do, by default to answer the query from the reference information.
            output_format: "markdown", or "json": an object with an `answer` and, by default, `key_points` and what is
                `missing`, or the fields that the goal asks for.
            force_refresh: search the web whatever the library holds, and fetch its pages anew.
            use_web_if_needed: False: never, also where `force_refresh` is set.
            min_score_threshold: the coverage from which on the web is not needed, in [0, 1]; by default the settings'.
            search_method: the path of seed 001 in place of a strategy, to be compared with; it finds less
                (docs/abstract.md). 0: the `top_k` nearest passages; 1 to 7: those of three times as many that are near
                by themselves and together with their neighbour, with names from the question looked up by a walk (1),
                Bloom filters (2, 3), a dictionary (4), vectors (5), SQLite (6) or a cuckoo filter (7). It has the
                values of the profile 001 (`top_k` 3, `min_similarity` .6, 7,942 tokens) unless they are given.
            max_hierarchy_depth: levels of headings above and beneath each name that `tree_knowledge` tells.
            options: those of `ask`; of passages as many as `top_k` says, by default as many as the settings say,
                RERANK_TOP_K of them where a reranker sorted them.

        Returns a dict that can be written as JSON; `citewise.QueryResult` says what stands in it.

        Raises CitewiseError for arguments that do not fit, and when the library cannot be read.

        library.handle_query("最近 AI 芯片的新闻")["agent_result"]["parsed"]
        """
        from graph.handle_query import handle_query

        return await handle_query(
            self.assistant,
            query,
            extraction_goal=extraction_goal,
            output_format=output_format,
            force_refresh=force_refresh,
            use_web_if_needed=use_web_if_needed,
            min_score_threshold=min_score_threshold,
            search_method=search_method,
            max_hierarchy_depth=max_hierarchy_depth,
            overrides=options,
        )

    async def retrieve(
        self,
        query: str,
        *,
        base_prompt: str = "",
        search_method: int | None = None,
        max_hierarchy_depth: int = HIERARCHY_DEPTH,
        **options: Unpack[Options],
    ) -> dict[str, Any]:
        """What the library holds on a query, for a model of your own: no model is asked, no file is written. `options`
        are those of `ask`, `search_method` and `max_hierarchy_depth` are those of `handle_query`.

        Returns a dict: query; documents, as `handle_query` gives them, with their scores; context, their text as a
        model reads it; tree_knowledge, as `handle_query` gives it; prompt, which asks the query from these, after
        `base_prompt` where one is given; coverage; notices. Raises CitewiseError.
        """
        from graph.handle_query import retrieve

        return await retrieve(
            self.assistant, query, base_prompt=base_prompt, search_method=search_method,
            max_hierarchy_depth=max_hierarchy_depth, overrides=options,
        )  # fmt: skip

    async def should_fetch(
        self, query: str, *, min_score_threshold: float | None = None, **options: Unpack[Options]
    ) -> bool:
        """Whether the library does not cover a question, so that `handle_query` would search the web."""
        from graph.handle_query import should_fetch

        return await should_fetch(self.assistant, query, min_score_threshold=min_score_threshold, overrides=options)

    async def fetch(self, query: str, *, force_refresh: bool = False) -> list[str]:
        """Search the web for a query and store the pages: the names of their documents, in the set of the settings.

        With `force_refresh` also those are fetched that were fetched today. Raises CitewiseError when none came.
        """
        from graph.handle_query import fetch

        return await fetch(self.assistant, query, force_refresh=force_refresh)

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
            k=k,
            filter=filter,
            doc_set=doc_set,
            searches=_LibrarySearch(self),
            loop=self._loop,
        )

    def as_vector_store(self, doc_set: str | None = None) -> CitewiseVectorStore:
        """The library as a vector store of LangChain, to be used while it is open: texts come in whole, with ids and
        metadata, beside its documents, which are found chunk by chunk."""
        from retrieval.langchain import CitewiseVectorStore
        from retrieval.langchain.embedding import LibrarySource

        return CitewiseVectorStore(LibrarySource(self.library.embedder), store=self.library.store, doc_set=doc_set)

    def _turn(
        self, question: str, controls: Controls, conversation: str | None
    ) -> AbstractAsyncContextManager[LiveTurn]:
        from graph.request import Request
        from graph.titles import once_thread

        return self.assistant.asked_by_program(Request(conversation or once_thread(), question, controls=controls))

    def _controls(
        self,
        doc_sets: Names,
        documents: Names,
        kinds: Names,
        where: Where,
        strategy: StrategyName | None,
        options: Options,
        evaluate: bool = True,
        web: bool | None = None,
        search_method: int | None = None,
    ) -> Controls:
        from graph.request_controls import controls_for

        places = names_of(doc_sets), names_of(documents)
        controls = controls_for(
            self.library, *places, strategy, evaluate, kinds=names_of(kinds), where=where, overrides=options,
            search_method=search_method,
        )  # fmt: skip
        return controls if web is None else controls.model_copy(update={"web": "always" if web else "never"})


class _LibrarySearch:
    """`Library.evidence_for` with the models of an open library."""

    def __init__(self, of: LibraryLifecycle) -> None:
        self._of = of

    async def search(self, request: SearchRequest, *, model: Model | None) -> Evidence:
        return await self._of.library.evidence_for(request, model=model or self._of.assistant.chain.model())
