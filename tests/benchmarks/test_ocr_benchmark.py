"""Scans are read as the benchmark wants, where their engine is installed."""

import importlib.util

import pytest

from tests.benchmarks.benchmark_commands import measured


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="the extra `ocr` is not installed")
def test_scans_are_read() -> None:
    report = measured("ocr", "--paragraphs", "4", "--cells", "9")
    assert report.bars["lowest accuracy of clean pages"].ok


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="the extra `ocr` is not installed")
def test_scans_are_cited_where_their_lines_stand() -> None:
    report = measured("ocr_library", "--paragraphs", "4", "--questions", "1", "--pages", "1", "--most", "20")
    assert report.bars["right line boxes over scans, of those over text"].ok
