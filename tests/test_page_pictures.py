"""A page of a PDF as a picture, and where on it a passage stands, through the library and its worker process."""

from __future__ import annotations

import io

import httpx
from fastapi import FastAPI
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from doors.pages import page_query, pages_door
from library import Library


def guide() -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 200))
    canvas.drawString(40, 150, "It begins here.")
    canvas.showPage()
    canvas.setPageSize((200, 400))  # which becomes 400 x 200 and is then turned
    canvas.setPageRotation(90)
    canvas.drawString(40, 150, "The warranty lasts for thirty months.")
    canvas.save()
    return file.getvalue()


async def test_a_page_is_drawn_and_what_is_cited_boxed(make_settings):
    async with await Library.open(make_settings(CITEWISE_INGEST_WORKERS="1")) as library:
        await library.add("guide.pdf", guide())
        text = library.document("guide.pdf").text
        start = text.index("thirty")
        site = FastAPI()
        site.include_router(pages_door(library))
        query = page_query("guide.pdf", "", library.original_info("guide.pdf").digest)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=site), base_url="http://localhost") as client:
            found = (await client.get(f"/pages/2.json?{query}&spans={start}-{start + 6}")).json()
            drawn = await client.get(f"/pages/2.png?{query}")
            library.rest()  # its processes end, and the next page begins one
            refused = await client.get(f"/pages/3.png?{query}")
            assert (await client.get("/pages/1.png?name=other.pdf")).status_code == 404
            assert (await client.get("/pages/1.json?name=other.pdf")).status_code == 404
        assert "Page 3" in refused.json()["error"]["message"]
        assert (found["width"], found["height"]) == (200, 400)  # as it is shown
        [(left, top, right, bottom)] = found["boxes"]
        picture = Image.open(io.BytesIO(drawn.content))
        assert picture.mode == "L"
        width, height = picture.size
        inside = picture.crop((int(left * width), int(top * height), int(right * width), int(bottom * height)))
        assert inside.getextrema()[0] < 50  # ink
        assert 400 * (bottom - top) > 1.5 * 200 * (right - left)  # the line goes down the turned page
