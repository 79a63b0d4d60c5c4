"""The words of a drawing in SVG: its title, its descriptions, its labels."""

from __future__ import annotations

from errors import FileError
from ingestion.readers.base import ReaderResult, untrusted
from ingestion.readers.office import cell_text, local_name, parse_xml
from schema import Message


@untrusted
def read_svg(name: str, data: bytes) -> ReaderResult:
    """A paragraph for each text, in the order of the file. Scripts are left alone, entities are not expanded."""
    root = parse_xml(data)
    title, words = "", []
    for element in root.iter("{*}title", "{*}desc", "{*}text", "title", "desc", "text"):
        text = cell_text(" ".join(element.itertext()))
        if local_name(element) == "title" and not title:
            title = text
        elif text:
            words.append(text)
    if not title and not words:
        raise FileError(
            Message(zh=f"图形“{name}”里没有文字。", en=f'There is no text in the drawing "{name}".'),
            Message(
                zh="文字可能已转成轮廓：请导出保留文字的版本。",
                en="Its letters may be outlines: export it with text.",
            ),
        )
    blocks = [f"# {title}"] * bool(title) + words
    return ReaderResult("\n\n".join(blocks), "markdown", "svg", {"title": title} if title else {})
