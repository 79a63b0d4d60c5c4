"""Users and keys of the login: how they are read, which lists are refused, who needs none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from doors.passwords import dummy_hash, hash_password, is_hashed, is_right
from doors.users import users_from_settings
from errors import CitewiseError
from tests.conftest import MakeSettings
from tests.doors.login_cases import KEY, LINES, PASSWORD


def test_a_line_tells_whether_a_password_is_right() -> None:
    assert is_hashed(LINES["alice"])
    assert not is_hashed(PASSWORD)
    assert not is_hashed("scrypt.99.8.1.aaaa.bbbb")
    assert is_right(PASSWORD, LINES["alice"])
    assert not is_right("", LINES["alice"])
    assert hash_password(PASSWORD) != LINES["alice"]
    assert is_right("密码 é", hash_password("密码 é"))
    assert is_hashed(dummy_hash([]))
    assert not is_right("", dummy_hash(LINES.values()))
    assert not is_right(PASSWORD, PASSWORD)


def test_users_and_keys_are_read_from_the_settings(make_settings: MakeSettings) -> None:
    lines = ", ".join(f"{name}:{line}" for name, line in LINES.items())
    found = users_from_settings(
        make_settings(CITEWISE_USERS=lines, CITEWISE_API_KEYS=f"robot:{KEY}", CITEWISE_HOST="0.0.0.0")
    )
    assert found.users == LINES
    assert (found.of_key(KEY), found.of_key("")) == ("robot", None)
    assert KEY not in repr(found)
    assert LINES["bob"] not in repr(found)
    assert KEY not in repr(make_settings(CITEWISE_API_KEYS=f"robot:{KEY}"))


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"CITEWISE_USERS": f"alice:{PASSWORD.replace(' ', '')}"}, "cli.py user"),
        ({"CITEWISE_USERS": "alice"}, "cli.py user"),
        ({"CITEWISE_USERS": f"alice:{LINES['alice']},alice:{LINES['bob']}"}, "each name once"),
        ({"CITEWISE_USERS": f"a/b:{LINES['alice']}"}, "name:value"),
        ({"CITEWISE_API_KEYS": "robot:short"}, "16"),
        ({"CITEWISE_HOST": "0.0.0.0"}, "without a login"),
        ({"CITEWISE_HOST": "::"}, "without a login"),
        ({"CITEWISE_HOST": "192.168.1.5"}, "without a login"),
        ({"CITEWISE_ALLOWED_HOSTS": "docs.example"}, "without a login"),
    ],
    ids=["plain", "no hash", "twice", "slash", "short key", "all", "all v6", "network", "proxy"],
)
def test_wrong_or_missing_lists_are_refused_with_a_remedy(
    make_settings: MakeSettings, variables: dict[str, str], said: str
) -> None:
    with pytest.raises(CitewiseError) as raised:
        users_from_settings(make_settings(**variables))
    told = raised.value.in_full
    assert said in told.en
    assert raised.value.suggestions
    assert "correcthorse" not in told.en + told.zh
    assert "short" not in told.zh


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_alone_needs_no_login(make_settings: MakeSettings, host: str) -> None:
    assert not users_from_settings(make_settings(CITEWISE_HOST=host))


@pytest.mark.usefixtures("bare_environment")
def test_the_command_prints_a_line_that_lets_the_user_in(make_settings: MakeSettings) -> None:
    def run(name: str, password: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(Path(__file__).parents[2] / "cli.py"), "user", name]
        return subprocess.run(command, input=f"{password}\n", capture_output=True, text=True, check=False)

    done = run("alice", PASSWORD)
    setting, _, value = done.stdout.strip().partition("=")
    assert setting == "CITEWISE_USERS"
    assert is_right(PASSWORD, users_from_settings(make_settings(CITEWISE_USERS=value)).users["alice"])
    assert PASSWORD not in done.stdout + done.stderr
    assert run("alice", "short").returncode == 1
    assert "letters" in run("a b", PASSWORD).stderr
