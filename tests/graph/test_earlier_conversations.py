"""Conversations that an earlier version has stored: without what later ones put beside a reply."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from graph.conversations import Conversations, config_of
from nodes.events import Answered, EvidenceFound
from nodes.state import Record
from schema import Plan
from tests.conftest import MakeSettings
from tests.graph.turn_cases import GUIDE, assistant_of, of, say, upload

SINCE = {"urls", "coverage"}  # fields of a record that versions before the web did not know
SINCE_OF_ORIGIN = {"source", "title"}


def without(value: Any) -> Any:
    if isinstance(value, dict):
        unknown = SINCE_OF_ORIGIN if "doc_type" in value else SINCE
        return {key: without(inner) for key, inner in value.items() if key not in unknown}
    return [without(inner) for inner in value] if isinstance(value, list) else value


def as_stored_before(message: AnyMessage) -> AnyMessage:
    record = message.additional_kwargs.get("record")
    return (
        AIMessage(message.content, id=message.id, additional_kwargs={"record": without(record)}) if record else message
    )


async def test_a_conversation_from_before_the_web_goes_on(make_settings: MakeSettings, tmp_path: Path) -> None:
    settings = make_settings()
    async with assistant_of(settings) as assistant:
        [answered] = of(
            await say(assistant, "How long to wait after priming the pump?", upload(tmp_path, "g.md", GUIDE)), Answered
        )
        messages = await assistant.history("t")
    assert answered.answer.sources
    conversations = await Conversations.open(Path(settings.data_dir) / "conversations.sqlite")
    await conversations.forget("t")
    plan = Plan(actions=("retrieve",), question="How long to wait after priming the pump?", language="en")
    del plan.__dict__["urls"]
    state = {"messages": [as_stored_before(message) for message in messages], "plan": plan}
    await conversations._graph.aupdate_state(config_of("t"), state, as_node="unknown")
    stored = await conversations._saver.conn.execute_fetchall("select checkpoint from checkpoints")
    assert not any(b"urls" in blob or b"coverage" in blob for [blob] in stored)
    await conversations.close()

    async with assistant_of(settings) as assistant:
        assert await assistant.offer("t") is None
        record = Record.of((await assistant.history("t"))[-1])
        assert record is not None
        assert record.answer is not None
        assert record.coverage is None
        assert record.plan.urls == ()
        assert record.answer.sources[0].origin.title == ""
        [again] = of(await say(assistant, "Answer again"), Answered)
        assert again.answer.sources[0].document == "g.md"
        assert of(await say(assistant, "What does a rattling noise mean?"), EvidenceFound)[0].evidence.hits
