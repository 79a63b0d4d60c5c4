"""Reranking in plain words: the hybrid strategy, whose candidates the reranker sorts again."""

from __future__ import annotations

from planning.rules import plan_by_rules
from tests.each_row import each_row


def planned(message: str) -> tuple[str | None, str | None]:
    plan = plan_by_rules(message, uploads=[], library=["a.md"], doc_sets=[], history=False)
    return plan.strategy, plan.question


@each_row(
    ("message", "question"),
    [
        ("Rerank the results: who signs the lease?", "who signs the lease?"),
        ("Rerank with a cross-encoder, who owns billing?", "who owns billing?"),
        ("With reranking, who owns billing?", "who owns billing?"),
        ("Search with bm25 and rerank, who owns billing?", "who owns billing?"),
        ("Who owns billing? Use reranking.", "Who owns billing?"),
        ("Sort the hits a second time with the cross-encoder, who owns billing?", "who owns billing?"),
        ("用重排回答：谁签字？", "谁签字？"),
        ("精排后回答：谁签字", "谁签字"),
        ("找完再精排一遍，谁签字？", "谁签字？"),
        ("检索结果重排一下，年假有几天？", "年假有几天？"),
        ("年假有几天？用重排", "年假有几天？"),
    ],
)
def test_reranking_is_ordered(message, question):
    assert planned(message) == ("hybrid", question)


@each_row(
    "message",
    [
        "How does reranking work?",
        "What is a cross-encoder?",
        "Does the report compare rerankers?",
        "How do I rerank the passages?",
        "重排模型怎么配置？",
        "什么是精排？",
        "重排序和混合检索有什么区别？",
        "怎么对检索结果重排？",
    ],
)
def test_a_question_about_reranking_orders_nothing(message):
    assert planned(message) == (None, message)
