"""What a message named and is not there, so that the answer comes from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from schema import Message, Plan


def missing_name_notices(plan: Plan) -> list[Message]:
    found = []
    if names := plan.missing_files:
        are, they = ("are", "they do") if len(names) > 1 else ("is", "it does")
        found.append(
            Message(
                zh=f"知识库里没有{_quoted(names)}，因此没有用{_it(names)}限定范围。",
                en=f"{', '.join(names)} {are} not in the library, so {they} not limit the search.",
            )
        )
    if names := plan.missing_sets:
        are, they = ("are no document sets", "they do") if len(names) > 1 else ("is no document set", "it does")
        found.append(
            Message(
                zh=f"没有名为{_quoted(names)}的文档集，因此没有用{_it(names)}限定范围。",
                en=f"There {are} {', '.join(names)}, so {they} not limit the search.",
            )
        )
    return found


def _quoted(names: Sequence[str]) -> str:
    return "、".join(f"“{name}”" for name in names)


def _it(names: Sequence[str]) -> str:
    return "它们" if len(names) > 1 else "它"
