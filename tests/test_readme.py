"""The README and the pages behind it: what can be typed is the same in both languages, and links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

from tests.each_row import each_row

ROOT = Path(__file__).parent.parent
BILINGUAL = ["models", "python", "safety", "web"]  # pages of docs/ that say everything in both languages
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
SHORT = 1_200  # words that are read in five minutes


def english_half(name: str) -> str:
    """A page of docs/ in English."""
    return halves(name)[1]


def halves(name: str) -> tuple[str, str]:
    """A page of docs/: its Chinese half and its English half."""
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    chinese, english = page.split("\n## English\n")
    return chinese.partition("\n## 中文\n")[2], english


def test_both_languages_say_the_same_commands() -> None:
    chinese, english = (_blocks((ROOT / name).read_text("utf-8")) for name in ("README.zh.md", "README.md"))
    assert len(english) >= 6
    assert chinese == english


@each_row("name", BILINGUAL)
def test_both_halves_of_a_page_say_the_same_commands(name: str) -> None:
    chinese, english = map(_blocks, halves(name))
    assert english
    assert chinese == english


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= SHORT


@each_row("page", PAGES)
def test_every_picture_and_page_that_is_named_is_there(page: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@each_row("page", PAGES)
def test_every_heading_that_is_linked_is_there(page: Path) -> None:
    for name, anchor in re.findall(r"\]\((?!http)([^)#]*)#([^)]+)\)", page.read_text("utf-8")):
        target = page.parent / name if name else page
        headings = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.M)
        assert anchor in {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}, (name, anchor)


def test_every_page_is_reached_from_the_readme() -> None:
    for name in ("README.md", "README.zh.md"):
        linked = set(re.findall(r"\]\((docs/[^)#]+\.md)", (ROOT / name).read_text("utf-8")))
        assert linked == {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}


def _blocks(text: str) -> list[list[str]]:
    """The code, without its comments."""
    found = re.findall(r"^```\w+\n(.*?)^```", text, re.S | re.M)
    return [[re.sub(r"\s+# .*|\s+#$", "", line) for line in block.splitlines()] for block in found]
