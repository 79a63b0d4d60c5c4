"""Every store in each of its forms: the suite `test_contract_*` runs once for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_cases import FORMS, serve

from stores.base import Store
from stores.indexes import nearest


@pytest.fixture(autouse=True)
def small_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for an index by name gets it for five vectors, made and made anew while the test goes on."""
    monkeypatch.setattr(nearest, "_SOME", 5)


@pytest.fixture(params=FORMS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = FORMS[request.param](tmp_path)
    serve(store)
    yield store
    store.close()
