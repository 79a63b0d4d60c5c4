"""Chunk sizes in tokens and words: none is exceeded, the text is whole, and the unit is kept."""

import numpy as np
import pytest

from errors import CitewiseError
from ingestion.chunking import CHUNKERS, chunk_document
from ingestion.chunking.ruler import RULERS
from ingestion.readers import read_document
from schema import Chunking
from settings import Settings
from tests.each_row import each_row
from text import count_tokens, word_places

SETTINGS = Settings.from_mapping({})


def count_words(text):
    return sum(1 for _ in word_places(text))


COUNT = {"tokens": count_tokens, "words": count_words, "characters": len}
PARAGRAPH = "年假有 15 天，病假须在 9:30 之前告知主管。 The pumps in Hamburg run at 30 rpm, and never more than that. "
TEXT = "# Guide\n\n" + "\n\n".join(f"## Part {n}\n\n" + PARAGRAPH * 6 for n in range(8)) + "\n\n" + "x" * 3000


def embed(texts):
    return np.eye(len(texts), 8, dtype=np.float32)


def document(text=TEXT):
    return read_document("guide.md", text.encode(), max_bytes=1_000_000)


@each_row("unit", ["tokens", "words"])
@each_row("name", [*CHUNKERS])
def test_no_chunk_is_larger_in_its_unit(name, unit):
    wish = Chunking(strategy=name, size=60, overlap=12, unit=unit)
    done, chunks = chunk_document(document(), wish, SETTINGS, embed)
    assert done == wish
    assert all(COUNT[unit](chunk.text) <= 60 for chunk in chunks)
    assert max(COUNT[unit](chunk.text) for chunk in chunks) > 40
    assert all(chunk.text == document().text[chunk.start : chunk.end] for chunk in chunks)
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    assert all(c.isspace() or c == "#" or i in covered or "#" in TEXT for i, c in enumerate(document().text))


@each_row("unit", [*RULERS])
def test_a_ruler_measures_as_the_counters_do(unit):
    ruler = RULERS[unit](PARAGRAPH)
    for start in range(0, len(PARAGRAPH), 7):
        end = min(len(PARAGRAPH), ruler.reach(start, 10))
        assert ruler.length(start, end) <= 10
        assert unit == "characters" or end == len(PARAGRAPH) or ruler.length(start, end + 1) > 10
        assert ruler.back(end, ruler.length(start, end)) <= start
        if unit == "tokens":
            assert ruler.length(start, end) == count_tokens(PARAGRAPH[start:end])
    assert ruler.length(0, len(PARAGRAPH)) == COUNT[unit](PARAGRAPH)


def test_sizes_that_are_not_said_are_about_as_long_in_another_unit():
    done, _ = chunk_document(document("The pumps run. " * 900), Chunking(unit="tokens"), SETTINGS, embed)
    assert (done.size, done.overlap, done.unit) == (257, 85, "tokens")


def test_the_settings_say_what_sizes_without_a_unit_are_counted_in():
    settings = Settings.from_mapping({"CITEWISE_CHUNK_UNIT": "words", "CITEWISE_TEXT_CHUNK_SIZE": "100"})
    done, chunks = chunk_document(document("The pumps run. " * 900), Chunking(overlap=0), settings, embed)
    assert (done.size, done.unit) == (100, "words")
    assert max(count_words(chunk.text) for chunk in chunks) <= 100


@pytest.mark.parametrize(("unit", "named"), [("tokens", "6000 tokens"), ("words", "4000 words")])
def test_a_size_that_cannot_be_is_refused_in_its_unit(unit, named):
    with pytest.raises(CitewiseError, match=named):
        chunk_document(document(), Chunking(size=7000, unit=unit), SETTINGS, embed)
