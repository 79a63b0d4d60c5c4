"""Runs over a library: figures, refusals, failures, resuming, choosing, applying, undoing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from benchmarks.lab_defects import make_noise
from errors import CitewiseError
from evaluation.lab.cases import SELF_MADE, SENTENCE_MADE, LabCase, case_of
from evaluation.lab.choosing import choose, split
from evaluation.lab.results import summary
from graph.lab.candidates import ThrowawayLibraries, candidates
from graph.lab.case_asker import AskedWith, CaseAsker
from graph.lab.laboratory import Laboratory
from graph.lab.variants import AS_IS, Variant
from graph.turns import Assistant
from ingestion.formula_worker import FormulaWorker
from nodes.overrides import Overrides
from schema import IncomingFile
from stores.feedback import Feedback
from tests.graph.turn_cases import GUIDE, HANDBOOK, Script, assistant_of, say, talking

CASES = [
    case_of({"id": "leave", "question": "年假有几天？", "answer": "15天", "kind": "number",
             "evidence": [{"document": "手册.md", "quote": "员工每年有十五天带薪年假。"}]}, ""),
    case_of({"id": "wait", "question": "How long must the pump wait?", "answer": "ninety seconds",
             "evidence": [{"document": "guide.md", "quote": "Wait for ninety seconds."}]}, ""),
    case_of({"id": "moon", "question": "Who was the first chemist of the Moon colony?", "kind": "refuse"}, ""),
    case_of({"id": "gone", "question": "Who paints the fence?", "answer": "Ann",
             "evidence": [{"document": "guide.md", "quote": "Ann paints the fence."}]}, ""),
    case_of({"id": "empty", "question": " ", "kind": "refuse"}, ""),
    case_of({"id": "long", "question": "年假" * 12_000, "kind": "refuse"}, ""),
]  # fmt: skip


@pytest.fixture
async def laboratory(make_settings) -> AsyncIterator[Laboratory]:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("手册.md", HANDBOOK.encode())
        await assistant.library.add("guide.md", GUIDE.encode())
        await assistant.library.settle()
        yield Laboratory(assistant)


async def test_a_run_with_answers(laboratory: Laboratory) -> None:
    done = await laboratory.run("a", "mine", CASES, with_answers=True)
    rows = {one.case: one for one in done.results}
    assert {name: row.went_wrong for name, row in rows.items() if row.went_wrong} == {"gone": "not_in_library"}
    assert [rows[name].figures["correct"] for name in ("leave", "wait", "moon", "empty", "long")] == [1] * 5
    assert rows["leave"].figures["evidence_recall"] == 1
    assert rows["gone"].stale
    found = summary(done.results)["people"]
    assert (found.stale, found.failures, found.figures["refusal_balance"]) == (1, 0, 1)
    turns = await laboratory.assistant.turns(rows["wait"].thread)  # its trace can be opened
    assert turns[0].question == CASES[1].question
    assert await laboratory.assistant.conversations() == []
    assert laboratory.assistant.unanswered.count() == 0
    await laboratory.delete_run("a")
    assert await laboratory.assistant.turns(rows["wait"].thread) == []
    with pytest.raises(CitewiseError, match="no run"):
        await laboratory.finished("a")


async def test_a_run_that_was_stopped_goes_on_and_asks_nothing_twice(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    waits, goes_on = asyncio.Event(), asyncio.Event()
    ask = CaseAsker.ask

    async def counted(self: CaseAsker, case: LabCase) -> object:
        if case.id == "moon" and not waits.is_set():  # it is stopped while this one is asked
            waits.set()
            await goes_on.wait()
        asked.append(case.id)
        return await ask(self, case)

    monkeypatch.setattr(CaseAsker, "ask", counted)
    begun = asyncio.create_task(laboratory.run("a", "mine", CASES))
    await waits.wait()
    assert len((await laboratory.finished("a")).results) == 2
    begun.cancel()
    with pytest.raises(asyncio.CancelledError):
        await begun
    assert [one.state for one in await laboratory.runs()] == ["stopped"]
    done = await laboratory.run("a", "mine", CASES)
    assert asked == [case.id for case in CASES]
    assert [one.case for one in done.results] == [case.id for case in CASES]
    with pytest.raises(CitewiseError, match="already"):
        await laboratory.run("a", "mine", CASES)


async def test_a_case_opens_with_the_trace_of_its_answer_or_with_its_search(laboratory: Laboratory) -> None:
    await laboratory.put_set("mine", CASES[:2])
    await laboratory.run("answers", "mine", CASES[:2], with_answers=True)
    kept = await laboratory.opened("answers", "wait")
    assert (kept.again, kept.record is not None and kept.record.answer is not None) == (False, True)
    await laboratory.run("passages", "mine", CASES[:2], Variant.of("keyword", top_k=1))
    again = await laboratory.opened("passages", "wait")
    assert (again.again, again.result.places[0].right) == (True, True)
    assert again.record is not None
    assert again.record.trace is not None
    assert [one.fate for one in again.record.trace.considered].count("kept") == 1  # with the settings of the run
    await laboratory.delete_set("mine")
    assert (await laboratory.opened("passages", "wait")).record is None
    with pytest.raises(CitewiseError, match="no such case"):
        await laboratory.opened("passages", "moon")


async def test_a_failure_is_a_row_that_counts_nothing(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(type(laboratory.assistant.library), "evidence_for", broken)
    done = await laboratory.run("a", "mine", CASES[:2])
    assert [done.results[0].said(one) for one in ("zh", "en")] == [
        "意外错误（OSError: the disk is gone）", "An unexpected error (OSError: the disk is gone)",
    ]  # fmt: skip
    found = summary(done.results)["people"]
    assert (found.failures, found.figures["recall@5"], found.went_wrong) == (2, 0, {"failed": 2})


def test_each_reference_that_is_a_formula_is_compared(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FormulaWorker, "equal", lambda _, *pair: pair == ("sqrt(8)", "2\\sqrt{2}"))
    case = case_of({"question": "?", "kind": "math", "answer": ["x", "2\\sqrt{2}"]}, "")
    asker = CaseAsker(laboratory.assistant, AskedWith(AS_IS))
    assert [asker._equal_formula(case, said) for said in ("sqrt(8)", "x", "sqrt(9)")] == [True, False, False]


async def test_a_judge_that_says_nothing_usable_leaves_the_case_unjudged(make_settings) -> None:
    async with talking(make_settings, Script()) as (assistant, _):
        laboratory = Laboratory(assistant)
        case = case_of({"question": "What comes first?", "answer": "Prime the pump"}, "")
        judged = (await laboratory.run("a", "s", [case], with_answers=True, with_judge=True)).results[0]
        assert judged.figures["judge_faithfulness"] == 5
        assert (judged.unjudged, judged.calls >= 2) == (False, True)
    async with talking(make_settings, Script(judge="no form at all")) as (assistant, _):
        rows = (await Laboratory(assistant).run("b", "s", [case], with_answers=True, with_judge=True)).results
        assert [one.unjudged for one in rows] == [True]
        assert "judge_faithfulness" not in rows[0].figures


async def test_an_excluded_document_makes_a_question_unanswerable(laboratory: Laboratory) -> None:
    row = {"question": "How long must the pump wait?", "kind": "refuse", "exclude": ["guide.md"]}
    done = await laboratory.run("a", "s", [case_of(row, "")], with_answers=True)
    assert done.results[0].figures["correct"] == 1


async def test_sets_are_kept_and_completed(laboratory: Laboratory) -> None:
    await laboratory.put_set("mine", CASES[:2])
    assert await laboratory.add_cases("mine", [CASES[1], CASES[2]]) == 3
    assert [case.id for case in await laboratory.cases("mine")] == ["leave", "wait", "moon"]
    assert [(one.name, one.cases) for one in await laboratory.sets()] == [("mine", 3)]
    with pytest.raises(CitewiseError, match="no question set"):
        await laboratory.cases("other")
    assert await Laboratory(laboratory.assistant, "anna").sets() == []


async def test_made_questions_have_exact_evidence(laboratory: Laboratory) -> None:
    faq = "# FAQ\n\n## 忘记密码怎么办？\n\n请联系前台重置密码。\n\n## Who resets it?\n\nThe front desk resets it.\n"
    await laboratory.assistant.library.add("faq.md", faq.encode())
    cases = await laboratory.make(10)
    assert {"忘记密码怎么办？", "Who resets it?"} <= {case.question for case in cases}
    assert all(SELF_MADE in case.tags for case in cases)
    assert await laboratory.make(10) == cases
    done = await laboratory.run("a", "made", cases)
    assert not any(one.stale for one in done.results)
    assert [*summary(done.results)] == ["self_made"]


async def test_a_choice_is_applied_survives_a_restart_and_is_undone(make_settings) -> None:
    settings = make_settings()
    async with assistant_of(settings) as assistant:
        laboratory = Laboratory(assistant)
        await assistant.library.add("guide.md", GUIDE.encode())
        assert await laboratory.undo() is None
        await laboratory.apply(Variant(strategy="keyword", overrides=Overrides(top_k=8)))
        assert (assistant.settings.strategy, assistant.settings.top_k) == ("keyword", 8)
        assert (await assistant.library.search("pump")).strategy == "keyword"
        await laboratory.apply(Variant(chunker="fixed"))
        assert [one.chunking.strategy for one in assistant.library.documents()] == ["fixed"]
    async with assistant_of(settings) as assistant:
        laboratory = Laboratory(assistant)
        assert (assistant.settings.chunker, await laboratory.chosen()) == ("fixed", Variant(chunker="fixed"))
        assert (await laboratory.undo()) == Variant(chunker="fixed")
        assert [one.chunking.strategy for one in assistant.library.documents()] == ["recursive"]
        assert assistant.settings.strategy == "keyword"
        await laboratory.undo()
        assert (assistant.settings.strategy, assistant.settings.top_k) == (settings.strategy, settings.top_k)


def test_a_split_never_parts_a_document() -> None:
    cases = [
        case_of({"question": f"q{n}", "evidence": [{"document": f"d{n % 25}"}]}, "") for n in range(100)
    ]  # fmt: skip
    first, second = split(cases)
    assert {one.evidence[0].document for one in first}.isdisjoint(one.evidence[0].document for one in second)
    assert 55 <= len(first) <= 65
    assert len(first) + len(second) == 100


async def test_sets_that_cannot_choose_are_refused(laboratory: Laboratory) -> None:
    few = CASES[:3]
    sentences = [case_of({"question": f"q{n}", "tags": [SELF_MADE, SENTENCE_MADE]}, "") for n in range(60)]
    for cases, told in ((few, "too few"), (sentences, "single sentences")):
        with pytest.raises(CitewiseError, match=told):
            await laboratory.choose(cases, [Variant.of("keyword")])


async def test_what_is_better_is_chosen_with_other_chunkers_and_embeddings_beside_it(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The strategy that is set finds nothing: any other one is better, whatever else is tried."""
    assistant: Assistant = laboratory.assistant
    rows = [
        {"question": f"What is the colour of machine Q{n}?",
         "evidence": [{"document": f"m{n % 22}.md", "quote": f"Machine Q{n} is of the colour shade{n}."}]}
        for n in range(44)
    ]  # fmt: skip
    files = {
        f"m{n}.md": f"{rows[n]['evidence'][0]['quote']}\n\n{rows[n + 22]['evidence'][0]['quote']}" for n in range(22)
    }
    await assistant.library.submit([IncomingFile(name, text.encode()) for name, text in files.items()])
    await assistant.library.process()
    await assistant.library.settle()
    assistant.settings = assistant.settings.model_copy(update={"strategy": "vector"})
    make_noise(assistant.library.store)
    offered = candidates(assistant.settings, reranks=False, model=False, chunking=True, embeddings=True)
    assert [one.embedding for one in offered if one.embedding] == ["hashing"]  # tfidf is what embeds already
    other = Variant(chunker="fixed", embedding="hashing")
    tried = [Variant.of("keyword"), other]
    copies: list[tuple[str | None, set[str | None]]] = []
    copy_of = ThrowawayLibraries._copy

    async def noted(self: ThrowawayLibraries, variant: Variant) -> Assistant:
        copy = await copy_of(self, variant)
        copies.append((copy.library.store.space_key(), {one.chunking.strategy for one in copy.library.documents()}))
        return copy

    monkeypatch.setattr(ThrowawayLibraries, "_copy", noted)
    asked: list[int] = []
    found = await laboratory.choose([case_of(row, "") for row in rows], tried, on_progress=asked.append)
    assert found.replaced
    assert found.chosen.label in ("keyword", "chunker fixed, embedding hashing")
    assert [(str(space).partition(":")[0][:7], cut) for space, cut in copies] == [("hashing", {"fixed"})]
    assert found.searched + found.confirmed == 44
    assert asked[-1] <= 3 * 44
    assert assistant.library.documents()[0].chunking.strategy == "recursive"


