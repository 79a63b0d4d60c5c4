"""Which embedder serves: the one of a stored space, or the one that the settings ask for."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from errors import StoreError
from providers.base import Embedder
from schema import Message, Space
from settings import Settings


def offline_provider(settings: Settings) -> Literal["tfidf", "hashing"]:
    """What the settings ask for; "auto" is TF-IDF where scikit-learn is installed (which is not imported for that)."""
    if settings.embedding in ("tfidf", "hashing"):
        return settings.embedding
    return "tfidf" if find_spec("sklearn") else "hashing"


def needs_fit(settings: Settings) -> bool:
    """Whether the embedder that the settings ask for learns from the library's texts."""
    return offline_provider(settings) == "tfidf"


def restore(space: Space, settings: Settings) -> Embedder:
    """The embedder of a stored space. Raises StoreError when nobody here can embed in it."""
    if space.provider == "tfidf":
        from providers import tfidf

        if space.model == tfidf.MODEL:
            return tfidf.TfidfEmbedder.from_space(space)
    if space.provider == "hashing":
        from providers import hashing

        if space.model == hashing.MODEL:
            return hashing.HashingEmbedder(space.dimensions)
    raise StoreError(
        Message(
            zh=f"资料库的向量由“{space.provider}/{space.model}”生成，当前程序无法使用它。",
            en=f"The library's vectors were made by {space.provider}/{space.model}, which this program cannot use.",
        ),
        Message(
            zh="请用生成它的版本打开，或重建向量索引；在此之前仍可用关键词检索。",
            en="Open it with the version that made it, or rebuild the vectors; keyword search works until then.",
        ),
    )
