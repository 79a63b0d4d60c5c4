"""Local models: where they lie, and how they come there. Nothing is downloaded unless a person asks for it."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Collection
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from errors import CitewiseError, missing_extra
from schema import Message
from settings import Settings

log = logging.getLogger(__name__)

# Reads a hundred languages, Chinese and English among them, 512 tokens of a text (paraphrase-multilingual-MiniLM, the
# usual choice, 128: a quarter of a chunk), was trained for retrieval, and takes 118 MB as 8-bit ONNX.
DEFAULT = "intfloat/multilingual-e5-small"
# Of the cross-encoders that fastembed knows the smallest that reads Chinese and English and may be used for anything:
# 8 bits, Apache 2.0. (Jina's multilingual one, of twice the size, is not for commercial use.)
RERANKER = "BAAI/bge-reranker-v2-m3-int8"
_ONNX_OF = {  # where the ONNX form of a model is published
    DEFAULT: "Xenova/multilingual-e5-small",
    RERANKER: "onnx-community/bge-reranker-v2-m3-ONNX",
}
_FACTS = {DEFAULT: (118, "MIT"), RERANKER: (570, "Apache 2.0")}  # megabytes, licence
_WEIGHTS = (  # the first one there is: 8 bits answer as well, in a quarter of the space and half the time
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model_quantized.onnx",
    "model_optimized.onnx",
    "model.onnx",
    "onnx/model.onnx",
)
_BESIDE = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json", "1_Pooling/config.json",
)  # fmt: skip
_PATIENCE = 10.0  # seconds until the hub must answer


def onnx_folder(model: str, settings: Settings) -> Path | None:
    """Where the model lies: a folder of that name, the folder of models, or fastembed's cache."""
    return next((folder for folder in _places(model, settings) if weights(folder)), None)


def torch_folder(model: str, settings: Settings) -> Path | None:
    """The same for sentence-transformers."""
    return next((folder for folder in _places(model, settings) if (folder / "config.json").exists()), None)


def weights(folder: Path) -> str | None:
    """The ONNX file in a folder with a whole model, as a path within it."""
    if not (folder / "tokenizer.json").exists():
        return None
    return next((name for name in _WEIGHTS if (folder / name).exists()), None)


def _places(model: str, settings: Settings) -> list[Path]:
    named = Path(model)
    if named.is_absolute():
        return [named]
    cache = settings.fastembed_cache or Path(tempfile.gettempdir()) / "fastembed_cache"
    repositories = {model, _repository(model)} if cache.exists() else set()
    cached = [cache / f"models--{name.replace('/', '--')}" / "snapshots" for name in sorted(repositories)]
    return [target(model, settings), *(found for folder in cached if folder.exists() for found in folder.iterdir())]


def target(model: str, settings: Settings) -> Path:
    """The folder that a model is downloaded to."""
    return settings.models_folder / Path(model).name


def facts(model: str) -> tuple[int, str] | None:
    """Megabytes to download and licence of the models that are offered; None of another one."""
    return _FACTS.get(model)


def size(folder: Path) -> int:
    """Bytes in it, by now: what is moved or deleted meanwhile does not count."""
    total = 0
    for parent, _, files in os.walk(folder):
        for file in files:
            with suppress(FileNotFoundError):
                total += os.path.getsize(os.path.join(parent, file))
    return total


class Download(NamedTuple):
    """What there is to fetch."""

    model: str
    repository: str
    revision: str | None
    files: list[str]
    size: int  # bytes
    folder: Path  # that they come to, until all of them are there


def plan_download(model: str, settings: Settings) -> Download:
    """Asks the hub. Raises CitewiseError."""
    if find_spec("fastembed") is None:
        raise missing_extra("local")
    from httpx import HTTPError
    from huggingface_hub import HfApi

    repository, folder = _repository(model), target(model, settings)
    try:
        hub = HfApi(endpoint=settings.model_hub, token=False)
        found = hub.model_info(repository, files_metadata=True, timeout=_PATIENCE)
    except (HTTPError, OSError, ValueError) as error:
        raise _failed(model, settings, _why(error)) from error
    sizes = {file.rfilename: file.size or 0 for file in found.siblings or ()}
    files = _needed_files(sizes, _listed(model))
    if not any(name.endswith(".onnx") for name in files):
        raise _failed(model, settings, Message(zh="那里没有它的 ONNX 文件", en="there is no ONNX form of it"))
    total = sum(sizes[name] for name in files)
    return Download(model, repository, found.sha, files, total, folder.with_name(f"{folder.name}.partial"))


