"""What stands beside an answer: plan, sources, trace, evaluation."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "details": Message(zh="详情", en="Details"),
    "d_source": Message(zh="来源", en="Source"),
    "d_plan": Message(zh="计划", en="Plan"),
    "d_trace": Message(zh="过程", en="Trace"),
    "d_evaluation": Message(zh="评估", en="Evaluation"),
    "d_later": Message(
        zh="回答还没写完；写完后就能打开它的出处和详情。",
        en="The answer is still being written: its sources and details open when it is complete.",
    ),
    "d_gone": Message(
        zh="这个回答已不在对话里：可能在别的窗口被替换或删除了，请刷新页面。",
        en="This answer is no longer in the conversation: it was replaced or deleted elsewhere. Reload the page.",
    ),
    # what a document is about
    "keywords": Message(zh="关键词", en="Keywords"),
    "entities": Message(zh="实体", en="Names"),
    "topics": Message(zh="主题", en="Topics"),
    "about_by_model": Message(zh="由模型提取", en="found by a model"),
    "about_by_statistics": Message(zh="由统计得出", en="found by statistics"),
    # the plan
    "p_none": Message(zh="这条消息没有可以改的计划。", en="There is no plan of this message to be changed."),
    "p_by": Message(zh="依据", en="Decided by"),
    "p_rules": Message(zh="规则", en="rules"),
    "p_model": Message(zh="模型", en="the model"),
    "p_controls": Message(zh="页面选项", en="the controls of the page"),
    "p_actions": Message(zh="动作", en="Actions"),
    "a_save": Message(zh="保存（重新切片）", en="save (cut again)"),
    "a_fetch_web": Message(zh="联网", en="the web"),
    "a_retrieve": Message(zh="检索并回答", en="search and answer"),
    "p_question": Message(zh="问题（改写后）", en="Question, as it was restated"),
    "p_translated": Message(zh="同时检索的译文", en="Also searched, in the other language"),
    "p_translated_info": Message(
        zh="可以留空；改了问题而没有改译文，就不再用译文",
        en="may be empty; it is left out where only the question was changed",
    ),
    "p_sql": Message(zh="表格查询（SQL）", en="Query over the table (SQL)"),
    "p_sql_info": Message(
        zh="只读，只能查这张表；清空则改为按文本回答",
        en="reads this table and nothing else; empty it to have the question answered from the text",
    ),
    "p_files": Message(zh="文件", en="Files"),
    "p_files_info": Message(
        zh="不选就是全部；要重新切片，请选择文件", en="none chosen: everywhere; to cut files again, choose them"
    ),
    "p_language": Message(zh="回答的语言", en="Language of the answer"),
    "p_language_info": Message(
        zh="没有模型时摘录原文，语言与来源相同", en="without a model, sentences come as they stand in the sources"
    ),
    "p_anew": Message(zh="不用先前记住的回答", en="Do not use a remembered answer"),
    "p_run": Message(zh="再次运行", en="Run again"),
    "p_run_info": Message(
        zh="新的回答会取代这一轮，以及它之后的对话。",
        en="The new answer stands in for this turn and all that came after it.",
    ),
    "p_gone": Message(
        zh="这一轮已不在对话里，请打开现在这一轮的计划。",
        en="This turn is no longer in the conversation: open the plan of one that is.",
    ),
    "p_busy": Message(
        zh="正在回答，请等它结束或先停止。", en="An answer is on its way: wait for its end, or stop it first."
    ),
    # the source
    "r_none": Message(zh="这个回答没有引用来源。", en="This answer cites no source."),
    "r_sources": Message(zh="来源", en="Sources"),
    "r_doubtful": Message(zh="没有得到原文支持的句子", en="Sentences that no source supports"),
    "r_uncited": Message(zh="没有标注来源", en="no source is given"),
    "r_claims": Message(zh="回答中依据它的句子", en="What the answer takes from it"),
    "r_support": Message(zh="支持度", en="support"),
    "r_before": Message(zh="显示前文", en="Show what comes before"),
    "r_after": Message(zh="显示后文", en="Show what comes after"),
    "r_previous": Message(zh="上一个来源", en="Previous source"),
    "r_next": Message(zh="下一个来源", en="Next source"),
    "r_gloss": Message(zh="词典逐词对照：", en="word by word, from a dictionary: "),
    "r_also": Message(zh="同样见于", en="Also in"),
    "r_original": Message(zh="打开原文", en="Open the original"),
    "r_download": Message(zh="下载原件", en="Download the file"),
    "r_page": Message(zh="第 {} 页，共 {} 页", en="Page {} of {}"),
    "r_page_before": Message(zh="上一页", en="Previous page"),
    "r_page_next": Message(zh="下一页", en="Next page"),
    "r_larger": Message(zh="放大", en="Larger"),
    "r_smaller": Message(zh="缩小", en="Smaller"),
    "r_no_page": Message(
        zh="这一页无法显示，请下载原件查看。", en="This page cannot be shown: download the file instead."
    ),
    "r_pictures": Message(zh="旁边的图片", en="Pictures beside it"),
    "r_text": Message(zh="文档中的这一段", en="The passage in its document"),
    "r_gone": Message(
        zh="这份文档已不在知识库里。下面是回答时记录的原文。",
        en="This document is no longer in the library. Below is the passage as it was when the answer was given.",
    ),
    "r_changed": Message(
        zh="这份文档在回答之后改动过，这段话已不在其中。下面是回答时记录的原文。",
        en="The document was changed after the answer and no longer holds this passage. Below is what it was then.",
    ),
    "r_moved": Message(
        zh="这份文档在回答之后改动过；这段话没有变，只是换了位置。",
        en="The document was changed after the answer; this passage is the same, at another place.",
    ),
}
