"""The form of a question that the dictionary makes for a library of two languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from question_words import question_terms
from retrieval.candidates import Query
from retrieval.confidence import QuestionForm
from retrieval.earlier_searches import EarlierSearches
from retrieval.glossary import glossary_of
from retrieval.lexical import WeightedTerms, documents_by_language
from retrieval.passages import passage_language
from retrieval.strategies.keyword import keyword
from retrieval.translated_terms import TranslatedTerms, capitalised
from schema import Hit, Language, Message
from stores.base import Store
from translation.question import translate

_READ = 5  # passages that are looked at at least: each costs .05 ms, and more of them answer no more questions
_LEAST = 0.25  # confidence: wrong passages say 0.1 of a translated question on the mean, right ones 0.6


def translated_form(
    asked: Query, language: Language, wanted: int, earlier: EarlierSearches | None = None
) -> QuestionForm | None:
    """The question, which is in this language, by its translated terms, and the passages of the other language that
    they find, at least as many as are `wanted` in the end. None where no document in scope is in the other one, nothing
    is translated, or little of it is said."""
    other: Language = "en" if language == "zh" else "zh"
    documents = documents_by_language(asked.store, asked.scope)
    if not documents.get(other):
        return None
    part, alone = _part_of_question(asked.terms), not documents.get(language)
    terms = translated_terms(asked.question, language, asked.store, earlier, part, alone=alone)
    if not terms.terms:
        return None
    query = replace(asked, terms=terms, embedder=None, k=max(_READ, wanted), passage="", below={}, done={})
    found = keyword(query, query.k)
    hits = query.hits(candidate.chunk_id for candidate in found)
    there = [one for one in found if one.chunk_id in hits and passage_language(hits[one.chunk_id].text) == other]
    form = QuestionForm(query, there)
    return form if there and form.confidence >= _LEAST else None


def translated_terms(
    question: str,
    language: Language,
    store: Store,
    earlier: EarlierSearches | None,
    part: float = 1.0,
    *,
    alone: bool = False,
) -> TranslatedTerms:
    """Of a question in this language. A turn asks for them three times: whether the dictionary suffices, to search, and
    whether what it found says the names."""
    key = question, language, store.generation()
    terms = earlier and earlier.terms.get(key)
    if not terms:
        terms = TranslatedTerms.of_groups(translate(question, language, glossary=glossary_of(store)), store)
        if earlier:
            earlier.terms[key] = terms
    return terms.anew(part, alone=alone)


def _part_of_question(terms: WeightedTerms) -> float:
    """How much of what is meant the question says itself: “那什么时候退？” does not ask what else is returned."""
    own, before = (sum(terms.idf[term] for term in {*some}) for some in (terms.terms, terms.history))
    return own / (own + before) if own else 1.0


def translated_share(question: str, language: Language, store: Store, earlier: EarlierSearches | None = None) -> float:
    """How much of a question's weight, in [0, 1], has a translation that the library says somewhere."""
    terms = translated_terms(question, language, store, earlier)
    total = sum(terms.idf.values())
    known = (label for label, group in zip(terms.terms, terms.groups, strict=True) if group.alternatives)
    return sum(terms.idf[label] for label in known) / total if total else 0.0


def subject_translated(question: str, language: Language, store: Store, earlier: EarlierSearches | None = None) -> bool:
    """Whether the dictionary has the rarest word of a question that the library says, and its capitalised words: what
    the other language's documents say about others of its kind is else taken for an answer."""
    terms = WeightedTerms.of(question_terms(question), store).of_words()
    said = terms.distinct - terms.unsaid
    telling = {max(said, key=lambda term: (terms.idf[term], term))} if said else set()
    known = [group.term for group in translated_terms(question, language, store, earlier).groups if group.alternatives]
    if language == "en":
        return {word for term in known for word in term.split()}.issuperset(telling | capitalised(question))
    return all(any(term in word for word in known) for term in telling)


def names_said(
    question: str, language: Language, text: str, store: Store, earlier: EarlierSearches | None = None
) -> bool:
    """Whether a question of this language has names, and a text of the other one says them all."""
    if passage_language(text) in (language, None):
        return False
    terms = translated_terms(question, language, store, earlier)
    names = terms.names(question)
    return bool(names) and terms.says(text, names)


def glosses(form: QuestionForm | None, language: Language, hits: Sequence[Hit]) -> dict[str, str]:
    """The words of the question and of those hits that are in the other language, by which they were found; none
    without a form that the dictionary has made."""
    if form is None:
        return {}
    foreign = [hit.indexed_text for hit in hits if passage_language(hit.text) not in (language, None)]
    return form.query.terms.glosses(form.query.question, foreign) if foreign else {}


def found_by_dictionary(glossed: Mapping[str, str]) -> Message:
    """That the best passage is in another language than the question, and by which words it was found."""
    return Message(
        zh=f"来源与问题语言不同，借助词典找到：{'、'.join(f'{own} = {other}' for own, other in glossed.items())}。",
        en="The source is in another language than the question; it was found with a dictionary: "
        f"{', '.join(f'{own} = {other}' for own, other in glossed.items())}.",
    )
