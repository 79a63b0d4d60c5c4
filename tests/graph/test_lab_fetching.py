"""Published question sets, fetched from a server on loopback: held against their digests, with licence and passages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Iterator

import pytest

from benchmarks.web_site import Page, WebSite, web_site
from errors import CitewiseError
from evaluation.lab.published_sets import PUBLISHED
from evaluation.lab.results import summary
from graph.lab.laboratory import Laboratory
from tests.graph.turn_cases import assistant_of

GSM8K = [
    {"question": "A crate holds 12 lamps, 5 of which are lit. How many are dark?",
     "answer": "12 - 5 = <<12-5=7>>7 lamps are dark.\n#### 7"},
    {"question": "A keeper walks 1,200 steps a day. How many in 3 days?",
     "answer": "3*1200=<<3*1200=3600>>3600\n#### 3,600"},
]  # fmt: skip
CMATH = [
    {
        "grade": 1,
        "input": "灯塔有99级台阶，走了90级，还剩多少级？",
        "golden": "9",
        "reasoning_step": 1,
        "num_digits": 2,
    },
    {"grade": 6, "input": "一箱油用去五分之二，还剩几分之几？", "golden": "3/5", "reasoning_step": 1},
]
SQUAD = {"data": [{"title": "Light: house", "paragraphs": [
    {"context": "The lamp is trimmed at dusk. It burns all night.", "qas": [
        {"id": "a", "question": "When is the lamp trimmed?", "answers": [{"text": "at dusk", "answer_start": 20}]}]},
    {"context": "The fog horn sounds every two minutes.", "qas": [
        {"id": "b", "question": "How often does the horn sound?",
         "answers": [{"text": "every two minutes", "answer_start": 20}]}]},
]}]}  # fmt: skip
HOTPOT = [{
    "_id": "h", "question": "Who built the tower that Ann keeps?", "answer": "Bo",
    "supporting_facts": [["Ann", 0], ["Tower", 1]],
    "context": [["Ann", ["Ann keeps the north tower.", " She is tall."]], ["Tower", ["It is north.", " Bo built it."]],
                ["Sea", ["The sea is wide."]]],
}]  # fmt: skip
FILES = {
    "gsm8k": "\n".join(map(json.dumps, GSM8K)),
    "cmath": "\n".join(json.dumps(row, ensure_ascii=False) for row in CMATH),
    "squad": json.dumps(SQUAD), "hotpot": json.dumps(HOTPOT),
}  # fmt: skip


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebSite]:
    pages = {f"/{name}": Page(body, "text/plain; charset=utf-8") for name, body in FILES.items()}
    with web_site(pages) as found:
        for name, body in FILES.items():
            digest = hashlib.sha256(body.encode()).hexdigest() if PUBLISHED[name].digest else ""
            monkeypatch.setitem(PUBLISHED, name, PUBLISHED[name]._replace(address=found.url(f"/{name}"), digest=digest))
        yield found


@pytest.fixture
async def laboratory(make_settings, site: WebSite) -> AsyncIterator[Laboratory]:
    async with assistant_of(make_settings(CITEWISE_WEB_ALLOW=",".join(site.hosts))) as assistant:
        yield Laboratory(assistant)


async def test_problems_come_with_answers_licence_and_a_digest_that_is_held_to(
    laboratory: Laboratory, site: WebSite
) -> None:
    done = await laboratory.fetch("gsm8k")
    assert (done.cases, done.licence, done.pinned, done.documents) == (2, "MIT", True, 0)
    cases = await laboratory.cases("gsm8k")
    assert [case.answer for case in cases] == ["7", "3,600"]
    assert (cases[0].model_extra or {})["source"]["digest"] == hashlib.sha256(FILES["gsm8k"].encode()).hexdigest()
    assert (await laboratory.fetch("cmath", 1)).pinned is False
    assert (await laboratory.fetch("cmath")).pinned
    assert [(case.question[:2], case.answer) for case in await laboratory.cases("cmath")] == [
        ("灯塔", "9"),
        ("一箱", "3/5"),
    ]
    for name, by_first_fetch in (("gsm8k", False), ("cmath", True)):  # how the digest is known
        site.pages[f"/{name}"] = Page(FILES[name] + "\n", "text/plain")
        with pytest.raises(CitewiseError, match="another file") as wrong:
            await laboratory.fetch(name)
        assert ("delete the set" in wrong.value.in_full.en) is by_first_fetch
        assert len(await laboratory.cases(name)) == 2


async def test_what_questions_are_about_is_stored_and_found(laboratory: Laboratory) -> None:
    assert (await laboratory.fetch("squad")).documents == 1
    assert (await laboratory.fetch("hotpot")).documents == 2
    for name in ("squad", "hotpot"):
        done = await laboratory.run(name, name, await laboratory.cases(name))
        found = summary(done.results)["people"]
        assert (found.stale, found.figures["recall@10"]) == (0, 1)


async def test_without_a_network_it_is_said_what_to_do(laboratory: Laboratory) -> None:
    with pytest.raises(CitewiseError) as wrong:
        await laboratory.fetch("gsm8k", address="http://gsm8k.invalid/test.jsonl")
    assert "lab import" in str(wrong.value.suggestions[-1].en)
    with pytest.raises(CitewiseError, match="no question set"):
        await laboratory.fetch("mmlu")
