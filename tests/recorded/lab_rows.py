"""The evaluation lab over small libraries: cases, their figures by two strategies, the comparison, and the reports."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator, Mapping, Sequence

from evaluation.citations import CheckedSources, check_answer
from evaluation.extractive import extract
from evaluation.lab.answer_figures import agreement
from evaluation.lab.cases import KINDS, GoldPassage, LabCase, as_row, case_id, set_digest, to_jsonl
from evaluation.lab.choosing import Score, choose, split
from evaluation.lab.comparing import RunInfo, compare_runs, parse_gate, verdict
from evaluation.lab.gold import GoldFinder, locate
from evaluation.lab.making import make_cases
from evaluation.lab.model_questions import ModelQuestion, made_case, passages, why_dropped
from evaluation.lab.numerals import formulas_to_compare, quantities, same_formula, same_number
from evaluation.lab.reading import parse_set
from evaluation.lab.report import comparison_report, run_report
from evaluation.lab.results import WENT_WRONG, CaseResult, of_failure, summary
from evaluation.lab.scoring import GivenAnswer, ReaderLimits, score
from evaluation.lab.tables import to_csv
from schema import Answer, Document, Language, Message, SearchRequest, StrategyName
from tests.recorded.asked_libraries import AskedLibrary, AskedQuestion, files_and_questions
from tests.recorded.changed_claims import changed_claims
from tests.recorded.evidence_rows import rounded, told
from tests.recorded.normal import Json
from tests.recorded.stage import LANGUAGES
from text import language_of, sentences

_LIMITS = ReaderLimits(3, 200)
_RUNS: tuple[StrategyName, ...] = ("keyword", "vector")
_GATES = ("ndcg@10 >= -0.05", "correct >= 0", "refusal >= 0.01", "recall@5 >= -1")
_REFUSED = 0.3  # confidence below which an answer counts as refused here
_FAILED = Message(zh="没有回答。", en="It did not answer.")


def run_rows(library: AskedLibrary) -> Iterator[Json]:
    """Each case by two strategies, then both runs against each other, as they are told."""
    finder = GoldFinder(lambda name, _: library.documents.get(name), {name: [""] for name in library.documents})
    cases = cases_of(library.every(library.step, first=3), library.documents)
    runs = {strategy: [_result(library, strategy, case, finder) for case in cases] for strategy in _RUNS}
    for strategy, results in runs.items():
        for case, result in zip(cases, results, strict=True):
            yield {"row": f"lab, {library.name}: {strategy}: {case.kind}: {case.question}", **_plain(result)}
    first, second = runs.values()
    language: Language = "zh" if " and " in library.name else "en"
    yield {
        "row": f"lab, {library.name}: comparison",
        **_comparison(library.name, cases, first[:-1], second[1:], language),
    }


def _comparison(
    name: str, cases: Sequence[LabCase], first: Sequence[CaseResult], second: Sequence[CaseResult], language: Language
) -> dict[str, Json]:
    infos = [
        RunInfo(name=f"run {place}", set_name=name, set_digest=set_digest(cases[place:]), generation=place)
        for place in range(2)
    ]
    gates, place = [parse_gate(one) for one in _GATES], LANGUAGES.index(language)  # HTML or Markdown
    found = compare_runs(infos[0], first, infos[1], second, gates, seed=len(cases))
    return {
        "differences": {name: [rounded(min(value, 99)) for value in one] for name, one in found.differences.items()},
        "verdicts": {name: told([verdict(one)]) for name, one in found.differences.items()},
        "gates": [[str(one.gate), one.holds, one.sure] for one in found.gates],
        "notices": told(found.notices),
        "means": {name: one.model_dump(mode="json") for name, one in summary([*first, *second]).items()},
        "reports": [comparison_report(found, language)[place], run_report(infos[0], first, language)[1 - place]],
    }


def cases_of(asked: Sequence[AskedQuestion], documents: Mapping[str, str]) -> list[LabCase]:
    """Of every kind: with the passage that answers, the document alone, neither, and a document that is gone."""
    made = []
    for number, question in enumerate(asked):
        gold = question.gold
        kind = "refuse" if not gold else KINDS[number % 6] if number % 2 else "text"
        within = next((name for name, text in documents.items() if any(one in text for one in gold)), "")
        quote = next((one for one in gold if one in documents.get(within, "")), "")
        passages_of = {0: [(within, quote)], 1: [(within, "")], 2: [], 3: [(within, quote), (min(documents), "")]}
        passages_of |= {4: [("gone.md", quote)] if number % 5 == 4 else [(within, quote)]}
        evidence = [GoldPassage(document=name, quote=text) for name, text in passages_of[number % 5] if name and gold]
        made.append(
            LabCase(
                id=case_id(question.text),
                question=question.text,
                answer=gold,
                evidence=tuple(evidence),
                kind=kind,
                tolerance=0.1 if number % 4 == 1 else None,
                tags=("self-made",) * (number % 7 == 0),
            )
        )
    return made


def _result(library: AskedLibrary, strategy: StrategyName, case: LabCase, finder: GoldFinder) -> CaseResult:
    if case.kind == "math":
        return of_failure(case, _FAILED, with_answers=True)
    evidence = library.run(library.assistant.library.evidence_for(SearchRequest(case.question, strategy, top_k=12)))
    read = tuple(evidence.hits[: _LIMITS.hits])
    said = extract(case.question, read, language_of(case.question, "en")).text
    answer = Answer(said, check_answer(said, CheckedSources(read, case.question)), read, evidence.confidence)
    given = GivenAnswer(
        answer, evidence.confidence < _REFUSED, said, seconds=len(said) / 100, calls=len(said) % 3, tokens=len(said),
        cost=len(said) / 1000,
    )  # fmt: skip
    return score(case, finder.find(case), evidence.hits, _LIMITS, 0.5, given)


def _plain(result: CaseResult) -> Json:
    figures = {name: rounded(value) for name, value in result.figures.items()}
    return {**result.model_dump(mode="json"), "figures": figures, "answer": len(result.answer)}


# --- sets, words and numbers -------------------------------------------------------------------------------------


def set_rows(*names: str) -> Iterator[Json]:
    """Sets as they are written and read again, made of files, split and chosen by."""
    documents, asked = files_and_questions(*names)
    cases = cases_of(asked, documents)
    table = to_csv(cases[:12])
    for form, text in (("csv", table), ("tsv", table.replace(",", "\t")), ("jsonl", to_jsonl(cases[:12]))):
        yield {"row": f"set as {form}", "text": text, "read": _read(f"set.{form}", text)}
    whole = [Document(name, text) for name, text in documents.items()]
    for count in (6, 60):
        yield {"row": f"set made, {count}", "cases": [as_row(one) for one in make_cases(whole, count, seed=count)]}
    for number, passage in enumerate(passages(whole, 12, seed=5)):
        for question in asked:
            for gold in [one for one in question.gold if one in passage.text][:1]:
                quote = passage.text[max(0, passage.text.find(gold) - number) :][: 30 + len(gold)]
                made = ModelQuestion(question=question.text, answer=gold, quote=quote)
                dropped = why_dropped(made, passage, len)
                row = f"set of a model, {number}: {question.text}"
                yield {"row": row, "dropped": dropped, "case": as_row(made_case(made, passage))}
    parts = split(cases, 3)
    chosen = asyncio.run(choose("as it is", ["b", "much better", "d", "e"], cases, _scores, seed=4))
    yield {"row": "set split", "parts": [[one.question for one in part] for part in parts]}
    runs = [[_made_up(case, name) for case in cases] for name in ("worse", "than before")]
    for place, language in enumerate(LANGUAGES):
        yield {
            "row": f"set in two runs, {language}",
            **_comparison("made up", cases, *runs[:: 1 - 2 * place], language),
        }
    yield {
        "row": "set chosen by",
        "choice": [*chosen[:4], *map(list, chosen.rows), list(chosen.confirmation or ()), *chosen[6:]],
    }


def _read(name: str, text: str) -> Json:
    return [as_row(one) for one in parse_set(name, text.encode())]


def _made_up(case: LabCase, run: str) -> CaseResult:
    """By chance that is always the same, the better the longer the run's name."""
    chance = zlib.crc32(f"{run} {case.question}".encode()) % 100 / 100
    figures = {name: min(1.0, chance * len(run) / 7) for name in ("recall@5", "ndcg@10", "correct", "confidence")}
    refusal = "refused_rightly" if case.kind == "refuse" else "not_refused"
    return CaseResult(
        case=case.id, question=case.question, figures={**figures, refusal: float(chance * len(run) > 3)},
        went_wrong=[None, *WENT_WRONG][int(chance * 9)], stale=chance > 0.97, unjudged=chance < 0.03,
        failure=_FAILED if 0.5 < chance < 0.53 else None, seconds=chance, refuse=case.kind == "refuse",
    )  # fmt: skip


