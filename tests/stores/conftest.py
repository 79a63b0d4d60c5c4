"""Every store in each of its forms: the suite `test_contract_*` runs once for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_cases import FORMS, serve

from stores.base import Store
from stores.indexes import library_vectors, vector_fitting


@pytest.fixture(autouse=True)
def small_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for an index by name gets it for five vectors, made and made anew while the test goes on; what it finds
    is tried with few questions, as most of the time goes into that."""
    monkeypatch.setattr(library_vectors, "_SOME", 5)
    monkeypatch.setattr(vector_fitting, "_QUESTIONS", 40)
    monkeypatch.setattr(vector_fitting, "_FEW", 10)


@pytest.fixture(params=FORMS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = FORMS[request.param](tmp_path)
    serve(store)
    yield store
    store.close()
