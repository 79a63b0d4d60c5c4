"""The clauses of a message by what they do: small talk, orders to save, content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from planning.chunk_sizes import REST
from planning.chunking_facts import find_chunking_facts, tells_how_to_cut
from planning.clauses import Clause, asks_how, clauses, is_question, lead_length, orders_answer
from planning.commands import adds_nothing, excepts, is_save, is_small_talk, mentions_saving
from planning.cutting_again import cuts_stored_files
from planning.names import MaskedMessage
from planning.strategy import StrategyOrder, strategy_order
from planning.terms import LIBRARY, MISSING, STEM, UPLOAD, URL, union
from planning.vocabulary import CUT, SAVE, THIS
from planning.web import keeps_next_page, keeps_page, names_address, web_order

_rest = re.compile(REST.either)
_NEAR = 3  # characters between two clauses of one order
_order = re.compile(union(SAVE, CUT))
_definite = re.compile(f"[{LIBRARY}{UPLOAD}{MISSING}{URL}{STEM}]|把|将|{THIS.either}")


@dataclass
class ClauseGroups:
    """The clauses of a message by what they do, and what the content clauses order."""

    talk: list[Clause] = field(default_factory=list)
    save: list[Clause] = field(default_factory=list)
    content: list[Clause] = field(default_factory=list)
    order: StrategyOrder | None = None
    web: bool = False
    urls: list[str] = field(default_factory=list)
    afresh: bool = False  # pages that were fetched before are to be fetched again
    sure: bool = True  # whether each address is to be read or not
    documents: list[str] = field(default_factory=list)
    doc_sets: list[str] = field(default_factory=list)
    cuts: list[tuple[int, int]] = field(default_factory=list)
    bare: list[tuple[int, int]] = field(default_factory=list)

    def move_to_save(self, moved: Iterable[Clause]) -> None:
        """Content that turned out to be about saving."""
        chosen = set(moved)
        self.save = sorted([*self.save, *chosen])
        self.content = [clause for clause in self.content if clause not in chosen]

    def uncut(self) -> Iterator[tuple[Clause, str]]:
        """The content clauses with what is left of their text."""
        cut = {i for a, b in self.cuts for i in range(a, b)}
        for clause in self.content:
            yield clause, "".join(" " if i in cut else c for i, c in enumerate(clause.text, clause.start))


def group_clauses(reading: MaskedMessage, upload: bool) -> ClauseGroups:
    parts = ClauseGroups()
    previous: Clause | None = None
    again = () if upload else cuts_stored_files(reading.masked)
    for clause in clauses(reading.masked):
        as_file = clause if upload else clause._replace(text=clause.text.replace(STEM, LIBRARY))
        if clause in again:
            parts.save.append(clause)
            parts.sure &= is_save(as_file, upload=False) or adds_nothing(clause)
        elif is_small_talk(clause.text):
            parts.talk.append(clause)
        elif names_address(clause) and keeps_page(clause):
            parts.save.append(clause)
        elif previous and keeps_next_page(previous, clause):
            parts.move_to_save([previous, clause])
        elif (names_address(clause) and not upload) or (previous and _announces(previous)):
            parts.content.append(clause)
        elif is_save(as_file, upload=upload) or (parts.save and previous == parts.save[-1] and adds_nothing(clause)):
            parts.save.append(clause)
        else:
            parts.content.append(clause)
        if previous and parts.save[-1:] == [clause] and excepts(previous):
            parts.move_to_save([previous])
        previous = clause
    if upload:
        parts.move_to_save(_wishes_among(parts))
    elif parts.save and not any(is_question(c) for c in parts.content):
        parts.move_to_save(
            [c for c in parts.content if (find_chunking_facts(c.text) and adds_nothing(c)) or tells_how_to_cut(c)]
        )
    elif (
        any(is_question(c) for c in parts.content)
        and not again
        and not any(_definite.search(c.text) for c in [*parts.save, *filter(names_address, parts.content)])
    ):
        parts.content = sorted([*parts.content, *parts.save])  # "I save files, but ...?" asks about saving
        parts.save = []
    return parts


def _requests(clause: Clause, behind: bool) -> bool:
    """Whether a clause before a question mark is an order, or the rest of one: "can you index it, 40 shared?"."""
    if lead_length(clause.text) and _order.match(clause.body):
        return True
    return behind and not is_question(clause._replace(stop=""))


def _announces(clause: Clause) -> bool:
    """Whether a clause only says how to search for what comes behind its colon: "keyword search: deposit"."""
    order = strategy_order(clause) if ":" in clause.stop else None
    return order is not None and order.end == len(clause.text)


def _wishes_among(parts: ClauseGroups) -> Iterator[Clause]:
    """The content clauses that beside an upload are wishes for it, each with what adds nothing behind it."""
    wish = False
    for clause in parts.content:
        behind = wish or any(0 <= clause.start - one.end <= _NEAR for one in parts.save)
        plain = not asks_how(clause) and ("?" not in clause.stop or _requests(clause, behind))
        if plain and find_chunking_facts(clause.text) and not orders_answer(clause):
            wish = True
        elif plain and tells_how_to_cut(clause):
            wish = True
            parts.sure = False  # recognised by likeness
        elif plain and _rest.search(clause.text):
            wish = True
        elif is_question(clause) or web_order(clause) or strategy_order(clause):
            wish = False
        else:
            wish = mentions_saving(clause) or (wish and adds_nothing(clause))
        if wish:
            yield clause
