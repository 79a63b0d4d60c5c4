"""How far to trust an answer, and what is said where that is not far."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.answer_confidence import likelihood, signs
from evaluation.citations import answer_support
from evaluation.extractive import ExtractiveAnswer
from schema import Coverage, Evidence, Message, Statement
from settings import Settings

UNRELATED = 0.02  # confidence; what is below shares next to nothing with the question
LIKELY = 0.5  # confidence of an answer from which on it is rather right than wrong
# And from which on weak evidence is no doubt: with .5, a third of what nothing answers would have none, not a quarter
# (`python -m benchmarks small_libraries`).
_SURE = 0.65
UNCHECKED = 0.5  # confidence, at most, where no word of the answer can be compared with its lines
# As many times as sure as its evidence an answer can be: a sentence without a rival looks certain, however little it
# shares with the question. On SQuAD and CMRC right is told from wrong as before (AUROC .794 and .794, .718 and .717).
_BEYOND = 3.0

NOTHING = Message(
    zh="知识库里没有找到与这个问题相关的内容。可以换一些关键词、用文件的语言提问、取消文件范围的限制，"
    "或者先上传相关的文件。",
    en="Nothing in the library relates to this question. Try other keywords, ask in the language of the file, lift the "
    "limit to certain files, or upload a file on the subject first.",
)
UNCERTAIN = Message(
    zh="找到的内容与问题的相关度较低，回答不一定可靠，请核对来源。",
    en="What was found relates to the question only weakly: this answer may not hold, check its sources.",
)


def is_uncertain(evidence: Evidence, settings: Settings, confidence: float = 0.0) -> bool:
    """Whether something was found, and less surely than the settings ask for; `confidence` is that of the answer, which
    may be sure all the same: few of a question's words can be enough."""
    least = settings.min_confidence
    return bool(evidence.hits) and evidence.confidence < least and confidence < max(_SURE, least)


def is_answered(coverage: Coverage, confidence: float) -> bool:
    """Whether the library answers a question: it covers it, or the answer is as sure as the threshold asks for, and
    rather right than wrong. Of a small library, a question often shares little with the text that answers it.
    """
    return coverage.covered or confidence >= max(LIKELY, coverage.threshold)


def confidence_of(
    evidence: Evidence,
    statements: Sequence[Statement],
    extraction: ExtractiveAnswer | None = None,
    lacking: bool = False,
) -> float:
    """How far to trust the answer: no further than its evidence, nor than the support of its sentences. Of an extracted
    answer, no further than answers like it are right; where something that is asked for is not said (`lacking`),
    no more than half.
    """
    found = evidence.confidence
    if extraction is not None and extraction.probability is not None:
        likely = likelihood(signs(extraction.probability, found, extraction.consistent))
        found = min(likely, _BEYOND * found)
    if lacking:
        found = min(found, LIKELY)
    support = answer_support(statements)
    if support is None:
        return min(found, UNCHECKED) if any(not one.comparable for one in statements) else 0.0
    return min(found, support)


def is_below_confidence(confidence: float, least: float) -> Message:
    """That the answer is below the confidence that is asked for."""
    return Message(
        zh=f"这个回答的置信度是 {confidence:.0%}，低于设定的 {least:.0%}，不一定可靠，请核对来源。",
        en=f"The confidence of this answer is {confidence:.0%}, below the {least:.0%} that is set: it may not hold, "
        "check its sources.",
    )
