"""Whether a message without files orders that stored ones be cut again: "the lease needs smaller chunks"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.chunking_facts import find_chunking_facts, tells_how_to_cut
from planning.clauses import Clause, clauses, is_question
from planning.terms import LIBRARY, STEM, URL, union
from planning.vocabulary import CUT, DELETE, FIND, RETRIEVAL

_LONGEST = 240  # characters of such an order
_of_cutting = re.compile(
    rf"{union(CUT)}|[块片段]|重叠|重新|重[做来]|再来|"
    r"(?<![a-z])(?:chunk(?:s|ed|ing)?|pieces?|slices?|segments?|parts?|bits|overlap(?:ping)?|boundar(?:y|ies)|windows?"
    r"|again|anew|afresh|once more|redo|re-?(?:do|index|ingest|import|process|build|save|store)"
    r"|recursive(?:ly)?)(?![a-z])"
)
_of_searching = re.compile(union(FIND, RETRIEVAL, DELETE))
_politely_asked = re.compile(
    r"(?:please )?(?:(?:can|could|would|will) you|can we|could we|(?:can|could|should|may) (?:the |my "
    r"|our )?[^?]{1,60} be)"
    r"(?![a-z])|do (?:it|this|that|them)(?: all)? (?:again|over|anew|afresh|differently|once more)|.*(?:行吗"
    r"|行不行|行么|可以吗|好吗|好不好|成吗|可否)$"
)


def orders_of_cutting(masked: str) -> list[Clause]:
    """The clauses at the beginning of a message, up to a question, if they say how something is to be cut."""
    head: list[Clause] = []
    for clause in clauses(masked[:_LONGEST]):
        if is_question(clause) and not _politely_asked.match(clause.text):
            break
        head.append(clause)
    return head if _says_how(head) else []


def cuts_stored_files(masked: str) -> list[Clause]:
    """The same where they name a stored file."""
    head = orders_of_cutting(masked)
    return head if any(re.search(f"[{LIBRARY}{STEM}]", clause.text) for clause in head) else []


def _says_how(head: Sequence[Clause]) -> bool:
    text = " , ".join(clause.text for clause in head)
    if not _of_cutting.search(text) or _of_searching.search(text) or URL in text:
        return False
    return bool(find_chunking_facts(text)) or any(map(tells_how_to_cut, head))
