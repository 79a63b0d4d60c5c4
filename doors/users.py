"""Who may come in: users with a password, programs with a key; beyond this machine nobody without one."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from doors.passwords import is_hashed
from errors import CitewiseError
from schema import Message
from settings import Settings

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
SHORTEST_KEY = 16  # characters: a key is made by a machine, and tried without a limit
_NAME = re.compile(r"[\w.@+-]{1,64}")


@dataclass(frozen=True)
class Users:
    """Users with the line of their password, and the names that keys stand for."""

    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)  # by the key's digest

    def __bool__(self) -> bool:
        """Whether there is a login."""
        return bool(self.users or self.keys)

    def of_key(self, key: str) -> str | None:
        return self.keys.get(digest(key))


def users_from_settings(settings: Settings) -> Users:
    """Raises CitewiseError where a list cannot be read, or where the page would be open to others without a login."""
    users = dict(_entries(settings.users, "CITEWISE_USERS"))
    for name, line in users.items():
        if not is_hashed(line):
            raise _not_hashed(name)
    keys = {}
    for name, key in _entries(settings.api_keys, "CITEWISE_API_KEYS"):
        if len(key) < SHORTEST_KEY:
            raise _short(name)
        keys[digest(key)] = name
    people = Users(users, keys)
    if not people and (not is_loopback(settings.host) or any(host not in LOCAL for host in settings.allowed_hosts)):
        raise _open_to_all(settings)
    return people


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _entries(entries: tuple[SecretStr, ...], setting: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for entry in entries:
        name, colon, value = entry.get_secret_value().partition(":")
        if not colon or not value or not is_name(name) or name in found:
            raise _unreadable(setting)
        found[name] = value
    return list(found.items())


def _unreadable(setting: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh=f"{setting} 无法读取：应为“名称:值”，用逗号分隔，每个名称只出现一次。",
            en=f"{setting} cannot be read: it is a list of name:value, with commas between, each name once.",
        ),
        _HOW_USERS if setting == "CITEWISE_USERS" else _HOW_KEYS,
    )


def _not_hashed(name: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh=f"CITEWISE_USERS 中 {name} 的密码不是密码摘要；不接受明文密码。",
            en=f"In CITEWISE_USERS the password of {name} is not a hash; passwords in plain text are not accepted.",
        ),
        _HOW_USERS,
    )


def _short(name: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh=f"CITEWISE_API_KEYS 中 {name} 的密钥少于 {SHORTEST_KEY} 个字符，容易被猜中。",
            en=f"In CITEWISE_API_KEYS the key of {name} has fewer than {SHORTEST_KEY} characters and can be guessed.",
        ),
        _HOW_KEYS,
    )


def _open_to_all(settings: Settings) -> CitewiseError:
    where = settings.host if not is_loopback(settings.host) else ", ".join(settings.allowed_hosts)
    return CitewiseError(
        "settings",
        Message(
            zh=f"没有启动：{where} 可以从其他机器访问，却没有设置登录，任何人都能读取你的文件和对话。",
            en=f"Not started: {where} can be reached from other machines, and without a login anybody there could "
            "read your files and conversations.",
        ),
        _HOW_USERS,
        Message(
            zh="只在本机使用时，请去掉 CITEWISE_HOST、--host 和 CITEWISE_ALLOWED_HOSTS。",
            en="For this machine alone, leave out CITEWISE_HOST, --host and CITEWISE_ALLOWED_HOSTS.",
        ),
    )


_HOW_USERS = Message(
    zh="运行 uv run cli.py user 名称，输入密码，然后把打印出的一行加入 .env。",
    en="Run uv run cli.py user NAME, type a password, and put the line that it prints into .env.",
)
_HOW_KEYS = Message(
    zh='生成密钥：python -c "import secrets; print(secrets.token_urlsafe(32))"，然后设置 CITEWISE_API_KEYS=名称:密钥。',
    en='Make a key with python -c "import secrets; print(secrets.token_urlsafe(32))" and set '
    "CITEWISE_API_KEYS=name:key.",
)
