"""How an answer came about, how well it holds, what people say of it."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "t_none": Message(zh="这条消息没有过程记录。", en="There is no trace of this message."),
    "t_remembered": Message(
        zh="这是先前对同一问题的回答，这次没有检索，也没有提问模型。",
        en="The same question had this answer before: nothing was searched and no model was asked this time.",
    ),
    # candidates
    "t_candidates": Message(zh="检索候选", en="Candidates of the search"),
    "t_part": Message(zh="检索候选，其中一项：{}", en="Candidates for one part: {}"),
    "t_no_candidates": Message(zh="没有候选片段的记录。", en="No candidates were recorded."),
    "t_sort": Message(zh="点击列名排序", en="Press a heading to sort"),
    "t_rank": Message(zh="名次", en="Rank"),
    "t_passage": Message(zh="片段", en="Passage"),
    "t_fate": Message(zh="去向", en="Outcome"),
    "t_bm25": Message(zh="BM25", en="BM25"),
    "t_keyword": Message(zh="关键词", en="Keyword"),
    "t_cosine": Message(zh="向量", en="Vector"),
    "t_pair": Message(zh="片段对", en="Pair"),
    "t_expanded": Message(zh="扩展", en="Expanded"),
    "t_names": Message(zh="名称", en="Names"),
    "t_fused": Message(zh="融合", en="Fused"),
    "t_meaning": Message(zh="句意", en="Meaning"),
    "t_rerank": Message(zh="重排", en="Rerank"),
    "t_kept": Message(zh="采用", en="kept"),
    "t_source": Message(zh="采用，来源 [{}]", en="kept, source [{}]"),
    "t_unused": Message(zh="相关度太低，没有采用", en="too weak to be used"),
    "t_budget": Message(zh="上下文放不下", en="no room in the context"),
    "t_below": Message(zh="低于相似度门槛", en="below the similarity floor"),
    "t_limit": Message(zh="超出片段数量上限", en="over the number of passages"),
    "t_led": Message(zh="第 {} 名提到“{}”，由此找到", en="rank {} names “{}”, which this is about"),
    "t_duplicate": Message(zh="与第 {} 名重复", en="repeats rank {}"),
    "t_irrelevant": Message(zh="重排判为无关", en="irrelevant to the reranker"),
    "t_joined": Message(zh="与第 {} 名合并阅读", en="read as part of rank {}"),
    "t_overview": Message(zh="改为阅读文件开头", en="the file's beginning was read instead"),
    # what stands above and beneath names
    "t_contexts": Message(zh="问题中名称的上下文", en="Where the names of the question stand"),
    "t_contexts_note": Message(
        zh="只作背景给模型阅读，不编号，不能作为依据。", en="Background for the model: without a number, never cited."
    ),
    "t_context": Message(zh="上下文", en="Context"),
    "t_context_kept": Message(zh="采用", en="read"),
    "t_context_duplicate": Message(zh="与前面的几乎相同", en="nearly the same as one above"),
    "t_context_limit": Message(zh="放不下", en="no room"),
    # the prompt
    "t_prompt": Message(zh="进入提示词的片段", en="What went into the prompt"),
    "t_number": Message(zh="编号", en="Number"),
    "t_tokens": Message(zh="词元", en="Tokens"),
    "t_extracted": Message(
        zh="没有用模型的回答：句子摘自这些片段。", en="No model's answer was used: its sentences stand in these."
    ),
    "t_text": Message(zh="提示词原文", en="The prompt, word for word"),
    "t_parts": Message(
        zh="资料太长，由 {} 次调用分批阅读，再汇总成回答。",
        en="Too long for one call: {} calls read a part each, and one made the answer of their notes.",
    ),
    "t_total": Message(zh="合计（估算）", en="Total (estimated)"),
    # calls and steps
    "t_calls": Message(zh="模型调用", en="Calls to models"),
    "t_no_calls": Message(zh="没有调用模型。", en="No model was called."),
    "t_purpose": Message(zh="用途", en="Purpose"),
    "t_model": Message(zh="模型", en="Model"),
    "t_time": Message(zh="用时", en="Time"),
    "t_first": Message(zh="首字", en="First word"),
    "t_cost": Message(zh="费用", en="Cost"),
    "t_result": Message(zh="结果", en="Result"),
    "t_answered": Message(zh="成功", en="answered"),
    "t_failed": Message(zh="失败", en="failed"),
    "t_steps": Message(zh="各步用时", en="Time by step"),
    "t_notices": Message(zh="说明", en="Notices"),
    # the evaluation
    "e_none": Message(zh="这条消息没有可评估的回答。", en="There is no answer to evaluate in this message."),
    "e_pending": Message(zh="正在评估，结果会出现在这里……", en="Being evaluated; the result will appear here …"),
    "e_judged": Message(zh="模型评分（1–5）", en="Judged by a model (1–5)"),
    "e_measured": Message(zh="测量值（0–1）", en="Measured (0–1)"),
    "e_faithfulness": Message(zh="忠实度", en="Faithfulness"),
    "e_faithfulness_is": Message(zh="每句话是否都有来源依据", en="whether the sources say what each sentence says"),
    "e_relevance": Message(zh="相关性", en="Relevance"),
    "e_relevance_is": Message(zh="是否回答了所问", en="whether it answers what was asked"),
    "e_completeness": Message(zh="完整性", en="Completeness"),
    "e_completeness_is": Message(zh="来源里的要点是否都用上了", en="whether it leaves out nothing of the sources"),
    "e_support": Message(zh="引用支持度", en="Citation support"),
    "e_support_is": Message(
        zh="所引原文支持各句的平均程度，离线核对", en="how far the cited lines support the sentences, checked offline"
    ),
    "e_similarity": Message(zh="平均相似度", en="Mean similarity"),
    "e_similarity_is": Message(zh="片段与问题的向量有多近", en="how near the passages are to the question, as vectors"),
    "e_maximum": Message(zh="最高相似度", en="Maximum similarity"),
    "e_maximum_is": Message(zh="最近的一个片段", en="of the nearest passage"),
    "e_diversity": Message(zh="多样性", en="Diversity"),
    "e_diversity_is": Message(zh="片段之间有多不同", en="how different the passages are from each other"),
    "e_sentences": Message(zh="逐句核对", en="Sentence by sentence"),
    "e_yes": Message(zh="有依据", en="supported"),
    "e_no": Message(zh="没有依据", en="not supported"),
    "e_unsure": Message(zh="无法比较", en="cannot be compared"),
    "e_across": Message(zh="已跨语言核对", en="compared across languages"),
    "e_lacking": Message(zh="来源没有说：{}", en="no source says: {}"),
    "e_cited": Message(zh="引用", en="cites"),
    "e_uncited": Message(zh="没有标注来源", en="cites nothing"),
    "e_history": Message(zh="本次对话的变化", en="Over this conversation"),
    "e_turn": Message(zh="轮次", en="Turn"),
    "e_now": Message(zh="（当前）", en=" (this one)"),
    "e_by": Message(zh="由 {} 评分", en="judged by {}"),
    "e_unjudged": Message(zh="没有模型评分：{}", en="Not judged by a model: {}"),
    "e_no_judge": Message(
        zh="没有模型评分（没有配置模型，或已关闭评分）。", en="Not judged: no model is set up, or judging is off."
    ),
    # what people say
    "f_ask": Message(zh="这个回答怎么样？", en="How is this answer?"),
    "f_up": Message(zh="👍 有用", en="👍 Useful"),
    "f_down": Message(zh="👎 没用", en="👎 Not useful"),
    "f_why": Message(zh="为什么？（可选）", en="Why? (optional)"),
    "f_save": Message(zh="保存", en="Save"),
    "f_kept": Message(zh="已记录，谢谢。再点一次可撤回。", en="Noted, thank you. Press again to take it back."),
    "f_withdrawn": Message(zh="已撤回。", en="Taken back."),
    "f_no_answer": Message(zh="只能评价有来源的回答。", en="Only answers can be rated."),
}  # fmt: skip
