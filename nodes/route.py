"""route: one message in, one Plan out. Rules first; a model only where the rules are not certain."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from nodes.context import TurnContext
from nodes.events import PlanMade
from nodes.message_plan import apply_controls, planned
from nodes.state import Controls, Record, State, last_message, web_policy
from planning.answer_language import read_answer_language
from planning.missing_names import missing_name_notices
from planning.new_answer import NewAnswerWish, read_new_answer_wish
from schema import Language, Message, Plan
from web.problems import SWITCHED_OFF


async def route(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, controls = runtime.context, state["controls"]
    if (given := state.get("given")) is not None:
        given = _answered_in(given, controls)
        context.emit(PlanMade(given, tuple(missing_name_notices(given))))
        return {"plan": given}
    asked = read_answer_language(last_message(state))
    wish = NewAnswerWish(False, asked.message) if state["uploads"] else read_new_answer_wish(asked.message)
    # "answer again", "in English please": of what was asked last
    alone = (wish.anew or asked.language) and not wish.message and not state["uploads"]
    plan = _repeated(state) if alone else None
    notices: list[Message] = []
    if plan is None:
        with context.timed("plan"):
            found = await planned(wish.message or last_message(state), state, context, wish.anew)
        plan, notices = found.plan, [*found.notices]
        if note := next(iter(notices), found.note):
            context.note(note)
    plan = apply_controls(plan, controls).model_copy(update={"anew": wish.anew or plan.anew})
    plan = _answered_in(plan, controls, asked.language)
    aside = "retrieve" in plan.actions and (not plan.urls or plan.scope or state["uploads"])  # there is more to answer
    if "fetch_web" in plan.actions and aside and web_policy(state, context.settings) == "never":
        plan = plan.model_copy(update={"actions": tuple(one for one in plan.actions if one != "fetch_web")})
        notices.append(SWITCHED_OFF)
    runtime.context.emit(PlanMade(plan, (*notices, *missing_name_notices(plan))))
    return {"plan": plan}


def _repeated(state: State) -> Plan | None:
    """The plan of the last answer, for "answer again" and no more."""
    records = (Record.of(message) for message in reversed(state["messages"][:-1]))
    last = next((record for record in records if record and "retrieve" in record.plan.actions), None)
    return (
        last.plan.model_copy(update={"actions": ("retrieve",), "urls": (), "question": last.plan.asked})
        if last
        else None
    )


def next_step(state: State) -> str:
    """The name of the node after route: what the plan says runs in this order."""
    return next((action for action in ("save", "fetch_web", "retrieve") if action in state["plan"].actions), "unknown")


def _answered_in(plan: Plan, controls: Controls, asked_language: Language | None = None) -> Plan:
    """In the language that is asked for, by a control or else in words. Last of all: whatever is planned goes by the
    language of the question."""
    language = controls.overrides.language or asked_language or plan.answer_language
    return plan if language is None else plan.model_copy(update={"language": language, "answer_language": language})
