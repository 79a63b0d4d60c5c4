"""A model's second opinion on a plan: what it must fill, how it is asked, and what of its answer is accepted.

The model never decides alone. It may refine what the rules are certain of, and never cancel it:

intent: does not change what is certain to be done, and never takes away a question that the message asks in so many
    words. Saving, the web: only where the message has a word or an address for it.
question: shares a word with the message, or with the conversation if the message leans on it; where the rules are
    certain, half of their question's words. No address that nobody gave, no essay.
translation: only in the other language, and only of a question that was understood.
parts: each has a word of the message that no other part has. Those that the rules see stand.
files, doc_sets: exist, and stand in the message (or before it); save_to stands in the message.
strategy, chunking: the message has a word for it; sizes: a number that it says. What the rules are certain of stands.

A field that breaks its rule is dropped and the others stay; with a dropped intent go question and translation, which
come from the same misreading. Where intent or question are dropped, the person is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from planning.addresses import whole_address, without_scheme
from planning.clauses import clauses, is_question
from planning.excerpt import excerpt
from planning.folding import folded, normal
from planning.follow_up import looks_like_follow_up
from planning.model_form import FilledFile, FilledPlan, PastTurn, plan_messages, with_history
from planning.names import MaskedMessage, mask_names
from planning.numerals import find_numbers
from planning.question import question_of_pages
from planning.question_parts import parts_by_model
from planning.scope import is_title
from planning.terms import DOC_SET, LIBRARY, STEM, UPLOAD, URL, BilingualTerms, union
from planning.vocabulary import CHANGE, CHUNKERS, CUT, ENGINE, NO_OVERLAP, SAVE, STRATEGIES, WEB
from question_words import question_terms
from schema import Action, Chunking, FileChunking, Language, Message, Plan, Scope
from schema.names import strategy_name
from text import detect_language

__all__ = ["FilledFile", "FilledPlan", "MergedPlan", "PastTurn", "merge", "plan_messages"]

Name = TypeVar("Name", bound=str)

SMALLEST_SIZE, LARGEST_SIZE = 10, 100_000  # characters
LONGEST_ADDITION = 300  # characters by which a restated question may be longer than the message
_named_language = {
    "zh": re.compile("中文|汉语|普通话|chinese|mandarin", re.I),
    "en": re.compile("英文|英语|english", re.I),
}
_LANGUAGE_WORDS = (
    "请用英文回答 用中文告诉我 英语作答 汉语回复 please answer reply respond tell in Chinese English Mandarin"
)
_search_word = re.compile(union(WEB, ENGINE))
_save_word = re.compile(union(SAVE, CUT, CHANGE))


class MergedPlan(NamedTuple):
    """A plan, and what of the model's was dropped for it that the person should know of."""

    plan: Plan
    notices: tuple[Message, ...] = ()


INTENT_DROPPED = Message(
    zh="模型对这句话的理解与原话不符，没有采用；按规则的理解处理。",
    en="What the model made of the message contradicts its own words and was not used; the rules' reading stands.",
)
QUESTION_DROPPED = Message(
    zh="模型改写的问题与原话无关，没有采用；按原话检索。",
    en="The model's wording of the question has little of the message in it and was not used; it is asked as typed.",
)
_WANTED: dict[str, tuple[Action, ...]] = {
    "save": ("save",),
    "retrieve": ("retrieve",),
    "save_retrieve": ("save", "retrieve"),
    "fetch_web": ("fetch_web", "retrieve"),
    "unknown": (),
}


def merge(
    rules: Plan,
    filled: FilledPlan,
    message: str,
    *,
    uploads: Sequence[str],
    library: Sequence[str],
    doc_sets: Sequence[str] = (),
    history: Sequence[PastTurn] = (),
) -> MergedPlan:
    """The rules' plan with what may be believed of the model's. Never raises, whatever the model filled in."""
    reading = mask_names(excerpt(message).text, library, uploads, doc_sets)
    actions = _actions(rules, filled, reading, bool(uploads))
    urls = _urls(rules, filled, reading) if "fetch_web" in actions else ()
    if not urls and not _search_word.search(reading.masked):
        actions = tuple(action for action in actions if action != "fetch_web")
    if misread := _contradicts(filled, actions, bool(uploads)):
        filled = filled.model_copy(update={"question": "", "translation": "", "parts": []})
    saves, asks = "save" in actions, "retrieve" in actions
    before = history if looks_like_follow_up(message) else ()
    restated = _restated(rules, filled, message, history, before, urls) if asks else ""
    strange = asks and not restated and bool(filled.question.strip()) and not urls
    if strange:
        filled = filled.model_copy(update={"translation": "", "parts": []})
    documents = _documents(filled.files, reading, library, before)
    sets = _sets(filled.doc_sets, reading, doc_sets, before)
    again = rules.scope.documents if saves and not uploads else ()
    question = "" if urls else rules.question
    if asks:
        question = " ".join([restated or _as_typed(rules, reading, message, urls), *urls])
    kept = rules.certain or not (strategy := _named(filled.strategy, STRATEGIES, reading))
    plan = rules.model_copy(
        update={
            "actions": actions,
            "chunking": rules.chunking.over(_chunking(filled, reading)) if saves or urls else Chunking(),
            "per_file": (rules.per_file or _per_file(filled.per_file, reading)) if saves else (),
            "strategy": rules.strategy if kept else strategy,
            "scope": _scope(rules, again, documents, sets),
            "doc_set": (rules.doc_set or _saved_into(filled.save_to, reading, doc_sets)) if uploads or urls else None,
            "urls": urls,
            "unclear": None if actions else rules.unclear,
            "language": _answer_language(rules, filled, reading) or rules.language,
            "answer_language": _answer_language(rules, filled, reading) or rules.answer_language,
            "question": question,
            "translated": _translation(filled, reading) if asks else "",
            "parts": parts_by_model(filled.parts, with_history(message, before), question) if asks and not urls else (),
            "certain": True,
            "origin": "rules" if misread else "model",
        }
    )
    return MergedPlan(plan, (INTENT_DROPPED,) if misread else (QUESTION_DROPPED,) if strange else ())


