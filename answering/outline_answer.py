"""What a document says as a whole, without a model: how each of its sections begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evaluation.blocks import SourceUnit, join_sentences, units
from retrieval.section_beginnings import evenly
from schema import Hit

MOST_SECTIONS = 12
_SENTENCES = 4  # of two or three sections; of more the first one each
_LONGEST = 300  # characters of a sentence


def outline_answer(hits: Sequence[Hit]) -> str:
    """A list with the first sentence of each section, or the first ones where sections are few, under its heading and
    with the marker of its hit; "" of a text that has fewer than two. Tables and code have no sentences. Of more than
    `MOST_SECTIONS` some are told, evenly spread."""
    sections: dict[str, list[SourceUnit]] = {}
    for number, hit in enumerate(hits, 1):
        for unit in units(number, hit):
            heading = unit.context.partition("\n")[0]
            if heading and unit.is_sentence(_LONGEST) and not unit.text[:1].islower():  # a passage may begin within one
                sections.setdefault(heading, []).append(unit)
    if len(sections) < 2:
        return ""
    each = max(1, _SENTENCES // len(sections))
    return "\n".join(f"- {_beginning(told[:each])}" for told in evenly([*sections.values()], MOST_SECTIONS))


def _beginning(sentences: Sequence[SourceUnit]) -> str:
    first, *others = sentences
    return join_sentences([first.under_heading(), *(replace(one, kind="prose").rendered(first=True) for one in others)])
