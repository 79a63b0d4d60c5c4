"""Conversations of earlier versions are read, though modules are called otherwise by now."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from graph.checkpoints import FORMER_MODULES, checkpointed_types
from schema import Plan


@pytest.mark.parametrize("former", ["schema.said", "schema"])
def test_a_plan_under_a_former_module(former: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(actions=("retrieve",), question="年假有几天？")
    serde = JsonPlusSerializer(allowed_msgpack_modules=checkpointed_types())
    with monkeypatch.context() as earlier:
        earlier.setattr(Plan, "__module__", former)
        kind, stored = serde.dumps_typed(plan)
    assert former.encode() in stored
    read = serde.loads_typed((kind, stored))
    assert type(read) is Plan
    assert read == plan


def test_former_names_are_no_modules_any_more() -> None:
    import importlib.util

    checkpointed_types()
    for former, now in FORMER_MODULES.items():
        assert importlib.util.find_spec(now) is not None
        assert importlib.import_module(former) is importlib.import_module(now)
