"""Embeddings by a local ONNX model through fastembed: no torch, no network."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from errors import missing_extra
from providers.base import EmbeddingError
from providers.model_files import onnx_folder, target, weights
from providers.neural import ReadableShare
from schema import Message, Vectors
from settings import Settings

log = logging.getLogger(__name__)

_BATCH = 8  # texts; attention needs memory by the square of their length
_registering = threading.Lock()  # fastembed's list of models belongs to the process


class OnnxEncoder:
    """A model that lies in a folder. Raises CitewiseError when it does not, or is no model."""

    clips = True

    def __init__(self, model: str, settings: Settings) -> None:
        if find_spec("fastembed") is None:
            raise EmbeddingError.because(missing_extra("local"))
        folder = onnx_folder(model, settings)
        if folder is None:
            raise not_on_disk(model, target(model, settings))
        try:
            self._model = _loaded(model, folder)
        except Exception as error:  # the libraries of models raise what they like
            log.exception("the model %s cannot be loaded", model)
            raise _broken(model, folder, error) from error
        self._name, self._folder = model, folder

    def encode(self, texts: list[str], *, question: bool = False) -> Vectors:
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # equal lengths need no padding
        rows: list[Any] = [None] * len(texts)
        try:
            found = self._model.embed([texts[place] for place in order], batch_size=_BATCH)
            for place, row in zip(order, found, strict=True):
                rows[place] = row
        except Exception as error:  # as above
            log.exception("the model %s failed", self._name)
            raise _broken(self._name, self._folder, error) from error
        return np.array(rows, np.float32)

    def reading(self, texts: Sequence[str]) -> ReadableShare:
        """Which share of the tokens the model does not know, and of the texts it does not read to the end."""
        from tokenizers import Tokenizer

        config = json.loads((self._folder / "tokenizer_config.json").read_text("utf-8"))
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        word = config.get("unk_token")
        unknown = tokenizer.token_to_id(word["content"] if isinstance(word, dict) else word or "[UNK]")
        limit = min(config.get("model_max_length") or 10**9, config.get("max_length") or 10**9)
        found = [encoded.ids for encoded in tokenizer.encode_batch(list(texts))]
        tokens = sum(map(len, found)) or 1
        return ReadableShare(
            0.0 if unknown is None else sum(ids.count(unknown) for ids in found) / tokens,  # bytes know everything
            sum(len(ids) > limit for ids in found) / max(len(found), 1),
        )

    def close(self) -> None:
        pass


def _loaded(model: str, folder: Path) -> Any:
    """One thread: on a machine that also serves a chat, more of them wait for each other."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource

    listed = next((found for found in TextEmbedding.list_supported_models() if found["model"] == model), None)
    if listed and (folder / listed["model_file"]).exists():
        return TextEmbedding(model, specific_model_path=str(folder), threads=1)
    name, file = f"citewise/{folder.resolve()}", weights(folder)
    assert file is not None
    with _registering:
        if not any(found["model"] == name for found in TextEmbedding.list_supported_models()):
            TextEmbedding.add_custom_model(
                name, _pooling(model, folder), normalization=True, sources=ModelSource(hf=name), dim=1, model_file=file
            )
    return TextEmbedding(name, specific_model_path=str(folder), threads=1)


def _pooling(model: str, folder: Path) -> Any:
    """As the model's own configuration says, else as models of its name were trained."""
    from fastembed.common.model_description import PoolingType

    try:
        config = json.loads((folder / "1_Pooling" / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        config = {"pooling_mode_cls_token": any(word in model.lower() for word in ("bge", "arctic", "mxbai"))}
    if config.get("pooling_mode_cls_token"):
        return PoolingType.CLS
    return PoolingType.LAST_TOKEN if config.get("pooling_mode_lasttoken") else PoolingType.MEAN


def not_on_disk(model: str, folder: Path) -> EmbeddingError:
    return EmbeddingError(
        Message(zh=f"本地没有模型 {model}。", en=f"The model {model} is not on this machine."),
        Message(
            zh=f"请在页面的“向量”一栏下载，或把它的文件放进 {folder}。",
            en=f"Download it on the page, under “Embeddings”, or put its files into {folder}.",
        ),
    )


def _broken(model: str, folder: Path, error: Exception) -> EmbeddingError:
    return EmbeddingError(
        Message(
            zh=f"模型 {model} 无法使用（{type(error).__name__}）。",
            en=f"The model {model} cannot be used ({type(error).__name__}).",
        ),
        Message(zh=f"请删除 {folder} 后重新下载。", en=f"Delete {folder} and download it again."),
    )
