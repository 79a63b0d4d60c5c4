"""Pictures within office files and books are found by where they stand, and shown as what they are."""

from __future__ import annotations

import io
from typing import Any

import docx
import httpx
import pytest
from fastapi import FastAPI
from PIL import Image
from pptx import Presentation

from benchmarks.format_zip import zipped
from doors.pages import pages_door
from library import Library

COLOURS = ("red", "green", "blue")


def picture(colour: str, side: int = 60) -> io.BytesIO:
    file = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(file, "PNG")
    file.seek(0)
    return file


def saved(made: Any) -> bytes:
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def manual() -> bytes:
    made = docx.Document()
    for number, colour in enumerate(COLOURS, 1):
        made.add_heading(f"Step {number}", 1)
        made.add_paragraph(f"Turn the {colour} valve until the light is on. " + "More is said of it. " * 30)
        made.add_picture(picture(colour))
    made.add_picture(picture("black", 9))  # a rule
    return saved(made)


def talk() -> bytes:
    made = Presentation()
    for colour in COLOURS:
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = f"The {colour} valve"
        slide.shapes.add_picture(picture(colour), 0, 0)
    return saved(made)


def book() -> bytes:
    items = "".join(f'<item id="{one}" href="{one}.xhtml" media-type="application/xhtml+xml"/>' for one in COLOURS)
    spine = "".join(f'<itemref idref="{one}"/>' for one in COLOURS)
    return zipped(
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", '<c><rootfile full-path="b/book.opf"/></c>'),
        ("b/book.opf", f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"),
        *((f"b/{one}.xhtml", f'<html><p>The {one} valve.</p><img src="../img/{one}.png"/></html>') for one in COLOURS),
        *((f"img/{one}.png", picture(one).read()) for one in COLOURS),
    )


@pytest.mark.parametrize(("name", "data"), [("manual.docx", manual()), ("talk.pptx", talk()), ("book.epub", book())])
async def test_a_picture_stands_beside_its_passage(make_settings: Any, name: str, data: bytes) -> None:
    async with await Library.open(make_settings()) as library:
        await library.add(name, data)
        text = library.document(name).text
        site = FastAPI()
        site.include_router(pages_door(library))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=site), base_url="http://localhost") as client:
            for nth, colour in enumerate(COLOURS):
                at = text.index(f"{colour} valve")
                start = max(0, at - (7 if name == "talk.pptx" else 4))
                span = f"&start={start}&end={text.find('valve', at + 15) + 1 or len(text)}"
                found = (await client.get(f"/pages/pictures.json?name={name}{span}")).json()["pictures"]
                assert nth in found
                assert found[0] == nth
                drawn = await client.get(f"/pages/pictures/{nth}.png?name={name}")
                assert Image.open(io.BytesIO(drawn.content)).convert("RGB").getpixel((9, 9)) == Image.new(
                    "RGB", (1, 1), colour
                ).getpixel((0, 0))
            assert (await client.get(f"/pages/pictures/9.png?name={name}")).status_code == 404
            if name == "manual.docx":
                assert (await client.get(f"/pages/pictures/3.png?name={name}")).status_code == 400
        assert library.embedded_pictures("none.docx", "", 0, 9) == []
