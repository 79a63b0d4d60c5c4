"""Strategies side by side."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "strategies": Message(zh="对比策略", en="Compare"),
    "x_about": Message(
        zh="同一个问题交给两到四种策略，各自检索、回答、评估。不会写进对话，也不会联网。",
        en="One question to two to four strategies: each searches, answers and is evaluated. Nothing of it goes into a "
        "conversation, nothing is fetched from the web.",
    ),
    "x_question": Message(zh="问题", en="Question"),
    "x_hint": Message(zh="例如：年假有几天？", en="for example: how is the pump started?"),
    "x_chosen": Message(zh="策略", en="Strategies"),
    "x_chosen_info": Message(zh="两到四种", en="two to four"),
    "x_judge": Message(zh="请模型评分（每种策略一次调用）", en="Have the model judge (one call for each)"),
    "x_run": Message(zh="开始对比", en="Compare"),
    "x_stop": Message(zh="停止", en="Stop"),
    "x_use": Message(zh="在对话里用这个策略", en="Use it in the chat"),
    "x_waiting": Message(zh="等待", en="waiting"),
    "x_searching": Message(zh="正在检索", en="searching"),
    "x_answering": Message(zh="正在回答", en="answering"),
    "x_judging": Message(zh="正在评估", en="evaluating"),
    "x_stopped": Message(zh="已停止", en="stopped"),
    "x_instead": Message(zh="实际用的是{}", en="what ran is {}"),
    "x_asked": Message(zh="检索的问题", en="Searched for"),
    "x_figures": Message(zh="数据", en="Figures"),
    "x_seconds": Message(zh="回答完成", en="Answer complete"),
    "x_first": Message(zh="首字", en="First word"),
    "x_confidence": Message(zh="置信度", en="Confidence"),
    "x_support": Message(zh="原文支持度", en="Support by the sources"),
    "x_mean": Message(zh="平均相似度", en="Mean similarity"),
    "x_max": Message(zh="最高相似度", en="Maximum similarity"),
    "x_faithfulness": Message(zh="忠实度", en="Faithfulness"),
    "x_relevance": Message(zh="相关性", en="Relevance"),
    "x_completeness": Message(zh="完整性", en="Completeness"),
    "x_passages": Message(zh="找到的片段", en="Passages found"),
    "x_cited": Message(zh="引用的来源", en="Sources cited"),
    "x_calls": Message(zh="模型调用", en="Calls to a model"),
    "x_tokens": Message(zh="词元", en="Tokens"),
    "x_overlap": Message(zh="证据重合", en="Overlap of the evidence"),
    "x_overlap_info": Message(
        zh="两种策略共同找到的片段，占它们找到的全部片段的比例（Jaccard）；括号里是共同的片段数和文档数。",
        en="Passages that both strategies found, as a share of all that either found (Jaccard); in brackets how many "
        "passages and documents they share.",
    ),
    "x_alone": Message(zh="只有一种策略找到的片段", en="Passages that only one strategy found"),
    "x_none": Message(zh="没有", en="none"),
}
