"""What the README and the pages behind it show runs as it is written there: the terminal's lines in their order, the
blocks of Python. The programs that start servers, and the benchmarks, have tests of their own."""

from __future__ import annotations

import ast
import asyncio
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas
from typer.main import get_command
from typer.testing import CliRunner

import citewise
import cli
from benchmarks.web_site import Page, WebSite, web_site
from providers.catalog import configured
from settings import Settings
from tests.test_readme import BILINGUAL, PAGES, ROOT, english_half
from tests.web.github_server import GitHubServer

RUN_HERE = ["python", "web", "safety"]  # of docs/, in this order
RUN_ELSEWHERE = {
    "programs": "doors/test_programs.py",
    "architecture": "test_books.py",
    "store": "stores/test_postgres.py",
    "lab": "test_cli_lab.py",
    "deployment": "test_deployment.py",
}
SHOWN = "\n".join([(ROOT / "README.md").read_text("utf-8"), *map(english_half, RUN_HERE)])
# A line that is shown twice runs once: a backup does not overwrite another.
TERMINAL = [*dict.fromkeys(re.findall(r"^uv run cli\.py (.+?)(?:\s+#.*)?$", SHOWN, re.M))]
PYTHON = re.findall(r"^```python\n(.*?)^```", SHOWN, re.S | re.M)
ALL = "\n".join(page.read_text("utf-8") for page in PAGES)
PAGE = "<html><title>Tides</title><body><p>The tide turns twice a day.</p></body>"
SITE = "https://docs.example.com"
CONFIRMED = {"restore": "y\n"}  # what the terminal asks before it does it


def test_no_page_shows_what_no_test_runs() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        if re.search(r"^```python\n|^uv run cli\.py ", page.read_text("utf-8"), re.M):
            assert page.stem in {*RUN_HERE, *RUN_ELSEWHERE}, page.name
    assert set(RUN_HERE) <= set(BILINGUAL), "the Chinese half shows the same"
    assert all((ROOT / "tests" / test).exists() for test in RUN_ELSEWHERE.values())


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bare_environment: None) -> Iterator[WebSite]:
    """A folder with what the README names: `docs/`, `notes.pdf`; and its website and its repository, here."""
    with web_site({}) as github, web_site({"/guide/": Page(PAGE)}) as site:
        GitHubServer(github, "owner/name").push({"a.py": b"tide = 1\n", "b.md": b"# Tides\n"}, "v1.0")
        for name, value in {
            "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_EMBEDDING": "hashing", "LC_ALL": "en_GB.UTF-8",
            "CITEWISE_WEB_ALLOW": ",".join(site.hosts + github.hosts), "CITEWISE_GITHUB_API_URL": github.url(""),
            "CITEWISE_CRAWL_DELAY": "0", "COLUMNS": "200",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "制度.md").write_text("# 休假\n\n员工每年有十五天年假。通知期为三个月。", encoding="utf-8")
        pdf = Canvas("notes.pdf")
        pdf.drawString(72, 700, "The archive opens at nine.")
        pdf.save()
        yield site


def said(line: str) -> str:
    done = CliRunner().invoke(cli.cli, shlex.split(line), input=CONFIRMED.get(line.split()[0]))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 0, f"{line}: {done.output}"
    return done.output


def test_the_lines_of_the_terminal(site: WebSite) -> None:
    assert len(TERMINAL) >= 12
    outputs = {}
    for line in TERMINAL:
        outputs[line.split()[0]] = said(line.replace(SITE, site.url("").rstrip("/")))
    assert "十五天" in outputs["ask"]
    assert {"notes.pdf", "制度.md"} <= set(re.split(r"[\s│]+", outputs["list"]))
    assert {"check", "backup", "restore", "rebuild", "stages", "unanswered", "cache", "source"} <= outputs.keys()
    assert Path("library.zip").exists()


@pytest.mark.parametrize("block", [block for block in PYTHON if "handle_query" not in block])  # that one needs the web
def test_a_block_of_python(block: str, site: WebSite, capsys: pytest.CaptureFixture[str]) -> None:
    code = compile(
        block.replace(SITE, site.url("").rstrip("/")), "a page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    )
    if re.search(r"^\w+ = library\.", block, re.M):  # it goes on with a library that is open
        with citewise.open("my_library") as library:
            run(code, {"library": library})
            assert [one.origin.url for one in library.list("guide")] == [site.url("/guide/")]
    else:
        run(code, {})
    assert capsys.readouterr().out


def run(code: CodeType, names: dict[str, Any]) -> None:
    """With `await` where the block has it, as a notebook would."""
    waiting = eval(code, names)
    if waiting is not None:
        asyncio.run(waiting)


def test_every_variable_that_is_shown_is_a_setting() -> None:
    known = set(re.findall(r"[A-Z][A-Z_0-9]+", (ROOT / ".env.example").read_text("utf-8")))
    shown = [block for block in blocks("sh", ALL) if "=" in block.split()[0]]
    assert len(shown) >= 4
    assert {name for block in shown for name in re.findall(r"^([A-Z_]+)=", block, re.M)} - known == set()


def test_the_list_of_models_is_read_as_it_is_shown(bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
    [listed] = blocks("yaml", english_half("models"))
    Path("config.yaml").write_text(listed, encoding="utf-8")
    settings = Settings(config_file=Path("config.yaml"))
    assert [one.name for one in configured(settings)] == ["deepseek", "office", "ollama"]


def test_every_extra_that_is_shown_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    shown = set(re.findall(r"uv sync --extra (\w+)", ALL))
    assert {"local", "otel"} <= shown <= project["optional-dependencies"].keys()


def test_every_command_that_is_named_is_one() -> None:
    named = set(re.findall(r"cli\.py ([a-z]+)", ALL))
    assert {"mcp", "user", "feedback", "import"} <= named
    assert named <= get_command(cli.cli).commands.keys()  # type: ignore[attr-defined]


def blocks(language: str, text: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)
