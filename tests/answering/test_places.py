"""Where a passage stands: in the words of the original, and as a link."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from answering.places import link_to, place_of
from answering.prompts import ANSWER, from_sources
from evaluation.citations import CheckedSources
from schema import Citation, Hit, Origin, Place, Support
from tests.each_row import each_row

HIT = Hit(1, "report.pdf", "", "one two three", 100, 113, 5, 7)


@each_row(
    ("places", "zh", "en"),
    [
        ((), "行 5-7", "lines 5-7"),
        ((Place(90, "page", 3),), "第 3 页", "page 3"),
        ((Place(90, "page", 3), Place(104, "page", 4)), "第 3-4 页", "pages 3-4"),
        ((Place(90, "page", 3), Place(104, "page", 5)), "第 3、5 页", "pages 3, 5"),
        ((Place(90, "slide", 2),), "第 2 张幻灯片", "slide 2"),
        ((Place(90, "cell", 4),), "第 4 个单元格", "cell 4"),
        ((Place(90, "row", 12),), "第 12 行", "row 12"),
        ((Place(90, "chapter", 3, "鲸"),), "第 3 部分“鲸”", "part 3, “鲸”"),
        (
            (Place(90, "message", 2), Place(99, "message", 2, "a.md")),
            "第 2 封邮件；第 2 封邮件的附件 a.md",
            "message 2; attachment a.md of message 2",
        ),
        ((Place(90, "row", 12, "Umsatz"),), "工作表 Umsatz 第 12 行", "sheet Umsatz, row 12"),
        (
            (Place(90, "row", 9, "A"), Place(100, "row", 10, "A"), Place(110, "row", 1, "B")),
            "工作表 A 第 9-10 行；工作表 B 第 1 行",
            "sheet A, rows 9-10; sheet B, row 1",
        ),
    ],
)
def test_a_place_in_both_languages(places, zh, en):
    assert place_of(replace(HIT, places=places)) == (zh, en)


def test_of_citations_only_what_they_touch_counts():
    hit = replace(HIT, places=(Place(90, "page", 3), Place(104, "page", 4), Place(108, "page", 5)))
    (citation,) = CheckedSources([replace(hit, text="One. Two three four.", end=120)]).cite("Two three four.", [1])
    assert [place.number for place in citation.places] == [4, 5]
    assert place_of(hit, [citation]).en == "pages 4-5"


def test_the_model_reads_where_a_source_stands():
    hit = replace(HIT, places=(Place(90, "page", 3),), headings=("Results",))
    for language, where in (("en", "(page 3)"), ("zh", "(第 3 页)")):
        assert f"report.pdf > Results {where}" in from_sources(ANSWER, "?", language, [(1, hit)])[1][1]


def citation(first: int, last: int) -> Citation:
    return Citation(1, 0, 0, 1, first, last, "", Support(1.0, True))


def test_links_lead_to_the_lines_on_github_and_to_the_page_elsewhere():
    file = replace(HIT, origin=Origin(source_type="github", url="https://github.com/a/b/blob/c/d.py"))
    assert link_to(file) == "https://github.com/a/b/blob/c/d.py#L5-L7"
    assert link_to(file, [citation(6, 6)]) == "https://github.com/a/b/blob/c/d.py#L6"
    for name in ("README.md", "doc/%E6%BD%AE.MD", "guide.rst", "table.csv"):  # rendered, it has no lines
        prose = replace(HIT, origin=Origin(source_type="github", url=f"https://github.com/a/b/blob/c/{name}"))
        assert link_to(prose) == f"https://github.com/a/b/blob/c/{name}?plain=1#L5-L7"
    page = replace(HIT, origin=Origin(source_type="website", url="https://example.org/x?y=1#z"))
    assert link_to(page) == "https://example.org/x?y=1#z"
    for url in ("", "file:///etc/passwd", "javascript:alert(1)", "http://", "http://[", "x.md"):
        assert link_to(replace(HIT, origin=Origin(source_type="website", url=url))) == ""


@given(st.text(max_size=40))
def test_no_address_breaks_out_of_its_link(path):
    url = link_to(replace(HIT, origin=Origin(source_type="website", url=f"https://example.org/{path}")))
    tokens = MarkdownIt("commonmark").parse(f"[name]({url}) end")[1].children
    if url:
        assert [token.type for token in tokens] == ["link_open", "text", "link_close", "text"]
