"""What stands beside an answer: plan, sources, trace, evaluation."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "details": Message(zh="详情", en="Details"),
    "d_source": Message(zh="来源", en="Source"),
    "d_plan": Message(zh="计划", en="Plan"),
    "d_trace": Message(zh="过程", en="Trace"),
    "d_evaluation": Message(zh="评估", en="Evaluation"),
}
