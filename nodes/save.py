"""save: uploads and re-indexed documents into the library, one result per file, whatever happens to the others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from errors import CitewiseError, FileError
from nodes.context import Context
from nodes.events import Progress, Replied, Traced
from nodes.state import Record, State, Upload
from schema import Chunking, Language, Message, Stored

Outcome = tuple[str, Stored | CitewiseError]


async def save(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    context, plan, emit = runtime.context, state["plan"], runtime.context.emit
    library = context.library

    async def run(file: str, work: Callable[[Callable[[str, float], None]], Awaitable[Stored]]) -> Outcome:
        try:
            stored = await work(lambda stage, fraction: emit(Progress(file, stage, fraction)))  # type: ignore[arg-type]
        except CitewiseError as error:
            emit(Progress(file, "failed", 1.0, error=error))
            return file, error
        emit(Progress(file, "done", 1.0, stored=stored))
        return file, stored

    def upload(file: Upload) -> Awaitable[Outcome]:
        async def work(progress: Callable[[str, float], None]) -> Stored:
            try:
                data = await asyncio.to_thread(Path(file.path).read_bytes)
            except OSError as error:
                raise _gone(file.name, error) from error
            return await library.add(file.name, data, chunking=plan.chunking_for(file.name), progress=progress)

        return run(file.name, work)

    def rechunk(name: str) -> Awaitable[Outcome]:
        return run(name, lambda progress: library.rechunk(name, plan.chunking_for(name), progress=progress))

    jobs = [upload(file) for file in state["uploads"]]
    if not state["uploads"]:
        again = library.names() if plan.every_file else plan.scope.documents
        jobs = [rechunk(name) for name in again]
    outcomes = await asyncio.gather(*jobs)
    reply = _summary(list(outcomes), plan.language) if outcomes else NO_FILE.to(plan.language)
    emit(Replied(reply))
    emit(Traced(context.trace))
    saved = any(isinstance(outcome, Stored) for _, outcome in outcomes)
    return {"saved": saved, "messages": [Record(plan=state["plan"], trace=context.trace).message(reply)]}


def _gone(name: str, error: OSError) -> FileError:
    return FileError(
        Message(zh=f"无法读取“{name}”（{error.strerror}）。", en=f'"{name}" cannot be read ({error.strerror}).'),
        Message(zh="请重新上传这个文件。", en="Upload the file again."),
    )


def next_step(state: State) -> str:
    """Save, then ask: on to the question, unless nothing came in."""
    asked = "retrieve" in state["plan"].actions
    return "retrieve" if asked and (state["saved"] or not state["uploads"]) else "end"


NO_FILE = Message(
    zh="没有可以保存的文件。请把文件拖进输入框再发送；"
    "要重新切片已保存的文件，请写出它的完整文件名，例如“把 员工手册.md 改用递归切片”。",
    en="There is no file to save. Drop a file into the message box and send it; "
    "to re-chunk a saved file, write its full name, for example “re-index guide.md with recursive chunks”.",
)

_OUTCOMES = {
    "added": Message(zh="已保存", en="saved"),
    "replaced": Message(zh="已更新", en="updated"),
    "unchanged": Message(zh="内容与切片方式都没有变化，无需重新保存", en="unchanged, nothing to do"),
}
_CHUNKERS = {
    "semantic": Message(zh="语义切片", en="semantic chunks"),
    "fixed": Message(zh="固定大小切片", en="fixed-size chunks"),
    "recursive": Message(zh="递归切片", en="recursive chunks"),
    "markdown": Message(zh="Markdown 结构切片", en="Markdown chunks"),
    "code": Message(zh="代码切片", en="code chunks"),
}


def describe_chunking(chunking: Chunking) -> Message:
    """“递归切片，每片不超过 300 字符” / "recursive chunks of up to 300 characters"."""
    name = _CHUNKERS[chunking.strategy] if chunking.strategy else Message(zh="默认切片", en="default chunks")
    zh, en = [name.zh], [name.en]
    if chunking.size is not None:
        zh.append(f"每片至多 {chunking.size} 字符")
        en.append(f"of up to {chunking.size} characters")
    if chunking.overlap:
        zh.append(f"重叠 {chunking.overlap}")
        en.append(f"overlapping by {chunking.overlap}")
    return Message(zh="，".join(zh), en=" ".join(en))


def _summary(outcomes: list[Outcome], language: Language) -> str:
    return "\n".join(f"- {_line(file, outcome).to(language)}" for file, outcome in outcomes)


def _line(file: str, outcome: Stored | CitewiseError) -> Message:
    file = re.sub(r"([\\`*\[\]<>|~]|(?<!\w)_|_(?!\w))", r"\\\1", file)  # a name is no markup
    if isinstance(outcome, CitewiseError):
        remedy = Message(zh="".join(s.zh for s in outcome.suggestions), en=" ".join(s.en for s in outcome.suggestions))
        return Message(
            zh=f"❌ **{file}**：{outcome.message.zh}{remedy.zh}", en=f"❌ **{file}**: {outcome.message.en} {remedy.en}"
        )
    document, how = outcome.document, describe_chunking(outcome.document.chunking)
    word = _OUTCOMES[outcome.outcome]
    zh = f"✅ **{file}**：{word.zh}，{document.chunks} 个切片（{how.zh}）"
    en = f"✅ **{file}**: {word.en}, {document.chunks} chunk{'s' * (document.chunks != 1)} ({how.en})"
    if outcome.outcome == "replaced" and outcome.kept_vectors:
        zh += f"，其中 {outcome.kept_vectors} 个未变"
        en += f", {outcome.kept_vectors} of them unchanged"
    if outcome.missing_vectors:
        zh += "；嵌入模型暂无应答，先按关键词检索，向量稍后自动补上"
        en += "; the embedding model does not answer: found by keywords for now, the vectors follow by themselves"
    return Message(zh=zh, en=en)
