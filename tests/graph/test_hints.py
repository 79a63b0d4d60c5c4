"""What is said where a message is neither a file nor a question: of which files, and how they are asked about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from nodes.unknown import EMPTY, MANAGE, WELCOME, unknown
from schema import Chunking, DocumentInfo, Language, Plan
from tests.each_row import Rows


def file(n: int, name: str, doc_set: str = "") -> DocumentInfo:
    return DocumentInfo(n, name, doc_set, "text", "en", 10, 1, Chunking(), "", "")


async def said(message: str, files: list[DocumentInfo], titles: dict[str, str], language: Language, **plan: Any) -> str:
    async def told_titles() -> dict[str, str]:
        return titles

    library = SimpleNamespace(names=lambda: [one.name for one in files], documents=lambda: files, titles=told_titles)
    context = SimpleNamespace(library=library, reply=lambda plan, text: [text])
    state: Any = {"plan": Plan(intent="unknown", language=language, **plan), "messages": [HumanMessage(message)]}
    runtime: Any = SimpleNamespace(context=context)
    [text] = (await unknown(state, runtime))["messages"]
    return str(text)


@pytest.mark.parametrize(("message", "language"), [("有哪些文件？", "zh"), ("Which files do you have?", "en")])
async def test_the_files_are_listed_with_their_sets_and_titles(message: str, language: Language) -> None:
    zh = language == "zh"
    titles = {"a*b.md": "Rules of\n the *house*", "leave.md": "Leave"}
    files = [file(1, "a*b.md", "hr"), file(2, "leave.md"), file(3, "c.md")]
    told = (await said(message, files, titles, language, unclear="library")).splitlines()
    line = "- a\\*b.md（hr）：Rules of the \\*house\\*" if zh else "- a\\*b.md (hr): Rules of the \\*house\\*"
    head = "知识库里有 3 个文件：" if zh else "The library holds 3 files:"
    assert told == [head, "", line, "- leave.md", "- c.md", "", MANAGE.to(language)]
    [head, *_] = (await said(message, files[:1], {}, language, unclear="library")).splitlines()
    assert head == ("知识库里有 1 个文件：" if zh else "The library holds 1 file:")


@pytest.mark.parametrize(("message", "language"), [("有哪些文件？", "zh"), ("Which files do you have?", "en")])
async def test_of_very_many_files_the_first_are_named(message: str, language: Language) -> None:
    many = [file(n, f"{n}.md") for n in range(23)]
    told = (await said(message, many, {}, language, unclear="library")).splitlines()
    assert told[2:-2] == [*(f"- {n}.md" for n in range(20)), "- ……另有 3 个" if language == "zh" else "- … and 3 more"]
    told = (await said(message, many[:20], {}, language, unclear="library")).splitlines()
    assert told[2:-2] == [f"- {n}.md" for n in range(20)]


async def test_a_hint_fits_what_was_said_and_what_there_is() -> None:
    rows, held = Rows(), [file(1, "a*b.md")]
    for message, files, wanted, more in (
        ("Delete a.md", held, MANAGE, {"unclear": "library"}),
        ("Which files do you have?", [], MANAGE, {"unclear": "library"}),
        ("Thanks!", held, WELCOME, {}),
        ("辛苦了，再见", held, WELCOME, {}),
        ("Thanks!", [], EMPTY, {}),
        ("hm", [], EMPTY, {}),
    ):
        for language in ("zh", "en"):
            with rows.row((message, language)):
                assert await said(message, files, {}, language, **more) == wanted.to(language)
    for language, example in (("zh", "“只在 a\\*b.md 里查：……”"), ("en", "“only in a\\*b.md: …”")):
        with rows.row(example):
            assert example in await said("hm", held, {}, language)
    rows.end()
