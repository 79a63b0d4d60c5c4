"""Steps of a turn as folded messages: the plan, files on their way, the evaluation."""

from __future__ import annotations

from typing import Any

from nodes.events import Progress
from nodes.save import describe_chunking
from schema import Language, Message, Plan, Verdict
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
        others = ("其他文件" if zh else "Other files") if plan.per_file else ("切片" if zh else "Chunking")
        rows.append((others, describe_chunking(plan.chunking).to(language)))
    if "retrieve" in plan.actions:
        rows.append(("策略" if zh else "Strategy", text(f"s_{plan.strategy or 'default'}", language)))
        rows.append(("问题" if zh else "Question", plan.question))
    if plan.scope:
        names = [*plan.scope.documents, *plan.scope.doc_sets]
        rows.append(("范围" if zh else "Only in", "、".join(names) if zh else ", ".join(names)))
    origin = {
        "rules": ("规则", "rules"),
        "model": ("模型", "the model"),
        "controls": ("页面选项", "the page's controls"),
    }
    rows.append(("依据" if zh else "Decided by", origin[plan.origin][0 if zh else 1]))
    lines = [f"- **{literal(key)}**{'：' if zh else ': '}{literal(value)}" for key, value in rows]
    lines += [f"- ⚠ {literal(notice.to(language))}" for notice in notices]
    files = {wish.file for wish in plan.per_file}
    unsaid = {"问题", "Question", "其他文件", "Other files"}
    summary = [
        " → ".join(did),
        *(f"{key} {value}" if key in files else value for key, value in rows[:-1] if key not in unsaid),
    ]
    title = ("计划：" if zh else "Plan: ") + " · ".join(summary)
    return step(title + (" ⚠" if notices else ""), "\n".join(lines))


# --- saving ------------------------------------------------------------------------------------------------------

_STAGES = {
    "read": Message(zh="读取", en="reading"),
    "chunk": Message(zh="切片", en="chunking"),
    "embed": Message(zh="向量化", en="embedding"),
    "store": Message(zh="写入", en="storing"),
    "done": Message(zh="完成", en="done"),
    "failed": Message(zh="失败", en="failed"),
}


def files_step(files: dict[str, Progress], language: Language) -> ChatMessage:
    icons = {"done": "✅", "failed": "❌"}
    lines = [
        f"- {icons.get(p.stage, '⏳')} {literal(p.file)} · {_STAGES[p.stage].to(language)} {p.fraction:.0%}"
        for p in files.values()
    ]
    done = sum(p.stage in icons for p in files.values())
    count = f"{done}/{len(files)}"
    title = Message(zh=f"保存文件 {count}", en=f"Saving files {count}").to(language)
    return step(title, "\n".join(lines), pending=done < len(files))


# --- the evaluation ----------------------------------------------------------------------------------------------


def verdict_step(verdict: Verdict, language: Language) -> ChatMessage:
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
    if verdict.judged_by is None:
        rows.append(
            ("模型评分" if zh else "Judged by a model", "未评（没有可用的模型）" if zh else "not judged (no model)")
        )
    table = "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])
    reasons = "\n".join(f"- {literal(reason)}" for reason in verdict.reasons)
    title = f"{'评估' if zh else 'Evaluation'}"
    if verdict.support is not None:
        title += f" · {'支持度' if zh else 'support'} {verdict.support:.2f}"
    if verdict.faithfulness is not None:
        title += f" · {'忠实度' if zh else 'faithfulness'} {verdict.faithfulness}/5"
    return step(title, f"{table}\n\n{reasons}".strip())


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