async def _scores(candidate: str, cases: Sequence[LabCase]) -> list[Score]:
    """Made up, always the same."""
    gain = len(candidate) / 40
    lucky = [zlib.crc32(f"{candidate} {case.question}".encode()) % 100 / 200 for case in cases]
    return [Score(gain + one, one, len(candidate) % 3, round(99 * one)) for one in lucky]


def wording_rows(*names: str) -> Iterator[Json]:
    """Answers in other words and with other numbers than the reference, by each kind of case; quotes found again."""
    documents, asked = files_and_questions(*names)
    for number, (name, text) in enumerate(documents.items()):
        said = [text[start:end].strip() for start, end in sentences(text)]
        for place, sentence in enumerate(said[number % 4 :: 4]):
            reference = asked[(7 * number + place) % len(asked)].gold or ("yes",)
            judged = {}
            for kind, claim in {"as it is": sentence, **changed_claims(sentence)}.items():
                case = LabCase(
                    id="1", question=claim, answer=(sentence[5:], *reference), kind=KINDS[(place + len(claim)) % 6]
                )
                judged[kind] = [
                    case.kind, *map(rounded, agreement(case, claim).values()), [str(one) for one in quantities(claim)],
                    same_number(claim, sentence, 0.2, last=bool(place % 2)), same_formula(claim, sentence),
                    [*(formulas_to_compare(f"{claim} $x^2$", sentence) or ())],
                    [*(locate(claim.upper()[2:-2], text) or ())],
                ]  # fmt: skip
            yield {"row": f"words, {name} {place}: {sentence[:50]}", **judged}
