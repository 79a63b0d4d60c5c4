"""The words that everything else is said with: languages, names of strategies, a sentence in both languages."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]  # (n, dimensions), rows of length 1, or 0 for a text with nothing known in it
Language = Literal["zh", "en"]
ChunkerName = Literal["semantic", "fixed", "recursive", "markdown", "code"]
SizeUnit = Literal["characters", "tokens", "words"]  # that chunk sizes and overlaps are counted in
StrategyName = Literal["default", "keyword", "vector", "hybrid", "hyde", "rm3", "abstract"]
EmbeddingName = Literal[
    "auto", "tfidf", "hashing", "openai", "dashscope", "ollama", "compatible", "sentence-transformers", "onnx"
]
RerankerName = Literal["auto", "none", "cross-encoder", "onnx", "llm"]
RerankerType = Literal[  # of the package `rerankers`
    "cross-encoder", "t5", "colbert", "mxbaiv2", "llm-layerwise", "upr", "flashrank", "pylate",
    "rankgpt", "llm-relevance-filter", "rankllm",
    "cohere", "jina", "voyage", "mixedbread.ai", "pinecone", "isaacus", "text-embeddings-inference",
]  # fmt: skip
VectorIndexName = Literal["auto", "flat", "ivf", "hnsw"]
Action = Literal["save", "retrieve", "fetch_web"]
WebPolicy = Literal["ask", "always", "never"]  # where the library does not cover a question
Status = Literal["pending", "processing", "completed", "failed", "skipped"]
Stage = Literal["read", "chunk", "embed", "store"]
TextKind = Literal["markdown", "text", "code"]  # how a document's text is written: what chunkers and pages go by
DocType = Literal[  # what the original was
    "markdown", "text", "code", "html", "pdf", "docx", "pptx", "xlsx", "csv", "json", "notebook",
    "epub", "odt", "odp", "ods", "rtf", "doc", "ppt", "xls", "email", "svg",
    "image", "audio", "video", "unknown",
]  # fmt: skip


class Message(NamedTuple):
    """A sentence for a person, in both languages: whoever writes one cannot forget the other."""

    zh: str
    en: str

    def to(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en
