"""The part of a search that blocks: forms of the question are made ready, looked for, and judged. Runs in a thread."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from providers.base import Embedder, EmbeddingError
from providers.embeddings import MODELLESS
from providers.llm import Model
from providers.rerankers import Reranker
from question_words import question_terms
from retrieval.calibration import Calibration
from retrieval.confidence import QuestionForm, merge_forms, own_language_first, scored_hits, with_translated
from retrieval.counterparts import counterparts_first
from retrieval.earlier_searches import EarlierSearches
from retrieval.entity_contexts import MOST_PLACES, Lookup, entity_contexts, search_entity_info
from retrieval.how_to import instructions_first
from retrieval.hyde import HypotheticalPassage, HypotheticalRequest, Languages
from retrieval.lexical import WeightedTerms, documents_by_language
from retrieval.lookups.library import places_by
from retrieval.passage_fates import passages_left_out
from retrieval.regional_terms import widened
from retrieval.strategies import ORDERS, STRATEGIES, Candidate, NameStep, Order, Query, Strategy
from retrieval.translated_form import translated_form
from retrieval.two_views import by_two_views, nearest
from schema import ConsideredPassage, EntityContext, Hit, Language, Message, SearchRequest, StrategyName
from settings import Settings
from stores.base import Store
from stores.problems import SpaceChanged
from text import detect_language, language_of

_CANDIDATES = 50  # of each ranking, before fusion
_BY_VECTORS = {"vector", "hybrid", "default"}
_BY_MEANING = {*_BY_VECTORS, "hyde", "rm3"}  # the strategies whose weak searches are looked at again
BY_WORDS = {"keyword", "hybrid", "default", "abstract"}  # the strategies that a dictionary helps

_NO_VECTORS = Message(
    zh="资料库的向量暂不可用，本次只按关键词检索。",
    en="The library's vectors cannot be used right now; this search went by keywords alone.",
)


@dataclass(frozen=True)
class SearchResources:
    """What a search works with. Without an embedder of the serving space BM25 runs alone, with a notice."""

    store: Store
    embedder: Embedder | None
    settings: Settings
    model: Model | None = None
    reranker: Reranker | None = None
    hypothetical: HypotheticalRequest = field(default_factory=HypotheticalRequest)
    earlier: EarlierSearches | None = None  # of the same turn


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    hits: tuple[Hit, ...]
    confidence: float
    strategy: StrategyName  # the one that ran
    behind: tuple[ConsideredPassage, ...] = ()  # what is not among the hits
    ways: Mapping[int, NameStep] = field(default_factory=dict)  # to hits that only names led to, by chunk
    by_dictionary: QuestionForm | None = None  # the question, where that has found anything
    other_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # searched for terms that nothing says
    own: QuestionForm | None = None  # the question as it was asked


class BlockingSearch:
    """One question's search. Run again with what a model imagined, it asks only for what is new."""

    def __init__(self, request: SearchRequest, strategy: StrategyName, parts: SearchResources, count: int) -> None:
        """`count` candidates go on."""
        self._store, self._embedder, self._settings = parts.store, parts.embedder, parts.settings
        self._earlier = parts.earlier or EarlierSearches()
        self.request, self.strategy, self._count = request, strategy, count
        self._by_method = request.search_method is not None  # as that says, in its own order
        self.order: Order | None = None if self._by_method else ORDERS.get(strategy)
        self.language: Language = language_of(request.question, self._settings.fallback_language)
        self.notices: list[Message] = []
        self._queries: dict[str, Query] = {}
        self._own: dict[Hashable, QuestionForm] = {}
        self._generation = -1

    def languages(self) -> Languages:
        return Languages.of(self.language, documents_by_language(self._store, self.request.scope))

    @property
    def goes_by_words(self) -> bool:
        """Whether no trained model has a say in its order, and it is not words alone that were asked for."""
        modelless = self._embedder is None or self._embedder.space.provider in MODELLESS
        return modelless and not self._by_method and self.strategy in _BY_MEANING

    def run(self, translated: str = "", imagined: HypotheticalPassage | None = None) -> SearchOutcome:
        """Raises SpaceChanged when the space is swapped meanwhile. Without vectors BM25 runs alone, with a notice."""
        serving, self._generation = self._store.space_key(), self._store.generation()
        if self._embedder and self._embedder.space.key != serving:
            self._embedder = None
        if self._embedder is None and serving and self.strategy != "keyword":
            self.notices += [] if _NO_VECTORS in self.notices else [_NO_VECTORS]
        try:
            found = self._run(translated, imagined)
        except EmbeddingError as error:
            self._embedder, self._queries, self._own = None, {}, {}
            self.notices += [error.in_full, _NO_VECTORS]
            found = self._run(translated, imagined)
        if self._embedder and self._store.space_key() != serving:
            raise SpaceChanged(serving)
        return found

    def _run(self, translated: str, imagined: HypotheticalPassage | None) -> SearchOutcome:
        by_vectors = self._by_method or self.strategy in _BY_VECTORS
        ran: StrategyName = "keyword" if self._embedder is None and by_vectors else self.strategy
        key, other = self._key(ran), detect_language(translated) not in {self.language, None}
        if other or (imagined and imagined.passage):
            return self._found(ran, key, translated if other else "", imagined)
        if known := self._earlier.outcome(key):
            outcome, self._own[key] = known
            return outcome
        outcome = self._found(ran, key, "", None)
        self._earlier.keep_outcome(key, outcome, self._own[key])
        return outcome

    def _found(
        self, ran: StrategyName, key: Hashable, translated: str, imagined: HypotheticalPassage | None
    ) -> SearchOutcome:
        own = self._own_form(ran, key)
        queries = [own.query]
        if translated:
            queries.append(replace(self._query(translated), texts=queries[0].texts))
        if imagined and imagined.passage:
            # beside the form in its own language
            place = len(queries) - 1 if imagined.language != self.language else 0
            queries[place] = replace(queries[place], passage=imagined.passage)
        forms = [own if query is own.query else self._form(query, ran) for query in queries]
        candidates = merge_forms(forms)
        glossed = ran in BY_WORDS and len(queries) == 1 and not self._by_method
        wanted = self.request.top_k or self._settings.top_k
        form = translated_form(queries[0], self.language, wanted, self._earlier) if glossed else None
        if form:
            candidates = with_translated(forms, candidates, form)
            forms.append(form)
        candidates = counterparts_first(queries[0], self.language, candidates)
        hits, confidence = scored_hits(forms, candidates[: self._count])
        left_out = passages_left_out(queries[0], candidates, self._count)
        ways = {one.chunk_id: one.way for one in candidates[: self._count] if one.way}
        return SearchOutcome(hits, confidence, ran, left_out, ways, form, queries[0].other_words, own)

    def _own_form(self, ran: StrategyName, key: Hashable) -> QuestionForm:
        form = self._own.get(key) or self._earlier.form(key)
        if form is None:
            form = self._form(self._asked(), ran)
            self._earlier.keep_form(key, form)
        self._own[key] = form
        return form

    def _form(self, query: Query, ran: StrategyName) -> QuestionForm:
        return QuestionForm(query, self._ordered(query, self._look(ran)(query)))

    def _key(self, ran: StrategyName) -> Hashable:
        """All that the question finds in its own words depends on."""
        asked, settings = replace(self.request, translated="", parts=()), self._settings
        return (
            asked, ran, self.strategy, self._count, settings.top_k, settings.min_similarity, settings.fallback_language,
            self._embedder and self._embedder.space.key, self._generation,
        )  # fmt: skip

    def contexts(self, budget: int) -> tuple[EntityContext, ...]:
        """What stands above and beneath the names of the question, within so many model tokens."""
        request, query = self.request, self._asked()
        lookup: Lookup = partial(self._store.name_places, most=MOST_PLACES, scope=request.scope)
        if request.search_method:
            lookup = partial(places_by, request.search_method, self._store, scope=request.scope)
        infos = search_entity_info(request.question, self._store, lookup, request.max_hierarchy_depth)
        passages = bool(request.search_method)
        return entity_contexts(infos, query.vector, self._store, self.language, budget, with_passages=passages)

    def _look(self, ran: StrategyName) -> Strategy:
        if self._by_method and ran != "keyword":
            return partial(by_two_views if self.request.search_method else nearest, k=self._count)
        return STRATEGIES["default" if self.strategy == "default" else ran]

    def _ordered(self, query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
        if self._by_method:
            return list(candidates)
        by_score = instructions_first(query, own_language_first(query, candidates))
        return self.order(query, by_score) if self.order else by_score

    def _asked(self) -> Query:
        """The question itself."""
        found = next((form.query for form in self._own.values()), None)
        return found or self._query(self.request.question, self.request.terms)

    def _query(self, question: str, history: Sequence[str] = ()) -> Query:
        if question not in self._queries:
            space = self._embedder.space if self._embedder else None
            self._queries[question] = Query(
                question,
                widened(
                    WeightedTerms.of(question_terms(question), self._store, history),
                    question,
                    self._store,
                    literal=self.strategy == "keyword",
                ),
                self._store,
                self._embedder,
                Calibration.of(space, language_of(question, self._settings.fallback_language)),
                max(_CANDIDATES, self._count),
                self.request.scope,
                self._settings.min_similarity,
            )
        return self._queries[question]
