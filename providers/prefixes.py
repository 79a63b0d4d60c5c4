"""What trained models want: words before a question or a passage, and how much of a text they read.

As their authors' model cards say. A model that is not listed gets its texts as they are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from settings import Settings

_TASK = "Given a web search query, retrieve relevant passages that answer the query"


class ModelConventions(NamedTuple):
    """Of one model."""

    question: str = ""  # put before
    passage: str = ""
    tokens: int | None = None  # the longest text it reads; None: not known


_KNOWN = (  # the first pattern found in the name, lower case
    (r"e5-.*-instruct", ModelConventions(f"Instruct: {_TASK}\nQuery: ", "", 512)),
    (r"\be5-|-e5-", ModelConventions("query: ", "passage: ", 512)),
    (r"qwen3-embedding", ModelConventions(f"Instruct: {_TASK}\nQuery:", "", 8192)),
    (r"bge-m3", ModelConventions("", "", 8192)),
    (r"bge-.*-zh", ModelConventions("为这个句子生成表示以用于检索相关文章：", "", 512)),
    (r"bge-.*-en|mxbai-embed", ModelConventions("Represent this sentence for searching relevant passages: ", "", 512)),
    (r"arctic-embed.*v2", ModelConventions("query: ", "", 8192)),
    (r"arctic-embed", ModelConventions("Represent this sentence for searching relevant passages: ", "", 512)),
    (r"nomic-embed-text", ModelConventions("search_query: ", "search_document: ", 2048)),
    (r"embeddinggemma", ModelConventions("task: search result | query: ", "title: none | text: ", 2048)),
    (r"text-embedding-v[12]$", ModelConventions("", "", 2048)),
    (r"text-embedding-v\d", ModelConventions("", "", 8192)),
    (r"text-embedding-(3|ada)", ModelConventions("", "", 8191)),
    (r"minilm", ModelConventions("", "", 256)),
)


def model_conventions(model: str, settings: Settings) -> ModelConventions:
    """Of the model by its name; what the settings say comes first, "none" being nothing."""
    known = next((found for pattern, found in _KNOWN if re.search(pattern, model.lower())), ModelConventions())
    question, passage = settings.embedding_query_prefix, settings.embedding_passage_prefix
    return known._replace(
        question=known.question if question is None else "" if question == "none" else question,
        passage=known.passage if passage is None else "" if passage == "none" else passage,
    )
