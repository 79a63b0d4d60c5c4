"""Whole plans of single messages, of every kind that the rules tell apart."""

from __future__ import annotations

from planning.rules import plan_by_rules
from tests.each_row import each_row

LIBRARY = ("员工手册.md", "k8s-networking.md", "rust.md", "2025 Q3 report.md")
SETS = ("hr", "法务")
NONE, ASK, SAVE, READ = (), ("retrieve",), ("save",), ("fetch_web",)
BOTH, WEB = ("save", "retrieve"), ("fetch_web", "retrieve")

# message, uploads, actions, question (None: as typed), and what else is not as it is by default; certain where not said
PLANS = [
    ("", (), NONE, "", {"unclear": "noise"}),
    ("aa", (), ASK, None, {"language": "en"}),
    ("aab", (), ASK, None, {"language": "en"}),
    ("aaa bbb", (), NONE, None, {"unclear": "noise", "language": "en"}),
    ("啊啊", (), NONE, None, {"unclear": "noise"}),
    ("12 34", (), NONE, None, {"unclear": "noise"}),
    ("x", (), NONE, None, {"unclear": "noise", "language": "en"}),
    ("qwer", (), NONE, None, {"unclear": "noise", "language": "en"}),
    ("hello asdf", (), ASK, None, {"language": "en"}),
    ("rust.md's author", (), ASK, "its author", {"scope": {"documents": ("rust.md",)}, "language": "en"}),
    ("对比 rust.md 和 员工手册.md 的作者", (), ASK,
     "对比它们的作者", {"scope": {"documents": ("rust.md", "员工手册.md")}}),
    ("who wrote rust.md and k8s-networking.md?", (), ASK,
     "who wrote them?", {"scope": {"documents": ("rust.md", "k8s-networking.md")}, "language": "en"}),
    ("保存，一千二一段", ("a.md",), SAVE, "", {"chunking": {"size": 1200}}),
    ("每片两千五百字", ("a.md",), SAVE, "", {"chunking": {"size": 2500}}),
    ("在 hr 文档集里查年假", (), ASK, "年假", {"scope": {"doc_sets": ("hr",)}}),
    ("in the hr and 法务 collections, who signs?", (), ASK,
     "who signs?", {"scope": {"doc_sets": ("hr", "法务")}, "language": "en"}),
    ("在 财务 文档集里查年假", (), ASK, "年假", {"missing_sets": ("财务",)}),
    ("保存到 财务 文档集", ("a.md",), SAVE, "", {"doc_set": "财务"}),
    ("save it to the Legal collection, then who signs?", ("a.md",), BOTH,
     "who signs?", {"doc_set": "Legal", "language": "en"}),
    ("除了 rust.md，哪里讲了内存？", (), ASK,
     "哪里讲了内存？", {"scope": {"documents": ("员工手册.md", "k8s-networking.md", "2025 Q3 report.md")}}),
    ("not in rust.md: where is memory discussed?", (), ASK,
     "where is memory discussed?",
     {"scope": {"documents": ("员工手册.md", "k8s-networking.md", "2025 Q3 report.md")}, "language": "en"}),
    ("看 foo.md 和 bar.md 里的价格", (), ASK, "价格", {"missing_files": ("foo.md", "bar.md")}),
    ("save foo.md again", (), SAVE, "", {"missing_files": ("foo.md",), "language": "en"}),
    ("把 foo.md 重新切片", (), SAVE, "", {"missing_files": ("foo.md",)}),
    ("重新切分所有文件，固定500，重叠10%", (), SAVE,
     "", {"chunking": {"strategy": "fixed", "size": 500, "overlap": 50}, "every_file": True}),
    ("re-index everything with semantic chunks, then what is a pod?", (), BOTH,
     "what is a pod?", {"chunking": {"strategy": "semantic"}, "every_file": True, "language": "en"}),
    ("What is a pod? use keyword search", (), ASK, "What is a pod?", {"strategy": "keyword", "language": "en"}),
    ("用关键词检索和向量检索哪个好？", (), ASK, None, {}),
    ("what is the difference between hyde and hybrid?", (), ASK, None,
     {"language": "en", "parts": (("hyde", "hyde"), ("hybrid", "hybrid"))}),
    ("delete the hr collection", (), NONE, None, {"unclear": "library", "language": "en"}),
    ("你好，删除 rust.md", (), NONE, None, {"unclear": "library"}),
    ("how do I delete a file?", (), ASK, None, {"language": "en"}),
    ("知识库里有多少文件", (), NONE, None, {"unclear": "library"}),
    ("网上报名怎么操作", (), ASK, None, {}),
    ("请上网查一下怎么办理签证", (), WEB, "怎么办理签证", {}),
    ("go online and find it, then summarize https://a.org", (), WEB,
     "summarize it https://a.org", {"urls": ("https://a.org",), "language": "en"}),
    ("https://a.org 打不开怎么办", (), ASK, None, {"certain": False}),
    ("保存 https://a.org 到 hr 文档集，固定 300", (), READ,
     "", {"chunking": {"strategy": "fixed", "size": 300}, "doc_set": "hr", "urls": ("https://a.org",)}),
    ("第二个 500 字，其余默认", ("a.md", "b.md"), SAVE,
     "", {"per_file": ({"file": "b.md", "chunking": {"size": 500}},)}),
    ("500 / 50 chunks", ("a.md",), SAVE, "", {"chunking": {"size": 500, "overlap": 50}, "language": "en"}),
    ("300 字，再保存第 5 章", ("a.md",), SAVE, "", {"chunking": {"size": 300}}),
    ("保存并用混合检索回答：“违约金”是多少？", ("a.md",), BOTH, "“违约金”是多少？", {"strategy": "hybrid"}),
    ("我保存了一份合同，我保存了一份合同，我保存了一份合同，请问违约金是多少", ("a.md",), BOTH, "违约金是多少", {}),
    ("rust", (), ASK, None, {"language": "en", "certain": False}),
    ("只在 2025 Q3 report 里查 churn", (), ASK, "churn", {"scope": {"documents": ("2025 Q3 report.md",)}}),
    ("根据 rust，什么是借用", (), ASK, None, {"certain": False}),
]  # fmt: skip


@each_row(("message", "uploads", "actions", "question", "more"), PLANS)
def test_a_plan_holds_what_its_message_says_and_no_more(message, uploads, actions, question, more):
    made = plan_by_rules(message, uploads=uploads, library=LIBRARY, doc_sets=SETS).model_dump(exclude_defaults=True)
    assert made.pop("actions", ()) == actions
    assert made.pop("question", "") == (message if question is None else question)
    assert made.pop("certain", False) == more.get("certain", True)
    assert made == {name: value for name, value in more.items() if name != "certain"}


def test_the_same_message_is_planned_otherwise_where_it_leans_on_earlier_ones():
    alone, later = (
        plan_by_rules("那病假呢？", uploads=(), library=LIBRARY, history=before) for before in (False, True)
    )
    assert (alone.certain, later.certain) == (True, False)
    assert later == alone.model_copy(update={"certain": False})
    assert plan_by_rules("12 34", uploads=(), library=(), fallback_language="en").language == "en"
    assert plan_by_rules("保存，重叠10%", uploads=["a.md"], library=(), default_size=300).chunking.overlap == 30
