"""A typing error in an English word of a question is searched for as the word that the library has."""

from __future__ import annotations

import pytest

from benchmarks.retrieval import Dataset, with_typos
from library import Library
from retrieval.spelling import _edits, corrected, corrections

MANUAL = (
    "# Lamp\n\nThe batteries of the lamp are replaced each autumn. Annual leave is granted by the managers.\n\n"
    "## Keeper\n\nMatilda Brownlee keeps the lighthouse, at the end of a long path."
)


@pytest.fixture
async def library(make_settings):
    async with await Library.open(make_settings()) as library:
        await library.add("lamp.md", MANUAL.encode())
        yield library


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("When are the bateries replaced?", "When are the batteries replaced?"),  # a doubled letter
        ("When are the battereis replaced?", "When are the batteries replaced?"),  # exchanged
        ("When are the battxries replaced?", "When are the batteries replaced?"),  # wrong
        ("When are the battebries replaced?", "When are the batteries replaced?"),  # one too many
        ("Is anual leave granted?", "Is annual leave granted?"),  # "manual" is as near
        ("Who is Matilda Browlee?", "Who is Matilda Brownlee?"),
        ("When is the autunm?", "When is the autumn?"),
        ("Summarise how manegers organise it", "Summarise how managers organise it"),  # British words are none
        ("When are the candles replaced?", ""),  # a word that the library lacks is not misspelt
        ("When are the batteries replaced?", ""),
        ("Which is the longest path?", ""),  # "longes" would be "long"
        ("Who is Lark?", ""),  # short words are near to too many
        ("What is bat_teries, v1.battereis or battereis.md?", ""),  # identifiers are as they are
        ("灯塔由谁看守？", ""),
        ("", ""),
    ],
)
async def test_what_is_searched_for(library, question, searched) -> None:
    words = corrections(question, library.store)
    assert corrected(question, words) == (searched or question)
    assert bool(words) == bool(searched)


async def test_it_is_found_and_said(library) -> None:
    right = await library.search("When are the batteries replaced?")
    found = await library.search("When are the bateries replaced?")
    assert found.question == "When are the batteries replaced?"
    assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in right.hits]
    assert found.confidence == right.confidence
    assert found.found_by is not None
    assert found.found_by.en == "Searched for “batteries” instead of “bateries”."
    assert found.found_by.zh == "检索时已将“bateries”更正为“batteries”。"
    assert found.notices == (found.found_by,)
    assert right.found_by is None


async def test_words_that_nobody_knows_cost_one_look(library, monkeypatch) -> None:
    looks = []
    frequencies = library.store.document_frequencies
    monkeypatch.setattr(library.store, "document_frequencies", lambda terms: looks.append(terms) or frequencies(terms))
    words = " ".join(f"zq{chr(97 + n % 26)}{chr(97 + n // 26)}xw" for n in range(400))
    assert corrections(f"Are the bateries {words}?", library.store) == {}
    assert [len(terms) for terms in looks] == [40]


def test_typos_of_the_benchmark_are_one_error_each() -> None:
    dataset = Dataset({"a": "The batteries are replaced."}, {"q": "When are batteries replaced?"}, {})
    typed = with_typos(dataset)["q"]
    assert typed == with_typos(dataset)["q"] != dataset.queries["q"]
    assert len(typed) - len(dataset.queries["q"]) in (-1, 0, 1)


def test_likelier_errors_come_first() -> None:
    ranks: dict[str, int] = {}
    every = list(_edits("leter"))
    for edited, rank in every:
        ranks[edited] = min(rank, ranks.get(edited, rank))
    assert len(every) == 4 + 5 + 5 * 25 + 6 * 26  # exchanged, one too many, wrong, one too few
    assert {ranks[one] for one in ("letter", "leeter", "lleter", "letre", "leetr")} == {0}  # not doubled, exchanged
    assert {ranks[one] for one in ("lever", "lete", "leer", "leters", "lester")} == {1}
    assert {ranks[one] for one in ("deter", "eter", "aleter", "elter")} == {2}  # the first letter
    assert {rank for edited, rank in _edits("letter") if edited == "leter"} == {0}  # doubled
