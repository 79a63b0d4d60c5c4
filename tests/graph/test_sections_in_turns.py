"""A model reads what was found with what stands around it; without one, sentences are picked from what was found."""

from __future__ import annotations

import pytest
from turn_cases import Script, of, purpose, say, talking

from benchmarks.model_server import Reply
from nodes.events import Answered, EvidenceFound

STEPS = [f"Step {n} of the start opens valve number {n} and takes about {n + 20} seconds." for n in range(1, 41)]
MANUAL = "# Boiler\n\n## Start\n\n" + "\n\n".join(STEPS) + "\n\n## Noise\n\nA knocking boiler needs less pressure.\n"
QUESTION = "Which step of the start opens valve number 17?"


async def asked(make_settings, script: Script, **variables: str):
    async with talking(make_settings, script, CITEWISE_TOP_K="1", **variables) as (assistant, server):
        await assistant.library.add("boiler.md", MANUAL.encode())
        await assistant.library.settle()
        events = await say(assistant, QUESTION)
        text = assistant.library.document("boiler.md").text
    answer, [found] = of(events, Answered)[-1].answer, of(events, EvidenceFound)[0].evidence.hits
    for hit in (*answer.sources, found):
        assert hit.text == text[hit.start : hit.end]
    for citation in (c for statement in answer.statements for c in statement.citations):
        assert citation.quote == text[citation.start : citation.end]
        assert citation.start_line == text.count("\n", 0, citation.start) + 1
    shown = [r["messages"][-1]["content"] for r in server.requests if purpose(r) == "answer"]
    return answer, found, shown


async def test_a_model_reads_the_section_and_its_citations_are_exact(make_settings) -> None:
    said = "Step 17 opens valve number 17 [1]. Step 39 takes about 59 seconds [1]."
    answer, found, shown = await asked(make_settings, Script(answer=said))
    [source] = answer.sources
    assert STEPS[16] in found.text
    assert STEPS[38] not in found.text
    assert STEPS[0] in source.text
    assert STEPS[39] in source.text
    assert "knocking" not in source.text  # another section
    assert (source.chunk_id, source.score) == (found.chunk_id, found.score)
    assert all(step in shown[0] for step in STEPS)
    assert all(statement.supported for statement in answer.statements)


@pytest.mark.parametrize("variables", [{"CITEWISE_PARENT_SECTIONS": "false"}, {"CITEWISE_MAX_CONTEXT_LENGTH": "260"}])
async def test_without_sections_or_room_it_reads_what_was_found(make_settings, variables: dict[str, str]) -> None:
    answer, found, _ = await asked(make_settings, Script(answer="Step 17 opens valve number 17 [1]."), **variables)
    [source] = answer.sources
    assert found.text.startswith(source.text)


async def test_the_section_never_takes_a_second_call(make_settings) -> None:
    script = Script(answer="Step 17 opens valve number 17 [1].")
    answer, found, shown = await asked(make_settings, script, CITEWISE_MAX_CONTEXT_LENGTH="600")
    assert len(shown) == 1
    assert len(answer.sources[0].text) > len(found.text)


async def test_sentences_are_picked_from_what_was_found(make_settings) -> None:
    answer, found, shown = await asked(make_settings, Script(answer=Reply("no", status=400)))
    assert shown
    assert answer.answered_by == "extractive"
    assert answer.sources == (found,)
    assert "valve number 17" in answer.text


PREPARE = "\n\n".join(
    f"{n}. Turn the valve number {n} of the boiler until the needle of its gauge stands at {n + 20}, and wait until it "
    "has come to rest before you go on with what stands below."
    for n in range(1, 11)
)


async def test_steps_are_read_to_the_end_of_their_section(make_settings) -> None:
    async with talking(make_settings, Script(answer=Reply("no", status=400)), CITEWISE_TOP_K="1") as (assistant, _):
        manual = (
            f"# Boiler\n\n## Prepare the winter\n\n{PREPARE}\n\n## Noise\n\nA knocking boiler needs less pressure.\n"
        )
        await assistant.library.add("boiler.md", manual.encode())
        await assistant.library.settle()
        events = await say(assistant, "How do I prepare the boiler for winter?")
    answer, [found] = of(events, Answered)[-1].answer, of(events, EvidenceFound)[0].evidence.hits
    assert "10. Turn" not in found.text or "1. Turn" not in found.text
    places = [answer.text.find(f"{n}. Turn the valve") for n in range(1, 11)]
    assert -1 not in places
    assert places == sorted(places)
    assert "knocking" not in answer.sources[0].text
