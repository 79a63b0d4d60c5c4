"""Slides written here by python-pptx."""

import io
import zipfile
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from errors import FileError
from ingestion.readers import read_document
from schema import Document


def saved(deck: Any) -> bytes:
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def read(data: bytes, name: str = "汇报.pptx") -> Document:
    return read_document(name, data, max_bytes=10_000_000)


def slide(deck: Any, layout: int, title: str = "") -> Any:
    made = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        made.shapes.title.text = title
    return made


def box(made: Any, text: str, top: float, left: float = 1) -> None:
    made.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(0.5)).text_frame.text = text


@pytest.fixture(scope="module")
def deck() -> Document:
    made = Presentation()
    made.core_properties.title, made.core_properties.author = "年度汇报", "财务部"
    first = slide(made, 1, "收入增长")
    frame = first.placeholders[1].text_frame
    frame.text = "全年增长 12%"
    inner = frame.add_paragraph()
    inner.text, inner.level = "其中海外 30%", 1
    first.notes_slide.notes_text_frame.text = "强调海外市场。"
    slide(made, 6)
    third = slide(made, 6)
    for text, top, left in (("below", 4, 1), ("right", 2, 5), ("left", 2.1, 1)):
        box(third, text, top, left)
    table = third.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for number, text in enumerate(("City", "Rate", "Bern", "7")):
        table.cell(number // 2, number % 2).text = text
    fourth = slide(made, 5, "Chart")
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Sales", (1.5, 2))
    fourth.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), data)
    return read(saved(made))


def test_a_section_for_each_slide(deck: Document) -> None:
    assert deck.text == (
        "## 收入增长\n\n- 全年增长 12%\n  - 其中海外 30%\n\n备注：强调海外市场。\n\n"
        "## Slide 3\n\nleft\n\nright\n\nbelow\n\n| City | Rate |\n| --- | --- |\n| Bern | 7 |\n\n"
        "## Chart\n\n|  | Sales |\n| --- | --- |\n| Q1 | 1.5 |\n| Q2 | 2 |"
    )


def test_every_slide_is_a_place(deck: Document) -> None:
    assert [(place.kind, place.number) for place in deck.places] == [("slide", 1), ("slide", 3), ("slide", 4)]
    assert all(deck.text[place.start :].startswith("## ") for place in deck.places)


def test_what_the_file_tells_about_itself(deck: Document) -> None:
    assert (deck.metadata["title"], deck.metadata["author"], deck.metadata["slides"]) == ("年度汇报", "财务部", 4)
    assert deck.origin.doc_type == "pptx"


def test_text_in_groups_is_read() -> None:
    made = Presentation()
    group = slide(made, 6).shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = "in a group"
    assert "in a group" in read(saved(made), "a").text


def test_a_package_of_too_many_parts_is_refused_for_that():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        for number in range(20_000):
            archive.writestr(f"ppt/slides/slide{number}.xml", "<x/>")
    with pytest.raises(FileError, match="20001 parts; 20000 is the limit") as refused:
        read_document("a.pptx", packed.getvalue(), max_bytes=50_000_000)
    assert refused.value.suggestions
