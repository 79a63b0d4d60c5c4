"""recall: the answer that the same question had before, shown as such."""

from __future__ import annotations

import uuid
from typing import Any

from langgraph.runtime import Runtime

from nodes.context import TurnContext
from nodes.events import Answered, Evaluated, Token, Traced
from nodes.state import State


async def recall(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, emit, remembered = runtime.context, runtime.context.emit, state["remembered"]
    assert remembered is not None
    assert remembered.answer is not None
    record = remembered.model_copy(update={"plan": state["plan"], "trace": context.trace})
    emit(Token(remembered.answer.text))
    emit(Answered(remembered.answer))
    if record.verdict is not None:
        emit(Evaluated(record.verdict))
    emit(Traced(context.trace))
    return {"messages": [record.message(remembered.answer.text, str(uuid.uuid4()))]}