def fetch(download: Download, settings: Settings) -> Path:
    """Into `target`, whole or not at all; what an earlier attempt has fetched is kept. Raises CitewiseError."""
    from httpx import HTTPError
    from huggingface_hub import snapshot_download

    model, partial, folder = download.model, download.folder, target(download.model, settings)
    try:
        partial.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(partial).free < download.size:
            needed = f"{download.size / 1e6:.0f} MB"
            raise _failed(
                model, settings, Message(zh=f"磁盘空间不足（需要 {needed}）", en=f"it needs {needed} of disk")
            )
        snapshot_download(
            download.repository, revision=download.revision, local_dir=partial, allow_patterns=download.files,
            endpoint=settings.model_hub, token=False, etag_timeout=_PATIENCE,
        )  # fmt: skip
        shutil.rmtree(partial / ".cache", ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)  # without weights, or it would not have been asked for
        partial.rename(folder)
    except (HTTPError, OSError, ValueError) as error:
        log.warning("the model %s could not be downloaded: %s", model, error)
        raise _failed(model, settings, _why(error)) from error
    log.info("the model %s is in %s", model, folder)
    return folder


def _why(error: Exception) -> Message:
    from huggingface_hub.errors import HfHubHTTPError

    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        if status in (401, 404):  # the hub does not say which
            return Message(zh="那里没有公开的这个模型", en="it is not there, or not public")
        return Message(zh=f"对方报告了错误 {status}", en=f"the error {status} was reported")
    if isinstance(error, OSError) and error.filename:
        return Message(zh=f"文件无法写入（{error.strerror}）", en=f"a file cannot be written ({error.strerror})")
    return Message(zh="无法连接", en="nobody answers")


def _needed_files(files: Collection[str], listed: dict[str, Any] | None) -> list[str]:
    """What of a repository is needed: one ONNX file with its data, the tokenizer, and how to pool."""
    onnx = [listed["model_file"], *listed["additional_files"]] if listed else []
    chosen = [name for name in onnx if name in files] or [name for name in _WEIGHTS if name in files][:1]
    data = [name for name in files if chosen and name in (f"{chosen[0]}_data", f"{chosen[0]}.data")]
    return [name for name in files if name in {*chosen, *data, *_BESIDE}]


def _failed(model: str, settings: Settings, reason: Message) -> CitewiseError:
    at = settings.model_hub
    return CitewiseError(
        "model",
        Message(
            zh=f"模型 {model} 无法从 {at} 下载：{reason.zh}。",
            en=f"The model {model} cannot be downloaded from {at}: {reason.en}.",
        ),
        Message(
            zh=f"请检查网络，或在 .env 中设置 CITEWISE_MODEL_HUB（例如镜像站）后重试；"
            f"也可以手动把模型文件放进 {target(model, settings)}。",
            en="Check the network, or set CITEWISE_MODEL_HUB (a mirror) in .env, and try again; or put the model's "
            f"files into {target(model, settings)} by hand.",
        ),
        still_works=Message(zh="现有的检索照常可用。", en="Search goes on as before."),
    )


def _repository(model: str) -> str:
    """Where the hub has the ONNX form of a model."""
    if model in _ONNX_OF:
        return _ONNX_OF[model]
    listed = _listed(model)
    return str(listed["sources"]["hf"] or model) if listed else model


def _listed(model: str) -> dict[str, Any] | None:
    """What fastembed knows of a model; None when it does not, or is not installed."""
    if find_spec("fastembed") is None:
        return None
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    known = (*TextEmbedding.list_supported_models(), *TextCrossEncoder.list_supported_models())
    return next((found for found in known if found["model"] == model), None)
