"""That the best source is in another language is said where it is cited, and nowhere else."""

from __future__ import annotations

import pytest

from nodes.events import Answered
from tests.graph.turn_cases import assistant_of, of, say

CV = """# Maria Santos

Engineer at Ferrovia, 2018 to 2022: four years of work on payments. Twelve years of work in all.
"""
RULES = """# 考勤规定

事假由直属上级批准。

年假：入职满一年5天，满十年10天，满二十年15天。
"""


@pytest.mark.parametrize(
    ("question", "language", "said"),
    [
        ("Maria的年假有几天？", "zh", False),  # the CV is found first, and the rules answer
        ("Maria在Ferrovia工作了几年？", "en", True),
    ],
)
async def test_how_a_source_was_found_is_said_with_it(make_settings, question, language, said) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("cv.md", CV.encode())
        await assistant.library.add("rules.md", RULES.encode())
        [answered] = of(await say(assistant, question), Answered)
    answer = answered.answer
    assert answer.found_by is not None
    assert "dictionary" in answer.found_by.en
    cited = {answer.sources[one.source].document for each in answer.statements for one in each.citations}
    assert cited == {"cv.md" if language == "en" else "rules.md"}
    assert (answer.found_by in answer.notices) == said
