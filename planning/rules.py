"""The plan of one message by rules alone: no model, Chinese and English, in microseconds to milliseconds.

A message is folded, names are masked, the rest is cut into clauses. Each clause is small talk, an order to save, or
content; content may carry orders of its own (a strategy, a scope, the web), which are taken out of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from planning.clauses import Clause, asks_how, clauses, is_question, lead_length, residue
from planning.commands import (
    adds_nothing,
    fetches,
    is_noise,
    is_save,
    is_small_talk,
    manages_library,
    mentions_saving,
    web_order,
)
from planning.follow_up import looks_like_follow_up
from planning.names import Reading, read
from planning.question import restate
from planning.scope import find_scope
from planning.sets import manages_sets
from planning.strategy import Order, refuses_strategy, strategy_order
from planning.vocabulary import (
    ASKING,
    CUT,
    DOC_SET,
    EVERY_FILE,
    FIND,
    LIBRARY,
    META,
    MISSING,
    RETRIEVAL,
    SAVE,
    SMALL_TALK,
    STEM,
    STRATEGIES,
    TARGET,
    THIS,
    UPLOAD,
    URL,
    WEB,
    Terms,
    union,
)
from planning.wishes import find_atoms, read_wishes
from schema import Action, Language, Plan, Scope
from text import language_of

__all__ = ["looks_like_follow_up", "plan_by_rules"]

_routing_words = re.compile(union(SAVE, CUT, WEB, *STRATEGIES.values()))
_definite = re.compile(f"[{LIBRARY}{UPLOAD}{MISSING}{URL}{STEM}]|把|将|{THIS.either}")
_answer_words = Terms(
    "问题是?|以下|下面|如下|我的|一个", "question|following|answer|query|it|this|me|that|these|those|them"
)


@dataclass
class _Parts:
    """The clauses of a message by what they do, and what the content clauses order."""

    talk: list[Clause] = field(default_factory=list)
    save: list[Clause] = field(default_factory=list)
    content: list[Clause] = field(default_factory=list)
    order: Order | None = None
    web: bool = False
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


def plan_by_rules(
    message: str,
    *,
    uploads: Sequence[str],
    library: Sequence[str],
    doc_sets: Sequence[str] = (),
    history: bool = False,
    fallback_language: Language = "zh",
    default_size: int = 1000,
) -> Plan:
    """What a message asks for. `uploads` and `library` are file names, `doc_sets` names of document sets.

    An upload is always saved. An order to save without one names stored files to be cut again (`scope.documents`,
    or `every_file`), or nothing: then the action is still "save", and saving has to explain that there is no file.
    `scope` limits the question; with uploads and no question it names stored files to be cut again beside them.
    `default_size` (characters) is what an overlap in percent refers to when no size is said.
    """
    reading = read(message, library, uploads, doc_sets)
    language = _language(reading, fallback_language)
    if not uploads:
        unclear = _unclear(reading)
        if unclear:
            return Plan(language=language, unclear=unclear, question=reading.text.strip(), certain=True)
    parts = _sort(reading, bool(uploads))
    _read_content(parts, reading, library, bool(uploads))
    asks = _asks(parts, bool(uploads))
    saves = bool(uploads or parts.save)
    actions: list[Action] = ["save"] if saves else []
    if parts.web:
        actions.append("fetch_web")
    if parts.web or asks:
        actions.append("retrieve")
    wishes, per_file = read_wishes(reading, [(c.start, c.end) for c in parts.save], uploads, default_size)
    again = _to_cut_again(parts, reading, bool(uploads), "retrieve" in actions)
    return Plan(
        actions=tuple(actions),
        chunking=wishes,
        per_file=per_file,
        strategy=parts.order.strategy if parts.order else None,
        scope=Scope(
            documents=_once([*again, *parts.documents]),
            doc_sets=_once(name for name in parts.doc_sets if name in doc_sets),
        ),
        doc_set=_saved_into(parts, reading),
        every_file=not uploads and not again and any(EVERY_FILE.search(c.text) for c in parts.save),
        missing_files=_missing(parts, reading, bool(uploads)),
        missing_sets=_once(name for name in parts.doc_sets if name not in doc_sets),
        language=language,
        question=restate(reading, parts.cuts, parts.bare, language) if "retrieve" in actions else "",
        certain=_certain(parts, reading, history, asks),
    )


def _language(reading: Reading, fallback: Language) -> Language:
    """By the words of the message; by its file names only where there is nothing else."""
    chars = list(reading.text)
    for mention in reading.mentions:
        if mention.mark in (LIBRARY, UPLOAD, MISSING, URL):
            chars[mention.start : mention.end] = " " * (mention.end - mention.start)
    own = "".join(chars)
    return language_of(own if re.search(r"[^\W\d_]", own) else reading.text, fallback)


def _unclear(reading: Reading) -> Literal["small_talk", "noise", "library"] | None:
    if is_noise(reading.masked):
        return "noise"
    if is_small_talk(reading.masked):
        return "small_talk"
    if manages_sets(whole := reading.masked.strip(" .!。！")) or manages_sets(whole[lead_length(whole) :]):
        return "library"
    rest = [clause for clause in clauses(reading.masked) if not is_small_talk(clause.text)]
    return "library" if rest and all(manages_library(clause) for clause in rest) else None


def _sort(reading: Reading, upload: bool) -> _Parts:
    parts = _Parts()
    previous: Clause | None = None
    for clause in clauses(reading.masked):
        as_file = clause if upload else clause._replace(text=clause.text.replace(STEM, LIBRARY))
        if is_small_talk(clause.text):
            parts.talk.append(clause)
        elif (fetches(clause) and not upload) or (previous and _announces(previous)):
            parts.content.append(clause)
        elif is_save(as_file, upload=upload) or (parts.save and previous == parts.save[-1] and adds_nothing(clause)):
            parts.save.append(clause)
        else:
            parts.content.append(clause)
        previous = clause
    if upload:
        parts.move_to_save(_wishes_among(parts))
    elif parts.save and not any(is_question(c) for c in parts.content):
        parts.move_to_save([c for c in parts.content if find_atoms(c.text) and adds_nothing(c)])
    elif any(is_question(c) for c in parts.content) and not any(_definite.search(c.text) for c in parts.save):
        parts.content = sorted([*parts.content, *parts.save])  # "I save files, but ...?" asks about saving
        parts.save = []
    return parts


def _announces(clause: Clause) -> bool:
    """Whether a clause only says how to search for what comes behind its colon: "keyword search: deposit"."""
    order = strategy_order(clause) if ":" in clause.stop else None
    return order is not None and order.end == len(clause.text)


def _wishes_among(parts: _Parts) -> Iterator[Clause]:
    """The content clauses that beside an upload are wishes for it, each with what adds nothing behind it."""
    wish = False
    for clause in parts.content:
        if is_question(clause) or web_order(clause) or strategy_order(clause):
            wish = False
        else:
            wish = mentions_saving(clause) or (wish and adds_nothing(clause))
        if wish:
            yield clause


def _read_content(parts: _Parts, reading: Reading, library: Sequence[str], upload: bool) -> None:
    """Strategy, web and scope orders of the content clauses, with the words to be cut for each."""
    excluded: list[str] = []
    orders = [(c, order) for c in parts.content if not fetches(c) and (order := strategy_order(c))]
    orders = [(c, order) for c, order in orders if order.strategy == orders[0][1].strategy]
    if orders and not _asks_about_method(orders, parts):
        parts.order = orders[0][1]
        parts.cuts += [(c.start + order.start, c.start + order.end) for c, order in orders]
    for clause in parts.content:
        web = None if fetches(clause) else web_order(clause)
        if web:
            parts.cuts.append((clause.start + web[0], clause.start + web[1]))
        parts.web |= bool(web) or (fetches(clause) and (not upload or is_question(clause)))
        where = find_scope(reading, clause)
        parts.documents += where.documents
        parts.doc_sets += where.doc_sets
        excluded += where.excluded
        parts.cuts += where.cuts
        parts.bare += where.bare
    if excluded:
        parts.documents = [name for name in parts.documents or library if name not in excluded]
    if parts.save or parts.cuts:
        parts.cuts += [(c.start, c.end) for c in [*parts.save, *parts.talk]]
        empty = takewhile(lambda pair: not _says_something(pair[1]) or refuses_strategy(pair[0]), list(parts.uncut()))
        parts.cuts += [(clause.start, clause.end) for clause, _ in empty]


def _asks_about_method(orders: Sequence[tuple[Clause, Order]], parts: _Parts) -> bool:
    """Whether nothing but the method is left to ask about: "用混合检索有什么好处", "vector search"."""
    spans = {clause.start: (order.start, order.end) for clause, order in orders}
    left = []
    for clause in parts.content:
        a, b = spans.get(clause.start, (0, 0))
        left.append(f"{clause.text[:a]} {clause.text[b:]}")
    rest = " ".join(left)
    if residue(rest, META, ASKING, RETRIEVAL, FIND, *STRATEGIES.values(), _answer_words, SMALL_TALK):
        return False
    asked = any(is_question(clause) for clause in parts.content) or re.search(META.either, rest)
    return bool(asked) or not orders[0][1].sure


def _says_something(text: str) -> bool:
    words = residue(text, FIND, SMALL_TALK, _answer_words)
    return bool(words) or bool(re.search(f"[{LIBRARY}-{DOC_SET}]", text))


def _asks(parts: _Parts, upload: bool) -> bool:
    """Whether there is something to answer. Beside an order to save a mere statement is not a question."""
    if not (upload or parts.save):
        return True
    return parts.order is not None or any(is_question(clause) for clause in parts.content)


def _to_cut_again(parts: _Parts, reading: Reading, upload: bool, asks: bool) -> list[str]:
    if upload and asks:
        return []
    marks = LIBRARY if upload else LIBRARY + STEM
    return [name for clause in parts.save for name in reading.named(marks, clause.start, clause.end)]


def _saved_into(parts: _Parts, reading: Reading) -> str | None:
    """The document set that an order to save names."""
    return next((name for clause in parts.save for name in reading.named(TARGET, clause.start, clause.end)), None)


def _missing(parts: _Parts, reading: Reading, upload: bool) -> tuple[str, ...]:
    """Files that were named and do not exist; what is said of an upload may call it by another name."""
    spans = parts.content if upload else [*parts.save, *parts.content, *parts.talk]
    return _once(name for clause in sorted(spans) for name in reading.named(MISSING, clause.start, clause.end))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _certain(parts: _Parts, reading: Reading, history: bool, asks: bool) -> bool:
    """Whether a model could not do better: everything was parsed, and nothing leans on earlier turns."""
    if history and asks and looks_like_follow_up(reading.text):
        return False
    if not asks:
        return not parts.content
    if parts.order and not parts.order.sure:
        return False
    if not parts.documents and STEM in reading.masked:
        return False
    return all(asks_how(clause) or not _routing_words.search(rest) for clause, rest in parts.uncut())
