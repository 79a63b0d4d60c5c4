"""What a person is told of the files of a message: what is stored, what failed and why, what is still on its way."""

from __future__ import annotations

from collections.abc import Sequence

from answering.inert_markdown import escaped
from errors import CitewiseError
from ingestion.outcomes import SkippedFile
from planning.chunking_words import describe_chunking
from schema import Language, Message, StoreOutcome

Result = tuple[str, StoreOutcome | CitewiseError | None]  # a file's name, and what became of it; None: not done yet

MOST = 20  # files with a line of their own
_NAMED = 5  # files still on their way, or stored among many, that are named

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


def reply(results: Sequence[Result], asked: bool, language: Language) -> str:
    """In Markdown. What failed comes first where not every file can have a line; `asked`: an answer follows."""
    over = [result for result in results if result[1] is not None]
    if len(over) > MOST:
        over.sort(key=lambda result: (isinstance(result[1], StoreOutcome), isinstance(result[1], SkippedFile)))
        wrong = sum(not isinstance(outcome, StoreOutcome) for _, outcome in over)
        shown = min(MOST, max(wrong, _NAMED))  # hundreds of files that are stored are a number
    else:
        shown = len(over)
    lines = [_line(file, outcome) for file, outcome in over[:shown] if outcome is not None]
    lines += _rest([outcome for _, outcome in over[shown:]])
    if waiting := [file for file, outcome in results if outcome is None]:
        lines.append(_on_their_way(waiting, bool(over), asked))
    return "\n".join(f"- {line.to(language)}" for line in lines)


def _rest(outcomes: Sequence[StoreOutcome | CitewiseError | None]) -> list[Message]:
    """Sums of the files that have no line."""
    stored = sum(isinstance(outcome, StoreOutcome) for outcome in outcomes)
    skipped = sum(isinstance(outcome, SkippedFile) for outcome in outcomes)
    failed = len(outcomes) - stored - skipped
    lines = []
    if failed:
        lines.append(
            Message(
                zh=f"❌ 另有 {failed} 个文件失败，原因见“知识库”页",
                en=f"❌ {failed} more failed: the Library page says why",
            )
        )
    if skipped:
        lines.append(
            Message(zh=f"⏭️ 另跳过 {skipped} 个文件", en=f"⏭️ {skipped} more {'was' if skipped == 1 else 'were'} skipped")
        )
    if stored:
        lines.append(
            Message(zh=f"✅ 另有 {stored} 个文件已保存", en=f"✅ {stored} more {'is' if stored == 1 else 'are'} saved")
        )
    return lines


def _on_their_way(files: Sequence[str], others: bool, asked: bool) -> Message:
    count, named = len(files), [escaped(file) for file in files[:_NAMED]]
    more = count > _NAMED
    if asked:
        some = "、".join(named) + (f" 等 {count} 个文件" if more else "")
        few = ", ".join(named) + (f" and {count - _NAMED} more" if more else "")
        return Message(
            zh=f"⏳ 仍在后台处理：{some}。以下回答只依据已保存的内容",
            en=f"⏳ still being processed: {few}. The answer below comes from what is saved by now",
        )
    also, further = ("另有 ", " more") if others else ("", "")
    what = f"file{'s' * (count != 1)}{further}" if not others else further.strip()
    return Message(
        zh=f"⏳ {also}{count} 个文件正在后台处理，可以继续提问；进度见“知识库”页",
        en=f"⏳ {count} {what} {'is' if count == 1 else 'are'} being processed in the background: go on asking; "
        "the Library page shows them",
    )


def _line(file: str, outcome: StoreOutcome | CitewiseError) -> Message:
    file = escaped(file)
    if isinstance(outcome, CitewiseError):
        mark, why = "⏭️" if isinstance(outcome, SkippedFile) else "❌", outcome.in_full
        return Message(zh=f"{mark} **{file}**：{why.zh}", en=f"{mark} **{file}**: {why.en}")
    document, how = outcome.document, describe_chunking(outcome.document.chunking)
    word = _OUTCOMES[outcome.outcome]
    zh = f"✅ **{file}**：{word.zh}，{document.chunks} 个切片（{how.zh}）"
    en = f"✅ **{file}**: {word.en}, {document.chunks} chunk{'s' * (document.chunks != 1)} ({how.en})"
    if document.doc_set:
        zh += f"，文档集“{escaped(document.doc_set)}”"
        en += f", in the set “{escaped(document.doc_set)}”"
    if outcome.outcome == "replaced" and outcome.kept_vectors:
        zh += f"，其中 {outcome.kept_vectors} 个未变"
        en += f", {outcome.kept_vectors} of them unchanged"
    if outcome.missing_vectors:
        zh += "；先按关键词检索，向量稍后自动补上"
        en += "; found by keywords for now, the vectors follow by themselves"
    return Message(zh=zh, en=en)
