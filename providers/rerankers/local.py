"""A reranker on this machine: loaded once, from disk alone, in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from errors import CitewiseError
from providers.model_files import RERANKER
from providers.rerankers.base import RerankError
from schema import Hit, Message
from settings import Settings

log = logging.getLogger(__name__)

Scorer = Callable[[str, list[str]], list[float]]  # (question, passages) -> scores in [0, 1], in their order


class LocalReranker:
    """One question at a time. `load` is called once, whether it succeeds or not; a restart tries again."""

    def __init__(self, name: str, load: Callable[[], Scorer], *, calibrated: bool = True) -> None:
        self.name, self.calibrated = name, calibrated
        self._load = load
        self._loaded: Scorer | CitewiseError | None = None
        self._thread = ThreadPoolExecutor(1, "rerank")

    def warm(self) -> None:
        """Begin to load, so that the first question need not wait for it."""
        self._thread.submit(self._scorer)

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        if not hits:
            return []
        texts = [hit.indexed_text for hit in hits]
        return await asyncio.wrap_future(self._thread.submit(self._score, question, texts))

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _score(self, question: str, texts: list[str]) -> list[float | None]:
        scorer = self._scorer()
        if isinstance(scorer, CitewiseError):
            raise scorer.with_traceback(None)
        try:
            scores = scorer(question, texts)
        except CitewiseError:
            raise
        except Exception as error:  # the libraries of models raise what they like
            log.exception("the reranker %s failed", self.name)
            raise _failed(self.name, type(error).__name__) from error
        if len(scores) != len(texts) or not all(math.isfinite(score) for score in scores):
            raise _failed(self.name, "NaN")
        return list(scores)

    def _scorer(self) -> Scorer | CitewiseError:
        if self._loaded is None:
            try:
                self._loaded = self._load()
            except CitewiseError as error:
                log.warning("%s", error)
                self._loaded = error
            except Exception as error:  # as above
                log.exception("the reranker %s cannot be loaded", self.name)
                self._loaded = _failed(self.name, type(error).__name__)
        return self._loaded


def sigmoid(logit: float) -> float:
    """A cross-encoder's logit as a probability of relevance: what it was trained to mean."""
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0


def model_folder(settings: Settings, find: Callable[[str, Settings], Path | None]) -> Path:
    """Where the model lies: the folder itself, where `find` knows, or the hub's cache. Nothing is downloaded.

    Raises RerankError when it is not on this machine.
    """
    model = settings.reranker_model
    if model is None:
        raise RerankError(
            Message(zh="没有指定重排模型。", en="No reranker model is named."),
            Message(
                zh="请在 .env 中设置 CITEWISE_RERANKER_MODEL（本机上的文件夹或名称）。",
                en="Set CITEWISE_RERANKER_MODEL in .env (a folder on this machine, or a name).",
            ),
        )
    if Path(model).is_dir():
        return Path(model)
    found = find(model, settings) or _cached(model)
    if found is None:
        target = settings.models_folder / Path(model).name
        remedy = Message(
            zh=f"请运行：uv run hf download {model} --local-dir {target}，然后重新启动程序。",
            en=f"Run: uv run hf download {model} --local-dir {target}, then start the program again.",
        )
        raise RerankError(
            Message(zh=f"重排模型 {model} 不在本机上。", en=f"The reranker model {model} is not on this machine."),
            _ON_THE_PAGE if model == RERANKER else remedy,
        )
    return found


_ON_THE_PAGE = Message(
    zh="请在页面的“系统”标签页里，打开“重排”下载它。",
    en="Download it on the page: it stands in the System tab, under Reranker.",
)


def _cached(model: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None


def _failed(name: str, reason: str) -> RerankError:
    return RerankError(
        Message(zh=f"重排模型出错（{name}，{reason}）。", en=f"The reranker failed ({name}, {reason})."),
        Message(zh="详情见日志。", en="The log holds the details."),
    )