def _scope(rules: Plan, again: tuple[str, ...], documents: tuple[str, ...], sets: tuple[str, ...]) -> Scope:
    """The rules' place to look where they are certain of one; files to be cut again go before any."""
    named = rules.scope.documents or documents if rules.certain else documents or rules.scope.documents
    return Scope(documents=again or named, doc_sets=rules.scope.doc_sets or sets)


def _actions(rules: Plan, filled: FilledPlan, reading: MaskedMessage, upload: bool) -> tuple[Action, ...]:
    """The intent as actions. Uploads are saved in any case; the web is used only on a literal order."""
    if rules.certain or filled.intent is None:
        return rules.actions
    actions = _WANTED[filled.intent]
    if "retrieve" in rules.actions and "retrieve" not in actions and any(map(is_question, clauses(reading.masked))):
        return rules.actions
    if "fetch_web" in actions and not (_search_word.search(reading.masked) or reading.named(URL)):
        actions = ("retrieve",)
    if upload and "save" not in actions:
        return ("save", *actions)
    if not upload and "save" in actions and "save" not in rules.actions and reading.named(URL):
        return ("fetch_web", *actions[1:])  # what is to be saved is a page
    if not upload and "save" in actions and "save" not in rules.actions and not _save_word.search(reading.masked):
        return rules.actions
    return actions


def _contradicts(filled: FilledPlan, actions: tuple[Action, ...], upload: bool) -> bool:
    """Whether the intent would have taken away what the message asks for, or done what it has no word for."""
    if filled.intent is None:
        return False
    wanted = {*_WANTED[filled.intent]}
    cancelled = {*actions} - wanted - {"fetch_web", *(["save"] if upload else [])}
    invented = wanted - {*actions} - {"retrieve", *(["save"] if "fetch_web" in actions else [])}
    return bool(cancelled or invented)


def _urls(rules: Plan, filled: FilledPlan, reading: MaskedMessage) -> tuple[str, ...]:
    """Of the addresses that the model names, those that stand in the message; the rules' where it names none."""
    places = [mention for mention in reading.mentions if mention.mark == URL]
    if not filled.urls:
        searches = _search_word.search(reading.masked)
        return rules.urls or (() if searches else tuple(dict.fromkeys(place.name for place in places)))
    known = {without_scheme(place.name): place.name for place in places}
    starts = [place.start for place in places]
    found = (known.get(without_scheme(url)) or whole_address(url, reading.text, starts) for url in filled.urls)
    return tuple(dict.fromkeys(url for url in found if url))


def _documents(
    files: Sequence[str], reading: MaskedMessage, library: Sequence[str], history: Sequence[PastTurn]
) -> tuple[str, ...]:
    """Of the files that the model names, those that are stored and literally stand in the message, or before it.

    Without its extension a name counts only when it reads as a title: a topic is not a file.
    """
    wanted = {folded(normal(name)).rpartition("/")[2] for name in files}
    if history and not reading.named(LIBRARY + UPLOAD + STEM):
        reading = mask_names(with_history("", history), library, ())
    named = reading.named(LIBRARY + UPLOAD + STEM)
    literal = set(reading.named(LIBRARY + UPLOAD))
    titled = (name for name in named if name in literal or is_title(name.rpartition(".")[0]))
    return tuple(name for name in titled if folded(normal(name)).rpartition("/")[2] in wanted)


