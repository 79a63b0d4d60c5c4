"""What a turn does, in a line or a folded step each: the plan, files on their way, calls that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answering.document_titles import readable_url
from nodes.events import Progress
from planning.chunking_words import describe_chunking
from schema import AS_USUAL, Coverage, Language, Message, Plan, Trace
from ui.links import link
from ui.markup import literal
from ui.texts import text

ChatMessage = dict[str, Any]


def step(title: str, content: str, pending: bool = False) -> ChatMessage:
    metadata = {"title": title, "status": "pending" if pending else "done"}
    return {"role": "assistant", "content": content, "metadata": metadata}


def said(content: str) -> ChatMessage:
    return {"role": "assistant", "content": content}


# --- the plan ----------------------------------------------------------------------------------------------------


def plan_line(plan: Plan, notices: Sequence[Message], language: Language, turn: str = "") -> ChatMessage | None:
    """What was understood, in one line that opens the plan; None where nothing but a question was."""
    zh = language == "zh"
    actions = {"save": ("保存", "save"), "retrieve": ("检索并回答", "search and answer"), "fetch_web": ("联网", "web")}
    wishes = [*_saved(plan, language), *_plan_wishes(plan, language)]
    if plan.actions in ((), ("retrieve",)) and not wishes and not notices:
        return None
    did = [actions[action][0 if zh else 1] for action in plan.actions] or ["提示" if zh else "hint"]
    words = literal(" · ".join([" → ".join(did), *wishes]))
    warned = [f"> ⚠ {literal(notice.to(language))}" for notice in notices]
    return said("\n\n".join([f"[{words}]({link('plan', turn)})" if turn else words, *warned]))


def _saved(plan: Plan, language: Language) -> list[str]:
    """How files are to be cut, and where they go."""
    zh, said = language == "zh", []
    if "save" in plan.actions:
        said = [f"{wish.file} {describe_chunking(wish.chunking).to(language)}" for wish in plan.per_file]
        others = describe_chunking(plan.others.over(plan.chunking)).to(language)
        said.append(f"{'其他文件' if zh else 'other files'} {others}" if plan.per_file else others)
    elif "fetch_web" in plan.actions and plan.chunking != AS_USUAL:
        said.append(describe_chunking(plan.chunking).to(language))
    if plan.doc_set and ("save" in plan.actions or "fetch_web" in plan.actions):
        said.append(f"{'存入' if zh else 'into'} {plan.doc_set}")
    return said


def _plan_wishes(plan: Plan, language: Language) -> list[str]:
    """What is looked up otherwise than usual, or elsewhere than everywhere."""
    zh, said = language == "zh", [readable_url(url) for url in plan.urls]
    if "retrieve" in plan.actions:
        if plan.strategy and plan.strategy != "default":
            said.append(text(f"s_{plan.strategy}", language))
        if plan.answer_language:
            said.append(
                {"zh": "用中文回答" if zh else "in Chinese", "en": "用英文回答" if zh else "in English"}[
                    plan.answer_language
                ]
            )
    if names := _named(plan):
        said.append(f"只查 {'、'.join(names)}" if zh else f"only in {', '.join(names)}")
    if plan.anew:
        said.append("重新回答" if zh else "a new answer")
    return said


def _named(plan: Plan) -> list[str]:
    """The scope in words of the person: pages that were read for addresses are told by these already."""
    sites = tuple(f"{readable_url(url).partition('/')[0].partition(':')[0]}/" for url in plan.urls)
    files = [name for name in plan.scope.documents if not name.startswith(sites)]
    only_pages = len(files) < len(plan.scope.documents) and not files
    return [] if only_pages else [*files, *plan.scope.doc_sets]


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


# --- who computed ------------------------------------------------------------------------------------------------

_NAMES = {
    "plan": Message(zh="计划", en="plan"),
    "search": Message(zh="检索", en="search"),
    "context": Message(zh="名称的上下文", en="context of names"),
    "hyde": Message(zh="假设文档", en="hypothetical document"),
    "meaning": Message(zh="按句意重看", en="second look, by meaning"),
    "rerank": Message(zh="重排", en="rerank"),
    "answer": Message(zh="回答", en="answer"),
    "refine": Message(zh="分批阅读", en="reading a part"),
    "judge": Message(zh="评分", en="judge"),
    "extract": Message(zh="提取要点", en="extracting"),
    "embed": Message(zh="向量化", en="embedding"),
    "web": Message(zh="联网", en="the web"),
}


def calls_line(trace: Trace, language: Language, turn: str = "") -> ChatMessage | None:
    """That calls to a model have failed, where no answer says so; it opens the trace."""
    failed, count = sum(call.error is not None for call in trace.calls), len(trace.calls)
    if not failed:
        return None
    words = (
        f"⚠ {count} 次模型调用，{failed} 次失败" if language == "zh" else f"⚠ {failed} of {count} model calls failed"
    )
    return said(f"[{words}]({link('trace', turn)})" if turn else words)


def coverage_message(coverage: Coverage) -> Message:
    score, threshold = f"{coverage.score:.0%}", f"{coverage.threshold:.0%}"
    return Message(zh=f"涵盖度：{score}（阈值 {threshold}）", en=f"coverage: {score} (threshold {threshold})")


def name_of(name: str, language: Language) -> str:
    return _NAMES[name].to(language) if name in _NAMES else name
