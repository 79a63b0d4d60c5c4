"""Every store in each of its forms: the suite `test_contract_*` runs once for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_cases import FORMS, serve

from stores.base import Store


@pytest.fixture(params=FORMS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = FORMS[request.param](tmp_path)
    serve(store)
    yield store
    store.close()
