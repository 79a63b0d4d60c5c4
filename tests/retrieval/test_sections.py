"""What was found, with what stands around it: literal text, nothing lost, within the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ingestion.chunking import chunk_document
from providers.hashing import HashingEmbedder
from retrieval.sections import grow_hits, merge_neighbours
from schema import Chunking, Document, Hit, Place
from settings import Settings

GUIDE = Document(
    "guide.md",
    "# Pump guide\n\n## Start\n\n"
    + "".join(f"Step {n} of the start is to open valve {n} slowly and to wait.\n\n" for n in range(1, 21))
    + "## Noise\n\nA rattling noise means air in the line.\n\nA hum means that all is well with it.\n",
    kind="markdown",
    language="en",
)


class Stored:
    """The chunks of documents, as a store hands them out."""

    def __init__(self, *documents: Document, size: int = 150, overlap: int = 0) -> None:
        self.documents = {(document.name, document.doc_set): document for document in documents}
        self.chunks: list[Hit] = []
        wish, embed = Chunking(strategy="recursive", size=size, overlap=overlap), HashingEmbedder(64).embed
        for document in documents:
            _, chunks = chunk_document(document, wish, Settings.from_mapping({}), embed)
            for place, chunk in enumerate(chunks):
                self.chunks.append(
                    Hit(
                        len(self.chunks), document.name, document.doc_set, chunk.text, chunk.start, chunk.end,
                        chunk.start_line, chunk.end_line, chunk.headings, 1.0 / (2 + place), position=place,
                    )
                )  # fmt: skip

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
        return {
            found.chunk_id: [
                other
                for other in self.chunks
                if (other.document, other.doc_set) == (found.document, found.doc_set)
                and abs(other.position - found.position) <= reach
            ]
            for found in self.chunks
            if found.chunk_id in chunk_ids
        }

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str:
        document = self.documents.get((name, doc_set))
        return document.text[start:end] if document else ""

    def check(self, hit: Hit) -> None:
        text = self.documents[hit.document, hit.doc_set].text
        assert hit.text == text[hit.start : hit.end]
        assert hit.start_line == text.count("\n", 0, hit.start) + 1
        assert hit.end_line == text.count("\n", 0, hit.end) + 1


STORED = Stored(GUIDE, replace(GUIDE, name="copy.md"), replace(GUIDE, doc_set="pumps"))
OVERLAPPING = Stored(GUIDE, replace(GUIDE, name="copy.md"), size=200, overlap=80)
LISTS = st.lists(st.integers(min_value=0, max_value=200), max_size=12, unique=True)


@given(LISTS, st.sampled_from([STORED, OVERLAPPING]), st.integers(min_value=100, max_value=5000))
def test_touching_hits_are_one_and_no_character_is_lost(chosen: list[int], stored: Stored, most: int) -> None:
    hits = [stored.chunks[number % len(stored.chunks)] for number in dict.fromkeys(n % 40 for n in chosen)]
    hits = list({hit.chunk_id: hit for hit in hits}.values())
    found = merge_neighbours(hits, stored, most, len)
    for hit in found:
        stored.check(hit)
        assert hit in hits or len(hit.text) <= most
    for hit in hits:
        assert any(hit.document == one.document and one.start <= hit.start and hit.end <= one.end for one in found)
    places = [min(hits.index(hit) for hit in hits if hit.chunk_id == one.chunk_id) for one in found]
    assert places == sorted(places)  # in the place of the best of them
    if most == 5000:
        spans = sorted((one.document, one.doc_set, one.start, one.end) for one in found)
        for before, after in pairwise(spans):
            assert before[:2] != after[:2] or GUIDE.text[before[3] : after[2]].strip()


def test_a_merged_hit_is_the_best_of_them() -> None:
    first, second, third = STORED.chunks[1:4]
    best = replace(second, score=0.9, scores={"bm25": 7.0}, places=(Place(second.start, "page", 2),), also_in=("b.md",))
    first = replace(first, places=(Place(0, "page", 1),), also_in=("c.md",))
    [found] = merge_neighbours([best, third, first], STORED, 5000, len)
    assert (found.chunk_id, found.score, found.scores) == (best.chunk_id, 0.9, {"bm25": 7.0})
    assert (found.start, found.end) == (first.start, third.end)
    assert found.headings == ("Pump guide", "Start")
    assert found.places == (Place(0, "page", 1), Place(second.start, "page", 2))
    assert set(found.also_in) == {"b.md", "c.md"}


def test_the_heading_of_its_beginning_is_never_lost() -> None:
    chunks = [chunk for chunk in STORED.chunks if chunk.document == "guide.md" and not chunk.doc_set]
    noise = next(chunk for chunk in chunks if "rattling" in chunk.text)
    before = chunks[noise.position - 1]
    assert "## Start" not in before.text
    [found] = merge_neighbours([noise, before], STORED, 5000, len)
    assert found.headings == ("Pump guide", "Start")  # where it begins; "## Noise" stands in it
    assert "## Noise" in found.text
    whole = merge_neighbours(chunks, STORED, 5000, len)
    assert [hit.headings for hit in whole] == [("Pump guide",)]  # all headings below it are in the text


@given(LISTS.filter(bool), st.sampled_from([STORED, OVERLAPPING]), st.integers(min_value=0, max_value=4000))
def test_hits_grow_within_their_sections_and_the_budget(chosen: list[int], stored: Stored, budget: int) -> None:
    hits = list({n % len(stored.chunks): stored.chunks[n % len(stored.chunks)] for n in chosen}.values())
    before = merge_neighbours(hits, stored, 4000, len)
    found = grow_hits(before, stored, budget, len)
    gaps = 4 * len(stored.chunks)  # of white space between chunks, which is not paid for
    assert sum(len(hit.text) for hit in found) <= max(budget, sum(len(hit.text) for hit in before)) + gaps
    for hit in found:
        stored.check(hit)
    for hit in hits:
        assert any(
            (hit.document, hit.doc_set) == (one.document, one.doc_set) and one.start <= hit.start and hit.end <= one.end
            for one in found
        )


def test_a_hit_becomes_its_section_and_no_more() -> None:
    noise = next(chunk for chunk in STORED.chunks if "rattling" in chunk.text)
    step = next(chunk for chunk in STORED.chunks if "valve 9 " in chunk.text)
    [section] = grow_hits([step], STORED, 5000, len)
    assert section.text.startswith("# Pump guide\n\n## Start")
    assert "valve 20 " in section.text
    assert "Noise" not in section.text
    assert section.chunk_id == step.chunk_id
    [alone] = grow_hits([noise], STORED, 5000, len)
    assert "hum" in alone.text
    assert "valve" not in alone.text
    [part] = grow_hits([step], STORED, 3 * len(step.text), len)
    assert step.start > part.start
    assert step.end < part.end
    assert grow_hits([step], STORED, 0, len) == (step,)


def test_those_that_meet_become_one() -> None:
    chunks = [chunk for chunk in STORED.chunks if chunk.headings[-1] == "Start" and chunk.document == "guide.md"][:5]
    [found] = grow_hits([chunks[3], chunks[1]], STORED, 5000, len)
    assert found.chunk_id == chunks[3].chunk_id
    assert found.start <= chunks[1].start
    assert chunks[3].end <= found.end


def test_a_document_that_changed_meanwhile_is_left_as_it_was_found() -> None:
    changed = Stored(GUIDE)
    hits = changed.chunks[1:3]
    changed.documents = {("guide.md", ""): replace(GUIDE, text=GUIDE.text.replace("valve", "tap"))}
    assert merge_neighbours(hits, changed, 5000, len) == tuple(hits)
    assert grow_hits(hits, changed, 5000, len) == tuple(hits)
    changed.documents = {}
    assert grow_hits(hits, changed, 5000, len) == tuple(hits)


def test_a_table_grows_to_its_header() -> None:
    rows = "\n".join(f"| Pump {n} | {n * 10} litres |" for n in range(20))
    stored = Stored(Document("a.md", f"# Pumps\n\n| Name | Volume |\n|---|---|\n{rows}\n", kind="markdown"))
    row = next(chunk for chunk in stored.chunks if "Pump 15 " in chunk.text)
    assert row.headings == ("Pumps", "Name | Volume")
    [found] = grow_hits([row], stored, 5000, len)
    assert found.text.startswith("# Pumps")
    assert found.headings == ("Pumps",)
    [part] = merge_neighbours([row, stored.chunks[row.position - 1]], stored, 5000, len)
    assert part.headings == ("Pumps", "Name | Volume")
