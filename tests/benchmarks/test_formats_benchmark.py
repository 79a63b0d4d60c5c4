"""Every common format is read at its places, hostile files are not believed, boxes cover what is cited, tables in PDFs
are found, and all that takes little room."""

from benchmarks.report import DATA
from tests.benchmarks.benchmark_commands import measured


def test_formats_are_read_at_their_places() -> None:
    report = measured("formats")
    assert report.ok, report.notes


def test_boxes_cover_what_is_cited() -> None:
    assert measured("page_boxes").ok


def test_printed_tables_are_read_row_by_row() -> None:
    assert measured("pdf_tables", "--data", str(DATA / "tables" / "eleventh")).ok


def test_what_reads_documents_takes_little_room() -> None:
    assert measured("install_size").ok
