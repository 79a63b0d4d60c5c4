"""The evaluation lab."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "lab": Message(zh="评测", en="Lab"),
    "l_about": Message(
        zh="用一组问题检验知识库：哪种设置更好，改动之后有没有变差。问题集和运行只属于你。",
        en="Ask the library a set of questions: which settings are better, and did a change make anything worse? Sets "
        "and runs are your own.",
    ),
    "l_set": Message(zh="问题集", en="Question set"),
    "l_cases": Message(zh="题目（每行一个 JSON）", en="Cases (a JSON object a line)"),
    "l_save": Message(zh="保存题目", en="Save the cases"),
    "l_make": Message(zh="自动出 30 题", en="Make 30 more"),
    "l_answers": Message(zh="也生成回答", en="Answers as well"),
    "l_run": Message(zh="运行", en="Run"),
    "l_stop": Message(zh="停止", en="Stop"),
    "l_choose": Message(zh="选最好的设置", en="Choose the best settings"),
    "l_apply": Message(zh="采用", en="Use it"),
    "l_undo": Message(zh="撤销", en="Undo"),
    "l_before": Message(zh="之前", en="Before"),
    "l_after": Message(zh="之后", en="After"),
    "l_compare": Message(zh="对比", en="Compare"),
    "l_runs": Message(zh="运行记录", en="Runs"),
    "l_made": Message(zh="已加入 {} 题，问题集共 {} 题。", en="{} questions were made; the set has {}."),
    "l_saved": Message(zh="已保存，共 {} 题。", en="Saved: {} cases."),
    "l_running": Message(zh="{}：{} / {}", en="{}: {} of {}"),
    "l_done": Message(zh="已完成：{}", en="Done: {}"),
    "l_stopped": Message(zh="已停止。", en="Stopped."),
    "l_places": Message(zh="最先检索到的段落（✓ 含有依据）：", en="The passages found first (✓ holds what is right):"),
    "l_again": Message(
        zh="这次运行没有保留这道题的过程。下面是用它的策略和选项，在现在的知识库里重新检索的过程。",
        en="The run kept no trace of this question. Below, its search is made again with the strategy and the options "
        "of the run, in the library as it is now.",
    ),
    "l_nothing": Message(zh="还没有运行。", en="No runs yet."),
    "l_no_set": Message(zh="请先选一个问题集。", en="Choose a question set first."),
    "l_kept_settings": Message(zh="没有明显更好的设置，保持现状。", en="Nothing is surely better: the settings stay."),
    "l_better": Message(zh="更好的设置：{}（确认题上 {:+.3f}）", en="Better: {} ({:+.3f} on the other questions)"),
    "l_applied": Message(zh="已采用：{}", en="In use from now on: {}"),
    "l_undone": Message(zh="已撤销：{}", en="Taken back: {}"),
    "l_nothing_undone": Message(zh="没有可撤销的设置。", en="There is nothing to take back."),
    "keep": Message(zh="留作测试", en="Keep as test"),
    "kept": Message(zh="已存入问题集 golden，现有 {} 题。", en="Kept in the set golden, which has {} now."),
    "not_kept": Message(zh="这里没有可以留作测试的回答。", en="There is no answer to keep."),
}
