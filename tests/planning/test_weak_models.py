"""Models that fill the plan's form with nonsense: what is certain stands, one bad field loses itself alone."""

import pytest
from pydantic import ValidationError

from planning.model_plan import INTENT_DROPPED, QUESTION_DROPPED, FilledFile, FilledPlan, merge, plan_messages
from planning.rules import plan_by_rules
from tests.each_row import each_row

LIBRARY = ("员工手册.md", "k8s-networking.md", "rust.md")
SETS = ("hr",)


def merged(message, **labels):
    rules = plan_by_rules(message, uploads=(), library=LIBRARY, doc_sets=SETS)
    return merge(
        rules, FilledPlan(intent="retrieve", **labels), message, uploads=(), library=LIBRARY, doc_sets=SETS
    ).plan


QUESTIONS = [
    "年假有几天？",
    "加班费怎么算",
    "差旅住宿费",
    "How many days of leave are there?",
    "Who approves travel?",
    "visa costs",
]
NONSENSE = {
    "intent": "unknown", "question": "zorp glib 无关词", "translation": "blah 胡言", "language": "en",
    "strategy": "hyde", "files": ["nope.md", "rust.md"], "doc_sets": ["nope"], "save_to": "nope", "chunking": "fixed",
    "chunk_size": 999_999_999, "chunk_overlap": -3, "urls": ["https://evil.example/x"],
}  # fmt: skip


def all_of(message, answer, **more):
    rules = plan_by_rules(message, uploads=(), library=LIBRARY, doc_sets=SETS)
    return rules, merge(rules, answer, message, uploads=(), library=LIBRARY, doc_sets=SETS, **more)


@each_row("message", QUESTIONS)
@each_row("intent", ["unknown", "save", "save_retrieve", "fetch_web"])
def test_nonsense_in_every_field_leaves_the_rules_plan_and_is_said(message, intent):
    rules, made = all_of(message, FilledPlan.model_validate(NONSENSE | {"intent": intent}))
    assert made.plan == rules
    assert made.notices == (INTENT_DROPPED,)


@each_row("message", QUESTIONS)
@each_row("field", [name for name in NONSENSE if name not in ("intent", "translation")])
def test_one_field_of_nonsense_loses_itself_alone(message, field):
    other = {"zh": "annual leave in days?", "en": "年假几天"}
    rules, made = all_of(message, FilledPlan.model_validate({"intent": "retrieve", field: NONSENSE[field]}))
    strange = field == "question"
    assert made.notices == ((QUESTION_DROPPED,) if strange else ())
    assert made.plan == rules.model_copy(update={"origin": "model"})
    good = {"intent": "retrieve", "translation": other[rules.language], field: NONSENSE[field]}
    assert bool(all_of(message, FilledPlan.model_validate(good))[1].plan.translated) is not strange


def test_a_certain_question_keeps_half_of_its_words():
    assert merged("年假和病假有几天？", question="年假和病假各有几天？").question == "年假和病假各有几天？"
    assert merged("加班费和差旅费怎么算", question="加班有意思吗").question == "加班费和差旅费怎么算"


def test_what_the_rules_are_certain_of_is_not_replaced():
    made = merged("用混合检索：关键词是怎么提取的？", strategy="keyword")
    assert made.strategy == "hybrid"
    made = merged("在员工手册.md里查：rust.md 是谁写的？", files=["rust.md"])
    assert "员工手册.md" in made.scope.documents


@each_row(
    ("given", "read"),
    [
        ({"language": "cn"}, {"language": "zh"}),
        ({"language": "en-US"}, {"language": "en"}),
        ({"language": "Klingon"}, {"language": None}),
        ({"intent": "Save & Retrieve"}, {"intent": "save_retrieve"}),
        ({"intent": "question"}, {"intent": "retrieve"}),
        ({"intent": ["retrieve"]}, {"intent": None}),
        ({"intent": "zorp"}, {"intent": None}),
        ({"chunk_size": "300 characters"}, {"chunk_size": 300}),
        ({"chunk_size": "1.5"}, {"chunk_size": None}),
        ({"chunk_size": True}, {"chunk_size": None}),
        ({"files": "a.md"}, {"files": ["a.md"]}),
        ({"files": ["a.md", 3, None]}, {"files": ["a.md"]}),
        ({"files": None, "urls": {}}, {"files": [], "urls": []}),
        ({"question": None, "reason": ["x"]}, {"question": "", "reason": ""}),
        ({"per_file": [{"file": "a.md", "chunk_size": "x"}, 7]}, {"per_file": [FilledFile(file="a.md")]}),
        ({"per_file": {"file": "a.md"}}, {"per_file": [FilledFile(file="a.md")]}),
    ],
)  # fmt: skip
def test_each_field_is_read_on_its_own(given, read):
    form = FilledPlan.model_validate({"intent": "retrieve", "save_to": "hr"} | given)
    assert {name: getattr(form, name) for name in read} == read
    assert form.save_to == "hr"


def test_a_form_without_an_intent_is_none():
    with pytest.raises(ValidationError):
        FilledPlan.model_validate({"question": "x"})


@each_row(
    ("message", "value", "strategy"),
    [
        ("加班费怎么算 (假设文档)", "HyDE search", "hyde"),
        ("加班费怎么算 (混合检索)", "bm25rerank", "hybrid"),
        ("加班费怎么算 (关键词)", "关键词", "keyword"),
    ],
)
def test_a_strategy_by_its_other_names(message, value, strategy):
    assert merged(message, strategy=value).strategy == strategy


@pytest.mark.parametrize(
    ("message", "begins", "translation", "ends"),
    [
        ("年假有几天？", "你读一条", "英文译文", "填写这张表。"),
        ("How many days of leave?", "You read one", "in Chinese", "for the last message."),
    ],
)
def test_the_prompt_speaks_the_language_of_the_message(message, begins, translation, ends):
    rules = plan_by_rules(message, uploads=(), library=LIBRARY)
    other = "en" if rules.language == "zh" else "zh"
    system, user = plan_messages(message, uploads=(), library=LIBRARY, rules=rules, translate_to=other)
    assert system[1].startswith(begins)
    assert translation in system[1]
    assert user[1].endswith(ends)
    assert all(name in system[1] for name in FilledPlan.model_fields if name not in ("per_file", "reason"))
