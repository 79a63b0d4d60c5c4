"""How well an answer says what is right, rests on its sources, and refuses what the library does not hold."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.lab.cases import LabCase
from evaluation.lab.gold import Gold, GoldSpan
from evaluation.lab.numerals import quantities, same_formula, same_number
from evaluation.lab.published_scores import cmrc_scores, squad_scores
from evaluation.lab.wording import contains, list_f1, names_the_same, rouge_l, same_choice, says_yes
from evaluation.markers import without_markers
from evaluation.support import SourceText, judge
from schema import Answer
from text import detect_language

_LIST_RIGHT = 0.99  # F1 of a list that is right


def answer_figures(
    case: LabCase, answer: Answer, refused: bool, gold: Sequence[Gold], equal_formula: bool = False
) -> dict[str, float]:
    """Figures of one answer; `correct` says whether it is right, whatever the kind of the case. `equal_formula`: that
    algebra has found it right.

    Without a reference only what can be told without one is judged.
    """
    if case.kind == "refuse":
        return {"refused_rightly": float(refused), "correct": float(refused), "confidence": answer.confidence}
    figures = {"not_refused": float(not refused), "confidence": answer.confidence}
    said = without_markers(answer.text)
    if case.references:
        figures |= agreement(case, said)
        figures["correct"] = max(figures["correct"], float(equal_formula))
        figures["correct"] *= not refused
    return figures | citation_figures(answer, gold)


def agreement(case: LabCase, said: str) -> dict[str, float]:
    """How the words of an answer agree with the references; the published scores by the language of
    question and references."""
    references = case.references
    chinese = any(detect_language(text) == "zh" for text in (case.question, *references))
    published = (cmrc_scores if chinese else squad_scores)(said, references)
    return {
        "exact": published.exact,
        "f1": list_f1(said, references) if case.kind == "list" else published.f1,
        "rouge_l": rouge_l(said, references),
        "correct": float(is_correct(case, said)),
    }


def is_correct(case: LabCase, said: str) -> bool:
    references = case.references
    match case.kind:
        case "number":
            return any(same_number(said, one, case.tolerance) for one in references)
        case "math":
            return any(same_formula(said, one) for one in references)
        case "choice":
            return same_choice(said, references)
        case "yes_no":
            return says_yes(said) is not None and says_yes(said) in [says_yes(one) for one in references]
        case "list":
            return list_f1(said, references) >= _LIST_RIGHT
        case _:
            meant = [one for one in references if names_the_same(said, one)]
            return bool(contains(said, meant)) or _says_it(said, meant)


def _says_it(said: str, references: Sequence[str]) -> bool:
    """Whether the answer says a reference in other words, by the measure that citations are checked with."""
    source = [SourceText(said)]
    return any(judge(one, source).support.supported for one in references)


def says_something_else(case: LabCase, answer: Answer) -> bool:
    """Of an answer that is not right: whether it says something wrong, or leaves out what is right."""
    said = without_markers(answer.text)
    match case.kind:
        case "number" | "math":
            return next(quantities(said), None) is not None
        case "choice":
            return True
        case "yes_no":
            return says_yes(said) is not None
        case _:
            return any(statement.doubtful for statement in answer.statements)


def citation_figures(answer: Answer, gold: Sequence[Gold]) -> dict[str, float]:
    """Recall and precision of citations as ALCE defines them (Gao et al., 2023), with our support for its model.

    Recall: sentences that their passages together support. Precision: citations that support, or add to a support
    together. Evidence recall is the share of the gold passages that a cited passage touches.
    """
    checkable = [one for one in answer.statements if one.checkable and one.comparable]
    citations = [citation for one in checkable for citation in one.citations]
    figures = {}
    if checkable:
        figures["citation_recall"] = sum(one.supported for one in checkable) / len(checkable)
    if citations:
        figures["citation_precision"] = sum(one.support.supported for one in citations) / len(citations)
    spans = [one for one in gold if isinstance(one, GoldSpan)]
    if spans:
        cited = [(answer.sources[one.source], one) for one in citations if one.source < len(answer.sources)]
        touched = [
            any(
                (hit.document, hit.doc_set) == (span.document, span.doc_set)
                and (not span.end or (one.start < span.end and span.start < one.end))
                for hit, one in cited
            )
            for span in spans
        ]
        figures["evidence_recall"] = sum(touched) / len(spans)
    return figures
