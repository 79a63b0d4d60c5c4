"""Every common format is read at its places, hostile files are not believed, and boxes cover what is cited."""

from tests.benchmarks.benchmark_commands import measured


def test_formats_are_read_at_their_places() -> None:
    report = measured("formats")
    assert report.ok, report.notes


def test_boxes_cover_what_is_cited() -> None:
    assert measured("page_boxes").ok
