"""What the searches of one turn have found in the question's own words, for those that come after them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrieval.blocking_search import SearchOutcome
    from retrieval.confidence import QuestionForm
    from retrieval.translated_terms import TranslatedTerms


class EarlierSearches:
    """A turn in a library of two languages asks the same question up to three times: whether the dictionary suffices,
    beside the plan call, and when the plan adds a translated form. Only what is new of it is to be looked for.

    Keys hold all that what is found depends on, with the library's generation. A search that nobody waits for any more
    may still run in its thread beside the next one, so what each is given is a copy.
    """

    def __init__(self) -> None:
        self.terms: dict[Hashable, TranslatedTerms] = {}  # of the question, by the dictionary
        self._forms: dict[Hashable, QuestionForm] = {}
        self._outcomes: dict[Hashable, tuple[SearchOutcome, QuestionForm]] = {}

    def form(self, key: Hashable) -> QuestionForm | None:
        """The question in its own words, and what these find."""
        form = self._forms.get(key)
        return form and _copied(form)

    def keep_form(self, key: Hashable, form: QuestionForm) -> None:
        self._forms[key] = _copied(form)

    def outcome(self, key: Hashable) -> tuple[SearchOutcome, QuestionForm] | None:
        """Of a whole search by the question's own words and the dictionary, with the form at its end."""
        if known := self._outcomes.get(key):
            return known[0], _copied(known[1])
        return None

    def keep_outcome(self, key: Hashable, outcome: SearchOutcome, form: QuestionForm) -> None:
        self._outcomes[key] = outcome, _copied(form)


def _copied(form: QuestionForm) -> QuestionForm:
    """What is fetched later for the one is not told of the other."""
    query = form.query
    own = replace(
        query,
        below=dict(query.below),
        other_words=dict(query.other_words),
        texts=dict(query.texts),
        done=dict(query.done),
    )
    return replace(form, query=own, candidates=list(form.candidates))
