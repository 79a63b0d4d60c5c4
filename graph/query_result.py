"""What `handle_query` gives back; it can be written as JSON."""

from __future__ import annotations

from typing import Any, TypedDict


class AgentResult(TypedDict):
    """What the model made of the prompt."""

    success: bool
    output_format: str
    parsed: Any  # text, or an object; None without success
    raw: str | None  # as the model gave it
    error: str | None  # why there is no answer and what to do, in the query's language


class QueryResult(TypedDict):
    query: str
    used_web: bool  # whether pages were fetched for it
    # Best first, each with source (address or name), content (200 characters, where it says most of what is asked),
    # structured_data (title, keywords, entities, topics; {} where they are not known), score, document, lines (first
    # and last), url.
    retrieved_documents: list[dict[str, Any]]
    # What stands above and beneath the names of the query, by the strategy `abstract` and `search_method`: read beside
    # the documents and never cited.
    tree_knowledge: str
    enhanced_prompt: str  # what the model is asked, whole: for any other model as well
    agent_result: AgentResult
    # As they stand in the answer, each with statement, marker, source, document, lines, quote, supported, score,
    # across: each is checked against its lines.
    citations: list[dict[str, Any]]
    unsupported: list[str]  # the sentences of the answer that no source supports; ⚠ stands behind them in `parsed`
    cut_short: bool  # whether the answer breaks off; a notice tells why
    confidence: float  # of the answer, in [0, 1]; a notice says where it is below `min_confidence`
    coverage: dict[str, Any]  # score, threshold, covered, of the library as it was before the web was searched
    record: str | None  # file that tells all of the fetch
    answer_file: str | None
    notices: list[str]  # what went wrong on the way; failures of the web are no exceptions
