"""`true` is no number, wherever a number is handed in."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from config_file import ProviderEntry
from doors.forms import AddDocument, Ask, ListDocuments, Search
from doors.openai_forms import ChatRequest
from nodes.overrides import Overrides
from settings import Settings
from tests.each_row import each_row

MESSAGES = [{"role": "user", "content": "x"}]


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize(
    ("form", "given", "name"),
    [
        (Search, {"question": "x"}, "top_k"),
        (Ask, {"question": "x"}, "min_similarity"),
        (ListDocuments, {}, "limit"),
        (ListDocuments, {}, "offset"),
        (AddDocument, {"name": "a.md"}, "chunk_size"),
        (ChatRequest, {"messages": MESSAGES}, "top_k"),
        (Overrides, {}, "max_context_length"),
        (ProviderEntry, {"name": "openai"}, "weight"),
        (Settings, {}, "top_k"),
        (Settings, {}, "embedding_dimensions"),
        (Settings, {}, "llm_timeout"),
    ],
)
@pytest.mark.usefixtures("bare_environment")
def test_true_and_false_are_no_numbers(form: type[BaseModel], given: dict[str, Any], name: str, value: bool) -> None:
    assert name in form.model_fields
    with pytest.raises(ValidationError, match="should be a valid"):
        form(**given, **{name: value})


@each_row("value", [{"a": 1}, ["x"], 1.5])
def test_what_is_no_word_is_no_reranker_either(value: Any) -> None:
    with pytest.raises(ValidationError):
        Overrides(rerank=value)


def test_what_is_true_or_false_may_be_so() -> None:
    assert Ask(question="x", evaluate=True).evaluate
    assert ChatRequest.model_validate({"messages": MESSAGES, "stream": True}).stream
