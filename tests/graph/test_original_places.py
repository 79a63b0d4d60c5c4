"""From a file to its answer: a citation says the slide, row or cell of the original, with a model and without."""

from __future__ import annotations

import io
import json

import pytest
from openpyxl import Workbook
from pptx import Presentation
from turn_cases import Script, assistant_of, of, purpose, say

from answering.places import place_of
from benchmarks.model_server import model_server
from nodes.events import Answered
from nodes.state import Record
from schema import Answer, Citation, Hit
from ui.answer_message import answer_message


def sheet() -> bytes:
    book, file = Workbook(), io.BytesIO()
    book.active.title = "Umsatz"
    book.active.append(["Region", "Umsatz"])
    for number in range(2, 80):
        book.active.append([f"Region {number}", 1000 + number])
    book.save(file)
    return file.getvalue()


def slides() -> bytes:
    talk, file = Presentation(), io.BytesIO()
    for title, text in (("Budget", "The pier costs nine thousand."), ("Lamp", "The lamp is replaced in spring.")):
        slide = talk.slides.add_slide(talk.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    talk.save(file)
    return file.getvalue()


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Pump notes"]},
        {"cell_type": "markdown", "metadata": {}, "source": ["The pressure of the pump is 42 bar."]},
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip
FILES = [
    ("umsatz.xlsx", sheet(), "What is the Umsatz of Region 57?", "1057", ("row", 57, "Umsatz")),
    ("talk.pptx", slides(), "When is the lamp replaced?", "spring", ("slide", 2, "")),
    ("ages.csv", b"name,age\nAnna,33\nBerta,44\n", "How old is Berta?", "44", ("row", 3, "")),
    ("pump.ipynb", json.dumps(NOTEBOOK).encode(), "What is the pressure of the pump?", "42", ("cell", 2, "")),
]


@pytest.mark.parametrize(
    ("name", "data", "question", "said", "place"), FILES, ids=lambda one: one if isinstance(one, str) else ""
)
async def test_an_answer_points_into_the_original(make_settings, name, data, question, said, place) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add(name, data)
        answer = of(await say(assistant, question), Answered)[0].answer
        cited = placed(answer, said)
        assert place in {one[1:4] for citation in cited for one in citation.places}
        source = answer.sources[cited[0].source]
        of_source = [c for s in answer.statements for c in s.citations if c.source == cited[0].source]
        shown = answer_message(answer, "en")["content"]
        assert f"{source.document} · {place_of(source, of_source).en}" in shown
        kept = Record.of((await assistant.history("t"))[-1]).answer
        assert kept.statements == answer.statements


async def test_a_model_reads_the_place_and_its_citations_have_it(make_settings) -> None:
    script = Script(answer="The Umsatz of Region 57 is 1057 [1].")
    with model_server(script) as server:
        settings = make_settings(
            CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url, CITEWISE_STRATEGY="keyword"
        )
        async with assistant_of(settings) as assistant:
            await assistant.library.add("umsatz.xlsx", sheet())
            answer = of(await say(assistant, "What Umsatz did Region 57 report?"), Answered)[0].answer
            (asked,) = [request for request in server.requests if purpose(request) == "answer"]
            assert "umsatz.xlsx" in asked["messages"][-1]["content"]
            assert "(sheet Umsatz, rows " in asked["messages"][-1]["content"]
            (citation,) = placed(answer, "1057")
            assert 57 in [place.number for place in citation.places]
            assert len(citation.places) <= 2


def placed(answer: Answer, said: str) -> list[Citation]:
    """The citations whose passages say it."""
    return [one for statement in answer.statements for one in statement.citations if said in one.quote]


def headings(source: Hit) -> str:
    return "".join(f" › {heading}" for heading in source.headings)
