"""Every common format is read, with its places; hostile files are read rightly or refused."""

from tests.benchmarks.commands import measured


def test_formats_are_read_at_their_places() -> None:
    report = measured("formats")
    assert report.ok, report.notes
