"""What can go wrong with files, as errors that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from errors import StoreError
from schema import Message

_FOLDER_REMEDY = Message(
    zh="请检查文件夹的权限和磁盘空间，或用 CITEWISE_DATA_DIR 换一个数据文件夹。",
    en="Check its permissions and the disk, or choose another data folder with CITEWISE_DATA_DIR.",
)
_DAMAGE_REMEDY = Message(
    zh="文件已损坏：运行 uv run cli.py rebuild 可以救回能读的部分；或用 uv run cli.py restore 从备份恢复。",
    en="The file is damaged: `uv run cli.py rebuild` saves what can be read of it, and `uv run cli.py restore` brings "
    "back a backup.",
)
_FULL_REMEDY = Message(
    zh="磁盘已满：请腾出空间后重试。已保存的内容没有受影响。",
    en="The disk is full: free some space and try again. What was saved is unharmed.",
)


class SpaceChanged(StoreError):
    """A vector of another space than the serving one: embed again and retry."""

    def __init__(self, serving: str | None) -> None:
        super().__init__(
            Message(zh="嵌入模型刚刚更换，请重试。", en="The embedding model has just changed; please try again.")
        )
        self.serving = serving


class VectorsMissing(StoreError):
    """Chunks came in while another space was made ready, and have no vector in it yet: embed them and retry."""

    def __init__(self, chunk_ids: Sequence[int]) -> None:
        super().__init__(
            Message(
                zh=f"有 {len(chunk_ids)} 个新切片还没有新模型的向量，请重试。",
                en=f"{len(chunk_ids)} new chunks have no vector of the new model yet; please try again.",
            )
        )
        self.chunk_ids = tuple(chunk_ids)


class TaskGone(StoreError):
    """A task that a batch was made for is not there any more: cancelled, or with its set deleted, or replaced by a
    newer one of the same file. What was made for it must not be stored over what came later."""

    def __init__(self, task_ids: Sequence[int]) -> None:
        super().__init__(
            Message(
                zh="这个文件在处理期间被取消、删除，或被更新的版本取代，因此没有保存。",
                en="The file was cancelled, deleted or replaced by a newer one on its way, so it was not stored.",
            ),
            Message(zh="如果仍然需要，请重新上传。", en="Upload it again if you still need it."),
        )
        self.task_ids = tuple(task_ids)


class UnusableStoreError(StoreError):
    """The disk is full, the folder cannot be written or the file is damaged: the next change will fail as well."""


class UnreadableDatabaseError(UnusableStoreError):
    """The database is damaged."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(_unusable(path, why), _DAMAGE_REMEDY)


class DamagedFileError(Exception):
    """A derived file is missing, incomplete or not what was written: build it anew."""


def unwritable(folder: Path, error: OSError) -> UnusableStoreError:
    return UnusableStoreError(
        Message(
            zh=f"无法写入数据文件夹 {folder}（{error.strerror}）。",
            en=f"The data folder {folder} cannot be written ({error.strerror}).",
        ),
        _FOLDER_REMEDY,
    )


@contextmanager
def explaining_errors(path: Path) -> Iterator[None]:
    """What a person can do something about, as a StoreError; a wrong statement stays the defect that it is."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise unstorable_name(error.object) from error
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if "Could not decode" in str(error):  # what was written as text is noise by now
            raise UnreadableDatabaseError(path, error) from error
        if code is None or code & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISUSE):
            raise
        if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise UnreadableDatabaseError(path, error) from error
        full = code & 0xFF == sqlite3.SQLITE_FULL
        raise UnusableStoreError(_unusable(path, error), _FULL_REMEDY if full else _FOLDER_REMEDY) from error


def require_text(name: str) -> None:
    """Raises StoreError for a name with NUL: SQLite's JSON, by which names are asked for, would end there."""
    if "\0" in name:
        raise unstorable_name(name)


def unstorable_name(name: str) -> StoreError:
    return StoreError(
        Message(zh=f"名称里有不是文字的字符：{name!a}。", en=f"A name holds what is no character: {name!a}."),
        Message(zh="请改名后重试。", en="Choose another name and try again."),
    )


def _unusable(path: Path, why: object) -> Message:
    return Message(zh=f"知识库 {path} 无法读写：{why}。", en=f"The library {path} cannot be used: {why}.")


def closed(path: Path | str) -> StoreError:
    return StoreError(
        Message(zh=f"知识库 {path} 已经关闭。", en=f"The library {path} is closed."),
        Message(zh="请重新打开它。", en="Open it again."),
    )


def gone_meanwhile(name: str) -> StoreError:
    return StoreError(
        Message(
            zh=f"{name} 在重新切片时被删除或更新了，这次切片没有保存。",
            en=f"{name} was deleted or updated while it was cut again; this cut was not stored.",
        ),
        Message(zh="如果仍然需要，请再试一次。", en="Try once more if you still need it."),
    )


def source_gone(address: str) -> StoreError:
    return StoreError(
        Message(zh=f"来源“{address}”已被删除。", en=f'The source "{address}" has been removed.'),
        Message(zh="如果仍然需要，请重新添加。", en="Add it again if you still need it."),
    )


def name_taken(name: str) -> StoreError:
    return StoreError(
        Message(
            zh=f"那个文档集里已经有“{name}”，没有移动。",
            en=f'The other document set already has a document named "{name}"; nothing was moved.',
        ),
        Message(zh="请先删除其中一个，再移动。", en="Delete one of the two first, then move the other."),
    )


def set_taken(name: str) -> StoreError:
    return StoreError(
        Message(zh=f"已经有名为“{name}”的文档集。", en=f'There is a document set named "{name}" already.'),
        Message(zh="请换一个名字，或把文档移到那个文档集。", en="Choose another name, or move the documents into it."),
    )


def count_phrase(count: int, of: str) -> str:
    """In English: 1 document, 2 documents."""
    return f"{count} {of}{'s' * (count != 1)}"
