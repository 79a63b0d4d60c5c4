"""What the evaluation lab is asked for by other programs, and what it says (doors/lab.py)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from doors.forms import Form, Name, Shown, Strategy, either
from nodes.overrides import AnswerLanguage, Rerank, TopK

MOST_CASES = 10_000  # of a set that a program sends


class EvaluateSet(Form):
    set: Name = either(
        "问题集的名称（如 golden）；与 questions 二选一", "a question set by its name (golden); or give `questions`",
        default="",
    )  # fmt: skip
    questions: list[dict[str, Any]] = either(
        "题目：question，及 answer、evidence [{document, quote}]、kind、tags 等；存入名为 set 的问题集（覆盖原有题目）",
        "cases: question, and answer, evidence [{document, quote}], kind, tags; they replace the set `set`",
        default=[], max_length=MOST_CASES,
    )  # fmt: skip
    run: Name = either("这次运行的名称；空：自动命名", "name of the run; empty: one is given", default="")
    against: Name = either("与之对比的运行", "a run to compare it with", default="")
    gates: Annotated[list[Name], Field(max_length=20)] = either(
        "门槛，如 recall@5 >= -0.02", "gates such as recall@5 >= -0.02", default=[]
    )
    answers: bool = either("也生成回答（默认只检索）", "answers as well as passages", default=False)
    strategy: Strategy = either("检索策略；空：自动", "retrieval strategy; empty: automatic", default=None)
    top_k: TopK = None
    rerank: Rerank = None
    language: AnswerLanguage = None


class GroupFigures(BaseModel):
    """Of people's questions, or of self-made ones: never of both in one mean."""

    cases: int
    figures: dict[str, float]  # means, by name: recall@5, ndcg@10, correct ...
    went_wrong: dict[str, int]  # how many cases, by the step that is to be changed
    stale: int  # cases whose quote is no longer in the library
    failures: int
    milliseconds: float  # of half of the cases at most


class WrongCase(BaseModel):
    id: str
    question: Shown
    went_wrong: str
    why: Shown  # in words, or what failed
    answer: Shown = ""
    conversation: str = ""  # that holds the answer's trace


class FigureDifference(BaseModel):
    difference: float
    low: float  # the 95 % interval
    high: float
    p: float
    verdict: str


class GateResult(BaseModel):
    gate: str
    holds: bool
    sure: bool  # a miss that is more than chance


class SetComparison(BaseModel):
    against: str
    cases: int
    differences: dict[str, FigureDifference]
    wins: list[str]  # ids of cases
    losses: list[str]
    ties: int
    lost_to: dict[str, int]
    gates: list[GateResult]


class EvaluateSetResult(BaseModel):
    run: str
    set: str
    people: GroupFigures | None = None
    self_made: GroupFigures | None = None
    wrong: list[WrongCase] = []  # the first of them
    comparison: SetComparison | None = None
    notices: list[Shown] = []


class NamedSet(Form):
    name: Name


class NamedRun(NamedSet):
    pass


class PutSet(NamedSet):
    jsonl: str  # a case a line


class MakeQuestions(Form):
    with_model: bool = False
    count: int = Field(100, ge=1, le=MOST_CASES)
    doc_set: Name | None = None
    seed: int = 0


class FetchSet(NamedSet):
    count: int = Field(100, ge=1, le=100_000)
    address: Name = ""
    documents: bool = True
    seed: int = 0


class RunCostOf(Form):
    making: bool = False  # questions, and not answers
    questions: int = Field(ge=0)
    judge: bool = False


class RunSet(NamedSet):
    set_name: Name
    jsonl: str
    variant: dict[str, Any] = Field({})
    answers: bool = False
    judge: bool = False


class ChooseSettings(Form):
    jsonl: str
    chunking: bool = False
    embeddings: bool = False
    answers: bool = False
    seed: int = 0


class ApplyVariant(Form):
    variant: dict[str, Any]


class CasesResult(BaseModel):
    jsonl: str
    dropped: dict[str, int] = {}  # questions of a model that were not kept, by the reason


class StoredSets(BaseModel):
    sets: list[dict[str, Any]]


class StoredRuns(BaseModel):
    runs: list[dict[str, Any]]


class RunResult(BaseModel):
    info: dict[str, Any]
    results: list[dict[str, Any]]


class FetchSetResult(BaseModel):
    fetched: dict[str, Any]


class CostResult(BaseModel):
    cost: dict[str, Any] | None


class ChoiceResult(BaseModel):
    choice: dict[str, Any]


class UndoneResult(BaseModel):
    variant: dict[str, Any] | None


class LabHappening(BaseModel):
    """How far a run is, or at the end what came of it."""

    done: int = 0
    total: int = 0  # 0: nobody knows
    failures: int = 0
    result: dict[str, Any] | None = None