def _sets(
    wanted: Sequence[str], reading: MaskedMessage, doc_sets: Sequence[str], history: Sequence[PastTurn]
) -> tuple[str, ...]:
    """Of the document sets that the model names, those that exist and stand in the message, or before it."""
    keys = {folded(normal(name)) for name in wanted}
    named = reading.named(DOC_SET)
    if not named and history:
        named = mask_names(with_history("", history), (), (), doc_sets).named(DOC_SET)
    return tuple(name for name in named if name in doc_sets and folded(normal(name)) in keys)


def _saved_into(wanted: str | None, reading: MaskedMessage, doc_sets: Sequence[str]) -> str | None:
    """The set to save into, as it exists or as the message writes it."""
    key = folded(normal(" ".join((wanted or "").split())))
    start = folded(reading.text).find(key) if key else -1
    if start < 0:
        return None
    return next((name for name in doc_sets if folded(normal(name)) == key), reading.text[start : start + len(key)])


def _chunking(filled: FilledPlan | FilledFile, reading: MaskedMessage) -> Chunking:
    """Only what the message says: a method by its name, a number that occurs in it."""
    numbers = list(find_numbers(reading.masked))
    values = {round(number.value) for number in numbers if not number.percent}
    size = filled.chunk_size if filled.chunk_size in values and _is_size(filled.chunk_size) else None
    overlaps = values | {round((size or 0) * number.value / 100) for number in numbers if number.percent}
    overlaps |= {0} if NO_OVERLAP.search(reading.masked) else set()
    overlap = filled.chunk_overlap if filled.chunk_overlap in overlaps and _is_size(filled.chunk_overlap, 0) else None
    return Chunking(strategy=_named(filled.chunking, CHUNKERS, reading), size=size, overlap=overlap)


def _is_size(value: int | None, least: int = SMALLEST_SIZE) -> bool:
    return value is not None and least <= value <= LARGEST_SIZE


def _per_file(files: Sequence[FilledFile], reading: MaskedMessage) -> tuple[FileChunking, ...]:
    named = {folded(normal(name)): name for name in reading.named(LIBRARY + UPLOAD)}
    found = ((named.get(folded(normal(one.file))), _chunking(one, reading)) for one in files)
    return tuple(FileChunking(file=name, chunking=wish) for name, wish in found if name and wish != Chunking())


def _named(value: str | None, terms: Mapping[Name, BilingualTerms], reading: MaskedMessage) -> Name | None:
    """The value, if it is one of the names and the message has a word for it."""
    plain = (value or "").strip().lower()
    with suppress(ValueError):
        plain = str(strategy_name(plain)) if terms is STRATEGIES else plain
    known = next((name for name in terms if name == plain), None)
    known = known or next((name for name in terms if re.match(rf"{name}\W|(?:{terms[name].either})$", plain)), None)
    return known if known and re.search(terms[known].either, reading.masked) else None


def _answer_language(rules: Plan, filled: FilledPlan, reading: MaskedMessage) -> Language | None:
    """A model is believed that the person wants another language than the message's if its name is said."""
    wanted = filled.language
    named = wanted and wanted != rules.language and _named_language[wanted].search(reading.text)
    return wanted if named else None


def _translation(filled: FilledPlan, reading: MaskedMessage) -> str:
    """The question in the other language, if that is what it is."""
    translated = " ".join(filled.translation.split())
    fits = 0 < len(translated) <= 3 * len(reading.text) + LONGEST_ADDITION
    other = detect_language(translated) not in {None, detect_language(filled.question or reading.text)}
    return translated if fits and other and "://" not in translated else ""


def _restated(
    rules: Plan,
    filled: FilledPlan,
    message: str,
    history: Sequence[PastTurn],
    before: Sequence[PastTurn],
    urls: Sequence[str],
) -> str:
    """The restated question, if it is one: about the same, no essay, no address that nobody gave or that is read."""
    restated = " ".join(filled.question.split())
    addresses = re.findall(r"https?://[^\s，。]+", restated)
    given = with_history(message, history)
    if not 0 < len(restated) <= len(message) + LONGEST_ADDITION or (urls and addresses):
        return ""
    if not all(address in given for address in addresses):
        return ""
    terms = set(question_terms(rules.asked if rules.certain and not before else with_history(message, before)))
    if filled.language not in (None, rules.language):
        # who wants the answer in another language need not hear so in the question
        terms -= set(question_terms(_LANGUAGE_WORDS))
    shared = terms & set(question_terms(restated))
    enough = 2 * len(shared) >= len(terms) if rules.certain and not before else bool(shared)
    return restated if enough or not terms else ""


def _as_typed(rules: Plan, reading: MaskedMessage, message: str, urls: Sequence[str]) -> str:
    """The rules' question; where they take other addresses for read than is done, the message without those."""
    if bool(urls) == bool(rules.urls):
        return rules.asked or message.strip()
    if not urls:
        return message.strip()
    pages = [found.span() for found in re.finditer(f"{URL}+", reading.masked)]
    return excerpt(message).restored(question_of_pages(reading, (), pages, rules.language))
