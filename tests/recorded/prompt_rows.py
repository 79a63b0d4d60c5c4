"""What models are asked for, and what is made of their replies: judges, rerankers, imagined passages, questions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

from errors import ModelError
from evaluation.citations import CheckedSources, check_answer
from evaluation.judges import JudgedSentence, Judgement, verdict_of_model
from evaluation.lab.model_questions import ModelQuestion, ask_for_question, passages
from providers.llm import Model, Prompt
from providers.rerankers.llm import Ranking
from retrieval.hyde import Translated
from schema import Answer, Document, Hit, Message, SearchRequest, StrategyName
from tests.recorded.asked_libraries import AskedLibrary, files_and_questions
from tests.recorded.evidence_rows import evidence_row
from tests.recorded.normal import Json, plain

_JUDGED = [
    JudgedSentence(number=1, supported=True, source=1),
    JudgedSentence(number=2, lacking="the day", supported=False, source=2),
    JudgedSentence(number=2, supported=True, source=1),
    JudgedSentence(number=3, supported=True, source=9),
    JudgedSentence(number=4, supported=True),
    JudgedSentence(number=0, supported=False),
    JudgedSentence(number=99, supported=False),
]
_FILLED: dict[type, Any] = {
    Judgement: Judgement(
        sentences=_JUDGED, faithfulness_reason="f", faithfulness=4, relevance_reason="r", relevance=5,
        completeness_reason="c", completeness=2,
    ),
    Ranking: Ranking(ranking=[3, 1, 1, 40], irrelevant=[2, 3]),
    Translated: Translated(translated=" How long   is the leave? 多久？ ", passage=" Fifteen days a year. 十五天。 "),
    ModelQuestion: ModelQuestion(question="Why?", answer="Because.", quote="It is so."),
}  # fmt: skip
_fence = re.compile("-[0-9a-f]{8}(?=[ >])")  # chosen by chance, so that no text can close it
_FAILED = Message(zh="模型没有回答。", en="The model does not answer.")
_VARIANTS: tuple[tuple[StrategyName, dict[str, Any], bool], ...] = (
    ("hyde", {}, False), ("default", {"hyde_below": 1.0}, False), ("hybrid", {"reranker": "llm"}, False),
    ("default", {"reranker": "llm", "hyde_below": 0.0, "rerank_floor": 0.9, "rerank_top_k": 2}, False),
    ("hyde", {"reranker": "llm"}, True), ("abstract", {}, False),
)  # fmt: skip


class RecordedModel(Model):
    """A model that keeps what it is asked, and says what stands here; or fails."""

    def __init__(self, fails: bool = False) -> None:
        self.name, self.calls, self.asked, self._fails = "recorded", [], list[Any](), fails

    async def fill(self, prompt: Prompt, form: type[Any], **more: Any) -> Any:
        self._note(prompt, more)
        return _FILLED[form]

    async def write(self, prompt: Prompt, **more: Any) -> str:
        self._note(prompt, more)
        return "  Fifteen days a year, on request.  "

    def _note(self, prompt: Prompt, more: dict[str, Any]) -> None:
        parts = [[role, _fence.sub("<fence>", text)] for role, text in prompt]
        self.asked.append([parts, dict(sorted(more.items()))])
        if self._fails:
            raise ModelError(_FAILED)


def model_rows(library: AskedLibrary) -> Iterator[Json]:
    """Searches that a model helps, or fails to help."""
    for place, (strategy, more, fails) in enumerate(_VARIANTS):
        for question in library.every(len(library.asked), first=5 * place):
            model, settings = RecordedModel(fails), library.assistant.library.settings.model_copy(update=more)
            request = SearchRequest(question.text, strategy, in_context=place % 2 == 0)
            found = library.run(library.assistant.library.evidence_for(request, model=model, settings=settings))
            row = f"model, {library.name}: {strategy} {sorted(more)} {fails}: {question.text}"
            yield {"row": row, **evidence_row(found), "asked": model.asked}


def verdict_rows() -> Iterator[Json]:
    """Answers judged, and questions made."""
    documents, _ = files_and_questions("first")
    texts = [*documents.items()]
    hits = [Hit(n, name, "", text, 0, len(text), 1, 1, (name,) * (n % 2)) for n, (name, text) in enumerate(texts)]
    for number, (_, text) in enumerate(texts):
        sources = [hits[number], hits[number - 1]]
        said = "\n".join(f"{line} [1]" for line in text.splitlines()[:6] if line) if number % 3 else ""
        statements = check_answer(said, CheckedSources(sources))
        answer = Answer(said or "Yes.", statements, tuple(sources), language="zh" if number % 2 else "en")
        model = RecordedModel(fails=number == 4)
        found = asyncio.run(verdict_of_model(model, "Is it so? 是吗？", answer, [*enumerate(sources, 1)]))
        yield {"row": f"model, verdict {number}", "verdict": plain(found, {}), "asked": model.asked}
    for number, passage in enumerate(passages([Document(name, text) for name, text in texts], 6)):
        model = RecordedModel()
        made = asyncio.run(ask_for_question(model, passage))
        yield {"row": f"model, question {number}", "made": made.question, "asked": model.asked}
