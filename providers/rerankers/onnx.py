"""Cross-encoders as ONNX through fastembed (extra `local`): no torch."""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec

from errors import missing_extra
from providers.model_files import onnx_folder, weights
from providers.rerankers.base import RerankError
from providers.rerankers.local import Scorer, model_folder, sigmoid
from schema import Message
from settings import Settings

_registering = threading.Lock()  # fastembed's list of models belongs to the process


def load(settings: Settings) -> Scorer:
    """Raises CitewiseError when the extra is not installed, or the model not on this machine."""
    if find_spec("fastembed") is None:
        raise missing_extra("local")
    folder = model_folder(settings, onnx_folder)
    file = weights(folder)
    if file is None:
        raise RerankError(
            Message(
                zh=f"{folder} 里没有 ONNX 模型（model.onnx 和 tokenizer.json）。",
                en=f"There is no ONNX model in {folder} (model.onnx and tokenizer.json).",
            ),
            Message(
                zh="请指定含有这些文件的文件夹，或把 CITEWISE_RERANKER 设为 cross-encoder。",
                en="Name a folder that holds them, or set CITEWISE_RERANKER to cross-encoder.",
            ),
        )
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    name = f"citewise/{folder.resolve()}"
    with _registering:
        if not any(known["model"] == name for known in TextCrossEncoder.list_supported_models()):
            TextCrossEncoder.add_custom_model(name, sources=ModelSource(hf=name), model_file=file)
    # One core stays free for the turns that others are in.
    model = TextCrossEncoder(name, specific_model_path=str(folder), threads=max(1, (os.cpu_count() or 2) - 1))
    return lambda question, texts: [sigmoid(logit) for logit in model.rerank(question, texts)]
