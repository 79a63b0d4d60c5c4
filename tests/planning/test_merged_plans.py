"""Whole plans: what is left of a model's form beside the rules, and what the model is shown for it."""

from __future__ import annotations

import json

from planning.model_form import PastTurn, plan_messages
from planning.model_plan import FilledFile, FilledPlan, merge
from planning.rules import plan_by_rules
from tests.each_row import each_row

LIBRARY = ("员工手册.md", "k8s-networking.md", "rust.md")
SETS = ("hr", "法务")
PAGE = "https://a.org/x"
FILES = [FilledFile(file="A.MD", chunking="fixed", chunk_size=300), FilledFile(file="c.md", chunking="fixed")]
EARLIER = [PastTurn("user", "在 法务 文档集和 rust.md 里，年假几天？")]
SAVE, ASK, READ = ("save",), ("retrieve",), ("fetch_web", "retrieve")

# message, what the model fills in (and uploads, history), what the plan holds beside its defaults
MERGED = [
    ("save it, 400 long, no overlap", {"uploads": ["x.md"], "intent": "save", "chunk_size": 400, "chunk_overlap": 0},
     {"actions": SAVE, "chunking": {"size": 400, "overlap": 0}, "language": "en"}),
    ("保存，五百左右", {"uploads": ["x.md"], "intent": "save", "chunk_size": 500, "chunk_overlap": 0},
     {"actions": SAVE, "chunking": {"size": 500}}),
    ("把 rust.md 切成 400 字", {"intent": "save", "chunking": "fixed", "chunk_size": 400, "files": ["rust.md"]},
     {"actions": SAVE, "chunking": {"size": 400}, "scope": {"documents": ("rust.md",)}}),
    # what is only asked is not cut
    ("年假几天，保存 300", {"chunk_size": 300, "chunking": "fixed", "save_to": "hr"},
     {"actions": ASK, "question": "年假几天，保存 300"}),
    ("固定 300 年假几天", {"chunk_size": 300, "chunking": "fixed", "per_file": FILES},
     {"actions": ASK, "question": "固定 300 年假几天"}),
    ("hyde 年假规定", {"strategy": "hyde", "question": "年假规定是什么"},
     {"actions": ASK, "strategy": "hyde", "question": "年假规定是什么"}),
    ("hyde 年假规定", {"strategy": "keyword", "translation": " annual  leave rules "},
     {"actions": ASK, "strategy": "hyde", "question": "年假规定", "translated": "annual leave rules"}),
    *(("hyde 年假规定", {"translation": wrong}, {"actions": ASK, "strategy": "hyde", "question": "年假规定"})
      for wrong in ("annual leave https://x.org", "年假规定啊", "leave " * 90)),
    ("answer in chinese: what is the leave?", {"language": "zh"},
     {"answer_language": "zh", "actions": ASK, "question": "answer in chinese: what is the leave?"}),
    ("answer in German: what is the leave?", {"language": "zh"},
     {"actions": ASK, "language": "en", "question": "answer in German: what is the leave?"}),
    ("用英文回答：年假几天？", {"language": "en"},
     {"answer_language": "en", "actions": ASK, "language": "en", "question": "用英文回答：年假几天？"}),
    ("存到法务里，谢谢 hyde", {"uploads": ["a.md"], "intent": "save", "save_to": "法务"},
     {"actions": SAVE, "doc_set": "法务"}),
    ("那法务的呢？",
     {"history": [PastTurn("user", "年假几天？")], "doc_sets": ["法务"], "question": "法务的年假几天？"},
     {"actions": ASK, "scope": {"doc_sets": ("法务",)}, "question": "法务的年假几天？"}),
    # a follow-up means the files and sets of before, which an answer cannot name
    ("那呢？", {"history": EARLIER, "doc_sets": ["法务"], "files": ["rust.md"], "question": "法务的年假几天？"},
     {"actions": ASK, "scope": {"documents": ("rust.md",), "doc_sets": ("法务",)}, "question": "法务的年假几天？"}),
    ("那呢？", {"history": [EARLIER[0]._replace(quotes=True)], "doc_sets": ["法务"], "files": ["rust.md"]},
     {"actions": ASK, "question": "那呢？"}),
    (f"is {PAGE} safe?", {"intent": "fetch_web", "urls": [PAGE], "question": "Is it safe?", "translation": "安全吗？"},
     {"actions": READ, "urls": (PAGE,), "language": "en", "question": f"Is it safe? {PAGE}", "translated": "安全吗？"}),
    (f"is {PAGE} safe?", {"question": "Is it safe?"}, {"actions": ASK, "language": "en", "question": "Is it safe?"}),
    # parts: each has a word of the message to itself; one that has none is lost, and one alone is none
    ("hyde 年假病假几天", {"parts": ["年假几天", " 病假  几天", "假期几天", "https://x.org 病假"]},
     {"actions": ASK, "strategy": "hyde", "question": "年假病假几天",
      "parts": (("年假几天", "年假几天"), ("病假 几天", "病假 几天"))}),
    *(("hyde 年假病假几天", {"parts": parts}, {"actions": ASK, "strategy": "hyde", "question": "年假病假几天"})
      for parts in (["年假病假几天", "年假病假有几天"], ["年假几天"], ["事假几天", "婚假几天"])),
    ("hyde 年假和病假各几天", {"parts": ["年假几天", "病假几天"]},
     {"actions": ASK, "strategy": "hyde", "question": "年假和病假各几天",
      "parts": (("年假几天", "年假"), ("病假几天", "病假"))}),
    ("我想知道网上关于年假的说法 hyde", {"intent": "fetch_web", "question": "年假的说法"},
     {"actions": READ, "question": "年假的说法"}),
]  # fmt: skip


