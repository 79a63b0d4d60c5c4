"""Chunks as pieces.js draws them: where they stand, how long they are, whether they cut a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import gradio as gr

from answering.places import place_in_words
from schema import Chunk, Document, Hit, Language, Message
from text import count_tokens, sentences
from ui.scripted_html import scripted_html

_AROUND = 600  # characters on each side of a cut that tell whether a sentence goes on
_BARS = "▁▂▃▄▅▆▇█"


def build_pieces(elem_id: str) -> gr.HTML:
    return scripted_html("pieces", elem_id=elem_id, elem_classes="pieces")


def stored_pieces(hits: Sequence[Hit], text: str, language: Language) -> dict[str, Any]:
    """Chunks of a stored document, in reading order. `text` is the document's."""
    labels = [place_in_words(hit.places, (hit.start_line, hit.end_line)).to(language) for hit in hits]
    return {
        "pieces": [_piece(hit, hit.position, place, text, 0, language) for hit, place in zip(hits, labels, strict=True)]
    }


def previewed_pieces(chunks: Sequence[Chunk], document: Document, shown: int, language: Language) -> dict[str, Any]:
    """The first ones of a preview; what a chunk repeats of the one before is marked."""
    pieces, before = [], 0
    for position, chunk in enumerate(chunks[:shown]):
        repeated = max(0, min(before, chunk.end) - chunk.start)
        place = place_in_words((), (chunk.start_line, chunk.end_line)).to(language)
        pieces.append(_piece(chunk, position, place, document.text, repeated, language))
        before = chunk.end
    more = len(chunks) - len(pieces)
    more_said = Message(zh=f"…… 还有 {more} 片", en=f"… and {more} more").to(language)
    return {"pieces": pieces, "more": more_said if more > 0 else ""}


def _piece(
    chunk: Chunk | Hit, position: int, place: str, text: str, repeated: int, language: Language
) -> dict[str, Any]:
    characters, tokens = f"{len(chunk.text):,}", f"{count_tokens(chunk.text):,}"
    sizes = Message(zh=f"{characters} 字符 · {tokens} 词元", en=f"{characters} characters · {tokens} tokens")
    cut = Message(zh="✂ 句子在此断开", en="✂ ends within a sentence").to(language)
    return {
        "number": f"#{position + 1}",
        "place": place,
        "headings": " › ".join(chunk.headings),
        "sizes": sizes.to(language),
        "cut": cut if cuts_a_sentence(text, chunk.end) else "",
        "first": chunk.start_line,
        "lines": chunk.text.rstrip("\n").split("\n"),
        "repeated": repeated,  # characters
    }


def cuts_a_sentence(text: str, end: int) -> bool:
    """Whether a sentence of the text goes on beyond this offset."""
    start = max(0, end - _AROUND)
    at = end - start
    return any(first < at < last for first, last in sentences(text[start : end + _AROUND]))


def lengths_markdown(chunks: Sequence[Chunk], document: Document, language: Language) -> str:
    """How many, how long, how many of them cut a sentence."""
    if not chunks:
        return "–"
    lengths = [len(chunk.text) for chunk in chunks]
    low, middle, high = min(lengths), median(lengths), max(lengths)
    tokens = sum(count_tokens(chunk.text) for chunk in chunks)
    cut = sum(cuts_a_sentence(document.text, chunk.end) for chunk in chunks[:200])
    among = len(chunks[:200])
    return Message(
        zh=f"**{len(chunks)} 片** · {tokens:,} 词元  \n长度 最短 {low} · 中位 {middle:.0f} · 最长 {high}  \n"
        f"{_distribution(lengths)}  \n断开句子：{cut} / {among}",
        en=f"**{len(chunks)} chunks** · {tokens:,} tokens  \nLength: min {low} · median {middle:.0f} · max {high}  \n"
        f"{_distribution(lengths)}  \nends within a sentence: {cut} / {among}",
    ).to(language)


def _distribution(lengths: Sequence[int]) -> str:
    """Ten bars from the shortest to the longest."""
    low, high = min(lengths), max(lengths)
    counts = [0] * 10
    for length in lengths:
        counts[min(9, (length - low) * 10 // max(1, high - low))] += 1
    top = max(counts)
    return "".join(_BARS[-(-count * 7 // top)] for count in counts)
