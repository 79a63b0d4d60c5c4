"""What every trained model needs around it: prefixes, clipping, checks, and a proof that it is still the same model.

A name does not tell a model: what an address serves under it can be exchanged. Each space therefore keeps the vectors
of two fixed sentences. A model belongs to the space if it embeds them as before; it is asked to at its first use, and
again after a failure, since a server that was exchanged was away for a moment.
"""

from __future__ import annotations

import base64
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import numpy as np

from providers.base import EmbeddingError, ModelChanged
from providers.prefixes import ModelConventions
from schema import Message, Space, Vectors
from text import clip_tokens, count_tokens

_FIXED = ("The harbour master logs twelve ships a day.", "港务长每天登记十二艘船。")
_SAME = 0.99  # cosine of a fixed sentence with itself, by the same model in another batch or on another machine
_QUESTIONS = 1_000  # whose vectors are kept


class ReadableShare(NamedTuple):
    """How much of some texts a model can read at all; None: it cannot be told."""

    unknown: float | None  # share of the tokens that its vocabulary does not know
    cut: float | None  # share of the texts that it does not read to the end


class Encoder(Protocol):
    """A trained model: texts to raw vectors."""

    clips: bool  # whether it shortens a text that is too long for it by itself

    def encode(self, texts: list[str], *, question: bool = False) -> Any:
        """(n, dimensions) numbers. `question`: somebody waits. Raises EmbeddingError."""

    def reading(self, texts: Sequence[str]) -> ReadableShare:
        """How much of them the model reads, without its limit being kept by `habits`."""

    def close(self) -> None: ...


Listener = Callable[[EmbeddingError | None], None]  # None: the model has answered


class NeuralEmbedder:
    """Safe in any number of threads."""

    def __init__(
        self, space: Space, encoder: Encoder, habits: ModelConventions, told: Listener = lambda _: None
    ) -> None:
        """`told` is told after every request what it met with."""
        self._space, self._encoder, self._habits, self._told = space, encoder, habits, told
        self._proven = False
        self._asked: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def space(self) -> Space:
        return self._space

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._encode([self._habits.passage + text for text in texts])

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        return self._encode([self._habits.question + question for question in questions])

    def embed_question(self, question: str) -> Vectors:
        with self._lock:
            if question in self._asked:
                self._asked.move_to_end(question)
                return self._asked[question]
        vector: Vectors = self._encode([self._habits.question + question], question=True)[0]
        with self._lock:
            self._asked[question] = vector
            if len(self._asked) > _QUESTIONS:
                self._asked.popitem(last=False)
        return vector

    def reading(self, texts: Sequence[str]) -> ReadableShare:
        """How much of these passages the model reads."""
        found = self._encoder.reading([self._habits.passage + text for text in texts])
        if found.cut is None and self._habits.tokens:
            found = found._replace(cut=sum(count_tokens(text) > self._habits.tokens for text in texts) / len(texts))
        return found

    def learn(self, space: Space) -> None:
        """The same space, of which more is known by now."""
        assert space.key == self._space.key
        self._space = space

    def close(self) -> None:
        self._encoder.close()

    def _encode(self, texts: list[str], question: bool = False) -> Vectors:
        if not texts:
            return np.zeros((0, self._space.dimensions), np.float32)
        if self._habits.tokens and not self._encoder.clips:
            texts = [clip_tokens(text, self._habits.tokens) for text in texts]
        try:
            vectors = self._request(texts, question)
        except EmbeddingError as error:
            self._proven = False
            self._told(error)
            raise
        self._proven = True
        self._told(None)
        return vectors

    def _request(self, texts: list[str], question: bool) -> Vectors:
        fixed = [] if self._proven else _fixed(self._habits)
        rows = self._encoder.encode([*fixed, *texts], question=question)
        vectors = checked(rows, len(fixed) + len(texts), self._space.dimensions, self._space.model)
        if fixed and not same_model(self._space, vectors[: len(fixed)]):
            raise ModelChanged(self._space.model)
        return vectors[len(fixed) :]


def open_space(
    provider: str,
    model: str,
    encoder: Encoder,
    habits: ModelConventions,
    way: Mapping[str, Any],
    known: Iterable[Space] = (),
    hurry: bool = False,
    told: Listener = lambda _: None,
    **kept: Any,
) -> NeuralEmbedder:
    """The space that this model embeds in: one of the known ones, if it embeds the fixed sentences as there.

    Spaces made in different ways are different ones; `kept` is only noted with the space. Raises EmbeddingError.
    """
    fixed = _fixed(habits)
    vectors = checked(encoder.encode(fixed, question=hurry), len(fixed), None, model)
    for space in known:
        if (space.provider, space.model) == (provider, model) and same_way(space, way) and same_model(space, vectors):
            return NeuralEmbedder(space, encoder, habits, told)
    noted = {**kept, **way, "fixed": base64.b64encode(vectors.tobytes()).decode()}
    revision = sha256(vectors.tobytes() + json.dumps(way, sort_keys=True).encode()).hexdigest()[:16]
    payload = json.dumps(noted, ensure_ascii=False).encode()
    return NeuralEmbedder(Space(provider, model, revision, vectors.shape[1], payload), encoder, habits, told)


def same_way(space: Space, way: Mapping[str, Any]) -> bool:
    return way.items() <= details(space).items()


def details(space: Space) -> dict[str, Any]:
    """What is kept with the space of a trained model; nothing where it is damaged."""
    try:
        kept = json.loads(space.payload or b"{}")
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}


def same_model(space: Space, vectors: Vectors) -> bool:
    """Whether these vectors of the fixed sentences are those of the space."""
    before = np.frombuffer(base64.b64decode(details(space).get("fixed", "")), np.float32)
    if before.size != vectors.size or vectors.shape[1] != space.dimensions:
        return False
    return bool((np.sum(before.reshape(vectors.shape) * vectors, axis=1) >= _SAME).all())


def checked(rows: Any, count: int, dimensions: int | None, model: str) -> Vectors:
    """(n, dimensions) float32, rows of length 1. Raises EmbeddingError for anything that is no such thing."""
    try:
        vectors = np.asarray(rows, np.float64)
    except (TypeError, ValueError) as error:
        raise _unusable(model, Message(zh="返回的不是向量", en="what came back are no vectors")) from error
    if vectors.ndim != 2 or len(vectors) != count:
        zh, en = f"{count} 段文本返回了 {len(vectors)} 个向量", f"{len(vectors)} vectors for {count} texts"
        raise _unusable(model, Message(zh=zh, en=en))
    if not vectors.shape[1] or dimensions not in (None, vectors.shape[1]):
        found = vectors.shape[1]
        zh, en = f"向量是 {found} 维，应为 {dimensions} 维", f"vectors of {found} dimensions instead of {dimensions}"
        raise _unusable(model, Message(zh=zh, en=en))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise _unusable(model, Message(zh="向量含非数或全为零", en="a vector is not a number, or zero"), by_text=True)
    return np.asarray(vectors / lengths, np.float32)


def _fixed(habits: ModelConventions) -> list[str]:
    return [habits.passage + text for text in _FIXED]


def _unusable(model: str, reason: Message, by_text: bool = False) -> EmbeddingError:
    return EmbeddingError(
        Message(
            zh=f"嵌入模型 {model} 没有给出可用的向量：{reason.zh}。",
            en=f"The embedding model {model} gave no usable vectors: {reason.en}.",
        ),
        Message(zh="请检查 .env 中的嵌入模型和地址。", en="Check the embedding model and its address in .env."),
        by_text=by_text,
    )
