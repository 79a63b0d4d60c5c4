"""A library of one's own for each user (CITEWISE_LIBRARIES=private): which folder is whose.

What is one user's lies in a folder of its own below the data folder, and a program that works for a user is given
settings with that folder and no other: what it cannot reach it cannot tell.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from errors import CitewiseError
from schema import Message
from settings import Settings
from stores.folder import private_opener

FOLDER = "libraries"  # in the data folder; beside the users' folders, what belongs to the program that serves them
_OWNER = "owner"  # the file in a user's folder that holds the name: the folder's own cannot be read back
_SHOWN = 20  # characters of a name that its folder begins with


class UserFolder(NamedTuple):
    user: str
    folder: Path


def settings_of(settings: Settings, user: str) -> Settings:
    """The same for the library of a user; models that were downloaded are everybody's."""
    folder = settings.data_dir / FOLDER / folder_name(user)
    changed = {"data_dir": folder, "as_user": user, "models_dir": settings.models_folder}
    return settings.model_copy(update=changed)


def folder_name(user: str) -> str:
    """Of a user's folder: another one for every other name, also where a file system takes A and a for the same, and
    with nothing in it that a file system refuses."""
    shown = re.sub(r"[^a-z0-9]+", "-", user.lower())[:_SHOWN].strip("-")
    return f"{shown or 'user'}-{hashlib.sha256(user.encode()).hexdigest()[:32]}"


def own_settings(settings: Settings) -> Settings:
    """For a terminal or a program in Python: those of the user in `as_user`, or as they are where one library is
    shared by all. Raises CitewiseError where it is not clear whose library is meant."""
    user = settings.as_user
    if settings.libraries == "shared":
        if user:
            raise _all_share()
        return settings
    if not user:
        raise _whose(known_users(settings))
    if _is_of(settings, user):
        return settings
    own = settings_of(settings, user)
    if user not in known_users(settings) and not own.data_dir.exists():
        raise _nobody(user, known_users(settings))
    return own


def require_own(settings: Settings) -> None:
    """Raises CitewiseError for settings that would open another library than the user's own."""
    if settings.libraries == "private" and not (settings.as_user and _is_of(settings, settings.as_user)):
        raise _whose(known_users(settings))


def note_owner(folder: Path, user: str) -> None:
    """Write into a user's folder whose it is; a full disk only leaves it out of lists."""
    with suppress(OSError):
        folder.mkdir(0o700, parents=True, exist_ok=True)
        with open(folder / _OWNER, "w", encoding="utf-8", opener=private_opener) as file:
            file.write(user)


def user_folders(data_dir: Path) -> list[UserFolder]:
    """The libraries that there are, by name of their users."""
    found = []
    for owner in (data_dir / FOLDER).glob(f"*/{_OWNER}"):
        with suppress(OSError, UnicodeDecodeError):
            user = owner.read_text(encoding="utf-8")
            if owner.parent.name == folder_name(user):
                found.append(UserFolder(user, owner.parent))
    return sorted(found)


def known_users(settings: Settings) -> list[str]:
    """The names before the passwords and keys of the settings."""
    entries = [entry.get_secret_value() for entry in (*settings.users, *settings.api_keys)]
    return sorted({entry.partition(":")[0] for entry in entries if ":" in entry})


def _is_of(settings: Settings, user: str) -> bool:
    return settings.data_dir.name == folder_name(user) and settings.data_dir.parent.name == FOLDER


def _whose(known: list[str]) -> CitewiseError:
    names = ", ".join(known)
    return CitewiseError(
        "settings",
        Message(
            zh="每个用户有自己的知识库（CITEWISE_LIBRARIES=private），但没有说明要用谁的。",
            en="Each user has a library of their own (CITEWISE_LIBRARIES=private), and no user was named.",
        ),
        Message(
            zh=f"请指定用户：cli.py --user 名字 …，或 citewise.open(as_user=名字)，或设置 CITEWISE_AS_USER。"
            f"{f'用户有：{names}。' if known else ''}",
            en="Name the user: cli.py --user NAME ..., citewise.open(as_user=NAME), or CITEWISE_AS_USER."
            f"{f' The users: {names}.' if known else ''}",
        ),
        Message(
            zh="以前大家共用的知识库仍在数据文件夹里：加上 CITEWISE_LIBRARIES=shared 就能打开。",
            en="The library that all shared before is still in the data folder: CITEWISE_LIBRARIES=shared opens it.",
        ),
    )


def _nobody(user: str, known: list[str]) -> CitewiseError:
    names = ", ".join(known)
    return CitewiseError(
        "not_found",
        Message(zh=f"没有用户“{user}”。", en=f"There is no user {user}."),
        Message(
            zh=f"用户有：{names or '（无）'}。用 uv run cli.py user 名字 添加。",
            en=f"The users: {names or 'none'}. Add one with: uv run cli.py user NAME",
        ),
    )


def _all_share() -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh="所有用户共用一个知识库（CITEWISE_LIBRARIES=shared），不能指定用户。",
            en="All users share one library (CITEWISE_LIBRARIES=shared): no user can be named.",
        ),
        Message(
            zh="请去掉 --user 和 CITEWISE_AS_USER，或设置 CITEWISE_LIBRARIES=private。",
            en="Leave out --user and CITEWISE_AS_USER, or set CITEWISE_LIBRARIES=private.",
        ),
    )
