"""A model's second opinion on a plan: what it must fill, how it is asked, and what of its answer is accepted.

The model never decides alone: a file counts only if it is stored and was named, a size only if a number was said,
and what the rules read from the message stays where the model is silent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from planning.addresses import find_addresses
from planning.folding import folded, normal
from planning.follow_up import looks_like_follow_up
from planning.model_form import FilledFile, FilledPlan, Turn, plan_messages, with_history
from planning.names import Mention, Reading, read
from planning.numerals import find_numbers
from planning.question import question_of_pages
from planning.scope import is_title
from planning.terms import DOC_SET, LIBRARY, STEM, UPLOAD, URL, Terms, union
from planning.vocabulary import CHANGE, CHUNKERS, CUT, ENGINE, NO_OVERLAP, SAVE, STRATEGIES, WEB
from schema import Action, Chunking, FileChunking, Language, Plan, Scope
from schema.names import OLDER_STRATEGIES
from text import detect_language

__all__ = ["FilledFile", "FilledPlan", "Turn", "merge", "plan_messages"]

Name = TypeVar("Name", bound=str)

SMALLEST_SIZE, LARGEST_SIZE = 10, 100_000  # characters
LONGEST_ADDITION = 300  # characters by which a restated question may be longer than the message
_named_language = {"zh": re.compile("中文|汉语|chinese", re.I), "en": re.compile("英文|英语|english", re.I)}
_search_word = re.compile(union(WEB, ENGINE))
_save_word = re.compile(union(SAVE, CUT, CHANGE))


def merge(
    rules: Plan,
    filled: FilledPlan,
    message: str,
    *,
    uploads: Sequence[str],
    library: Sequence[str],
    doc_sets: Sequence[str] = (),
    history: Sequence[Turn] = (),
) -> Plan:
    """The rules' plan with what may be believed of the model's. Never raises, whatever the model filled in."""
    reading = read(message, library, uploads, doc_sets)
    actions = _actions(rules, filled, reading, bool(uploads))
    urls = _urls(rules, filled, reading) if "fetch_web" in actions else ()
    if not urls and not _search_word.search(reading.masked):
        actions = tuple(action for action in actions if action != "fetch_web")
    saves, asks = "save" in actions, "retrieve" in actions
    before = history if looks_like_follow_up(message) else ()
    documents = _documents(filled.files, reading, library, before)
    sets = _sets(filled.doc_sets, reading, doc_sets, before)
    again = rules.scope.documents if saves and not uploads else ()
    question = "" if urls else rules.question
    if asks:
        question = " ".join([_question(rules, filled, reading, history, urls), *urls])
    return rules.model_copy(
        update={
            "actions": actions,
            "chunking": rules.chunking.over(_chunking(filled, reading)) if saves or urls else Chunking(),
            "per_file": (rules.per_file or _per_file(filled.per_file, reading)) if saves else (),
            "strategy": _named(_strategy(filled), STRATEGIES, reading) or rules.strategy,
            "scope": Scope(
                documents=again or documents or rules.scope.documents, doc_sets=rules.scope.doc_sets or sets
            ),
            "doc_set": (rules.doc_set or _saved_into(filled.save_to, reading, doc_sets)) if uploads or urls else None,
            "urls": urls,
            "unclear": None if actions else rules.unclear,
            "language": _language(rules, filled, reading),
            "question": question,
            "translated": _translation(filled, reading) if asks else "",
            "certain": True,
            "origin": "model",
        }
    )


def _actions(rules: Plan, filled: FilledPlan, reading: Reading, upload: bool) -> tuple[Action, ...]:
    """The intent as actions. Uploads are saved in any case; the web is used only on a literal order."""
    wanted: dict[str, tuple[Action, ...]] = {
        "save": ("save",),
        "retrieve": ("retrieve",),
        "save_retrieve": ("save", "retrieve"),
        "fetch_web": ("fetch_web", "retrieve"),
        "unknown": (),
    }
    actions = wanted[filled.intent]
    if "fetch_web" in actions and not (_search_word.search(reading.masked) or reading.named(URL)):
        actions = ("retrieve",)
    if upload and "save" not in actions:
        return ("save", *actions)
    if not upload and "save" in actions and "save" not in rules.actions and reading.named(URL):
        return ("fetch_web", *actions[1:])  # what is to be saved is a page
    if not upload and "save" in actions and "save" not in rules.actions and not _save_word.search(reading.masked):
        return rules.actions
    return actions


def _urls(rules: Plan, filled: FilledPlan, reading: Reading) -> tuple[str, ...]:
    """Of the addresses that the model names, those that stand in the message; the rules' where it names none."""
    places = [mention for mention in reading.mentions if mention.mark == URL]
    if not filled.urls:
        searches = _search_word.search(reading.masked)
        return rules.urls or (() if searches else tuple(dict.fromkeys(place.name for place in places)))
    known = {_address(place.name): place.name for place in places}
    found = (known.get(_address(url)) or _standing(url, reading.text, places) for url in filled.urls)
    return tuple(dict.fromkeys(url for url in found if url))


def _address(url: str) -> str:
    return url.strip().rstrip("/").removeprefix("https://").lower()


