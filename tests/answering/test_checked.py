"""A model's answer as text or as an object: citations checked wherever they stand, failures told."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from answering.enhanced_prompt import JsonAnswer, JsonExtract
from answering.prompt_answer import SILENT, answer_as_object, answer_as_text
from answering.writing import LONGEST, TOO_LONG
from benchmarks.model_server import Reply, Script, filled, model_server
from evaluation.citations import CheckedSources
from providers.llm import Chain
from schema import Hit

TEXT = "The pump waits for ninety seconds before it starts."
PROMPT = [("user", "How long does the pump wait?")]


@pytest.fixture
def sources() -> CheckedSources:
    return CheckedSources([Hit(1, "guide.md", "", TEXT, 0, len(TEXT), 3, 3)], "How long does the pump wait?")


async def asked(make_settings, script: Script, write):
    with model_server(script) as server:
        chain = Chain(make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url))
        try:
            return await write(chain.model()), server
        finally:
            await chain.close()


async def text_of(make_settings, reply: Reply, sources: CheckedSources):
    written, _ = await asked(make_settings, lambda _: reply, lambda model: answer_as_text(model, PROMPT, sources))
    return written


async def test_a_text_is_shown_with_markers_that_hold(make_settings, sources) -> None:
    said = "The pump waits for ninety seconds [1]. It weighs four tons [1]. It is blue [7]."
    written = await text_of(make_settings, Reply(said), sources)
    assert written.parsed == "The pump waits for ninety seconds [1]. It weighs four tons [1]⚠. It is blue.⚠"
    assert (written.raw, written.error) == (said, None)
    verdicts = [citation.support.supported for one in written.statements for citation in one.citations]
    assert verdicts == [True, False]


async def test_silence_failure_and_an_answer_without_end_are_told(make_settings, sources) -> None:
    silent = await text_of(make_settings, Reply(" "), sources)
    assert (silent.parsed, silent.statements) == (None, ())
    assert silent.error
    refused = await text_of(make_settings, Reply(status=401), sources)
    assert refused.error
    assert refused.error.zh
    assert refused.error.en
    endless = "".join(f"and {number} again " for number in range(LONGEST // 10))
    long = await text_of(make_settings, Reply(endless, piece=LONGEST), sources)
    assert long.notices == (TOO_LONG,)
    assert long.raw
    assert len(long.raw) == LONGEST
    assert long.cut_short
    assert long.parsed.endswith(" …")
    circles = await text_of(make_settings, Reply("and again " * LONGEST, piece=LONGEST), sources)
    assert (circles.parsed, circles.cut_short) == (None, False)
    assert "over and over" in circles.error.en
    assert all((message.zh, message.en) for message in (SILENT, TOO_LONG))


async def test_an_object_has_its_texts_checked(make_settings, sources) -> None:
    form = {"answer": "It waits for ninety seconds [1].", "key_points": ["It weighs four tons [1]", "x [9]"],
            "missing": ""}  # fmt: skip

    def write(model):
        return answer_as_object(model, PROMPT, JsonAnswer, sources)

    written, server = await asked(make_settings, lambda request: filled(request, form), write)
    assert written.parsed == {**form, "key_points": ["It weighs four tons [1]⚠", "x"]}
    assert JsonAnswer.model_validate_json(written.raw).model_dump() == form
    cited = [citation for one in written.statements for citation in one.citations]
    assert [one.support.supported for one in cited] == [True, False]
    assert len(server.requests) == 1


async def test_a_goal_may_have_fields_of_its_own(make_settings, sources) -> None:
    form = {"answer": "Ninety seconds [1].", "waits": {"pump": ["ninety seconds [1]", 90, None]}, "safe": True}

    def write(model):
        return answer_as_object(model, PROMPT, JsonExtract, sources)

    written, _ = await asked(make_settings, lambda request: filled(request, form), write)
    assert written.parsed == form
    strict, refusing = await asked(make_settings, _strict(form), write)
    assert strict.parsed == form
    assert len(refusing.requests) == 2


def _strict(form: dict) -> Script:
    """An address that takes no schema with fields of its own, as OpenAI's strict mode does not."""

    def reply(request: dict) -> Reply:
        schema = (request.get("response_format") or {}).get("json_schema", {}).get("schema", {})
        if schema.get("additionalProperties"):
            return Reply("Invalid schema: additionalProperties must be false", status=400)
        return filled(request, form)

    return reply


async def test_a_form_that_almost_fits_is_sent_back_once(make_settings, sources) -> None:
    replies = iter([{"key_points": "none"}, {"answer": "Ninety seconds [1].", "key_points": [], "missing": ""}])

    def write(model):
        return answer_as_object(model, PROMPT, JsonAnswer, sources)

    written, server = await asked(make_settings, lambda request: filled(request, next(replies)), write)
    assert written.parsed
    assert written.parsed["answer"] == "Ninety seconds [1]."
    assert "That is not the form" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("form", [JsonAnswer, JsonExtract])
async def test_a_model_that_fills_no_form_is_told(make_settings, sources, form: type[BaseModel]) -> None:
    written, _ = await asked(
        make_settings, lambda _: Reply("no JSON"), lambda model: answer_as_object(model, PROMPT, form, sources)
    )
    assert written.parsed is None
    assert written.error
    assert written.error.en != written.error.zh
