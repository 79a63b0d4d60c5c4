"""Each part of a question is searched beside it; what they find takes turns, and a part of which nothing is said so."""

import asyncio
import threading

import pytest
from retrieval_cases import SETTINGS, fill

from planning.question_parts import question_parts
from retrieval.blocking_search import BlockingSearch, SearchResources
from retrieval.part_evidence import nothing_of, take_turns
from retrieval.search import search
from schema import GlossaryPair, Hit, QuestionPart, SearchRequest
from stores.embedded import EmbeddedStore

TEXTS = {
    **{
        f"oak {n}.md": [f"The price of oak in year {n}: oak planks cost {n} crowns, and oak beams more."]
        for n in range(9)
    },
    "ash.md": ["An ash plank is sold for seven crowns."],
    **{f"橡木 {n}.md": [f"第{n}年橡木的价格：橡木板每块{n}元，橡木梁更贵。"] for n in range(9)},
    "白蜡木.md": ["白蜡木的木板每块卖七元。"],
}
ASKED = [
    ("What is the price of oak and ash, respectively?", "ash.md", "teak", "ash"),
    ("橡木和白蜡木的价格各是多少？", "白蜡木.md", "柚木", "白蜡木"),
]


@pytest.fixture(scope="module")
def library():
    store = EmbeddedStore()
    yield fill(store, TEXTS)
    store.close()


def ask(library, question, reranker=None, **options):
    resources = SearchResources(library.store, library.embedder, SETTINGS, None, reranker)
    request = SearchRequest(question, parts=question_parts(question), in_context=True, **options)
    return asyncio.run(search(request, resources))


@pytest.mark.parametrize(("question", "rare", "_", "name"), ASKED)
def test_a_part_that_the_question_as_a_whole_buries_comes_forward(library, question, rare, _, name):
    whole = asyncio.run(search(SearchRequest(question), SearchResources(library.store, library.embedder, SETTINGS)))
    found = ask(library, question)
    assert rare in [hit.document for hit in found.hits[:3]]
    assert found.hits[0].scores["fused"] == max(hit.scores["fused"] for hit in whole.hits)  # before its second look
    assert [part.about for part in found.parts] == [part.about for part in question_parts(question)]
    assert not found.notices
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    [of_part] = [one for one in found.considered if name in one.part and one.document == rare]
    assert (of_part.rank, of_part.fate) == (1, "kept")


@pytest.mark.parametrize(("question", "_", "unknown", "name"), ASKED)
def test_a_part_of_which_nothing_is_there_is_named_and_takes_no_turn(library, question, _, unknown, name):
    found = ask(library, question.replace(name, unknown))
    assert len(found.parts) == 1
    [notice] = found.notices
    assert notice == nothing_of(QuestionPart("", unknown))
    assert {one.fate for one in found.considered if unknown in one.part} & {"kept"} == {
        one.fate for one in found.considered if unknown in one.part and one.place
    }


def test_a_part_is_found_by_ones_own_term_in_the_other_language():
    store = EmbeddedStore()
    mixed = fill(store, {"zephyr.md": ["Zephyr is serviced every seven weeks."], "青鸟.md": ["青鸟每两年保养一次。"]})
    question = "轻羽和青鸟各是多久保养一次？"
    before = ask(mixed, question)
    store.change_glossary([GlossaryPair("轻羽", "Zephyr")])
    after = ask(mixed, question)
    store.close()
    assert [part.about for part in before.parts] == ["青鸟"]
    assert [part.about for part in after.parts] == ["轻羽", "青鸟"]


class Favourite:
    """A reranker that finds nothing as good as oak where a question names it."""

    name, calibrated = "favourite", True

    def __init__(self):
        self.asked = []

    async def rerank(self, question, hits):
        self.asked.append(question)
        return [0.9 if any(tree in question and tree in hit.text for tree in ("oak", "橡木")) else 0.5 for hit in hits]


@pytest.mark.parametrize(("question", "rare", "_", "name"), ASKED)
def test_a_reranker_does_not_undo_the_turns(library, question, rare, _, name):
    reranker = Favourite()
    found = ask(library, question, reranker)
    assert rare in [hit.document for hit in found.hits[:3]]
    assert sorted(reranker.asked) == sorted([question, *(part.question for part in question_parts(question))])


def test_parts_are_searched_side_by_side(library, monkeypatch):
    together, run = threading.Barrier(3, timeout=60), BlockingSearch.run

    def waits(self, *given):
        together.wait()  # passed by three at once, or never
        return run(self, *given)

    monkeypatch.setattr(BlockingSearch, "run", waits)
    assert len(ask(library, ASKED[0][0]).parts) == 2


def test_turns_by_hand():
    def hits(*pairs):
        return [Hit(chunk, "", "", "", 0, 0, 1, 1, score=score) for chunk, score in pairs]

    turns = take_turns([hits((1, 0.8), (2, 0.4)), hits((3, 0.5), (1, 0.5), (4, 0.1)), []], 0.9)
    assert [(hit.chunk_id, round(hit.score, 3)) for hit in turns] == [(1, 0.9), (3, 0.9), (2, 0.45), (4, 0.18)]
