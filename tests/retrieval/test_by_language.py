"""Which language comes first where the question's own words find little, and what stays as it was."""

from __future__ import annotations

import contextlib
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retrieval_cases import SETTINGS, fill

from retrieval.by_language import Lead, led_by
from retrieval.search import SearchResources, search
from schema import Hit, SearchRequest
from stores.embedded import EmbeddedStore
from tests.each_row import each_row

LIBRARY = {
    "handbook.md": [
        "Return the car with a full tank and drive a small car in town.",
        "Whoever printed the report of a month could not fetch it again; this is fixed.",
        "Cars are left behind the church, never in front of the school.",
        "A pupil who behaves badly in class is sent to the head.",
    ],
    "园区.md": [
        "家长车辆不能停在东门，可停在对面菜场。",
        "体检报告的纸质版在前台领取，凭身份证。",
        "公园里孩子不得攀爬，请大人在旁。",
        "水费每月交一次。",
    ],
}


@pytest.fixture(scope="module")
def resources(tmp_path_factory):
    with contextlib.closing(EmbeddedStore(tmp_path_factory.mktemp("library"))) as store:
        library = fill(store, LIBRARY)
        yield SearchResources(library.store, library.embedder, SETTINGS)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("开车来停哪里？", "家长车辆"),  # "car", "drive" are said of a car that is returned
        ("What do they do with kids who misbehave?", "A pupil"),  # 孩子 of those who climb in the park
        ("Who gives me the printed report on my health check?", "体检报告"),  # "printed", "report" of something else
        ("水费多久交一次？", "水费"),  # its own words suffice
    ],
)
async def test_the_language_comes_first_whose_passage_means_what_is_asked(resources, question: str, first: str) -> None:
    evidence = await search(SearchRequest(question, "default"), resources)
    assert evidence.hits[0].text.startswith(first)
    assert [hit.score for hit in evidence.hits] == sorted((hit.score for hit in evidence.hits), reverse=True)
    assert evidence.hits[0].score == pytest.approx(evidence.confidence)


SAID = ["The pool is closed.", "泳池冬天关闭。", "Dogs stay outside.", "狗不得入内。", "2025-01-01"]


def hits(*texts: str) -> list[Hit]:
    return [
        Hit(number, "a.md", "", text, 0, len(text), 1, 1, (), 0.8 / (number + 1), {})
        for number, text in enumerate(texts)
    ]


@given(
    st.sampled_from(get_args(Lead)),
    st.sampled_from(["en", "zh"]),
    st.lists(st.sampled_from(SAID), max_size=12),
    st.sets(st.integers(0, 11)),
)
@settings(max_examples=60, deadline=None)
def test_each_language_keeps_its_order_and_the_best_score_stays(lead, language, texts: list[str], led) -> None:
    before = hits(*texts)
    after = led_by(lead, language, before, led)
    assert sorted(hit.chunk_id for hit in after) == [hit.chunk_id for hit in before]
    assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
    assert not before or after[0].score == pytest.approx(before[0].score)
    for one in SAID[:2]:
        same = [hit.chunk_id for hit in after if hit.text == one and hit.chunk_id not in led]
        assert same == sorted(same)


@each_row(
    ("lead", "language", "scores"),
    [
        ("own", "zh", {"泳池冬天关闭。": 0.8, "The pool is closed.": 0.4}),
        ("other", "zh", {"The pool is closed.": 0.8, "泳池冬天关闭。": 0.4}),
        ("own behind", "zh", {"The pool is closed.": 0.8, "泳池冬天关闭。": 0.792}),
        ("own behind", "en", {"The pool is closed.": 0.8, "泳池冬天关闭。": 0.4}),
    ],
)
def test_the_other_language_stands_back(lead, language, scores: dict[str, float]) -> None:
    after = led_by(lead, language, hits("The pool is closed.", "泳池冬天关闭。"))
    assert {hit.text: pytest.approx(hit.score) for hit in after} == scores
    assert [hit.text for hit in after] == list(scores)
