"""What every store must do: the pairs of a glossary."""

from __future__ import annotations

import pytest
from store_cases import FORMS_BY_WORDS

from errors import StoreError
from schema import GlossaryPair

pytestmark = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)

POLARIS, STAR = GlossaryPair("北极星", "Project Polaris"), GlossaryPair("北极星", "Polaris")


def test_pairs_come_and_go_each_once(store):
    before = store.generation()
    assert store.glossary() == []
    assert store.change_glossary([POLARIS, STAR, POLARIS]) == 2
    assert store.glossary() == [STAR, POLARIS]  # by Chinese, then English
    known = store.generation()
    assert known > before
    assert store.change_glossary([STAR]) == 0
    assert store.generation() == known  # nothing has changed
    bird = GlossaryPair("青鸟", "Bluebird", "terms.csv")
    assert store.change_glossary([bird], [POLARIS, GlossaryPair("x", "y")]) == 2
    assert store.glossary() == [STAR, bird._replace(document="")]
    assert store.generation() > known


def test_all_or_none(store):
    store.change_glossary([POLARIS])
    with pytest.raises(StoreError):
        store.change_glossary([STAR, GlossaryPair("a\0", "b")], [POLARIS])
    assert store.glossary() == [POLARIS]
