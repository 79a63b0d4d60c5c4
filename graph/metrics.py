"""What the turns and the library have cost by now: counters and times for Prometheus, recent values for the page.

Numbers only: no question, file or user is a label.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from math import nan
from statistics import median, quantiles

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest

from graph.turn_result import TurnResult
from schema import Answer, Call, Trace
from stores.feedback import Counts

RECENT = 240  # values kept of each time
_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_FIRST = (  # of the table
    "turn", "first_token", "plan", "search", "hyde", "meaning", "rerank", "answer", "judge", "web", "embed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """One kind of time: how often it was taken, and the last values, oldest first."""

    name: str  # "turn", "first_token", "embed" (a text), or a step of the trace
    count: int
    recent: tuple[float, ...]  # seconds

    @property
    def median(self) -> float:
        return median(self.recent)

    @property
    def p95(self) -> float:
        return quantiles(self.recent, n=20, method="inclusive")[-1] if len(self.recent) > 1 else self.recent[-1]


@dataclass(frozen=True, slots=True)
class Share:
    """How often something came out well."""

    name: str
    well: int
    count: int
    recent: tuple[float, ...]  # the share as it was after each of the last ones, oldest first

    @classmethod
    def of(cls, name: str, well: int, count: int, last: Sequence[bool]) -> Share:
        """`last`: how the last of them came out, oldest first."""
        so_far, before = accumulate(last, initial=max(0, well - sum(last))), max(0, count - len(last))
        return cls(name, well, count, tuple(up / (before + n) for n, up in enumerate(so_far) if n))


@dataclass(frozen=True, slots=True)
class Totals:
    """Since the program was started."""

    turns: dict[str, int]  # by outcome
    calls: dict[str, tuple[int, int]]  # by provider: requests, and how many of them failed
    tokens: tuple[int, int]  # in, out
    reranked: int  # answers with citations whose hits were reranked
    first_cited: int  # of these, where the reranker's first hit was cited
    embedded: int  # texts


class Metrics:
    """Of one program; from any thread. Its registry is its own: several may live in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.running = 0  # turns, now
        self._recent: dict[str, deque[float]] = {}
        self._counts: dict[str, int] = {}
        self._firsts: deque[bool] = deque(maxlen=RECENT)  # of reranked answers whether the first hit was cited
        own = self.registry
        self._turns = Counter("citewise_turns", "Turns by outcome", ["outcome"], registry=own)
        self._turn = _times("citewise_turn_seconds", "From the message to the end of the turn", own)
        self._first = _times("citewise_first_token_seconds", "From the message to the answer's first word", own)
        self._step = _times("citewise_step_seconds", "Steps of a turn: plan, search, rerank, answer ...", own, "step")
        self._calls = Counter(
            "citewise_model_calls", "Requests to models", ["provider", "purpose", "outcome"], registry=own
        )
        self._call = _times("citewise_model_call_seconds", "Requests to models", own, "provider", "purpose")
        self._tokens = Counter("citewise_model_tokens", "Tokens as told", ["provider", "direction"], registry=own)
        self._reranked = Counter(
            "citewise_reranked_answers", "Answers from reranked hits; first: whether the first was cited",
            ["first"], registry=own,
        )  # fmt: skip
        self._embed = _times("citewise_embedding_seconds", "Batches of texts embedded while storing", own)
        self._texts = Counter("citewise_embedded_texts", "Texts embedded while storing", registry=own)
        self._state = Gauge("citewise_library", "What the library holds", ["of"], registry=own)
        self._thumbs = Gauge("citewise_feedback", "Answers that have a thumb", ["thumb"], registry=own)
        self._score = Gauge("citewise_feedback_score", "Share of the thumbs that are up", registry=own)

    @contextmanager
    def turn(self, result: TurnResult) -> Iterator[None]:
        """While one runs; whatever way it ends, it counts by what came of it."""
        self.running, ended = self.running + 1, "stopped"
        try:
            yield
            ended = "replied"
        finally:
            self.running -= 1
            self._note(result, ended)

    def count_embedded(self, texts: int, seconds: float) -> None:
        """So many texts have got their vectors."""
        self._embed.observe(seconds)
        self._texts.inc(texts)
        self._remember("embed", seconds / max(1, texts))

    def figures(self) -> list[Figure]:
        """Of everything that was measured at least once."""
        known = [name for name in _FIRST if name in self._recent]
        names = [*known, *(name for name in list(self._recent) if name not in known)]
        return [Figure(name, self._counts[name], tuple(self._recent[name])) for name in names]

    def totals(self) -> Totals:
        turns = {labels["outcome"]: count for labels, count in _counted(self._turns)}
        calls: dict[str, tuple[int, int]] = {}
        for labels, count in _counted(self._calls):
            asked, failed = calls.get(labels["provider"], (0, 0))
            calls[labels["provider"]] = asked + count, failed + count * (labels["outcome"] == "failed")
        tokens = {"input": 0, "output": 0}
        for labels, count in _counted(self._tokens):
            tokens[labels["direction"]] += count
        first = {labels["first"]: count for labels, count in _counted(self._reranked)}
        embedded = sum(count for _, count in _counted(self._texts))
        return Totals(
            turns, calls, (tokens["input"], tokens["output"]), sum(first.values()), first.get("cited", 0), embedded
        )

    def first_cited(self) -> Share:
        """Of the answers from reranked hits those that cite the reranker's first."""
        last, totals = list(self._firsts), self.totals()
        return Share.of("first_cited", totals.first_cited, totals.reranked, last)

    def exposed(self, thumbs: Counts | None = None, **library: float) -> bytes:
        """In Prometheus' text form, with the thumbs and the figures of the library as they are now."""
        thumbs = thumbs or Counts()
        self._thumbs.labels("up").set(thumbs.up)
        self._thumbs.labels("down").set(thumbs.down)
        self._score.set(nan if thumbs.share is None else thumbs.share)
        for name, value in library.items():
            self._state.labels(name).set(value)
        return generate_latest(self.registry)

    def _note(self, result: TurnResult, ended: str) -> None:
        trace, answer = result.trace or Trace(), result.base_answer
        self._turns.labels(_outcome(result, ended)).inc()
        self._turn.observe(seconds := result.seconds)
        self._remember("turn", seconds)
        if result.first_word is not None:
            self._first.observe(result.first_word)
            self._remember("first_token", result.first_word)
        for step in trace.steps:
            if step.seconds > 0.0:  # 0: it says only why there was none
                self._step.labels(step.name).observe(step.seconds)
                self._remember(step.name, step.seconds)
        self.count_calls(trace.calls)
        if answer is not None and (first := first_cited(answer)) is not None:
            self._reranked.labels("cited" if first else "not_cited").inc()
            self._firsts.append(first)

    def count_calls(self, calls: Sequence[Call]) -> None:
        """Count requests to models: those of a turn, or of what went on after it."""
        for call in calls:
            outcome = "failed" if call.error else "answered"
            self._calls.labels(call.provider, call.purpose, outcome).inc()
            self._call.labels(call.provider, call.purpose).observe(call.seconds)
            self._tokens.labels(call.provider, "input").inc(call.input_tokens or 0)
            self._tokens.labels(call.provider, "output").inc(call.output_tokens or 0)

    def _remember(self, name: str, seconds: float) -> None:
        self._recent.setdefault(name, deque(maxlen=RECENT)).append(seconds)
        self._counts[name] = self._counts.get(name, 0) + 1


def _outcome(result: TurnResult, ended: str) -> str:
    if result.failed is not None:
        return "defect" if result.failed.error_id else "failed"
    if (answer := result.base_answer) is not None:
        return "remembered" if answer.remembered else "extracted" if answer.fallback_used else "answered"
    return "replied" if result.text else "offered" if result.offer else ended


def first_cited(answer: Answer) -> bool | None:
    """Whether the hit that the reranker put first is cited; None where nothing was reranked or cited."""
    cited = {citation.source for statement in answer.statements for citation in statement.citations}
    ranked = [(hit.scores["rerank"], -place) for place, hit in enumerate(answer.sources) if "rerank" in hit.scores]
    if not ranked or not cited or answer.remembered:
        return None
    return -max(ranked)[1] in cited


def _times(name: str, about: str, registry: CollectorRegistry, *labels: str) -> Histogram:
    return Histogram(name, about, labels, buckets=_SECONDS, registry=registry)


def _counted(counter: Counter) -> list[tuple[dict[str, str], int]]:
    """Its values by their labels."""
    found = [sample for metric in counter.collect() for sample in metric.samples if sample.name.endswith("_total")]
    return [(sample.labels, int(sample.value)) for sample in found]
