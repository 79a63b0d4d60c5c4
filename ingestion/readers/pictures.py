"""Pictures of pages (PNG, JPEG, TIFF, WebP): what is written in them, read by OCR."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from errors import FileError
from ingestion.readers.base import INSTALL_OCR, ReaderResult, damaged, untrusted
from ingestion.readers.ocr import is_installed, read_picture, recognised_note
from ingestion.readers.pdf_layout import lay_out
from schema import Message

_MOST_FRAMES = 500  # of a TIFF
_MOST_PIXELS = 120_000_000  # that are unpacked
_LONGEST_SIDE = 2_400  # pixels that are looked at: an A4 page at 200 dpi


@untrusted
def read_image(name: str, data: bytes) -> ReaderResult:
    """`places` are its pages and their lines, with the box of each."""
    from PIL import Image, UnidentifiedImageError

    try:
        opened = Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "TIFF", "WEBP"))
    except UnidentifiedImageError as error:
        raise damaged(name) from error
    with opened as picture:
        frames = getattr(picture, "n_frames", 1)
        if frames > _MOST_FRAMES or picture.width * picture.height > _MOST_PIXELS:
            raise _too_large(name)
        picture.load()
        if not is_installed():
            raise _needs_ocr(name)
        pages = [read_picture(name, one, number, frames) for number, one in enumerate(_frames(picture, frames), 1)]
    if not any(page.lines for page in pages):
        raise _no_text(name)
    text, places, headed = lay_out(pages, [])
    metadata = {"pages": frames, "note": recognised_note()}
    return ReaderResult(text, "markdown" if headed else "text", "image", metadata, places=places)


def picture_of(data: bytes, number: int) -> Any:
    """A page of it, upright as its camera says, as RGB. Raises anything for a damaged file."""
    from PIL import Image

    with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "TIFF", "WEBP")) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise damaged("")
        picture.seek(number - 1)
        return _page(picture)


def png_of(picture: Any) -> bytes:
    """Of an RGB picture; one without colour takes a third of the room."""
    plain = max(_colourfulness(picture)) == 0
    file = io.BytesIO()
    (picture.convert("L") if plain else picture).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _colourfulness(picture: Any) -> Iterator[int]:
    """The greatest difference between two channels: 0 for a page without colour."""
    from PIL import ImageChops

    red, green, blue = picture.split()
    for one, other in ((red, green), (green, blue)):
        yield max(value for value, count in enumerate(ImageChops.difference(one, other).histogram()) if count)


def is_picture(data: bytes) -> bool:
    return data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")) or (
        data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    )


def _frames(picture: Any, frames: int) -> Iterator[Any]:
    for nth in range(frames):
        picture.seek(nth)
        yield _page(picture)


def _page(picture: Any) -> Any:
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(picture)
    if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
        paper = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(paper, upright.convert("RGBA"))
    upright = upright.convert("RGB")
    upright.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    return upright


def _no_text(name: str) -> FileError:
    return FileError(
        Message(zh=f"图片“{name}”里没有认出文字。", en=f'No text was recognised in the picture "{name}".'),
        Message(zh="请换一张更清楚的图片，或上传文字版。", en="Take a clearer picture, or upload the text itself."),
    )


def _needs_ocr(name: str) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”是图片，读出其中的文字需要文字识别。",
            en=f'"{name}" is a picture, whose text has to be recognised first.',
        ),
        INSTALL_OCR,
    )


def _too_large(name: str) -> FileError:
    return FileError(
        Message(zh=f"图片“{name}”太大，没有读取。", en=f'The picture "{name}" is too large and was not read.'),
        Message(zh="请缩小或拆分后再上传。", en="Make it smaller, or split it."),
    )
