"""What a person calls a source: a page by its title, also where its words are anybody's."""

from __future__ import annotations

import pytest

from answering.document_titles import fetched_on, title_of
from commands import ask
from doors.turn_stream import Happening, _shown_answer
from schema import Answer, Citation, Hit, Language, Origin, Statement, Support

URL = "http://news.example/1"
DAY = "2026-11-22T05:37:35+00:00"


def hit(origin: Origin, *headings: str) -> Hit:
    return Hit(1, "news.example/1-0a1b2c3d.html", "web", "Two tides.", 0, 10, 3, 4, headings, origin=origin)


def test_a_page_is_called_by_its_title_and_a_file_by_its_name() -> None:
    page = Origin(source_type="website", url=URL, timestamp=DAY, title="Tides - Site")
    assert title_of(hit(page)) == ("Tides - Site",)
    assert title_of(hit(page, "Spring")) == ("Tides - Site", "Spring")
    assert title_of(hit(page, "Tides", "Spring")) == ("Tides", "Spring")
    assert title_of(hit(Origin(source_type="website", url=URL))) == ("news.example/1",)
    assert title_of(hit(Origin(timestamp=DAY), "Spring")) == ("news.example/1-0a1b2c3d.html", "Spring")
    assert (fetched_on(page).zh, fetched_on(page).en) == ("抓取于 2026-11-22", "fetched 2026-11-22")
    assert fetched_on(Origin(timestamp=DAY)).en == fetched_on(Origin(source_type="website", url=URL)).zh == ""


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (Origin(source_type="website", url=URL, timestamp=DAY, title="A\n [b]\x1b[31m tide"),
         f"[1] web › A [b]\N{REPLACEMENT CHARACTER}[31m tide (lines 3-4)  fetched 2026-11-22  {URL}"),
        (Origin(source_type="website", url=URL), f"[1] web › news.example/1 (lines 3-4)  {URL}"),
        (Origin(timestamp=DAY), "[1] web › news.example/1-0a1b2c3d.html (lines 3-4)"),
    ],
    ids=["hostile title", "no title", "file"],
)  # fmt: skip
def test_the_terminal_shows_it_on_a_line_of_its_own(
    origin: Origin, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    language: Language = "en"
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    citation = Citation(1, 0, 0, 10, 3, 4, "Two tides.", Support(1.0, True))
    answer = Answer("Two [1].", (Statement("Two.", (citation,)),), (hit(origin),), 0.9, language)
    ask._show(Happening(answered=_shown_answer(answer)))
    assert f"\n{line}\n" in capsys.readouterr().out
