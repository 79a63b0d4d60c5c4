"""The bytes of a file that is to be read, and what is said where it cannot be."""

from __future__ import annotations

import os
import stat

from errors import FileError
from schema import Message


def bytes_at(path: str, name: str, limit: int) -> bytes:
    """Never more than the limit, and never of a pipe or a device, which may have no end."""
    from ingestion.readers.base import too_large

    try:
        with open(path, "rb", opener=lambda path, flags: os.open(path, flags | getattr(os, "O_NONBLOCK", 0))) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise FileError(
                    Message(zh=f"“{name}”不是普通文件。", en=f'"{name}" is not a regular file.'),
                    Message(zh="请选择文件本身。", en="Choose the file itself."),
                )
            if found.st_size > limit:
                raise too_large(name, found.st_size, limit)
            return file.read(limit + 1)
    except OSError as error:
        raise FileError(
            Message(zh=f"无法读取“{name}”（{error.strerror}）。", en=f'"{name}" cannot be read ({error.strerror}).'),
            Message(
                zh="请检查文件是否还在、是否有权限读取，然后重试。",
                en="Check that the file is still there and may be read, then try again.",
            ),
        ) from error


def defect(name: str) -> FileError:
    return FileError(
        Message(
            zh=f"处理“{name}”时程序出错，详情已写入日志。",
            en=f'The program failed over "{name}"; the log says more.',
        ),
        Message(
            zh="其他文件不受影响。请换一种格式保存这个文件后再试。",
            en="Other files are not affected. Save the file in another format and try again.",
        ),
    )
