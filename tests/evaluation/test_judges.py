"""The judge as a real client sees it: what it is shown, and what of its answer is believed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.model_server import Reply, filled, model_server
from errors import ModelError
from evaluation.judges import JudgedSentence, Judgement, findings, judge
from providers.llm import Chain
from schema import Answer, Finding, Hit, Language, Statement
from settings import Settings
from tests.each_row import each_row

SOURCES = tuple(Hit(n, "a.md", "", text, 0, len(text), 1, 1) for n, text in enumerate(["Ten days.", "Two weeks."]))
ANSWER = Answer(
    "# Leave\nTen days [1]. Forty weeks [2].",
    (Statement("# Leave", checkable=False), Statement("Ten days."), Statement("Forty weeks.")),
    SOURCES,
    language="en",
)
SCORES = {
    "faithfulness_reason": "the second is not", "faithfulness": 3, "relevance_reason": "yes", "relevance": 5,
    "completeness_reason": "all", "completeness": 4,
}  # fmt: skip
SENTENCES = [
    {"number": 2, "lacking": "", "supported": True, "source": 1},
    {"number": 3, "lacking": "forty", "supported": False, "source": 2},
]


NUMBERED = tuple(enumerate(SOURCES, 1))


async def judged(script, sources=NUMBERED, answer=ANSWER) -> tuple[Judgement, list[dict]]:
    with model_server(script) as server:
        settings = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": server.base_url, "CITEWISE_OLLAMA": "false"}
        chain = Chain(Settings.from_mapping(settings))
        try:
            return await judge(chain.model(), "How long?", answer, sources), server.requests
        finally:
            await chain.close()


async def test_one_call_sees_question_sentences_and_sources() -> None:
    found, requests = await judged(lambda request: filled(request, {"sentences": SENTENCES, **SCORES}))
    assert len(requests) == 1
    shown = requests[0]["messages"][-1]["content"]
    assert "How long?" in shown
    assert "2. Ten days." in shown
    assert "3. Forty weeks." in shown
    assert "1. # Leave" not in shown  # asserts nothing
    assert 'name="source 2"' in shown
    assert "Two weeks." in shown
    first, second = findings(found, ANSWER)
    assert (first.statement, first.supported, first.source, first.lacking) == (1, True, 0, "")
    assert (second.statement, second.supported, second.source, second.lacking) == (2, False, None, "forty")
    assert (found.faithfulness, found.relevance, found.completeness) == (3, 5, 4)


@pytest.mark.parametrize(("language", "begins"), [("en", "You are a strict reviewer."), ("zh", "你是严格的评审。")])
async def test_the_whole_prompt(language: Language, begins: str) -> None:
    under = replace(SOURCES[1], headings=("Leave", "Sick"))
    answer = replace(ANSWER, language=language)
    _, requests = await judged(lambda request: filled(request, SCORES), [(1, SOURCES[0]), (7, under)], answer)
    system, user = requests[0]["messages"][:2]
    assert (system["role"], user["role"]) == ("system", "user")
    assert system["content"].startswith(begins)
    fences = set(re.findall(r"data-\w+", user["content"]))
    assert len(fences) == 1
    assert user["content"].replace(fences.pop(), "data") == (
        '<data name="question">\nHow long?\n</data>\n\n'
        '<data name="answer">\n- # Leave\n2. Ten days.\n3. Forty weeks.\n</data>\n\n'
        '<data name="source 1">\nTen days.\n</data>\n\n'
        '<data name="source 7">\nLeave > Sick\n\nTwo weeks.\n</data>'
    )


async def test_an_answer_without_sentences_is_shown_as_it_is() -> None:
    answer = replace(ANSWER, statements=())
    _, requests = await judged(lambda request: filled(request, SCORES), NUMBERED, answer)
    assert ANSWER.text in requests[0]["messages"][1]["content"]


async def test_sources_keep_their_numbers_when_not_all_are_shown() -> None:
    _, requests = await judged(lambda request: filled(request, {"sentences": [], **SCORES}), [(2, SOURCES[1])])
    shown = requests[0]["messages"][-1]["content"]
    assert 'name="source 2"' in shown
    assert 'name="source 1"' not in shown


async def test_a_judge_that_makes_no_sense_is_a_model_error() -> None:
    with pytest.raises(ModelError):
        await judged(lambda request: Reply("five stars"))
    with pytest.raises(ModelError):
        await judged(lambda request: filled(request, {**SCORES, "faithfulness": 9}))


@each_row(
    "sentence",
    [
        {"number": 0, "supported": True, "source": 1},  # there is none
        {"number": 4, "supported": False},
        {"number": 1, "supported": True, "source": 1},  # a heading
        {"number": 2, "supported": True, "source": 3},  # by a source that there is not
        {"number": 2, "supported": True},
    ],
)
def test_what_cannot_be_is_not_believed(sentence: dict) -> None:
    assert findings(Judgement(sentences=[JudgedSentence(**sentence)], **SCORES), ANSWER) == ()


def test_the_first_word_on_a_sentence_counts() -> None:
    sentences = [
        JudgedSentence(number=2, lacking="ten", supported=False, source=1),
        JudgedSentence(number=1, lacking="all", supported=True, source=2),
        JudgedSentence(number=2, supported=True, source=1),
    ]
    answer = replace(ANSWER, statements=ANSWER.statements[1:])
    found = findings(Judgement(sentences=sentences, **SCORES), answer)
    assert found == (Finding(0, True, 1, ""), Finding(1, False, None, "ten"))


@given(st.lists(st.builds(JudgedSentence, number=st.integers(-3, 9), supported=st.booleans(),
                          source=st.none() | st.integers(-3, 9)), max_size=12))  # fmt: skip
def test_whatever_the_judge_says_findings_point_to_what_is_there(sentences: list[JudgedSentence]) -> None:
    found = findings(Judgement(sentences=sentences, **SCORES), ANSWER)
    assert [one.statement for one in found] == sorted({one.statement for one in found})
    for one in found:
        assert ANSWER.statements[one.statement].checkable
        assert one.supported == (one.source is not None)
        assert one.source is None or 0 <= one.source < len(SOURCES)
