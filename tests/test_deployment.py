"""What `Dockerfile`, `compose.yaml` and `deploy/` say is run here without containers, against a real PostgreSQL."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
import yaml

from doors.passwords import hash_password
from tests.stores.postgres_server import database_url, empty

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that .dockerignore lets into the image."""
    folder = tmp_path_factory.mktemp("image")
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "*"
    for pattern in (line[1:] for line in lines if line.startswith("!")):
        found = [*ROOT.glob(pattern)]
        assert found, pattern
        for path in found:
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, folder / path.name)
    return folder


def environment(service: str, folder: Path, port: int) -> dict[str, str]:
    """Of a service as the file has it, but for what is another address here."""
    given = {"CITEWISE_DATABASE_PASSWORD": "x", "CITEWISE_USERS": f"ann:{hash_password('secret')}"}
    written = {name: _filled(str(value), given) for name, value in SERVICES[service]["environment"].items()}
    assert written["CITEWISE_DATABASE_URL"] == "postgresql://citewise:x@database:5432/citewise"
    here = {
        "CITEWISE_DATABASE_URL": database_url(), "CITEWISE_DATA_DIR": str(folder), "CITEWISE_PORT": str(port),
        "CITEWISE_HOST": "127.0.0.1", "CITEWISE_OPEN_BROWSER": "false", "LC_ALL": "en_GB.UTF-8",
    }  # fmt: skip
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "OMP_NUM_THREADS": "1", **written, **here}


def _filled(value: str, given: dict[str, str]) -> str:
    """With the variables that Compose puts in; KeyError for one that it refuses to start without."""
    return re.sub(
        r"\$\{(\w+):([?-])([^}]*)\}",
        lambda found: given.get(found[1], found[3]) if found[2] == "-" else given[found[1]],
        value,
    )


@contextmanager
def running(service: str, image: Path, folder: Path, port: int = 0) -> Iterator[subprocess.Popen[str]]:
    command = SERVICES[service].get("command") or _dockerfile_command()
    assert command[0] == "python"
    program = subprocess.Popen(
        [sys.executable, *command[1:]], cwd=image, env=environment(service, folder, port), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        yield program
    finally:
        program.kill()
        program.wait()
        assert program.stdout is not None
        program.stdout.close()


def _dockerfile_command() -> list[str]:
    return yaml.safe_load(re.findall(r"^CMD (\[.*\])", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M)[-1])


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5) as answer:
            return answer.status == 200
    except (HTTPError, URLError, OSError):
        return False


def test_the_commands_of_the_services_run_from_the_files_of_the_image(image: Path, tmp_path: Path) -> None:
    empty(database_url())
    with running("migrate", image, tmp_path) as migrate:
        assert "has format" in migrate.communicate(timeout=120)[0]
        assert migrate.returncode == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = [tmp_path / name for name in ("app1", "worker")]
    with running("app1", image, folders[0], port) as app, running("worker", image, folders[1]) as worker:
        assert worker.stdout is not None
        said = ""
        while "Waiting for files" not in said:
            line = worker.stdout.readline()
            assert line, said
            said += line
        while not _ready(port):
            assert app.poll() is None, app.communicate()[0]
            time.sleep(0.1)
        for program in (app, worker):
            program.send_signal(signal.SIGTERM)
        assert [program.wait(timeout=60) for program in (app, worker)] == [0, 0]


def test_a_missing_password_or_user_is_refused() -> None:
    for name in ("CITEWISE_DATABASE_URL", "CITEWISE_USERS"):
        with pytest.raises(KeyError):
            _filled(SERVICES["app2"]["environment"][name], {})


def test_the_proxy_knows_the_instances() -> None:
    written = (ROOT / "deploy" / "haproxy.cfg").read_text(encoding="utf-8")
    port = re.findall(r"^EXPOSE (\d+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M)[0]
    servers = re.findall(r"^  server (\S+) (\S+):(\d+) cookie (\S+)$", written, re.M)
    assert [(name, name, port, name) for name in SERVICES if name.startswith("app")] == servers
    assert "option httpchk GET /ready" in written
    assert re.findall(r"bind :(\d+)", written)[0] == SERVICES["proxy"]["ports"][0].rpartition(":")[2]


def test_the_image_is_light_and_nobody_is_root() -> None:
    written = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^USER (\d+):(\d+)$", written, re.M) == [("10001", "10001")]
    extras = set(re.findall(r"--extra (\w+)", written))
    assert "postgres" in extras
    assert extras.isdisjoint({"st", "rerank"})  # which bring torch
    assert "/healthz" in written


def test_units_run_what_the_services_run() -> None:
    commands = {"citewise": _dockerfile_command()}
    commands |= {f"citewise-{name}": SERVICES[name]["command"] for name in ("migrate", "worker")}
    for name, command in commands.items():
        unit = (ROOT / "deploy" / f"{name}.service").read_text(encoding="utf-8")
        run = re.findall(r"^ExecStart=/opt/citewise/.venv/bin/(.*)$", unit, re.M)
        assert run == [" ".join(command)]
        assert "User=citewise" in unit