async def test_halving_asks_nobody_twice_and_keeps_the_default() -> None:
    cases = [case_of({"question": f"q{n}"}, "") for n in range(80)]
    asked: dict[str, list[str]] = {}

    async def evaluate(name: str, some: list[LabCase]) -> list:
        from evaluation.lab.choosing import Score

        asked.setdefault(name, []).extend(case.id for case in some)
        return [Score(0.5) for _ in some]

    found = await choose("default", ["b", "c", "d"], cases, evaluate)
    assert (found.replaced, found.chosen) == (False, "default")
    assert all(len(set(ids)) == len(ids) for ids in asked.values())
    assert len(asked["d"]) < len(asked["default"]) == found.searched


async def test_an_answer_is_kept_as_a_test_and_thumbs_become_cases(laboratory: Laboratory) -> None:
    assistant = laboratory.assistant
    await say(assistant, "How long must the pump wait?", thread="t")
    await say(assistant, "年假有几天？", thread="t")
    first, second = await assistant.turns("t")
    kept = await laboratory.keep("t", first.id)
    assert kept is not None
    assert ("guide.md", "Wait for ninety seconds.") in [(one.document, one.quote) for one in kept.evidence]
    assert "ninety seconds" in kept.references[0]
    assert await laboratory.keep("t", "nothing") is None
    done = await laboratory.run("a", "golden", await laboratory.cases("golden"), with_answers=True)
    assert [one.figures["correct"] for one in done.results] == [1]
    for turn, value in ((first, 1), (second, -1)):
        assistant.feedback.put("t", Feedback(turn.id, value, "", turn.question, "x"))
    assert await laboratory.keep_thumbs() == 2
    up, down = await laboratory.cases("thumbs")
    assert (up.evidence, down.tags, down.references) == (kept.evidence, ("thumb-down",), ())


async def test_edge_cases_are_refused_or_told_and_nothing_breaks(laboratory: Laboratory) -> None:
    cases = await laboratory.cases("edge-cases")
    assert len(cases) == 58
    assert {tag for case in cases for tag in case.tags} >= {
        "zh",
        "en",
        "empty",
        "long",
        "emoji",
        "injection",
        "no-file",
    }
    done = await laboratory.run("edges", "edge-cases", cases, with_answers=True)
    assert [one.failure for one in done.results if one.failure] == []
    wrong = [one.question[:40] for one in done.results if not one.figures["correct"]]
    assert len(wrong) <= 10, wrong
