"""Steps of a turn as folded messages: the plan, files on their way, the evaluation, who computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answering.origins import readable
from nodes.events import Progress
from nodes.save import describe_chunking
from schema import AS_USUAL, Call, Coverage, Finding, Language, Message, Plan, Statement, Step, Trace, Verdict
from ui.markup import literal
from ui.texts import text

ChatMessage = dict[str, Any]


def step(title: str, content: str, pending: bool = False) -> ChatMessage:
    metadata = {"title": title, "status": "pending" if pending else "done"}
    return {"role": "assistant", "content": content, "metadata": metadata}


# --- the plan ----------------------------------------------------------------------------------------------------


def plan_step(plan: Plan, notices: tuple[Message, ...], language: Language) -> ChatMessage:
    zh = language == "zh"
    actions = {"save": ("保存", "save"), "retrieve": ("检索并回答", "search and answer"), "fetch_web": ("联网", "web")}
    did = [actions[action][0 if zh else 1] for action in plan.actions] or ["提示" if zh else "hint"]
    rows = []
    if "save" in plan.actions:
        rows += [(wish.file, describe_chunking(wish.chunking).to(language)) for wish in plan.per_file]
        if plan.doc_set:
            rows.append(("存入文档集" if zh else "Into the set", plan.doc_set))
        others = ("其他文件" if zh else "Other files") if plan.per_file else ("切片" if zh else "Chunking")
        rows.append((others, describe_chunking(plan.others.over(plan.chunking)).to(language)))
    if "fetch_web" in plan.actions:
        rows += _from_the_web(plan, zh)
    if "retrieve" in plan.actions:
        rows.append(("策略" if zh else "Strategy", text(f"s_{plan.strategy or 'default'}", language)))
        rows.append(("问题" if zh else "Question", plan.question))
        if plan.answer_language:
            name = {"zh": "中文", "en": "English"}[plan.answer_language]
            rows.append(("回答语言" if zh else "Answer in", name))
        if plan.translated:
            rows.append(("同时检索" if zh else "Also searched", plan.translated))
    if names := _named(plan):
        rows.append(("只查" if zh else "Only in", "、".join(names) if zh else ", ".join(names)))
    origin = {
        "rules": ("规则", "rules"),
        "model": ("模型", "the model"),
        "controls": ("页面选项", "the page's controls"),
    }
    rows.append(("依据" if zh else "Decided by", origin[plan.origin][0 if zh else 1]))
    lines = [f"- **{literal(key)}**{'：' if zh else ': '}{literal(value)}" for key, value in rows]
    lines += [f"- ⚠ {literal(notice.to(language))}" for notice in notices]
    files = {wish.file for wish in plan.per_file}
    named = {"只查": "只查", "Only in": "only in"}  # else it could be taken for what is told beside it
    unsaid = {"问题", "Question", "同时检索", "Also searched", "其他文件", "Other files", "搜索", "Searched for"}
    summary = [
        " → ".join(did),
        *(
            literal(f"{key} {value}" if key in files else f"{named[key]} {value}" if key in named else value)
            for key, value in rows[:-1]
            if key not in unsaid
        ),
    ]
    if plan.anew:
        summary.append("重新回答" if zh else "a new answer")
    title = ("计划：" if zh else "Plan: ") + " · ".join(summary)
    return step(title + (" ⚠" if notices else ""), "\n".join(lines))


def _named(plan: Plan) -> list[str]:
    """The scope in words of the person: pages that were read for addresses are told by these already."""
    sites = tuple(f"{readable(url).partition('/')[0].partition(':')[0]}/" for url in plan.urls)
    files = [name for name in plan.scope.documents if not name.startswith(sites)]
    only_pages = len(files) < len(plan.scope.documents) and not files
    return [] if only_pages else [*files, *plan.scope.doc_sets]


def _from_the_web(plan: Plan, zh: bool) -> list[tuple[str, str]]:
    """What will be read or searched for, and where it goes."""
    rows = [("网址" if zh else "Address", readable(url)) for url in plan.urls]
    if not rows:
        rows.append(("搜索" if zh else "Searched for", plan.question))
    if "save" not in plan.actions and plan.doc_set:
        rows.append(("存入文档集" if zh else "Into the set", plan.doc_set))
    if "save" not in plan.actions and plan.chunking != AS_USUAL:
        rows.append(("切片" if zh else "Chunking", describe_chunking(plan.chunking).to("zh" if zh else "en")))
    return rows


# --- saving ------------------------------------------------------------------------------------------------------

_LINES = 10  # files of a message that have a line of their own
_STAGES = {
    "read": Message(zh="读取", en="reading"),
    "chunk": Message(zh="切片", en="chunking"),
    "embed": Message(zh="向量化", en="embedding"),
    "store": Message(zh="写入", en="storing"),
    "done": Message(zh="完成", en="done"),
    "failed": Message(zh="失败", en="failed"),
}


def files_step(files: dict[str, Progress], language: Language, waited_for: bool = True) -> ChatMessage:
    """What failed first, then what moves; of hundreds of files only some have a line."""
    icons = {"failed": "❌", "done": "✅"}
    done = max(sum(p.stage in icons for p in files.values()), *(p.done for p in files.values()))
    total = max(len(files), *(p.total for p in files.values()))
    shown = sorted(files.values(), key=lambda p: {"failed": 0, "done": 2}.get(p.stage, 1))[:_LINES]
    lines = [
        f"- {icons.get(p.stage, '⏳')} {literal(p.file)} · {_STAGES[p.stage].to(language)}"
        + ("" if p.stage in icons else f" {p.fraction:.0%}")
        for p in shown
    ]
    if rest := total - len(shown):
        lines.append(f"- {Message(zh=f'…… 另有 {rest} 个文件', en=f'… {rest} more').to(language)}")
    count = f"{done}/{total}"
    title = Message(zh=f"保存文件 {count}", en=f"Saving files {count}").to(language)
    return step(title, "\n".join(lines), pending=waited_for and done < total)


# --- the evaluation ----------------------------------------------------------------------------------------------


def verdict_step(verdict: Verdict, statements: Sequence[Statement], language: Language) -> ChatMessage:
    zh = language == "zh"
    rows = [
        ("原文支持度（离线）" if zh else "Support by the sources (offline)", _figure(verdict.support)),
        ("平均相似度" if zh else "Mean similarity", _figure(verdict.mean_similarity)),
        ("最高相似度" if zh else "Maximum similarity", _figure(verdict.max_similarity)),
        ("多样性" if zh else "Diversity", _figure(verdict.diversity)),
    ]
    judged = [
        ("忠实度" if zh else "Faithfulness", verdict.faithfulness),
        ("相关性" if zh else "Relevance", verdict.relevance),
        ("完整性" if zh else "Completeness", verdict.completeness),
    ]
    rows += [(name, f"{score} / 5") for name, score in judged if score is not None]
    rows.append(("模型评分" if zh else "Judged by a model", _judge(verdict).to(language)))
    table = "\n".join(["| | |", "|---|---|", *(f"| {name} | {literal(value)} |" for name, value in rows)])
    said = [
        _found(finding, statements, language) for finding in verdict.findings if finding.statement < len(statements)
    ]
    colon = "：" if zh else ": "
    reasons = [f"- {name}{colon}{literal(why)}" for (name, _), why in zip(judged, verdict.reasons, strict=False) if why]
    told = [f"{name} {score}" for name, score in judged if score is not None]
    if verdict.support is not None:
        told.append(f"{'支持度' if zh else 'Support'} {verdict.support:.2f}")
    title = " · ".join(["评估" if zh else "Evaluation", *told])
    return step(title, "\n\n".join(part for part in (table, "\n".join(said), "\n".join(reasons)) if part))


def _judge(verdict: Verdict) -> Message:
    if verdict.judged_by is not None:
        return Message(zh=f"由 {verdict.judged_by} 评分", en=f"by {verdict.judged_by}")
    if verdict.unjudged is not None:
        return Message(zh=f"未评：{verdict.unjudged.zh}", en=f"not judged: {verdict.unjudged.en}")
    return Message(zh="未评（没有配置模型，或还在评分）", en="not judged (no model is set up, or it is still judging)")


def _found(finding: Finding, statements: Sequence[Statement], language: Language) -> str:
    sentence = literal(statements[finding.statement].text)
    if finding.supported:
        where = f"[{finding.source + 1}]" if finding.source is not None else ""
        return f"- ✅ {sentence} {literal(where)}"
    lacking = Message(zh=f"来源没有说：{finding.lacking}", en=f"no source says: {finding.lacking}").to(language)
    return f"- ❌ {sentence}" + (f" — {literal(lacking)}" if finding.lacking else "")


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


# --- who computed ------------------------------------------------------------------------------------------------

_NAMES = {
    "plan": Message(zh="计划", en="plan"),
    "search": Message(zh="检索", en="search"),
    "hyde": Message(zh="假设文档", en="hypothetical document"),
    "rerank": Message(zh="重排", en="rerank"),
    "answer": Message(zh="回答", en="answer"),
    "refine": Message(zh="分批阅读", en="reading a part"),
    "judge": Message(zh="评分", en="judge"),
    "extract": Message(zh="提取要点", en="extracting"),
    "embed": Message(zh="向量化", en="embedding"),
    "web": Message(zh="联网", en="the web"),
}


def trace_step(trace: Trace, language: Language, coverage: Coverage | None = None) -> ChatMessage:
    """Every call with its outcome, every step with its time, how much of the question the library covers."""
    zh = language == "zh"
    heads = (
        ["调用", "模型", "用时", "首字", "词元", "结果"]
        if zh
        else ["Call", "Model", "Time", "First", "Tokens", "Result"]
    )
    calls = [_row(heads), _row(["---"] * len(heads)), *(_row(_call(call, language)) for call in trace.calls)]
    steps = [_took(one, language) for one in trace.steps]
    if coverage is not None:
        steps.append(f"- {covered_message(coverage).to(language)}")
    failed = [call for call in trace.calls if call.error is not None]
    summary = [
        f"{len(trace.calls)} 次模型调用" if zh else f"{len(trace.calls)} call{'s' * (len(trace.calls) != 1)} to a model"
    ]
    if failed:
        summary.append(f"{len(failed)} 次失败 ⚠" if zh else f"{len(failed)} failed ⚠")
    title = f"{'过程' if zh else 'Trace'} · {' · '.join(summary)}"
    return step(title, "\n\n".join(["\n".join(calls)] * bool(trace.calls) + ["\n".join(steps)]))


def covered_message(coverage: Coverage) -> Message:
    score, threshold = f"{coverage.score:.0%}", f"{coverage.threshold:.0%}"
    return Message(f"涵盖度：{score}（阈值 {threshold}）", f"coverage: {score} (threshold {threshold})")


def _call(call: Call, language: Language) -> list[str]:
    tokens = f"{call.input_tokens} → {call.output_tokens}" if call.output_tokens is not None else "–"
    return [
        name_of(call.purpose, language),
        f"{call.provider} · {call.model}",
        _seconds(call.seconds),
        _seconds(call.first_token),
        tokens,
        call.error.to(language) if call.error is not None else "✓",
    ]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell if cell == '---' else literal(cell) for cell in cells)} |"


def name_of(name: str, language: Language) -> str:
    return _NAMES[name].to(language) if name in _NAMES else name


def _took(one: Step, language: Language) -> str:
    name, seconds = literal(name_of(one.name, language)), _seconds(one.seconds)
    note = literal(one.note.to(language)) if one.note is not None else ""
    if language == "zh":
        return f"- {name}：{seconds}" + (f"（{note}）" if note else "")
    return f"- {name}: {seconds}" + (f" ({note})" if note else "")


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"
