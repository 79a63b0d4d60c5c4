"""The plan of one message by rules alone: no model, Chinese and English, in microseconds to milliseconds.

A message is folded, names are masked, the rest is cut into clauses. Each clause is small talk, an order to save, or
content; content may carry orders of its own (a strategy, a scope, the web), which are taken out of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from planning.clause_groups import ClauseGroups, group_clauses
from planning.clauses import Clause, asks_how, is_question, residue
from planning.commands import unclear_kind
from planning.excerpt import excerpt
from planning.file_chunking import read_chunking_wishes
from planning.follow_up import looks_like_follow_up
from planning.known_files import NOTHING_KNOWN, KnownFiles
from planning.names import MaskedMessage, mask_names
from planning.paraphrases import everyday_order, limits_the_search, speaks_of_searching
from planning.question import question_of_pages, restate
from planning.question_parts import question_parts
from planning.scope import beside_scope, find_scope
from planning.small_talk import SMALL_TALK
from planning.strategy import StrategyOrder, refuses_strategy, strategy_order
from planning.terms import DOC_SET, LIBRARY, MISSING, STEM, TARGET, UPLOAD, URL, BilingualTerms, union
from planning.vocabulary import ASKING, CUT, EVERY_FILE, FIND, META, RETRIEVAL, SAVE, STRATEGIES, VISIT, WEB
from planning.web import Surroundings, fetches_afresh, is_address, keeps_page, names_address, read_addresses, web_order
from planning.where_clauses import where_cuts
from schema import Action, Chunking, Language, Plan, Scope, SizeUnit
from text import language_of

__all__ = ["looks_like_follow_up", "plan_by_rules"]

_saving_words = re.compile(union(SAVE, CUT))
_routing_words = re.compile(union(SAVE, CUT, WEB, *STRATEGIES.values()))
_answer_words = BilingualTerms(
    "问题是?|以下|下面|如下|我的|一个", "question|following|answer|query|it|this|me|that|these|those|them"
)
_CLEAR = 4.0  # how much likelier an order in everyday words must be to go before one by a name
_report = BilingualTerms(  # behind a search of the web these say nothing to look for: “…，然后总结一下”
    "总结|概括|归纳|汇总|整理|告诉|回答|说说|讲讲|列出|结果|答案",
    "summari[sz]e|summary|tell|give|answer|list|results?|findings?|report|let|know|it|them|that|what|find|found",
)


def plan_by_rules(
    message: str,
    *,
    uploads: Sequence[str],
    library: Sequence[str],
    doc_sets: Sequence[str] = (),
    history: bool = False,
    fallback_language: Language = "zh",
    default_size: int = 1000,
    default_unit: SizeUnit = "characters",
    known: KnownFiles = NOTHING_KNOWN,
) -> Plan:
    """What a message asks for. `uploads` and `library` are file names, `doc_sets` names of document sets.

    An upload is always saved. An order to save without one names stored files to be cut again (`scope.documents`,
    or `every_file`), or nothing: then the action is still "save", and saving has to explain that there is no file.
    `scope` limits the question; with uploads and no question it names stored files to be cut again beside them.
    `default_size` (in `default_unit`, which is not repeated in wishes) is what an overlap in percent refers to when
    no size is said; `known` is what else is known of the library's files. Of a long message the
    beginning and the end are read (planning/excerpt.py); the question holds all of it.
    """
    part = excerpt(message)
    reading = mask_names(part.text, library, uploads, doc_sets, known)
    language = _language(reading, fallback_language)
    if not uploads and (unclear := unclear_kind(reading.masked)):
        question = part.restored(reading.text).strip()
        return Plan(language=language, unclear=unclear, question=question, certain=True)
    parts = group_clauses(reading, bool(uploads))
    _read_content(parts, reading, library, bool(uploads))
    _keep_compared(parts, reading, language)
    asks = _asks(parts, bool(uploads))
    actions = _actions(parts, bool(uploads), asks)
    usual = Chunking(size=default_size, unit=default_unit)
    wishes = read_chunking_wishes(reading, [(c.start, c.end) for c in parts.save], uploads, usual)
    again = _to_cut_again(parts, reading, bool(uploads), "retrieve" in actions)
    rest = not uploads and wishes.others != Chunking()
    question = part.restored(_question(parts, reading, language)) if "retrieve" in actions else ""
    return Plan(
        actions=tuple(actions),
        chunking=wishes.all,
        per_file=wishes.own,
        others=wishes.others,
        strategy=parts.order.strategy if parts.order else None,
        scope=Scope(
            documents=_once([*([] if rest else again), *parts.documents]),
            doc_sets=_once(name for name in parts.doc_sets if name in doc_sets),
        ),
        doc_set=_saved_into(parts, reading),
        every_file=rest
        or (not uploads and not again and any(EVERY_FILE.search(c.text) for c in parts.save if not names_address(c))),
        urls=tuple(parts.urls),
        anew=parts.afresh,
        missing_files=_missing(parts, reading, bool(uploads)),
        missing_sets=_once(name for name in parts.doc_sets if name not in doc_sets),
        language=language,
        question=question,
        parts=() if parts.urls else question_parts(question),
        certain=wishes.sure and _certain(parts, reading, history, asks),
    )


def _language(reading: MaskedMessage, fallback: Language) -> Language:
    """By the words of the message; by its file names only where there is nothing else."""
    chars = list(reading.text)
    for mention in reading.mentions:
        if mention.mark in (LIBRARY, UPLOAD, MISSING, URL):
            chars[mention.start : mention.end] = " " * (mention.end - mention.start)
    own = "".join(chars)
    if not re.search(r"[^\W\d_]", own):  # an address speaks no language
        return fallback if URL in reading.masked else language_of(reading.text, fallback)
    return language_of(own, fallback)


def _read_content(parts: ClauseGroups, reading: MaskedMessage, library: Sequence[str], upload: bool) -> None:
    """Strategy, web and scope orders of the content clauses, with the words to be cut for each."""
    excluded: list[str] = []
    _read_strategy(parts, reading, upload)
    _read_web(parts, reading, upload)
    for clause in parts.content:
        where = find_scope(reading, clause)
        parts.documents += where.documents
        parts.doc_sets += where.doc_sets
        excluded += where.excluded
        parts.cuts += where.cuts
        parts.bare += where.bare
    if parts.web and not parts.urls:  # words that call a file mean what they say: "the author of the Rust book"
        parts.documents = [name for name in parts.documents if reading.literally(name)]
        excluded = [name for name in excluded if reading.literally(name)]
        parts.bare = [(a, b) for a, b in parts.bare if all(map(reading.literally, reading.named(LIBRARY, a, b)))]
    if parts.documents or excluded:
        parts.cuts += [(c.start, c.end) for c in parts.content if limits_the_search(c)]
    if excluded:
        parts.documents = [name for name in parts.documents or library if name not in excluded]
    parts.cuts += where_cuts(parts.content, parts.cuts)
    if parts.save or parts.cuts:
        parts.cuts += [(c.start, c.end) for c in [*parts.save, *parts.talk]]
        empty = takewhile(lambda pair: not _says_something(pair[1]) or refuses_strategy(pair[0]), list(parts.uncut()))
        parts.cuts += [(clause.start, clause.end) for clause, _ in empty]


def _keep_compared(parts: ClauseGroups, reading: MaskedMessage, language: Language) -> None:
    """Things that are compared keep their names where files are only called so: as "them" no part could be searched.
    These files are the place to look only where each of the things is one."""
    called = {name for a, b in parts.bare for name in reading.named(LIBRARY + STEM, a, b)}
    if not called or any(map(reading.literally, called)):
        return
    if compared := question_parts(restate(reading, parts.cuts, (), language)):
        parts.bare = []
        if len(compared) > len(called):
            parts.documents = [name for name in parts.documents if name not in called]


def _read_strategy(parts: ClauseGroups, reading: MaskedMessage, upload: bool) -> None:
    """The strategy that is ordered by its name, else in everyday words."""
    content = [rest for clause in parts.content if (rest := beside_scope(reading, clause))]
    orders = [(c, order) for c in content if (order := strategy_order(c))]
    orders = [(c, order) for c, order in orders if order.strategy == orders[0][1].strategy]
    everyday = None
    if not (upload or parts.save) or any(is_question(clause) for clause in parts.content):
        everyday = everyday_order(content, _says_something)
    if everyday and (_asks_about_method(everyday.spans, parts, False) or (orders and orders[0][1].sure)):
        everyday = None
    named = [(c.start + order.start, c.start + order.end) for c, order in orders]
    if everyday and (not orders or everyday.gain > _CLEAR):
        parts.order = StrategyOrder(everyday.strategy, 0, 0, False)
        parts.cuts += everyday.spans
        _cut_beside(parts, content)
    elif orders and not _asks_about_method(named, parts, orders[0][1].sure):
        parts.order = orders[0][1]
        parts.cuts += named
        _cut_beside(parts, content)


def _cut_beside(parts: ClauseGroups, content: Sequence[Clause]) -> None:
    """Cut the clauses beside an order that only say more of how to search, where something else is left to answer."""
    beside = [
        c for c in content if not any(a < c.end and c.start < b for a, b in parts.cuts) and speaks_of_searching(c)
    ]
    cut = [*parts.cuts, *((c.start, c.end) for c in beside)]
    if any(_says_something(c.text) for c in content if not any(a < c.end and c.start < b for a, b in cut)):
        parts.cuts += [(c.start, c.end) for c in beside]


def _read_web(parts: ClauseGroups, reading: MaskedMessage, upload: bool) -> None:
    """Orders to search the web, and the addresses to be read."""
    around = Surroundings.of(reading.masked)
    urls = [url for c in parts.save if keeps_page(c) or is_address(c) for url in reading.named(URL, c.start, c.end)]
    parts.afresh = any(keeps_page(c) and fetches_afresh(c) for c in parts.save)
    for before, clause in zip([None, *parts.content], parts.content, strict=False):
        if not names_address(clause):
            if web := web_order(clause):
                parts.cuts.append((clause.start + web[0], clause.start + web[1]))
                parts.web = True
            continue
        order = read_addresses(clause, around, upload=upload)
        parts.sure &= order.sure
        if order.wanted:
            urls += reading.named(URL, clause.start, clause.end)
            parts.afresh |= fetches_afresh(clause)
            parts.cuts += [(clause.start + a, clause.start + b) for a, b in order.cuts]
            if before and ":" in before.stop and not residue(before.text, VISIT):  # “抓取：https://…”
                parts.cuts.append((before.start, before.end))
            parts.bare += [
                (clause.start + found.start(), clause.start + found.end())
                for found in re.finditer(f"{URL}+", clause.text)
            ]
    parts.urls = list(dict.fromkeys(urls))
    if parts.web and not parts.urls:
        last = takewhile(lambda pair: not residue(pair[1], _report), reversed(list(parts.uncut())))
        parts.cuts += [(clause.start, clause.end) for clause, _ in last]


def _actions(parts: ClauseGroups, upload: bool, asks: bool) -> list[Action]:
    """What is saved are the uploads, stored files that are to be cut again, or the pages that are fetched."""
    pages = parts.urls and not any(re.search(f"[{LIBRARY}{MISSING}{STEM}]", clause.text) for clause in parts.save)
    actions: list[Action] = ["save"] if upload or (parts.save and not pages) else []
    if parts.web or parts.urls:
        actions.append("fetch_web")
    if asks or (parts.web and not parts.urls):
        actions.append("retrieve")
    return actions


def _question(parts: ClauseGroups, reading: MaskedMessage, language: Language) -> str:
    """Restated, with the addresses that are read for it at its end."""
    ask = question_of_pages if parts.urls else restate
    return " ".join([ask(reading, parts.cuts, parts.bare, language), *parts.urls])


def _asks_about_method(cuts: Sequence[tuple[int, int]], parts: ClauseGroups, sure: bool) -> bool:
    """Whether nothing but the method is left to ask about: "用混合检索有什么好处", "vector search"."""
    rest = " ".join(
        "".join(" " if any(a <= i < b for a, b in cuts) else c for i, c in enumerate(clause.text, clause.start))
        for clause in parts.content
    )
    if re.search(f"[{LIBRARY}-{DOC_SET}]", rest):  # a thing that a file is called by
        return False
    if residue(rest, META, ASKING, RETRIEVAL, FIND, *STRATEGIES.values(), _answer_words, SMALL_TALK):
        return False
    asked = any(is_question(clause) for clause in parts.content) or re.search(META.either, rest)
    return bool(asked) or not sure


def _says_something(text: str) -> bool:
    words = residue(text, FIND, SMALL_TALK, _answer_words)
    return bool(words) or bool(re.search(f"[{LIBRARY}-{DOC_SET}]", text))


def _asks(parts: ClauseGroups, upload: bool) -> bool:
    """Whether there is something to answer. Beside an order to save a mere statement is not a question."""
    if not (upload or parts.save):
        return True
    if parts.urls:  # "fetch …" beside an order to save it asks nothing
        return any(is_question(clause) and _says_something(left) for clause, left in parts.uncut())
    return parts.order is not None or any(is_question(clause) for clause in parts.content)


def _to_cut_again(parts: ClauseGroups, reading: MaskedMessage, upload: bool, asks: bool) -> list[str]:
    if upload and asks:
        return []
    marks = LIBRARY if upload else LIBRARY + STEM
    return [name for clause in parts.save for name in reading.named(marks, clause.start, clause.end)]


def _saved_into(parts: ClauseGroups, reading: MaskedMessage) -> str | None:
    """The document set that an order to save names."""
    return next((name for clause in parts.save for name in reading.named(TARGET, clause.start, clause.end)), None)


def _missing(parts: ClauseGroups, reading: MaskedMessage, upload: bool) -> tuple[str, ...]:
    """Files that were named and do not exist; what is said of an upload may call it by another name."""
    spans = parts.content if upload else [*parts.save, *parts.content, *parts.talk]
    return _once(name for clause in sorted(spans) for name in reading.named(MISSING, clause.start, clause.end))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _certain(parts: ClauseGroups, reading: MaskedMessage, history: bool, asks: bool) -> bool:
    """Whether a model could not do better: everything was parsed, and nothing leans on earlier turns."""
    if history and asks and looks_like_follow_up(reading.text):
        return False
    if not parts.sure:
        return False
    if not asks:
        return bool(parts.urls) or not parts.content
    if parts.order and not parts.order.sure:
        return False
    if not parts.documents and STEM in reading.masked:
        return False
    words = _saving_words if parts.urls else _routing_words  # "a summary of https://…" names no strategy
    return all(asks_how(clause) or not words.search(rest) for clause, rest in parts.uncut())
