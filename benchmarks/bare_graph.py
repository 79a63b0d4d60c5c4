"""The least that streams an answer from LangGraph: what a turn's CPU is compared with.

Four nodes (plan, retrieve, answer, evaluate) that are plain functions around one streamed call of ChatOpenAI; no
checkpoints, no checks, nothing stored. `calls=True` makes the plan and the judgement a model's, as ours are.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from pydantic import SecretStr

from evaluation.judges import Judgement
from planning.model_plan import FilledPlan, plan_messages


class Turn(TypedDict, total=False):
    question: str
    sources: list[str]
    answer: str
    verdict: str


class BareGraph:
    """One graph and one client, used again for every question, as a program would."""

    def __init__(self, base_url: str, *, calls: bool = False) -> None:
        self._chat = ChatOpenAI(model="m", base_url=base_url, api_key=SecretStr("none"), stream_usage=True)
        self._calls = calls
        graph = StateGraph(Turn)
        for name in ("plan", "retrieve", "answer", "evaluate"):
            graph.add_node(name, getattr(self, f"_{name}"))
        graph.add_edge(START, "plan")
        graph.add_edge("plan", "retrieve")
        graph.add_edge("retrieve", "answer")
        graph.add_edge("answer", "evaluate")
        graph.add_edge("evaluate", END)
        self._graph = graph.compile()

    async def stream(self, question: str, sources: list[str]) -> AsyncGenerator[str, None]:
        """The answer's pieces. The sources stand for a search that costs nothing."""
        async for piece in self._graph.astream({"question": question, "sources": sources}, stream_mode="custom"):
            yield str(piece)

    async def _plan(self, state: Turn) -> Turn:
        if self._calls:
            prompt = plan_messages(state["question"], uploads=(), library=())
            await self._chat.with_structured_output(FilledPlan).ainvoke(prompt)
        return {}

    def _retrieve(self, state: Turn) -> Turn:
        return {"sources": state["sources"]}

    async def _answer(self, state: Turn) -> Turn:
        write, pieces = get_stream_writer(), []
        async for part in self._chat.astream(_prompt(state)):
            if part.text:
                write(str(part.text))
                pieces.append(str(part.text))
        return {"answer": "".join(pieces)}

    async def _evaluate(self, state: Turn) -> Turn:
        if self._calls:
            await self._chat.with_structured_output(Judgement).ainvoke(_prompt(state))
        return {"verdict": f"{len(state['answer'])} characters"}


def _prompt(state: Turn) -> list[Any]:
    parts = [f'<source number="{number}">\n{text}\n</source>' for number, text in enumerate(state["sources"], 1)]
    system = "Answer from the sources. End every sentence with the number of its source, like [1]."
    return [("system", system), ("user", "\n\n".join([*parts, f"Question: {state['question']}"]))]
