"""Embeddings by sentence-transformers (extra `st`): any of its models, on torch."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from errors import missing_extra
from providers.base import EmbeddingError
from providers.model_files import target, torch_folder
from providers.neural import ReadableShare
from schema import Message, Vectors
from settings import Settings


class TorchEncoder:
    """A model that lies in a folder, or in the cache of the hub's own tools: none is downloaded by the way."""

    clips = True

    def __init__(self, model: str, settings: Settings) -> None:
        if find_spec("sentence_transformers") is None:
            raise EmbeddingError.because(missing_extra("st"))
        from sentence_transformers import SentenceTransformer

        folder = torch_folder(model, settings)
        try:
            self._model: Any = SentenceTransformer(str(folder or model), local_files_only=True)
        except (OSError, ValueError) as error:
            raise _absent(model, settings) from error
        self._model.default_prompt_name = None  # prefixes are put before by who calls
        self._lock = threading.Lock()

    def encode(self, texts: list[str], *, question: bool = False) -> Vectors:
        with self._lock:
            vectors: Vectors = self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        return vectors

    def reading(self, texts: Sequence[str]) -> ReadableShare:
        tokenizer, limit = self._model.tokenizer, self._model.max_seq_length or 10**9
        found = [tokenizer(text, truncation=False)["input_ids"] for text in texts]
        tokens = sum(map(len, found)) or 1
        unknown = sum(ids.count(tokenizer.unk_token_id) for ids in found) / tokens
        return ReadableShare(unknown, sum(len(ids) > limit for ids in found) / max(len(found), 1))

    def close(self) -> None:
        pass


def _absent(model: str, settings: Settings) -> EmbeddingError:
    command = f"uv run hf download {model} --local-dir {target(model, settings)}"
    return EmbeddingError(
        Message(zh=f"本地没有模型 {model}。", en=f"The model {model} is not on this machine."),
        Message(zh=f"请运行：{command}", en=f"Run: {command}"),
    )
