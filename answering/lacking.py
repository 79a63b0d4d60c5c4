"""What a question asks for and an answer in the words of the sources does not say."""

from __future__ import annotations

from collections.abc import Sequence

from answering.missing_words import missing_words, not_shown, nowhere_said
from answering.unnamed import names_none
from schema import Hit, Language, Message
from stores.base import Store
from translation.glossary import Glossary


def lacking_notices(
    asked: str,
    searched: str,
    answer: str,
    language: Language,
    store: Store,
    glossary: Glossary | None,
    cited: Sequence[Hit],
) -> list[Message]:
    """Nouns of the question as it was searched, in `language`, that no text says, or none of those `cited`; a place, a
    person, an amount, an age or a number to call that is asked for and not said."""
    shown = [part for hit in cited for part in (hit.document, *hit.headings, hit.text)]
    missing = missing_words(searched, language, store, glossary, shown)
    notices = [nowhere_said(missing.nowhere)] if missing.nowhere else []
    notices += [not_shown(missing.elsewhere)] if missing.elsewhere else []
    unnamed = names_none(asked, answer)
    return [*notices, *([unnamed] if unnamed else [])]
