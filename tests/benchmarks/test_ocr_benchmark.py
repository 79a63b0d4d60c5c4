"""Scans are read as the benchmark wants, where their engine is installed."""

import importlib.util

import pytest

from tests.benchmarks.commands import measured


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="the extra `ocr` is not installed")
def test_scans_are_read() -> None:
    report = measured("ocr", "--paragraphs", "4", "--cells", "9")
    assert report.bars["lowest accuracy of clean pages"].ok
