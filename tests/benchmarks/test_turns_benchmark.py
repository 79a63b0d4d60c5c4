"""The turns benchmark: its library, its scripted model, and a short run of the real thing."""

from __future__ import annotations

import json

import pytest
from openai import APIConnectionError, AsyncOpenAI

from benchmarks import script
from benchmarks.manuals import LANGUAGES, manuals
from benchmarks.model_server import Reply, model_server, wanted_form
from benchmarks.turns import CASES, HYDE, PLAIN, STRANGE, UNCERTAIN, UNCERTAIN_HYDE, Turn, _beside, _in_a_row
from evaluation.judges import Judgement
from planning.model_plan import FilledPlan, plan_messages
from planning.rules import plan_by_rules
from providers.rerankers.llm import Ranking
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")

MANUALS = manuals(6)
FACTS = [fact for manual in MANUALS for fact in manual.facts]


def form_request(form: type, prompt: list[tuple[str, str]]) -> dict:
    return {
        "messages": [{"role": role, "content": text} for role, text in prompt],
        "response_format": {"json_schema": {"name": form.__name__, "schema": form.model_json_schema()}},
    }


def answer_request(*sources: str, question: str) -> dict:
    fenced = [f'<x number="{number}">\nHeading\n\n{text}\n</x>' for number, text in enumerate(sources, 1)]
    return {"messages": [{"role": "user", "content": "\n\n".join([*fenced, f"Question: {question}"])}]}


def test_manuals_are_always_the_same_and_hold_their_facts() -> None:
    assert manuals(6) == MANUALS
    assert manuals(3, ("zh",))[1] == MANUALS[3]
    texts = {manual.name: manual.text for manual in MANUALS}
    assert all(texts[fact.manual].count(fact.sentence) == 1 for fact in FACTS)
    many = [fact.question for manual in manuals(300) for fact in manual.facts]
    assert len({question.zh for question in many}) == len({question.en for question in many}) == len(many) == 3000


@pytest.mark.parametrize(
    ("wording", "certain"),
    [(PLAIN, True), (STRANGE, True), (HYDE, True), (UNCERTAIN, False), (UNCERTAIN_HYDE, False)],
)
def test_the_rules_are_certain_of_what_they_shall_be_certain_of(wording, certain) -> None:
    for fact in FACTS:
        for language in LANGUAGES:
            message = wording[language].format(q=fact.question.to(language))
            plan = plan_by_rules(message, uploads=[], library=list({fact.manual for fact in FACTS}))
            assert (plan.certain, plan.actions, plan.language) == (certain, ("retrieve",), language)
            assert plan.strategy == ("hyde" if wording in (HYDE, UNCERTAIN_HYDE) else None)


def test_the_scripted_model_answers_with_what_the_sources_say() -> None:
    for manual in MANUALS:
        fact = manual.facts[4]
        sources = [MANUALS[0].text[:700], manual.text, MANUALS[1].text[:700]]
        question = fact.question.to(manual.language)
        reply = script.reply(answer_request(*sources, question=question))
        assert reply.text.startswith(f"{fact.sentence.rstrip('。.')} [2]")
        assert 110 <= len(reply.text) / reply.piece <= 160
        stop = "。" if manual.language == "zh" else ". "
        for sentence in filter(None, reply.text.rstrip(". ").split(f"]{stop}")):
            said, _, number = sentence.rstrip("]").rpartition(" [")
            assert said in sources[int(number) - 1]


def test_the_scripted_model_plans_and_judges() -> None:
    question = FACTS[0].question
    prompt = plan_messages(UNCERTAIN["en"].format(q=question.en), uploads=[], library=[])
    request = form_request(FilledPlan, prompt)
    filled = FilledPlan.model_validate_json(script.reply(request).text)
    assert wanted_form(request) == "FilledPlan"
    assert (filled.intent, filled.question, filled.strategy) == ("retrieve", question.en, None)
    assert script.reply(request).text == script.reply(request).text
    scores = []
    for answer in (FACTS[0].sentence, "Nothing of the kind was ever heard."):
        parts = {"question": "q", "answer": answer, "source 1": FACTS[0].sentence}
        text = "\n".join(f'<d name="{name}">\n{content}\n</d>' for name, content in parts.items())
        judged = script.reply(form_request(Judgement, [("user", text)]))
        scores.append(json.loads(judged.text)["faithfulness"])
    assert scores == [5, 1]


def test_the_scripted_model_ranks() -> None:
    passages = [MANUALS[1].text[:200], FACTS[3].sentence, MANUALS[2].text[:200]]
    fenced = [f'<passage-x number="{number}">\n{text}\n</passage-x>' for number, text in enumerate(passages, 1)]
    asked = "\n".join([*fenced, f"<question-x>\n{FACTS[3].question.en}\n</question-x>"])
    ranked = Ranking.model_validate_json(script.reply(form_request(Ranking, [("user", asked)])).text)
    assert ranked.ranking[0] == 2
    assert sorted(ranked.ranking) == [1, 2, 3]


def test_calls_in_a_row() -> None:
    assert _in_a_row([], 1.0) == 0
    assert _in_a_row([5.0, 5.4, 5.9], 1.0) == 1
    assert _in_a_row([5.0, 5.1, 6.1, 6.2, 7.2], 1.0) == 3


def test_turns_are_compared_with_planned_ones() -> None:
    once, twice = Turn(0, 1.1, 2, 3, 1, right=False, bare=1), Turn(10, 12.2, 13, 14, 1, right=True, bare=1)
    planned = [Turn(start, start + 2.2, start + 3, start + 4, 1, right=True, bare=1) for start in (20, 30)]
    figures = _beside([once, twice], planned, [0.05, 10.05, 11.1, 20.05, 21.1], 1.0)
    assert figures == pytest.approx(
        {"one round trip": 0.5, "first of these": 1.1, "planned": 2.2, "right, planned": 1, "worse": 0.5}
    )


def test_a_short_run() -> None:
    cases = ["default, controls", "default, asked again", "default, no model"]
    few = "--latency 0.02 --pace 0 --questions 2 --chunks 40".split()
    report = measured("turns", *few, *(word for case in cases for word in ("--case", case)))
    figures, again, alone = (report.metrics[name] for name in cases)
    assert figures["right"] == again["right"] == alone["right"] == 1
    assert figures["first"] >= 1  # the server lets everybody wait
    assert figures["evaluated"] >= 1
    assert figures["calls"] > figures["in a row"] >= 1
    assert figures["CPU/bare"] > 0
    assert figures["calls"] > again["calls"] >= alone["calls"] == 0
    assert {name.split(":")[0] for name in report.bars} == {
        *cases[:2],
        "evaluated / L, every case",
        "right, every case",
    }
    assert CASES.keys() >= set(cases)


async def test_a_crashed_server_refuses_everybody() -> None:
    with model_server(lambda _: Reply(gone=True)) as server:
        client = AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0)
        for _ in range(2):
            with pytest.raises(APIConnectionError):
                await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello"}])
        assert len(server.requests) == 1
