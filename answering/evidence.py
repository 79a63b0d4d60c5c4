"""Evidence in parts that a model can read at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from answering.prompts import source_text
from schema import Hit, Language, Message
from settings import Settings
from text import clip_tokens, count_tokens, detect_language

MOST_PARTS = 8  # a question that needs more is one for another kind of search

_FENCE = 25  # tokens around a source
_NEARLY = 0.6  # of the score of the best source
_SECTION = 2_400  # model tokens of a section whose steps are shown

Sections = Callable[[Sequence[Hit], int], Awaitable[list[Hit]]]  # `Library.in_sections`


def split_by_budget(hits: Sequence[Hit], budget: int) -> list[tuple[Hit, ...]]:
    """The hits in order, in as few parts as hold `budget` model tokens each; at most `MOST_PARTS`, of the best hits.

    A hit that exceeds the budget alone is clipped to it.
    """
    parts: list[list[Hit]] = []
    left = 0
    for hit in hits:
        cost = count_tokens(source_text(hit)) + _FENCE
        if cost > budget:
            hit, cost = _clipped(hit, budget), budget
        if cost > left:
            if len(parts) == MOST_PARTS:
                break
            parts.append([])
            left = budget
        parts[-1].append(hit)
        left -= cost
    return [tuple(part) for part in parts]


def left_out_notice(read: int, found: int) -> Message:
    return Message(
        zh=f"找到的 {found} 个片段太长，只用了最相关的 {read} 个。",
        en=f"The {found} passages found are too long together: only the best {read} are used.",
    )


async def in_sections(
    parts: Sequence[Sequence[Hit]], sections: Sections, settings: Settings, budget: int
) -> Sequence[Sequence[Hit]]:
    """What was found, with what stands around it where a model can read that in the same call."""
    if not settings.parent_sections or len(parts) != 1:
        return parts
    wider = split_by_budget(await sections(parts[0], text_budget(parts[0], budget)), budget)
    return wider if len(wider) == 1 else parts


async def with_steps(parts: Sequence[Sequence[Hit]], sections: Sections) -> Sequence[Sequence[Hit]]:
    """What was found, the best of it with the rest of its section: steps are read from the first to the last."""
    best, *others = [hit for part in parts for hit in part]
    if not best.headings:  # all of a text without headings would be one section
        return parts
    (section, *_) = await sections([best], _SECTION)

    def inside(hit: Hit) -> bool:
        same = (hit.document, hit.doc_set) == (section.document, section.doc_set)
        return same and section.start <= hit.start and hit.end <= section.end

    return [[section, *(hit for hit in others if not inside(hit))]]


def text_budget(hits: Sequence[Hit], budget: int) -> int:
    """What of a budget is for the texts of the hits, in model tokens: the rest is for what stands around them."""
    return budget - sum(count_tokens(source_text(replace(hit, text=""))) + _FENCE for hit in hits)


def hits_within_budget(hits: Sequence[tuple[int, Hit]], budget: int) -> list[tuple[int, Hit]]:
    """The first numbered hits that fit the budget together, at least one; in order of their numbers."""
    kept: list[tuple[int, Hit]] = []
    for number, hit in hits:
        budget -= count_tokens(source_text(hit)) + _FENCE
        if kept and budget < 0:
            break
        kept.append((number, hit))
    return sorted(kept, key=lambda one: one[0])


def _clipped(hit: Hit, budget: int) -> Hit:
    text = clip_tokens(hit.text, max(text_budget([hit], budget), budget // 2))
    return replace(hit, text=text, end=hit.start + len(text), end_line=hit.start_line + text.count("\n"))


def held_language(sources: Sequence[Hit], asked: Language) -> Language | None:
    """The language of the best source, unless one in the question's own is nearly as good: by a dictionary, common
    words are found anywhere."""
    own = max((hit.score for hit in sources if detect_language(hit.text) == asked), default=0.0)
    return detect_language(sources[0].text) if own < _NEARLY * sources[0].score else None