def _standing(url: str, text: str, places: Sequence[Mention]) -> str | None:
    """An address that stands there whole: where Han follow one, a model may see better where it ends."""
    for start in (place.start for place in places):
        after = text[start + len(url) : start + len(url) + 1]
        if text.startswith(url, start) and not re.match(r"[\w.:/@%-]", after, re.ASCII) and any(find_addresses(url)):
            return url
    return None


def _documents(
    files: Sequence[str], reading: Reading, library: Sequence[str], history: Sequence[Turn]
) -> tuple[str, ...]:
    """Of the files that the model names, those that are stored and literally stand in the message, or before it.

    Without its extension a name counts only when it reads as a title: a topic is not a file.
    """
    wanted = {folded(normal(name)).rpartition("/")[2] for name in files}
    named = reading.named(LIBRARY + UPLOAD + STEM)
    if not named and history:
        named = read(with_history("", history), library, ()).named(LIBRARY + STEM)
    literal = set(reading.named(LIBRARY + UPLOAD))
    titled = (name for name in named if name in literal or is_title(name.rpartition(".")[0]))
    return tuple(name for name in titled if folded(normal(name)).rpartition("/")[2] in wanted)


def _sets(wanted: Sequence[str], reading: Reading, doc_sets: Sequence[str], history: Sequence[Turn]) -> tuple[str, ...]:
    """Of the document sets that the model names, those that exist and stand in the message, or before it."""
    keys = {folded(normal(name)) for name in wanted}
    named = reading.named(DOC_SET)
    if not named and history:
        named = read(with_history("", history), (), (), doc_sets).named(DOC_SET)
    return tuple(name for name in named if name in doc_sets and folded(normal(name)) in keys)


def _saved_into(wanted: str | None, reading: Reading, doc_sets: Sequence[str]) -> str | None:
    """The set to save into, as it exists or as the message writes it."""
    key = folded(normal(" ".join((wanted or "").split())))
    start = folded(reading.text).find(key) if key else -1
    if start < 0:
        return None
    return next((name for name in doc_sets if folded(normal(name)) == key), reading.text[start : start + len(key)])


def _chunking(filled: FilledPlan | FilledFile, reading: Reading) -> Chunking:
    """Only what the message says: a method by its name, a number that occurs in it."""
    numbers = list(find_numbers(reading.masked))
    said = {round(number.value) for number in numbers if not number.percent}
    size = filled.chunk_size if filled.chunk_size in said and _is_size(filled.chunk_size) else None
    overlaps = said | {round((size or 0) * number.value / 100) for number in numbers if number.percent}
    overlaps |= {0} if NO_OVERLAP.search(reading.masked) else set()
    overlap = filled.chunk_overlap if filled.chunk_overlap in overlaps and _is_size(filled.chunk_overlap, 0) else None
    return Chunking(strategy=_named(filled.chunking, CHUNKERS, reading), size=size, overlap=overlap)


def _is_size(value: int | None, least: int = SMALLEST_SIZE) -> bool:
    return value is not None and least <= value <= LARGEST_SIZE


def _per_file(files: Sequence[FilledFile], reading: Reading) -> tuple[FileChunking, ...]:
    named = {folded(normal(name)): name for name in reading.named(LIBRARY + UPLOAD)}
    found = ((named.get(folded(normal(one.file))), _chunking(one, reading)) for one in files)
    return tuple(FileChunking(file=name, chunking=wish) for name, wish in found if name and wish != Chunking())


def _named(value: str | None, terms: Mapping[Name, Terms], reading: Reading) -> Name | None:
    """The value, if it is one of the names and the message has a word for it."""
    known = next((name for name in terms if name == (value or "").strip().lower()), None)
    return known if known and re.search(terms[known].either, reading.masked) else None


def _strategy(filled: FilledPlan) -> str | None:
    """Models know the names of the older documents, too."""
    named = (filled.strategy or "").strip().lower()
    return OLDER_STRATEGIES.get(named, named)


def _language(rules: Plan, filled: FilledPlan, reading: Reading) -> Language:
    """The rules go by the letters; a model is believed that the person wants the other language if its name is said."""
    wanted = filled.language
    return wanted if wanted and _named_language[wanted].search(reading.text) else rules.language


def _translation(filled: FilledPlan, reading: Reading) -> str:
    """The question in the other language, if that is what it is."""
    translated = " ".join(filled.translation.split())
    fits = 0 < len(translated) <= 3 * len(reading.text) + LONGEST_ADDITION
    other = detect_language(translated) not in {None, detect_language(filled.question or reading.text)}
    return translated if fits and other and "://" not in translated else ""


def _question(rules: Plan, filled: FilledPlan, reading: Reading, history: Sequence[Turn], urls: Sequence[str]) -> str:
    """The restated question, if it is one: not empty, no essay, and no address that nobody gave, or that is read."""
    restated = " ".join(filled.question.split())
    fits = 0 < len(restated) <= len(reading.text) + LONGEST_ADDITION
    given = with_history(reading.text, history)
    addresses = re.findall(r"https?://[^\s，。]+", restated)
    if fits and all(address in given for address in addresses) and not (urls and addresses):
        return restated
    if bool(urls) == bool(rules.urls):
        return rules.asked or reading.text.strip()
    if not urls:
        return reading.text.strip()
    pages = [found.span() for found in re.finditer(f"{URL}+", reading.masked)]
    return question_of_pages(reading, (), pages, rules.language)
