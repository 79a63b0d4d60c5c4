"""Rerankers behind one contract: a cross-encoder (with torch, or as ONNX without) or the language model."""

from __future__ import annotations

import threading
from pathlib import Path

from providers.model_files import weights
from providers.rerankers import cross_encoder, onnx
from providers.rerankers.base import Reranker, RerankError
from providers.rerankers.llm import LLMReranker
from providers.rerankers.local import LocalReranker
from settings import Settings

_LOCAL = {"cross-encoder": cross_encoder.load, "onnx": onnx.load}


def open_reranker(settings: Settings) -> LocalReranker | None:
    """The cross-encoder that the settings ask for, loaded at its first use; None where they ask for something else."""
    model, kind = settings.reranker_model, settings.reranker
    if kind == "auto" and model is not None:
        kind = "onnx" if weights(Path(model)) else "cross-encoder"
    if kind not in _LOCAL:
        return None
    calibrated = kind == "onnx" or settings.reranker_type == "cross-encoder"
    name = "onnx" if kind == "onnx" else settings.reranker_type
    return LocalReranker(name, lambda: _LOCAL[kind](settings), calibrated=calibrated)


class Rerankers:
    """Those of one library: that of its settings, and another one that a request asks for, opened at its first use."""

    def __init__(self) -> None:
        self._opened: dict[str, LocalReranker | None] = {}
        self._opening = threading.Lock()

    def of(self, settings: Settings) -> LocalReranker | None:
        """The cross-encoder that these settings of the library ask for, if any."""
        with self._opening:
            if settings.reranker not in self._opened:
                self._opened[settings.reranker] = open_reranker(settings)
            return self._opened[settings.reranker]

    def close(self) -> None:
        with self._opening:
            for one in self._opened.values():
                if one is not None:
                    one.close()


__all__ = ["LLMReranker", "LocalReranker", "RerankError", "Reranker", "Rerankers", "open_reranker"]
