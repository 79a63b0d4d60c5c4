"""A user of the page: the line of settings that lets one in."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from commands.terminal import errors_without_trace, interruptible, print_message
from errors import CitewiseError
from schema import Message

SHORTEST = 8  # characters


def user(name: Annotated[str, typer.Argument(help="Name to log in with. / 登录用的名称。")]) -> None:
    """Ask for a password and print the line for CITEWISE_USERS that lets this user in; nothing is stored.

    询问密码，打印让该用户登录的一行 CITEWISE_USERS 设置；不保存任何内容。
    """
    from doors.passwords import hash_password
    from doors.users import is_name

    with errors_without_trace():
        if not is_name(name):
            raise CitewiseError("settings", _NAME)
        password = _ask_for(_PASSWORD)
        if len(password) < SHORTEST:
            raise CitewiseError("settings", _SHORT)
        if sys.stdin.isatty() and _ask_for(_AGAIN) != password:
            raise CitewiseError("settings", _DIFFERENT)
    print(print_message(_PUT), file=sys.stderr)
    print(f"CITEWISE_USERS={name}:{hash_password(password)}")


def _ask_for(prompt: Message) -> str:
    """Typed unseen at a terminal; from a pipe, its first line."""
    if sys.stdin.isatty():
        with interruptible():
            return getpass.getpass(print_message(prompt))
    return sys.stdin.readline().rstrip("\r\n")


_PASSWORD = Message(zh="密码：", en="Password: ")
_AGAIN = Message(zh="再输一次：", en="Once more: ")
_PUT = Message(
    zh="把下面一行加入 .env；已有用户时，把等号后面的部分用逗号接在后面。",
    en="Put this line into .env; if there are users already, add what is behind the = to them after a comma.",
)
_NAME = Message(
    zh="名称只能由字母、数字和 . @ + - _ 组成，最多 64 个字符。",
    en="A name is made of letters, digits and . @ + - _, at most 64 of them.",
)
_SHORT = Message(zh=f"密码至少要 {SHORTEST} 个字符。", en=f"A password has at least {SHORTEST} characters.")
_DIFFERENT = Message(
    zh="两次输入的密码不同，请重新运行。", en="The two passwords are different: run the command again."
)
