"""The services themselves: answers from elsewhere are rated, errors speak the language of the question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.model_server import Reply
from doors.management import listed_of
from doors.mcp_server import TOOLS, calling
from doors.services import SERVICES, Services, error_text
from errors import CitewiseError
from graph.conversations import thread_of
from schema import Chunking, DocumentInfo, Message
from tests.graph.turn_cases import GUIDE, HANDBOOK, SCORES, Script, assistant_of, talking

PASSAGE = {"zh": "员工每年有十五天带薪年假。", "en": "Wait for ninety seconds before the first start."}
QUESTION = {"zh": "年假有几天？", "en": "How long is the wait?"}
RIGHT = {"zh": "年假有十五天[1]。", "en": "The wait is ninety seconds [1]."}
WRONG = {"zh": "年假有二十天[1]。", "en": "The wait is ten seconds [1]."}


async def call(services: Services, name: str, /, **given: Any) -> dict[str, Any]:
    return (await services.call(name, given)).model_dump(mode="json")


async def test_an_answer_from_elsewhere_is_rated_by_its_passages(make_settings, language) -> None:
    async with assistant_of(make_settings()) as assistant:
        services = Services(assistant)
        await call(services, "add_document", name="a.md", content=f"{GUIDE}\n{HANDBOOK}")
        for answer, supported in ((RIGHT, True), (WRONG, False)):
            given = {"question": QUESTION[language], "contexts": [PASSAGE[language]]}
            marked = await call(services, "evaluate", answer=answer[language], **given)
            bare = await call(services, "evaluate", answer=answer[language].replace("[1]", ""), **given)
            for found in (marked, bare):
                assert [one["supported"] for one in found["statements"]] == [supported]
                assert found["verdict"]["judged_by"] is None
            assert (marked["verdict"]["support"] > 0.6) is supported
        assert marked["statements"][0]["reasons"]
        found = await call(services, "evaluate", question=QUESTION[language], answer=RIGHT[language].replace("[1]", ""))
        assert found["statements"][0]["supported"]
        assert found["covered"]
        assert found["verdict"]["max_similarity"] >= found["verdict"]["mean_similarity"]


async def test_a_model_rates_where_there_is_one(make_settings) -> None:
    async with talking(make_settings, Script()) as (assistant, _):
        services = Services(assistant)
        wish = {"question": QUESTION["en"], "answer": RIGHT["en"], "contexts": [PASSAGE["en"]]}
        verdict = (await call(services, "evaluate", **wish))["verdict"]
        assert {key: verdict[key] for key in SCORES} == SCORES
        assert verdict["judged_by"]
    async with talking(make_settings, Script(judge=Reply(status=500))) as (assistant, _):
        verdict = (await call(Services(assistant), "evaluate", **wish))["verdict"]
        assert verdict["faithfulness"] is None
        assert verdict["unjudged"]


async def test_a_named_conversation_is_of_the_user_who_names_it(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        services = Services(assistant)
        await call(services, "add_document", name="guide.md", content=GUIDE)
        for user in ("ann", "bob"):
            await services.call("ask", {"question": "How is the pump started?", "conversation": "talk"}, user)
        for user in ("ann", "bob"):
            assert len(await assistant.turns(thread_of(user, "program-talk"))) == 1
            assert await assistant.conversations(user) == []


async def test_errors_speak_the_language_of_the_question(make_settings, language) -> None:
    async with assistant_of(make_settings()) as assistant:
        services = Services(assistant)
        given = {"question": QUESTION[language], "documents": ["x.md"]}
        for name in ("ask", "search", "evaluate"):
            with pytest.raises(CitewiseError) as wrong:
                await services.call(name, given)
            assert error_text(wrong.value, given) == wrong.value.in_full.to(language)
        with pytest.raises(CitewiseError) as wrong:
            await services.call("delete_document", {"name": "x.md"})
        assert error_text(wrong.value, {"name": "x.md"}).splitlines() == [*wrong.value.in_full]


async def test_documents_are_listed_with_what_they_are_about(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        services = Services(assistant)
        await call(services, "add_document", name="guide.md", content=GUIDE)
        assert (await call(services, "list_documents"))["documents"][0]["structured"] is None
        await assistant.library.structured("guide.md")
        about = (await call(services, "list_documents"))["documents"][0]["structured"]
        assert (about["title"], about["topics"], about["made_by"]) == ("Pump guide", ["Start", "Noise"], "statistics")


async def test_a_defect_has_an_id_that_the_log_holds(make_settings, caplog) -> None:
    async with assistant_of(make_settings()) as assistant:
        services = Services(assistant)
        services.assistant.library.documents = None  # type: ignore[method-assign,assignment]
        with pytest.raises(CitewiseError) as defect:
            await services.call("list_documents", {})
        error_id = defect.value.message.en.split("id ")[1].split(",")[0]
        assert error_id in caplog.text


async def test_a_set_is_evaluated_and_held_against_an_earlier_run(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        services, gold = Services(assistant), [{"document": "guide.md", "quote": "Wait for ninety seconds."}]
        cases = [{"question": f"How long must the pump wait, case {n}?", "evidence": gold} for n in range(9)]
        before = await call(services, "evaluate_set", questions=cases, run="before")
        assert (before["people"]["figures"]["recall@5"], before["wrong"], before["notices"]) == (1, [], [])
        await assistant.library.delete_all([("guide.md", "")])
        given = {"set": "programs", "against": "before", "gates": ["recall@5 >= -0.02"], "language": "zh"}
        after = await call(services, "evaluate_set", **given)
        assert after["people"]["stale"] == 9
        assert after["wrong"][0]["why"] == "知识库里已没有依据"
        compared = after["comparison"]
        assert compared["gates"] == [{"gate": "recall@5 >= -0.02", "holds": False, "sure": True}]
        assert (len(compared["losses"]), compared["lost_to"]) == (9, {"not_in_library": 9})
        assert "9 题的原文已不在知识库里，单独计数。" in after["notices"]
        for wrong, part in (
            ({"set": "x"}, "no question set"), ({"set": "programs", "gates": ["recall@5 >= 0"]}, "against"),
            ({"set": "programs", "against": "x"}, "no run"), ({"questions": [{"answer": "x"}]}, "questions, 1"),
        ):  # fmt: skip
            called = await calling(services)("evaluate_set", {**wrong, "language": "en"}, "")
            assert (called.is_error, part in str(called.structured_content)) == (True, True), called


def test_each_field_is_described_in_both_languages() -> None:
    for service in (*SERVICES.values(), TOOLS["evaluate_set"]):
        for name, field in service.form.model_fields.items():
            zh, between, en = str(field.description).partition(" / ")
            assert between, name
            assert not zh.isascii(), name
            assert en.isascii() or "“" in en, name


def test_a_document_whose_vectors_are_missing_is_listed_as_pending_with_the_reason():
    why = Message(zh="等待向量", en="Waiting for vectors")
    info = DocumentInfo(1, "a.md", "", "markdown", "en", 9, 3, Chunking(), "d", "2026-01-01T00:00:00Z")
    assert (listed_of(info).status, listed_of(info).problem) == ("completed", None)
    listed = listed_of(replace(info, missing=2, problem=why)).model_dump()
    assert (listed["status"], listed["problem"]) == ("pending", {"zh": "等待向量", "en": "Waiting for vectors"})
