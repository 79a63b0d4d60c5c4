"""Questions that are made of documents: of which sentences, with which answers, and which are to be refused."""

from __future__ import annotations

from typing import Any

from evaluation.lab.cases import case_id
from evaluation.lab.making import frequencies, make_cases
from schema import Document
from tests.each_row import each_row

PUMP = """# How long must the pump wait?

The pump has to wait ninety seconds. Then it starts.

# Ready?

## Care

A gasket is a ring of rubber between two pipes. The tank holds 1,200 litres of cold water. Technicians of the northern \
harbour inspect every gasket, valve and bearing thoroughly each spring.
"""
STAFF = """## 年假可以分几次休？ ##

年假可以分三次休完。其余按规定办理。

体检补贴是指公司为员工支付的年度检查费用。每位员工每年享有15天带薪年假，由部门负责人批准。
"""
GARDEN = "The gardener cuts the hedge. Roses of the northern harbour inspect the western walls until late October."
HELD = [
    Document("pump.md", PUMP, language="en"), Document("手册.md", STAFF, language="zh"),
    Document("garden.md", GARDEN, language="en"),
]  # fmt: skip
MADE: dict[str, dict[str, Any]] = {
    "How long must the pump wait?": {"quote": "The pump has to wait ninety seconds.", "tags": ("faq", "en")},
    "年假可以分几次休？": {"quote": "年假可以分三次休完。", "tags": ("faq", "zh")},
    "What is gasket?": {"quote": "A gasket is a ring of rubber between two pipes.", "tags": ("definition", "en")},
    "什么是体检补贴？": {"quote": "体检补贴是指公司为员工支付的年度检查费用。", "tags": ("definition", "zh")},
    "The tank holds how many litres of cold water?": {
        "quote": "The tank holds 1,200 litres of cold water.", "answer": "1200", "tags": ("number", "en"),
    },
    "Technicians northern harbour inspect every": {  # the commoner ones, then the first
        "quote": "Technicians of the northern harbour inspect every gasket, valve and bearing thoroughly each spring.",
        "tags": ("words", "en"),
    },
    "Roses northern harbour inspect": {
        "quote": "Roses of the northern harbour inspect the western walls until late October.",
        "tags": ("words", "en"),
    },
}  # fmt: skip


def test_each_kind_of_question_rests_on_its_sentence() -> None:
    made = {case.question: case for case in make_cases(HELD, 50, refusals=0)}
    for question, wanted in MADE.items():
        case = made[question]
        assert [one.quote for one in case.evidence] == [wanted["quote"]]
        assert case.id == case_id(question, case.evidence[0].document)
        defined = "definition" in wanted["tags"]
        assert case.answer == (wanted["quote"] if defined else wanted.get("answer", ""))
        assert case.kind == ("number" if "number" in wanted["tags"] else "text")
        assert tuple(tag for tag in case.tags if tag not in ("self-made", "sentence")) == wanted["tags"]
        assert ("sentence" in case.tags) == ("faq" not in wanted["tags"])
    assert "Ready?" not in made  # too short to ask anything


def test_headings_that_ask_come_first_and_no_question_twice() -> None:
    for seed in range(3):
        made = [case.question for case in make_cases([*HELD, *HELD], 50, seed=seed, refusals=0)]
        assert {*made[:2]} == {"How long must the pump wait?", "年假可以分几次休？"}
        assert len(made) == len({*made})
        assert [case.question for case in make_cases([*HELD, *HELD], 50, seed=seed, refusals=0)] == made
    assert make_cases(HELD, 3, seed=1) != make_cases(HELD, 3, seed=2)


def test_no_more_are_made_than_wanted_and_a_share_of_them_is_refused() -> None:
    made = make_cases(HELD, 5, refusals=0.4)
    refused = [case for case in made if case.kind == "refuse"]
    assert (len(made), len(refused)) == (5, 2)
    for case in refused:
        assert (case.evidence, case.answer, case.tags[-1]) == ((), "", "refuse")
        assert case.id.endswith("-refuse")
        assert len(case.exclude) == 1
    asked = {case.question for case in made if case.kind != "refuse"}
    assert not asked & {case.question for case in refused}
    assert all(case.kind != "refuse" for case in make_cases(HELD[:2], 5, refusals=0.4))  # too few to tell


def test_what_other_documents_say_too_is_not_asked_without_its_own() -> None:
    same = [Document(f"{n}.md", PUMP, language="en") for n in range(4)]
    assert all(case.kind != "refuse" for case in make_cases(same, 50, refusals=1))


@each_row(
    "text",
    [
        "The following is a list of all the rules that apply here.",  # names nothing
        "It opens at 6 and closes again at 9 in the evening of each day.",  # two numbers
        "The pump of `pump.py` holds 12 litres of the cold water there.",  # markup
        "The tank holds 12 litres.",  # too short
        "Does the tank of the pump hold 12 litres of the cold water there?",
        "现在正是指标考核的时候，大家都要注意。",
    ],
)
def test_sentences_that_would_make_bad_questions_make_none(text: str) -> None:
    assert make_cases([Document("a.md", text, language="en")], 9) == []


def test_code_is_not_asked_about() -> None:
    text = "A gasket is a ring of rubber between two pipes."
    assert make_cases([Document("a.md", text, language="en")], 9)
    assert not make_cases([Document("a.py", text, kind="code", language="en")], 9)


def test_a_word_is_as_frequent_as_the_documents_that_hold_it() -> None:
    of = frequencies(HELD)
    assert [of(word) for word in ("harbour", "Gasket", "年假", "ocean")] == [2, 1, 1, 0]
