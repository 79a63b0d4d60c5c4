"""The dictionary file: what it holds, how it is read, and that it is the one that its source makes."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from translation.dictionary import PATH, Dictionary, shipped, stamp, written

ROOT = Path(__file__).parent.parent.parent
TABLE = {
    "年假": [("annual leave", False)],
    "休假": [("leave", False), ("vacation", False), ("to take a holiday", True)],
    "数据库": [("databases", False)],
}


@pytest.fixture
def small(tmp_path: Path) -> Dictionary:
    path = tmp_path / "small.dict"
    path.write_bytes(written(TABLE, {}))
    return Dictionary(path)


def test_a_word_has_its_translations_best_first(small: Dictionary) -> None:
    assert [each.tokens for each in small.english("休假")] == [("leav",), ("vacat",), ("take", "holiday")]
    assert [each.text for each in small.english("休假")] == ["leave", "vacation", "to take a holiday"]
    weights = [each.weight for each in small.english("休假")]
    assert weights == sorted(weights, reverse=True)
    assert small.english("不在") == () == small.english("") == small.chinese("")


def test_a_term_leads_back_to_its_words(small: Dictionary) -> None:
    assert [each.tokens for each in small.chinese("annual leav")] == [("年假",)]
    assert small.knows("databas")
    assert not small.knows("annual")
    assert small.has("数据库")
    assert not small.has("数据")


def test_no_key_is_found_across_two_others(tmp_path: Path) -> None:
    """All keys of a block stand in one string."""
    (tmp_path / "near.dict").write_bytes(written({"休假": [("leave", False)], "年休": [("rest", False)]}, {}))
    near = Dictionary(tmp_path / "near.dict")
    assert near.has("休假")
    assert near.has("年休")
    assert not near.has("假年")
    assert not near.has("休假年")


def test_a_word_with_one_meaning_comes_before_one_with_many(tmp_path: Path) -> None:
    table = {"很多": [("leave", False), ("go", False), ("quit", False)], "单一": [("leaves", False)]}
    (tmp_path / "two.dict").write_bytes(written(table, {}))
    assert [each.tokens[0] for each in Dictionary(tmp_path / "two.dict").chinese("leav")] == ["单一", "很多"]


PARTS = {
    "审批": [("examine and approve", False)],
    "房租": [("rent for a room", False)],
    "磁带": [("magnetic tape", False)],
    "不必": [("need not", False)],
    "需要": [("need", False)],
}


@pytest.fixture
def parts(tmp_path: Path) -> Dictionary:
    (tmp_path / "parts.dict").write_bytes(written(PARTS, {}))
    return Dictionary(tmp_path / "parts.dict")


def test_a_translation_of_several_words_counts_by_those_that_can_stand_for_it_for_less(parts: Dictionary) -> None:
    weights = {each.text: each.weight for word in PARTS for each in parts.english(word)}
    assert weights["examine and approve"] > weights["approve"] == weights["examine"] > weights["rent"] > weights["tape"]
    assert [parts.chinese(term)[0].text for term in ("approv", "rent", "tape")] == ["审批", "房租", "磁带"]


def test_a_word_that_denies_a_term_stands_for_it_only_where_it_is_denied(parts: Dictionary) -> None:
    assert [each.text for each in parts.chinese("need")] == ["需要"]
    assert {each.text for each in parts.chinese("need", negated=True)} == {"需要", "不必"}


_word = some.text("年假休数据库甲乙丙", min_size=1, max_size=4)
_term = some.lists(
    some.sampled_from("leave vacation databases runs river".split()), min_size=1, max_size=3, unique=True
).map(" ".join)


@given(some.dictionaries(_word, some.dictionaries(_term, some.booleans(), min_size=1, max_size=4), max_size=400))
def test_everything_that_was_written_is_found(tmp_path_factory, table) -> None:
    path = tmp_path_factory.mktemp("dictionary") / "made.dict"
    path.write_bytes(written({word: list(found.items()) for word, found in table.items()}, {}))
    if not table:
        return
    read = Dictionary(path)
    for word, found in table.items():
        texts = [each.text for each in read.english(word)]
        assert texts[: len(found)] == list(found)
        assert {*texts} <= {*found}.union(*map(str.split, found))  # and what stands for these in fewer words
        terms = [" ".join(each.tokens) for each in read.english(word)[: len(found)]]
        assert all(word in [each.text for each in read.chinese(term)] for term in terms)
    assert read.compounds("年") == sum(word.startswith("年") for word in table)


def test_only_articles_before_a_translation_are_left_out() -> None:
    """ "data mining" has none, though "a " stands in it."""
    assert [each.text for each in shipped().english("数据挖掘")] == ["data mining", "mining"]
    assert "way of life" in [each.text for each in shipped().english("生活方式")]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"something else entirely")
    with pytest.raises(ValueError, match="no dictionary"):
        Dictionary(tmp_path / "other")


def test_the_shipped_file_has_the_tokens_of_today() -> None:
    """Another stemmer or word list makes other search tokens: then `scripts/make_dictionary.py` writes it anew."""
    assert {key: shipped().header[key] for key in stamp()} == stamp()
    assert PATH.stat().st_size < 2e6


def test_a_sample_made_anew_is_what_the_file_says() -> None:
    script = importlib.util.spec_from_file_location("make_dictionary", ROOT / "scripts" / "make_dictionary.py")
    assert script
    assert script.loader
    making = importlib.util.module_from_spec(script)
    script.loader.exec_module(making)
    lines = random.Random(1).sample(
        [line for line in making.source() if "variant" not in line and "see " not in line], 300
    )
    made = making.table(lines)
    whole = making.table([line for line in making.source() if line.split(" ")[1] in made])
    assert len(whole) > 200
    for word, translations in whole.items():
        found = [each.text for each in shipped().english(word)]
        assert found[: len(translations)] == [term for term, _ in translations]
