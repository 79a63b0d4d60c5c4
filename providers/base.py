"""The contract of an embedder: texts go in, comparable vectors come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from errors import CitewiseError, ModelError
from schema import Message, Space, Vectors


class Embedder(Protocol):
    """One embedding space: all its vectors are comparable, rows have length 1 (or 0 for a text with nothing known).

    Every method raises EmbeddingError.
    """

    @property
    def space(self) -> Space: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions) float32."""

    def embed_question(self, question: str) -> Vectors:
        """(dimensions,) float32: many models embed a question otherwise than a passage."""

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimensions) float32, at the pace of passages: nobody waits for these."""


class EmbeddingError(ModelError):
    """An embedder gave no usable vectors; what needs none goes on. `passing`: another try at once may do; `by_text`:
    one of the texts may be the reason."""

    def __init__(
        self,
        message: Message,
        *suggestions: Message,
        passing: bool = False,
        by_text: bool = False,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(message, *suggestions)
        self.by_text = by_text
        self.passing = passing
        self.retry_after = retry_after  # seconds that the provider asks to wait

    @classmethod
    def because(cls, error: CitewiseError) -> EmbeddingError:
        return cls(error.message, *error.suggestions)


class ModelChanged(EmbeddingError):
    """Another model answers under the name of the one that the stored vectors are from: embed the library again."""

    def __init__(self, model: str) -> None:
        super().__init__(
            Message(
                zh=f"嵌入模型 {model} 与生成现有向量的不是同一个，正在重新嵌入。",
                en=f"The embedding model {model} is no longer the one that made the stored vectors; "
                "the library is being embedded again.",
            ),
        )
