"""A small library of our own, for who has no file at hand: one click stores it, and its questions are offered."""

from __future__ import annotations

from pathlib import Path

from library import Library
from schema import Language, Message

LOAD = "sample:load"  # what the empty chat tells when it is chosen
_FOLDER = Path(__file__).parent / "samples"
_SET = Message(zh="示例", en="Sample")
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "差旅与报销制度.md": ("上海的住宿标准是每晚多少？", "怎么报销？", "出差要提前几天申请？"),
    "coffee-machine.md": ("How do I descale the machine?", "How much water does a lungo take?", "May I use vinegar?"),
}
_FIRST: dict[Language, str] = {"zh": "差旅与报销制度.md", "en": "coffee-machine.md"}


async def load_sample(library: Library, language: Language) -> None:
    """Store its documents in a set of their own."""
    for name in _QUESTIONS:
        await library.add(name, (_FOLDER / name).read_bytes(), doc_set=_SET.to(language))


def sample_questions(library: Library, language: Language) -> list[str]:
    """Those of the document in the reader's language, then one in the other; none where the sample is not stored."""
    stored = {document.name for document in library.documents()}
    if not stored >= set(_QUESTIONS):
        return []
    [other] = [name for name in _QUESTIONS if name != _FIRST[language]]
    return [*_QUESTIONS[_FIRST[language]], _QUESTIONS[other][0]]
