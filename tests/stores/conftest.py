"""Every store in each of its forms: the suite `test_contract_*` runs once for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_cases import FORMS, batch, serve, task

from schema import GlossaryPair
from stores.base import Store
from stores.embedded import EmbeddedStore
from stores.indexes import library_vectors, vector_fitting
from tests.stores.safety_cases import TEXTS, source


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed library of twenty documents, a waiting file and a source."""
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    (tmp_path / "library" / "incoming").mkdir()
    path = tmp_path / "library" / "incoming" / ("0" * 32)
    path.write_bytes(b"waiting")
    store.put_all([batch(f"{n}.md", [*TEXTS, f"only{n} word"], "set") for n in range(20)])
    store.add_tasks([task("late.md", path=str(path), size=7)])
    store.put_source(source("site"))
    store.change_glossary([GlossaryPair("北极星", "Polaris")])
    store.close()
    return tmp_path / "library"
