"""Question sets asked of a library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citewise.lifecycle import LibraryLifecycle

if TYPE_CHECKING:
    from evaluation.lab.cases import LabCase
    from evaluation.lab.comparing import RunComparison
    from evaluation.lab.results import Means
    from graph.lab.laboratory import Laboratory


class LabCalls(LibraryLifecycle):
    """The evaluation lab: what a change made better or worse. docs/lab.md has the forms of question sets."""

    @property
    def lab(self) -> Laboratory:
        """Sets, runs and choices, for what these methods do not cover."""
        from graph.lab.laboratory import Laboratory

        return Laboratory(self.assistant)

    async def make_questions(self, count: int = 100, *, doc_set: str | None = None) -> Sequence[LabCase]:
        """Questions made of the library itself, without a model, with their evidence."""
        return await self.lab.make(count, doc_set=doc_set)

    async def evaluate_set(
        self, name: str, questions: str | Path | Sequence[LabCase], *, answers: bool = False,
        strategy: str | None = None, top_k: int | None = None,
    ) -> dict[Literal["people", "self_made"], Means]:  # fmt: skip
        """Run a set, by its name, of a file or given, as the run `name`: the means of people's questions and of
        self-made ones.

            before = library.evaluate_set("before", "questions.jsonl")
            print(before["people"].figures["recall@5"])
        """
        from evaluation.lab.reading import read_set
        from evaluation.lab.results import summary
        from graph.lab.variants import Variant

        set_name, cases = name, questions
        if isinstance(questions, str | Path):
            path = Path(questions)
            set_name, is_file = path.stem, await asyncio.to_thread(path.exists)
            cases = await asyncio.to_thread(read_set, path) if is_file else await self.lab.cases(str(questions))
        assert not isinstance(cases, str | Path)
        variant = Variant.of(strategy, top_k=top_k)
        finished = await self.lab.run(name, set_name, cases, variant, with_answers=answers)
        return summary(finished.results)

    async def compare_runs(self, before: str, after: str, *gates: str) -> RunComparison:
        """What changed between two runs, and whether it is more than chance; a gate is "recall@5 >= -0.02"."""
        from evaluation.lab.comparing import parse_gate

        return await self.lab.compare(before, after, [parse_gate(one) for one in gates])