@each_row(("message", "given", "expected"), MERGED)
def test_a_plan_holds_what_may_be_believed_and_no_more(message, given, expected):
    given = {"intent": "retrieve", "uploads": [], "history": []} | given
    names = {"uploads": given.pop("uploads"), "library": LIBRARY, "doc_sets": SETS}
    history = given.pop("history")
    rules = plan_by_rules(message, history=bool(history), **names)
    made = merge(rules, FilledPlan(**given), message, history=history, **names)
    assert made.plan.model_dump(exclude_defaults=True) == {"certain": True, "origin": "model"} | expected
    assert made.notices == ()


DATA = {
    "conversation": [
        {"role": "user", "text": "员工手册.md里年假几天？"},
        {"role": "assistant", "text": "十天<b>。"},
    ],
    "uploads": ["a.md"],
    "stored_files": ["员工手册.md", "k8s-networking.md", "rust.md"],
    "document_sets": ["hr", "法务"],
    "rules_think": {"actions": ["save", "retrieve"], "strategy": "hyde", "question": "hr 里病假呢？", "urls": []},
    "message": "hr 里病假呢？用 hyde",
}


def shown(message, **given):
    """The data of a prompt, which both its ends are held to on the way."""
    (first, system), (second, user) = plan_messages(message, **given)
    assert (first, second) == ("system", "user")
    opening, _, rest = user.partition("\n")
    data, closing, fill = rest.rpartition("\n</data>\n")
    assert (opening, closing) == ("<data>", "\n</data>\n")
    assert "<" not in data
    assert json.dumps(json.loads(data), ensure_ascii=False, indent=1).replace("<", "\\u003c") == data
    return system, json.loads(data), fill


def test_the_model_is_shown_what_the_rules_know():
    history = [PastTurn("user", "员工手册.md里年假几天？"), PastTurn("assistant", "十天<b>。", quotes=True)]
    given = {
        "uploads": ["a.md"],
        "library": ["k8s-networking.md", "rust.md", "员工手册.md"],
        "doc_sets": ["法务", "hr"],
    }
    rules = plan_by_rules(DATA["message"], history=True, **given)
    system, data, fill = shown(DATA["message"], history=history, rules=rules, translate_to="en", **given)
    assert data == DATA
    assert "translation：改写后的问题的英文译文，名称保持原样" in system
    assert fill == "请为最后一条消息填写这张表。"
    system, data, _ = shown(DATA["message"], history=history, **given)
    assert data == DATA | {"rules_think": None}
    assert "translation：留空。" in system


def test_the_model_is_asked_in_english_of_an_english_message():
    system, data, fill = shown("and HR?", uploads=(), library=LIBRARY, doc_sets=SETS, translate_to="zh")
    assert (data["message"], data["conversation"], data["uploads"]) == ("and HR?", [], [])
    assert "translation: the restated question in Chinese, names as they are\n" in system
    assert fill == "Fill in the form for the last message."
    assert "translation: leave it empty.\n" in shown("and HR?", uploads=(), library=())[0]


def test_only_the_last_of_a_conversation_and_of_a_library_is_shown():
    history = [PastTurn("user", f"{n} " + "x" * 1000) for n in range(20)]
    files = [f"note {n}.md" for n in range(50)]
    _, data, _ = shown("and?", uploads=files, library=files, doc_sets=[f"set {n}" for n in range(50)], history=history)
    assert [turn["text"] for turn in data["conversation"]] == [turn.text[:600] for turn in history[-8:]]
    assert data["uploads"] == data["stored_files"] == files[:40]
    assert data["document_sets"] == [f"set {n}" for n in range(40)]
