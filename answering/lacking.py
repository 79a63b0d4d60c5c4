"""What a question asks for and an answer in the words of the sources does not say."""

from __future__ import annotations

from answering.missing_words import missing_words, nowhere_said
from answering.unnamed import names_none
from schema import Language, Message
from stores.base import Store
from translation.glossary import Glossary


def lacking_notices(
    asked: str, searched: str, answer: str, language: Language, store: Store, glossary: Glossary | None
) -> list[Message]:
    """Nouns of the question as it was searched, in `language`, that no text says; a place, a person, an amount, an
    age or a number to call that is asked for and not said."""
    missing = missing_words(searched, language, store, glossary)
    unnamed = names_none(asked, answer)
    return [*([nowhere_said(missing)] if missing else []), *([unnamed] if unnamed else [])]
