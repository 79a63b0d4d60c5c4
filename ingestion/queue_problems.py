"""What a queue tells people of files that it did not store."""

from __future__ import annotations

from errors import CitewiseError, StoreError
from schema import Message, Task
from stores.problems import UnusableStoreError


def library_closing() -> StoreError:
    return StoreError(
        Message(zh="知识库正在关闭。", en="The library is being closed."),
        Message(zh="还没处理完的文件会在下次打开时继续。", en="Files that are not done go on when it is opened again."),
    )


def cancelled() -> CitewiseError:
    return CitewiseError(
        "file",
        Message(zh="文件的处理已取消。", en="The file was cancelled."),
        Message(zh="如果仍然需要，请重新上传。", en="Upload it again if you still need it."),
    )


DEFECT = Message(
    zh="处理文件时出现了内部错误，稍后会自动重试；如果仍然出错，请附上日志反馈问题。",
    en="Something went wrong inside while files were processed. It is tried again by itself; if it goes on, report it "
    "with the log.",
)


def defect(name: str, error: Exception) -> CitewiseError:
    return CitewiseError(
        "internal",
        Message(
            zh=f"处理“{name}”时出现了内部错误（{type(error).__name__}）。",
            en=f'Something went wrong inside over "{name}" ({type(error).__name__}).',
        ),
        Message(
            zh="请把文件另存为 Markdown 或纯文本后再试；如果仍然出错，请附上日志反馈问题。",
            en="Save the file as Markdown or plain text and try that; if it fails again, report it with the log.",
        ),
    )


def is_no_fault(task: Task, now: Task | None, error: CitewiseError) -> bool:
    """Whether the file cannot help it, as when the disk is full, or when its document went into another set before its
    text was looked for: then the task stays as it is."""
    moved = now is not None and task.job == "rechunk" and now.doc_set != task.doc_set
    return isinstance(error, UnusableStoreError) or moved
