"""Rerankers behind one contract: a cross-encoder (with torch, or as ONNX without) or the language model."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from pathlib import Path

from providers.model_files import RERANKER, onnx_folder, weights
from providers.rerankers import cross_encoder, onnx
from providers.rerankers.base import Reranker, RerankError
from providers.rerankers.kinds import KINDS
from providers.rerankers.llm import LLMReranker
from providers.rerankers.local import LocalReranker
from settings import Settings

_LOCAL = {"cross-encoder": cross_encoder.load, "onnx": onnx.load}


def fetched_reranker(settings: Settings) -> str | None:
    """The ONNX cross-encoder that can be fetched by a click and serves once it is here: the one that is named, or the
    usual one. None where the settings ask for something else."""
    model, kind = settings.reranker_model, settings.reranker
    if kind == "onnx" or (kind == "auto" and model is None and KINDS[settings.reranker_type].where == "here"):
        return None if model and Path(model).is_dir() else model or RERANKER
    return None


def open_reranker(settings: Settings) -> LocalReranker | None:
    """The cross-encoder that the settings ask for, loaded at its first use; None where they ask for something else.
    "auto" without a model takes the one that was fetched, if it was."""
    usual = fetched_reranker(settings) if settings.reranker_model is None else None
    if usual and (settings.reranker == "onnx" or (find_spec("fastembed") and onnx_folder(usual, settings))):
        settings = settings.model_copy(update={"reranker": "onnx", "reranker_model": usual})
    model, kind = settings.reranker_model, settings.reranker
    elsewhere = KINDS[settings.reranker_type].where != "here"
    if kind == "auto" and (elsewhere or model is not None):
        kind = "onnx" if model and not elsewhere and weights(Path(model)) else "cross-encoder"
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

    def look_again(self) -> None:
        """A model has come onto this machine: all are opened anew at their next use."""
        self.close()
        with self._opening:
            self._opened.clear()

    def close(self) -> None:
        with self._opening:
            for one in self._opened.values():
                if one is not None:
                    one.close()


__all__ = [
    "LLMReranker", "LocalReranker", "RerankError", "Reranker", "Rerankers", "fetched_reranker", "open_reranker",
]  # fmt: skip
