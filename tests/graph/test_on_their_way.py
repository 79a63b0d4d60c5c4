"""Files that a question is about and that are not there yet: they go first, and the answer says it is without them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from nodes.offer import _weak
from nodes.retrieve import SHOWN, _coming, _hurried, _noted
from schema import EVERYWHERE, Evidence, Message, Scope, Step, Task
from tests.each_row import each_row

TASKS = [
    Task(1, "add", "a.md", "hr", "pending"),
    Task(2, "add", "b.md", "", "processing"),
    Task(3, "add", "a.md", "", "failed"),
    Task(4, "rechunk", "a.md", "hr", "pending"),
    Task(5, "add", "a.md", "", "pending"),
    Task(6, "add", "c.md", "hr", "pending"),
]


@pytest.mark.parametrize(
    ("scope", "hurried"),
    [
        (Scope(documents=("a.md",)), [1, 5]),
        (Scope(doc_sets=("hr",)), [1, 6]),
        (Scope(documents=("a.md", "b.md"), doc_sets=("",)), [2, 5]),
        (Scope(documents=("z.md",)), []),
    ],
)
async def test_those_of_the_scope_go_before_all_others(scope: Scope, hurried: list[int]) -> None:
    asked: list[list[int]] = []

    async def hurry(numbers: list[int]) -> None:
        asked.append(numbers)

    library: Any = SimpleNamespace(waiting=lambda scope: ["x.md"], tasks=lambda: TASKS, hurry=hurry)
    assert await _hurried(library, scope) == len(hurried)
    assert asked == [hurried]


async def test_of_all_files_those_count_that_were_not_there_before() -> None:
    library: Any = SimpleNamespace(waiting=lambda scope: ["a.md", "a.md", "b.md"], names=lambda: ["b.md"])
    assert await _hurried(library, EVERYWHERE) == 1
    library = SimpleNamespace(waiting=lambda scope: [])
    assert await _hurried(library, EVERYWHERE) == await _hurried(library, Scope(documents=("a.md",))) == 0


@each_row(
    ("count", "named", "zh", "en"),
    [
        (
            1,
            True,
            "这个范围内还有 1 个文件正在处理，已提前处理；本回答还没有用到它们。",
            "1 file in this scope is still being processed, now ahead of all others; this answer does not use it yet.",
        ),
        (
            2,
            True,
            "这个范围内还有 2 个文件正在处理，已提前处理；本回答还没有用到它们。",
            "2 files in this scope are still being processed, now ahead of all others; this answer does not use them "
            "yet.",
        ),
        (
            1,
            False,
            "还有 1 个文件正在处理，本回答还没有用到它们。",
            "1 file is still being processed; this answer does not use it yet.",
        ),
        (
            3,
            False,
            "还有 3 个文件正在处理，本回答还没有用到它们。",
            "3 files are still being processed; this answer does not use them yet.",
        ),
    ],
)
def test_the_answer_says_that_it_is_without_them(count: int, named: bool, zh: str, en: str) -> None:
    assert _coming(count, named) == Message(zh, en)


def test_a_step_says_what_was_searched_beside() -> None:
    evidence = Evidence("?", "hyde", translated="the leave", hypothetical="x" * (SHOWN + 1))
    plain = Step("rerank", 0.5)
    assert _noted(plain, evidence) == plain
    assert _noted(Step("search", 0.5), Evidence("?", "default")) == Step("search", 0.5)
    assert _noted(Step("search", 0.5), evidence).note == Message("同时检索：the leave", "also searched: the leave")
    shown = f"{'x' * SHOWN} …"
    assert _noted(Step("hyde", 0.5), evidence).note == Message(f"同时检索：{shown}", f"also searched: {shown}")


@each_row(
    ("scores", "weak"),
    [
        ((5, 5, 5), False),
        ((3, 3, 3), False),
        ((2, 5, 5), True),
        ((5, 1, 5), True),
        ((5, 5, 2), True),
        ((None, 5, None), False),
    ],
)
def test_what_a_judge_finds_weak(scores: tuple[int | None, ...], weak: bool) -> None:
    verdict: Any = SimpleNamespace(faithfulness=scores[0], relevance=scores[1], completeness=scores[2])
    assert _weak(verdict) is weak
    assert not _weak(None)
