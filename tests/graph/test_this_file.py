"""What a question searches that names no file: the one spoken of last, the one uploaded, the pages fetched for it."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

from nodes.search_request import search_request, with_pages
from nodes.state import Record, State, Upload, WebRun, begin_state
from planning.rules import plan_by_rules
from schema import EVERYWHERE, Plan, Scope
from tests.each_row import each_row

LIBRARY = ("pump.md", "valve.md", "手册.md")
THIS = {"en": "What does this file say about warranty?", "zh": "这个文件对保修怎么说？"}


def plan_of(question: str) -> Plan:
    return plan_by_rules(question, uploads=(), library=LIBRARY)


def after(question: str, *files: str) -> State:
    """The last of several messages; an earlier one came with these files."""
    saved = HumanMessage("save", additional_kwargs={"files": [*files]})
    return begin_state([saved, HumanMessage("Thank you."), HumanMessage(question)])


@each_row("question", [*THIS.values()])
def test_this_file_is_the_one_that_came_last(question: str) -> None:
    searched = search_request(plan_of(question), after(question, "gone.md", "valve.md"), LIBRARY)
    assert searched.scope == Scope(documents=("valve.md",))  # of the other one nothing is stored
    assert search_request(plan_of(question), after(question, "gone.md"), LIBRARY).scope == EVERYWHERE
    assert search_request(plan_of(question), after(question), ["pump.md"]).scope == Scope(documents=("pump.md",))


@each_row("question", [*THIS.values()])
def test_this_file_is_the_one_that_was_asked_about(question: str) -> None:
    state = after(question, "valve.md")
    asked = Record(plan=plan_of("What does pump.md say about oil?")).message("It needs oil.")
    state["messages"] = [state["messages"][0], asked, state["messages"][-1]]
    assert search_request(plan_of(question), state, LIBRARY).scope == Scope(documents=("pump.md",))


def test_who_speaks_of_no_file_asks_all_of_them() -> None:
    question = "How long is the warranty?"
    assert search_request(plan_of(question), after(question, "valve.md"), LIBRARY).scope == EVERYWHERE


def test_what_is_uploaded_with_a_question_is_asked_about() -> None:
    question = "How long is the warranty?"
    state: State = {**after(question), "uploads": [Upload(name="new.md", path="")]}  # type: ignore[typeddict-item]
    assert search_request(plan_of(question), state, LIBRARY).scope == EVERYWHERE  # nothing of it is stored
    plan = plan_of(question).model_copy(update={"doc_set": "Pumps"})
    found = search_request(plan, {**state, "saved": True}, LIBRARY).scope
    assert (found.documents, found.doc_sets) == (("new.md",), ("Pumps",))


def test_pages_that_were_fetched_are_asked_about() -> None:
    question = "What does https://example.com/a say about oil?"
    run = WebRun(documents=("example.com/a",), doc_set="web")
    state: State = {**after(question), "web": run}  # type: ignore[typeddict-item]
    wanted = search_request(plan_of(question), state, LIBRARY)
    assert wanted.scope == Scope(documents=("example.com/a",), doc_sets=("web",))
    assert with_pages(wanted, run) == wanted
    named = search_request(plan_of("What does pump.md say about oil?"), after(""), LIBRARY)
    assert with_pages(named, run).scope == Scope(documents=("pump.md", "example.com/a"))
    assert with_pages(named, WebRun()) == named
