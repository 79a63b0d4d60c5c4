"""offer: what the library lacks may be looked for in the web, if the person agrees. The graph waits here, nobody else.

It comes after the answer that the library can give, so that nobody has to press a button for that.
"""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from answering.confidence import is_answered
from nodes.context import TurnContext
from nodes.events import Replied
from nodes.state import Record, State, last_record
from schema import Message, Plan, Verdict

WEAK = 2  # of 5: a judge's score at which an answer is not good enough


async def offer(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Runs again from its top when the person has answered: what it looks at has to be in the checkpoint."""
    record = last_record(state)
    answered = state["messages"][-1].type == "human"  # what is offered stands, whatever has been switched off since
    if record is None or not (answered or _may_offer(record, state)):
        return {"agreed": False}
    text = NOT_COVERED if _lacks_answer(record) else NOT_GOOD
    agreed = interrupt({"action": "fetch_web", "text": text._asdict(), "question": record.plan.question})
    if not agreed and answered:  # in words, which have a reply
        reply = FINE.to(record.plan.language)
        runtime.context.emit(Replied(reply))
        return {"agreed": False, "messages": [Record(plan=Plan(language=record.plan.language)).message(reply)]}
    return {"agreed": bool(agreed)}


def next_step(state: State) -> str:
    return "fetch_web" if state["agreed"] else "end"


def _may_offer(record: Record, state: State) -> bool:
    """Once a turn; not to who asks of a part of the library alone.

    Even where the policy is "always", an answer that a judge finds weak stays: nothing replaces it unasked.
    """
    if not record.plan.question or state.get("policy") == "never":
        return False
    return _lacks_answer(record) or _weak(record.verdict)


def _lacks_answer(record: Record) -> bool:
    if record.coverage is None:
        return False
    return not is_answered(record.coverage, record.answer.confidence if record.answer else 0.0)


def _weak(verdict: Verdict | None) -> bool:
    scores = (verdict.faithfulness, verdict.relevance, verdict.completeness) if verdict else ()
    return any(score is not None and score <= WEAK for score in scores)


FINE = Message(zh="好的，不搜索。", en="Fine, no search then.")
NOT_COVERED = Message(
    zh="知识库似乎没有涵盖这个问题。要上网搜索吗？只有这个问题会发给搜索引擎。",
    en="The library does not seem to cover this question. Search the web? Only the question goes to a search engine.",
)
NOT_GOOD = Message(
    zh="这个回答的评分不高。要上网搜索更多资料吗？只有这个问题会发给搜索引擎。",
    en="This answer was not rated well. Search the web for more? Only the question goes to a search engine.",
)
