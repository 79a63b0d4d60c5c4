"""Whether passages in a question's own language say it: then nothing in the other one need be waited for."""

from __future__ import annotations

from collections.abc import Iterable

from question_words import question_terms
from retrieval.lexical import WeightedTerms
from retrieval.passages import passage_language
from retrieval.telling_words import tells
from retrieval.translated_terms import capitalised
from schema import Language
from stores.base import Store

_SAID = 0.8  # of a question's weight; without a name that stands in it, a text about another machine says .76
# How telling a word may be that is missing: "make" .09, "need" .14; "first" .39, 上海 .48, a name that nobody knows 1.
# Flat up to .8 over the questions of `python -m benchmarks load`.
_LITTLE = 0.25


def said_in_own_words(question: str, language: Language, texts: Iterable[str], store: Store) -> bool:
    """Whether one of these texts is in the question's language, says nearly all of it, and lacks only words that tell
    next to nothing: no name, no number, nothing that is asked about."""
    terms = WeightedTerms.of(question_terms(question), store).of_words()
    names = capitalised(question) & terms.distinct
    for text in texts:
        if passage_language(text) == language and terms.share(text) >= _SAID:
            missing = terms.distinct.difference(term for _, term in terms.places(text))
            if missing.isdisjoint(names) and all(tells(term) <= _LITTLE for term in missing):
                return True
    return False
