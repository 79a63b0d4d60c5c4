"""What nodes decide on their own: when to ask a model, what controls change, whether the web is offered."""

from __future__ import annotations

from langchain_core.messages import AIMessage, HumanMessage

from nodes.message_plan import _needs_model, _turns, apply_controls
from nodes.offer import _may_offer
from nodes.overrides import Overrides
from nodes.route import _answered_in, _repeated, next_step
from nodes.state import Controls, Record, last_record
from planning.model_form import PastTurn
from schema import Answer, Chunking, Coverage, FileChunking, Plan, Scope, Verdict
from tests.each_row import each_row

ASK = Plan(actions=("retrieve",), question="q", language="en", certain=True)
COVERED, LACKING = Coverage(0.9, 0.5, True), Coverage(0.1, 0.5, False)


@each_row(
    ("verdict", "coverage", "policy", "question", "wanted"),
    [
        (None, None, "ask", "q", False),
        (None, COVERED, "ask", "q", False),
        (None, LACKING, "ask", "q", True),
        (None, LACKING, "never", "q", False),
        (None, LACKING, None, "q", True),
        (None, LACKING, "always", "", False),
        (Verdict(faithfulness=3, relevance=3, completeness=3), COVERED, "ask", "q", False),
        (Verdict(faithfulness=2, relevance=5, completeness=5), COVERED, "ask", "q", True),
        (Verdict(faithfulness=5, relevance=2, completeness=5), COVERED, "always", "q", True),
        (Verdict(faithfulness=5, relevance=5, completeness=1), None, "ask", "q", True),
        (Verdict(support=0.1), COVERED, "ask", "q", False),  # not judged
    ],
)
def test_the_web_is_offered_where_the_library_or_the_answer_lacks(verdict, coverage, policy, question, wanted):
    record = Record(plan=ASK.model_copy(update={"question": question}), verdict=verdict, coverage=coverage)
    assert _may_offer(record, {"policy": policy} if policy else {}) is wanted


@each_row(("confidence", "offered"), [(0.3, True), (0.6, False)])
def test_the_web_is_not_offered_beside_an_answer_that_is_likely_right(confidence, offered):
    answer = Answer("It holds.", (), (), confidence, "en")
    record = Record(plan=ASK, answer=answer, coverage=Coverage(0.1, 0.35, False))
    assert _may_offer(record, {"policy": "ask"}) is offered


PER_FILE = (FileChunking(file="a.md", chunking=Chunking(size=500)),)
SAVE = Plan(actions=("save",), language="en", doc_set="hr", chunking=Chunking(strategy="fixed"), per_file=PER_FILE)
REST = Plan(actions=("save",), language="en", others=Chunking(strategy="recursive", size=900))
NAMED = ASK.model_copy(update={"missing_files": ("x.md",), "missing_sets": ("y",), "strategy": "hyde"})


@each_row(
    ("plan", "controls", "changes"),
    [
        (NAMED, Controls(), {}),
        (NAMED, Controls(strategy="keyword"), {"strategy": "keyword"}),
        (NAMED, Controls(scope=Scope(doc_sets=("hr",))),
         {"scope": Scope(doc_sets=("hr",)), "missing_files": (), "missing_sets": ()}),
        (NAMED, Controls(doc_set="hr", evaluate=False, language="zh"), {}),  # nothing is saved
        (SAVE, Controls(doc_set=""), {"doc_set": ""}),
        (SAVE, Controls(scope=Scope(doc_sets=("hr",))), {}),  # nothing is asked
        (SAVE, Controls(chunking=Chunking(size=300)), {
            "chunking": Chunking(strategy="fixed", size=300),
            "per_file": (FileChunking(file="a.md", chunking=Chunking(size=300)),),
        }),
        (REST, Controls(chunking=Chunking(size=300)), {
            "chunking": Chunking(size=300), "others": Chunking(strategy="recursive", size=300),
        }),
    ],
)  # fmt: skip
def test_controls_beat_words(plan, controls, changes):
    expected = plan.model_copy(update=changes | {"origin": "controls"}) if changes else plan
    assert apply_controls(plan, controls) == expected


def test_the_language_of_the_answer_is_the_one_that_is_asked_for():
    assert _answered_in(ASK, Controls()) == ASK
    other = Controls(overrides=Overrides(language="zh"))
    assert _answered_in(ASK, other) == ASK.model_copy(update={"language": "zh", "answer_language": "zh"})


@each_row(
    ("plan", "strategy", "leans", "languages", "needed"),
    [
        (ASK, None, False, set(), False),
        (ASK, None, False, {"en"}, False),
        (ASK, None, False, {"en", "zh"}, True),  # a translation
        (ASK, "keyword", False, {"en", "zh"}, False),  # who sets it chooses speed
        (ASK, "keyword", False, {"zh"}, True),  # nothing would be found
        (ASK, None, False, {"zh"}, True),
        (ASK.model_copy(update={"certain": False}), None, False, {"en"}, True),
        (ASK.model_copy(update={"certain": False}), "keyword", False, {"en"}, False),
        (ASK.model_copy(update={"certain": False}), "keyword", True, {"en"}, True),
        (SAVE.model_copy(update={"certain": True}), None, False, {"en", "zh"}, False),
        (SAVE, "keyword", False, {"zh"}, True),
        (ASK.model_copy(update={"actions": ("save", "retrieve")}), "keyword", False, {"en", "zh"}, True),
    ],
)
def test_a_model_is_asked_where_it_could_do_better(plan, strategy, leans, languages, needed):
    assert _needs_model(plan, Controls(strategy=strategy), leans, frozenset(languages)) is needed


@each_row(
    ("actions", "step"),
    [
        ((), "unknown"), (("retrieve",), "retrieve"), (("fetch_web", "retrieve"), "fetch_web"),
        (("save", "fetch_web", "retrieve"), "save"),
    ],
)  # fmt: skip
def test_the_first_step_of_a_plan(actions, step):
    assert next_step({"plan": Plan(actions=actions, language="en")}) == step


def test_again_means_the_last_question_that_was_answered():
    read = ASK.model_copy(
        update={"actions": ("fetch_web", "retrieve"), "urls": ("https://a.org",), "question": "q https://a.org"}
    )
    said = [HumanMessage("q"), Record(plan=read).message("a"), HumanMessage("save"), Record(plan=SAVE).message("b")]
    now = HumanMessage("again")
    assert _repeated({"messages": [*said, now]}) == read.model_copy(
        update={"actions": ("retrieve",), "urls": (), "question": "q"}
    )
    assert _repeated({"messages": [*said[2:], now]}) is None
    assert _repeated({"messages": [now]}) is None
    assert last_record({"messages": [*said, now]}) == Record(plan=SAVE)
    assert last_record({"messages": [now]}) is None


def test_a_model_reads_the_conversation_without_its_markers():
    web = SAVE.model_copy(update={"actions": ("fetch_web",)})
    messages = [
        HumanMessage("How long [1]?"),
        Record(plan=ASK, answer=Answer("Ten days [1].⚠")).message("Ten days [1].⚠ So[12]⚠"),
        Record(plan=SAVE).message("saved a.md"),
        Record(plan=web).message("read https://a.org"),
        AIMessage("of an older version"),
    ]
    assert _turns(messages) == [
        PastTurn("user", "How long ?"),
        PastTurn("assistant", "Ten days . So", quotes=True),
        PastTurn("assistant", "saved a.md"),
        PastTurn("assistant", "read https://a.org", quotes=True),
        PastTurn("assistant", "of an older version", quotes=True),
    ]
