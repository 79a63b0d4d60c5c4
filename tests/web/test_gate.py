"""The gate to the web: what the real library says of questions inside and outside of it, with and without vectors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from library import Library
from schema import Coverage, Evidence
from web.gate import THRESHOLD, is_covered

TEXTS = {
    "dam.md": "# 都江堰\n\n鱼嘴把岷江分为内江和外江，飞沙堰排走泥沙，宝瓶口控制进入灌区的水量。\n",
    "tides.md": "# Tides\n\nAt new moon and at full moon the Sun and the Moon pull along one line: spring tides.\n",
    "bread.md": "# Bread\n\nSourdough rises overnight; it needs flour, water, salt and a starter.\n",
}
INSIDE = ("宝瓶口有什么作用？", "When do spring tides come?", "What does sourdough need?")
OUTSIDE = ("谁发明了蒸汽机？", "How many players has a handball team?", "Which river flows through Budapest?")


@pytest.mark.parametrize("strategy", ["default", "keyword", "vector"])
async def test_questions_inside_are_covered_and_others_are_not(make_settings, strategy) -> None:
    settings = make_settings(CITEWISE_EMBEDDING="tfidf")
    async with await Library.open(settings) as library:
        assert not is_covered(await library.search(INSIDE[0], strategy=strategy), settings, 0).covered
        for name, text in TEXTS.items():
            await library.add(name, text.encode())
        await library.settle()
        chunks = library.stats().chunks
        for question in INSIDE:
            found = is_covered(await library.search(question, strategy=strategy), settings, chunks)
            assert found.covered, (question, found)
        for question in OUTSIDE:
            found = is_covered(await library.search(question, strategy=strategy), settings, chunks)
            assert not found.covered, (question, found)


async def test_the_threshold_is_a_setting(make_settings) -> None:
    async with await Library.open(make_settings()) as library:
        await library.add("tides.md", TEXTS["tides.md"].encode())
        evidence = await library.search(INSIDE[1])
        assert is_covered(evidence, make_settings(), 1).threshold == THRESHOLD
        score = is_covered(evidence, make_settings(), 1).score
        assert 0 < score < 1
        for threshold, expected in ((score, True), (min(1.0, score + 0.01), False), (0.0, True)):
            settings = make_settings(MIN_SCORE_THRESHOLD=str(threshold))
            assert is_covered(evidence, settings, 1) == Coverage(score, threshold, expected)
        assert is_covered(replace(evidence, overview=True, confidence=0.0), make_settings(), 1).covered


def test_no_hits_cover_nothing(make_settings) -> None:
    assert (
        is_covered(Evidence("?", "default", confidence=1.0), make_settings(MIN_SCORE_THRESHOLD="0"), 9).covered is False
    )
