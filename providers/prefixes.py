"""What trained models want: words before a question or a passage, and how much of a text they read.

As their authors' model cards say. A model that is not listed gets its texts as they are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from settings import Settings

_TASK = "Given a web search query, retrieve relevant passages that answer the query"


class Habits(NamedTuple):
    """Of one model."""

    question: str = ""  # put before
    passage: str = ""
    tokens: int | None = None  # the longest text it reads; None: not known


_KNOWN = (  # the first pattern found in the name, lower case
    (r"e5-.*-instruct", Habits(f"Instruct: {_TASK}\nQuery: ", "", 512)),
    (r"\be5-|-e5-", Habits("query: ", "passage: ", 512)),
    (r"qwen3-embedding", Habits(f"Instruct: {_TASK}\nQuery:", "", 8192)),
    (r"bge-m3", Habits("", "", 8192)),
    (r"bge-.*-zh", Habits("为这个句子生成表示以用于检索相关文章：", "", 512)),
    (r"bge-.*-en|mxbai-embed", Habits("Represent this sentence for searching relevant passages: ", "", 512)),
    (r"arctic-embed.*v2", Habits("query: ", "", 8192)),
    (r"arctic-embed", Habits("Represent this sentence for searching relevant passages: ", "", 512)),
    (r"nomic-embed-text", Habits("search_query: ", "search_document: ", 2048)),
    (r"embeddinggemma", Habits("task: search result | query: ", "title: none | text: ", 2048)),
    (r"text-embedding-v[12]$", Habits("", "", 2048)),
    (r"text-embedding-v\d", Habits("", "", 8192)),
    (r"text-embedding-(3|ada)", Habits("", "", 8191)),
    (r"minilm", Habits("", "", 256)),
)


def habits(model: str, settings: Settings) -> Habits:
    """Of the model by its name; what the settings say comes first, "none" being nothing."""
    known = next((found for pattern, found in _KNOWN if re.search(pattern, model.lower())), Habits())
    question, passage = settings.embedding_query_prefix, settings.embedding_passage_prefix
    return known._replace(
        question=known.question if question is None else "" if question == "none" else question,
        passage=known.passage if passage is None else "" if passage == "none" else passage,
    )
