"""What a message named and is not there, so that the answer comes from elsewhere."""

from __future__ import annotations

from schema import Message, Plan


def missing_name_notices(plan: Plan) -> list[Message]:
    found = []
    if plan.missing_files:
        names = "、".join(plan.missing_files)
        found.append(
            Message(
                zh=f"知识库里没有“{names}”，因此没有用它限定范围。",
                en=f"{', '.join(plan.missing_files)} is not in the library, so it does not limit the search.",
            )
        )
    if plan.missing_sets:
        names = "、".join(plan.missing_sets)
        found.append(
            Message(
                zh=f"没有名为“{names}”的文档集，因此没有用它限定范围。",
                en=f"There is no document set {', '.join(plan.missing_sets)}, so it does not limit the search.",
            )
        )
    return found
