"""The chunking benchmark on a corpus small enough to reckon by hand."""

import pytest

from benchmarks.chunking import BASELINE, Question, Span, ends_inside, measure
from schema import Document
from tests.benchmarks.benchmark_commands import measured
from tests.each_row import each_row
from text import search_tokens


@each_row(
    ("text", "cut", "inside"),
    [
        ("One sentence. Another one.", "One sentence.", False),
        ("One sentence. Another one.", "One sentence. Another", True),
        ("他说：“好。”然后走了。", "他说：“好。”", False),
        ("他说：“好。”然后走了。", "他说：“好。”然后", True),
        ("A title\n\nWords.", "A title", False),
        ("as follows:\n- one\n- two", "as follows:", False),
        ("a wrapped\nline.", "a wrapped", True),
        ("| a | b |\n| c | d |", "| a | b |", False),
        ("no end", "no end", False),
        ("**Bold.** More", "**Bold.**", False),
    ],
)
def test_the_oracle(text: str, cut: str, inside: bool) -> None:
    assert ends_inside(text, len(cut)) is inside


def test_recall_counts_overlapping_characters_once_and_cuts_at_the_budget() -> None:
    text = "apple " * 500 + "pear " * 600  # 3,000 characters each
    spans = [Span("a", 0, 3000, "apple"), Span("a", 1000, 3000, "apple"), Span("a", 3000, 6000, "apple pear pear")]
    question = Question("a", search_tokens("apple"), [(2000, 5000)])
    result = measure(spans, {"a": Document("a", text)}, [question])
    assert result["recall"] == pytest.approx(2000 / 3000)  # 1,000 of the first, 1,000 within the budget
    assert result["precision"] == pytest.approx(2000 / 4000)
    assert result["iou"] == pytest.approx(2000 / 5000)


def test_hits_in_sections_bring_what_stands_around_them() -> None:
    text = "".join(f"{word} " * 100 for word in ("apple", "pear", "plum", "cherry"))
    edges = [(0, 600), (600, 1100), (1100, 1600), (1600, 2300)]
    spans = [Span("a", start, end, text[start:end]) for start, end in edges]
    question = Question("a", search_tokens("pear"), [(0, 600), (600, 1100)])
    corpora = {"a": Document("a", text)}
    assert measure(spans, corpora, [question])["recall"] == pytest.approx(500 / 1100)
    assert measure(spans, corpora, [question], top_k=1)["recall"] > 0.99
    apart = [span._replace(headings=(str(number),)) for number, span in enumerate(spans)]
    assert measure(apart, corpora, [question], top_k=1)["recall"] == pytest.approx(500 / 1100)


def test_it_runs() -> None:
    report = measured("chunking")
    assert {"recursive", "fixed", "markdown", "semantic", "code", BASELINE} < set(report.metrics)
    assert report.metrics["recursive"]["recall"] > 0.95
    assert report.metrics["recursive, in sections"]["recall"] > 0.95
    assert report.metrics["semantic, seconds of processor time (en)"]["of it embedding"] > 0
    assert all(report.bars[name].ok for name in ("recall", "inside_sentence_en", "inside_sentence_zh"))
