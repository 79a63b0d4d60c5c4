"""What is done with a message or a document of a stranger: the work that `redos` measures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from errors import FileError
from ingestion.readers import read_document
from planning.again import read_wish
from planning.agreement import read_agreement
from planning.follow_up import looks_like_follow_up
from planning.rules import plan_by_rules
from text import count_tokens, detect_language, question_terms, search_tokens, sentences

_LIBRARY = ["员工手册.md", "travel policy.pdf", "docs/guide.md"]


def plan(message: str) -> None:
    """All that route asks the rules about a message."""
    read_agreement(message)
    read_wish(message)
    looks_like_follow_up(message)
    plan_by_rules(message, uploads=[], library=_LIBRARY, doc_sets=["hr"], history=True)


def plan_with_file(message: str) -> None:
    plan_by_rules(message, uploads=["a.md", "b.md"], library=_LIBRARY, doc_sets=["hr"])


def cut_in_sentences(text: str) -> None:
    for _ in sentences(text):
        pass


def read_as(extension: str) -> Callable[[str], object]:
    def read(text: str) -> None:
        with suppress(FileError):
            read_document(f"a.{extension}", text.encode(), max_bytes=1_000_000)

    return read


WORK: dict[str, tuple[list[str], list[Callable[[str], object]]]] = {  # kind -> whose words, what is done
    "planning": (["planning"], [plan]),
    "planning with a file": (["planning"], [plan_with_file]),
    "words": (["text"], [detect_language, count_tokens, search_tokens, question_terms]),
    "sentences": (["text", "ingestion.chunking"], [cut_in_sentences]),
    **{f"reading {one}": (["ingestion.readers"], [read_as(one)]) for one in ("md", "txt", "html", "csv", "json", "py")},
}
