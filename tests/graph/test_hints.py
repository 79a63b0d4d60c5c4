"""What is said where a message is no question about what files say: which there are, how they begin, what to ask."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from nodes.retrieve import OPENINGS, _openings
from nodes.unknown import EMPTY, MANAGE, WELCOME, unknown
from schema import Chunking, ConsideredPassage, DocumentInfo, Evidence, Hit, Language, Message, Plan, Scope
from schema.evidence import Fate
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


@pytest.mark.parametrize(
    ("count", "model", "opened", "told"),
    [
        (8, None, 8, OPENINGS.en),
        (8, "a model", 8, None),
        (11, "a model", 8, "The library holds 11 files; the answer rests on how the newest 8 begin. The Library page "
         "has them all."),
    ],
)  # fmt: skip
async def test_a_question_about_all_files_opens_the_newest(
    count: int, model: str | None, opened: int, told: str | None
) -> None:
    asked: list[Scope] = []

    async def opening(scope: Scope, count: int) -> list[Hit]:
        asked.append(scope)
        return [Hit(1, "0.md", "", "How it begins.", 0, 14, 1, 1)] * count

    words = Message(zh="按词典", en="by the dictionary")
    names = [f"{n}.md" for n in range(count)]
    context: Any = SimpleNamespace(library=SimpleNamespace(names=lambda: names, opening=opening), model=model)
    became: dict[Fate, int] = {"kept": 1, "joined": 0, "duplicate": 0, "below": 0}
    considered = tuple(
        ConsideredPassage(1, "0.md", "", 1, 1, "x", {}, rank, place, fate)
        for rank, (fate, place) in enumerate(became.items(), 1)
    )
    before = Evidence("What is there?", "default", notices=(words,), found_by=words, considered=considered)
    found = await _openings(context, before)
    assert [one.documents for one in asked] == [tuple(names[:opened])]
    assert found is not None
    assert ([one.en for one in found.notices], found.overview, found.found_by) == ([told] * bool(told), True, None)
    assert [hit.text for hit in found.hits] == ["How it begins."]
    left = ["overview", "overview", "duplicate", "below"]
    assert [(one.fate, one.place) for one in found.considered] == [(fate, 0) for fate in left]


async def test_without_files_nothing_is_opened() -> None:
    context: Any = SimpleNamespace(library=SimpleNamespace(names=list), model=None)
    assert await _openings(context, Evidence("What is there?", "default")) is None
