"""One case asked of the library: a search deeper than anybody reads, and a whole turn where an answer is wanted."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Iterable
from typing import NamedTuple

from langchain_core.messages import HumanMessage

from errors import CitewiseError
from evaluation.lab.answer_figures import is_correct
from evaluation.lab.cases import LabCase
from evaluation.lab.gold import GoldFinder
from evaluation.lab.numerals import formulas_to_compare
from evaluation.lab.results import CaseResult, of_failure
from evaluation.lab.retrieval_figures import DEPTH
from evaluation.lab.scoring import GivenAnswer, ReaderLimits, score
from evaluation.markers import without_markers
from graph.comparison import plan_question
from graph.lab.variants import Variant
from graph.request import Request
from graph.search import search_passages
from graph.titles import lab_thread
from graph.turn_result import TurnResult
from graph.turns import Assistant
from graph.unanswered import unanswered_question
from ingestion.formula_worker import FormulaWorker
from nodes.state import Controls, Record
from planning.follow_up import looks_like_follow_up
from planning.question_parts import question_parts
from schema import Answer, DocumentInfo, Evidence, Message, Plan, Scope, SearchRequest, Trace, Verdict
from text import search_tokens


class AskedWith(NamedTuple):
    """How all cases of a run are asked."""

    variant: Variant
    with_answers: bool = False
    with_judge: bool = False
    owner: str = ""


class CaseAsker:
    """Asks the cases of one run. What goes wrong with one of them is its result, and never ends the run."""

    def __init__(self, assistant: Assistant, how: AskedWith) -> None:
        self._assistant, self._how = assistant, how
        self._settings = how.variant.over(assistant.settings)
        self._formulas = FormulaWorker(assistant.settings)
        library = assistant.library
        self._gold = GoldFinder(self._text, _sets(library.documents()))

    async def ask(self, case: LabCase) -> CaseResult:
        try:
            gold = await asyncio.to_thread(self._gold.find, case)
            evidence = await self._search(case)
            limits = self._limits(evidence)
            if not self._how.with_answers or gold.stale:
                return score(case, gold, evidence.hits, limits, evidence.seconds)
            result, thread, seconds = await self._turn(case)
            given, verdict = _given(case, result, self._refused(case, result), thread, seconds)
            if case.kind == "math":
                given = given._replace(equal_formula=await asyncio.to_thread(self._equal_formula, case, given.text))
            found = score(case, gold, evidence.hits, limits, seconds, given)
            return _with_verdict(found, verdict) if self._how.with_judge else found
        except CitewiseError as error:
            return of_failure(case, error.in_full, self._how.with_answers)
        except Exception as defect:  # a defect counts 0, as it would for whoever asked
            return of_failure(case, _unexpected(defect), self._how.with_answers)

    def close(self) -> None:
        self._formulas.close()

    def _equal_formula(self, case: LabCase, text: str) -> bool:
        """Raises CitewiseError where it takes the package that compares formulas, and there is none."""
        said = without_markers(text)
        if is_correct(case, said):  # already, by signs and numbers
            return False
        pairs = (formulas_to_compare(said, one) for one in case.references)
        return any(self._formulas.equal(*pair) for pair in pairs if pair)

    async def search_record(self, case: LabCase) -> Record:
        """How its search goes, as a trace shows it."""
        how = self._how.variant
        controls = Controls(strategy=how.strategy, scope=_scope(case), overrides=how.overrides)
        evidence = await search_passages(self._assistant, case.question, controls, with_model=False)
        trace = Trace((), evidence.steps, evidence.considered, evidence.contexts)
        return Record(plan=Plan(question=case.question), trace=trace)

    def _limits(self, evidence: Evidence) -> ReaderLimits:
        reranked = any(hit.scores.get("rerank") is not None for hit in evidence.hits)
        settings = self._settings
        return ReaderLimits(settings.rerank_top_k if reranked else settings.top_k, settings.max_context_length)

    def _text(self, document: str, doc_set: str) -> str | None:
        found = self._assistant.library.document(document, doc_set)
        return found.text if found else None

    async def _search(self, case: LabCase) -> Evidence:
        if not case.question.strip():
            return Evidence(case.question, "default")
        terms = tuple(search_tokens(case.after[-1])) if case.after and looks_like_follow_up(case.question) else ()
        request = SearchRequest(
            case.question,
            self._how.variant.strategy,
            _scope(case),
            DEPTH,
            terms,
            parts=question_parts(case.question),
        )
        model = self._assistant.chain.model() if self._how.with_answers else None
        return await self._assistant.library.evidence_for(request, model=model, settings=self._settings)

    async def _turn(self, case: LabCase) -> tuple[TurnResult, str, float]:
        """In a conversation of its own, which the run keeps, so that its trace can be opened."""
        how, began = self._how, time.perf_counter()
        controls = Controls(
            strategy=how.variant.strategy, scope=_scope(case), evaluate=how.with_judge, web="never",
            overrides=how.variant.overrides,
        )  # fmt: skip
        history = tuple(HumanMessage(turn, id=str(uuid.uuid4())) for turn in case.after)
        thread = lab_thread(how.owner)
        plan = None
        if case.question.strip():
            plan = await plan_question(self._assistant, case.question, controls, history)
        turn = self._assistant.begin(Request(thread, case.question, controls=controls, plan=plan, history=history))
        async with turn:
            async for _ in turn.follow():
                pass
        return turn.result, thread, turn.result.answered_after or time.perf_counter() - began

    def _refused(self, case: LabCase, result: TurnResult) -> bool:
        """Whether the turn says that the library does not hold it, or not surely; a message that cannot be asked is
        refused as well."""
        if result.failed is not None:
            if result.failed.error.kind == "settings":
                return True
            raise result.failed.error
        if result.base_answer is None:
            return True
        return unanswered_question(case.question, result, self._settings) is not None


def _given(
    case: LabCase, result: TurnResult, refused: bool, thread: str, seconds: float
) -> tuple[GivenAnswer, Verdict | None]:
    answer = result.base_answer
    if answer is None:
        answer = Answer(result.failed.error.message.en if result.failed else result.text)
    calls = result.trace.calls if result.trace else ()
    given = GivenAnswer(
        answer, refused, answer.text, thread, seconds, len(calls),
        sum((call.input_tokens or 0) + (call.output_tokens or 0) for call in calls),
        sum(call.cost or 0.0 for call in calls),
    )  # fmt: skip
    return given, result.verdict


def _with_verdict(result: CaseResult, verdict: Verdict | None) -> CaseResult:
    """The judge's scores; without them the case is unjudged, and no score is made up."""
    if verdict is None or verdict.judged_by is None:
        return result.model_copy(update={"unjudged": True})
    scores = {name: getattr(verdict, name) for name in ("faithfulness", "relevance", "completeness")}
    judged = {f"judge_{name}": float(value) for name, value in scores.items() if value is not None}
    return result.model_copy(update={"figures": result.figures | judged})


def _scope(case: LabCase) -> Scope:
    return Scope(doc_sets=(case.doc_set,) if case.doc_set else (), without=case.exclude)


def _sets(documents: Iterable[DocumentInfo]) -> dict[str, list[str]]:
    """Of each document's name the sets that have one."""
    found: dict[str, list[str]] = {}
    for one in documents:
        found.setdefault(one.name, []).append(one.doc_set)
    return found


def _unexpected(defect: Exception) -> Message:
    what = f"{type(defect).__name__}: {defect}"
    return Message(zh=f"意外错误（{what}）", en=f"An unexpected error ({what})")
