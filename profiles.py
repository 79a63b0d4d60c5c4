"""The values of the documents that this project goes back to, as sets of defaults: CITEWISE_PROFILE names one.

Whatever is set by itself wins, wherever it is set. A profile never has texts sent anywhere: which embedder and which
models are used stays with who sets their keys. docs/profiles.md shows the values side by side.
"""

from __future__ import annotations

from typing import Any, Literal

ProfileName = Literal["000", "001", "002", "003", "004"]

PROFILES: dict[ProfileName, dict[str, Any]] = {
    "000": {  # an agent that fetches what its store does not cover
        "top_k": 3,
        "strategy": "vector",
        "min_score_threshold": 0.3,
        "web": "always",
        "web_search": ("ddgs",),
        "ddgs_engines": ("duckduckgo",),
        "web_results": 3,
        "tfidf_dimensions": 100,
        "hashing_dimensions": 128,
    },
    "001": {  # abstracts beside chunks; 0.6 is what its call passes, (16385 - 500) // 2 tokens are for the sources
        "top_k": 3,
        "min_similarity": 0.6,
        "max_context_length": 7942,
    },
    "002": {  # document sets, sorted again by a language model
        "chunker": "recursive",
        "text_chunk_size": 500,
        "text_chunk_overlap": 100,
        "chinese_chunk_size": 500,
        "chinese_chunk_overlap": 100,
        "code_chunk_size": 300,
        "code_chunk_overlap": 50,
        "strategy": "vector",
        "top_k": 5,
        "reranker": "llm",
        "rerank_top_k": 3,
        "rerank_temperature": 0.0,
        "openai_model": "gpt-3.5-turbo",
    },
    "003": {  # a graph with a cross-encoder; its default search always imagines an answer as well
        "data_dir": "saved_files",
        "chunker": "semantic",
        "strategy": "default",
        "hyde_below": 1.0,
        "reranker": "cross-encoder",
        "reranker_model": "BAAI/bge-reranker-large",
        "reranker_type": "cross-encoder",
        "dashscope_model": "qwen-turbo",
        "dashscope_embedding_model": "text-embedding-v3",
        "close_with_browser": True,
    },
    "004": {  # questions and answers with several providers
        "strategy": "vector",
        "embedding": "tfidf",
        "top_k": 5,
        "min_similarity": 0.3,
        "min_confidence": 0.3,
        "max_context_length": 2000,
        "openai_model": "gpt-3.5-turbo",
        "deepseek_model": "deepseek-chat",
        "ollama_model": "llama2",
        "ollama_base_url": "http://localhost:11434",
        "llm_timeout": 30.0,
        "fallback_language": "zh",
    },
}


def profile_name(value: Any) -> Any:
    """`004`, and what YAML makes of it: a number."""
    number = isinstance(value, int) and not isinstance(value, bool)
    text = str(value).strip() if number or isinstance(value, str) else ""
    return text.zfill(3) if text.isdigit() else value


def with_profile(values: dict[str, Any]) -> dict[str, Any]:
    """The values of settings over those of the profile that they name, if there is one of this name."""
    named = profile_name(values.get("profile"))
    return {**next((of for name, of in PROFILES.items() if name == named), {}), **values}
