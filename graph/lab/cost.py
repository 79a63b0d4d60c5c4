"""What a run may cost where a model is asked, told before it is."""

from __future__ import annotations

from typing import NamedTuple

from graph.turns import Assistant

_CALLS = 2  # to a model for an answer: the plan and the answer; a judge takes one more
_WRITTEN = 400  # tokens of an answer, about


class RunCost(NamedTuple):
    """At most, about."""

    model: str
    calls: int
    tokens: int
    cost: float | None  # None where the settings name no price
    currency: str


def run_cost(assistant: Assistant, questions: int, judge: bool = False) -> RunCost | None:
    """Of so many answers; None where there is no model to ask."""
    tokens = questions * (1 + judge) * (assistant.settings.max_context_length + _WRITTEN)
    return model_cost(assistant, questions * (_CALLS + judge), tokens)


def model_cost(assistant: Assistant, calls: int, tokens: int) -> RunCost | None:
    model, price = assistant.chain.model(), assistant.settings.llm_input_price
    if model is None:
        return None
    cost = tokens * price / 1_000_000 if price else None
    return RunCost(model.name, calls, tokens, cost, assistant.settings.llm_currency)
