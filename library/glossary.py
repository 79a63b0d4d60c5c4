"""The glossary of a library: terms as people translate them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from errors import CitewiseError
from library.shared import LibraryParts
from schema import GlossaryPair, Language, Message
from translation.glossary import LONGEST, Glossary, pair_of, read_pairs

if TYPE_CHECKING:
    from retrieval.earlier_searches import EarlierSearches

_LARGEST = 2 * 2**20  # bytes of a file with pairs


class LibraryGlossary(LibraryParts):
    """Pairs are seen, added, changed, removed; a question that comes after goes by them."""

    async def glossary(self) -> list[GlossaryPair]:
        """Those that were given by hand, then those in documents of a set that is named so."""
        from retrieval.glossary import all_pairs

        return await asyncio.to_thread(all_pairs, self.store)

    async def known_glossary(self) -> Glossary:
        """`glossary_terms`, without blocking and mostly without a thread."""
        from retrieval.glossary import glossary_of, known_glossary

        known = known_glossary(self.store, self.generation())
        return known if known is not None else await asyncio.to_thread(glossary_of, self.store)

    def glossary_terms(self) -> Glossary:
        """The glossary as searches and checks go by it. Reads the store after a change of it."""
        from retrieval.glossary import glossary_of

        return glossary_of(self.store)

    async def translated_share(
        self, question: str, language: Language, earlier: EarlierSearches | None = None
    ) -> float:
        """How much of the weight of a question in this language has a translation that the library says somewhere."""
        from retrieval.translated_form import translated_share

        return await asyncio.to_thread(translated_share, question, language, self.store, earlier)

    async def subject_translated(
        self, question: str, language: Language, earlier: EarlierSearches | None = None
    ) -> bool:
        """Whether the dictionary has the rarest word of a question in this language that the library says."""
        from retrieval.translated_form import subject_translated

        return await asyncio.to_thread(subject_translated, question, language, self.store, earlier)

    async def names_said(
        self, question: str, language: Language, text: str, earlier: EarlierSearches | None = None
    ) -> bool:
        """Whether a question of this language has names, and a text of the other one says them all."""
        from retrieval.translated_form import names_said

        return await asyncio.to_thread(names_said, question, language, text, self.store, earlier)

    async def change_glossary(self, put: Iterable[tuple[str, str]], remove: Iterable[tuple[str, str]] = ()) -> int:
        """Pairs removed, others added, whichever of the two terms comes first; how many there were and are new. Raises
        CitewiseError for what is no pair of a Chinese and an English term."""
        new, old = ([_pair(one, other) for one, other in pairs] for pairs in (put, remove))
        return await self._change(self.store.change_glossary, new, old)

    async def import_glossary(self, name: str, data: bytes) -> tuple[int, int]:
        """The pairs of a table (CSV, Excel, Markdown ...): how many are in it, how many of them are new. Raises
        CitewiseError where it has none."""
        pairs = await asyncio.to_thread(_pairs_of, name, data)
        return len(pairs), await self._change(self.store.change_glossary, pairs)


def _pairs_of(name: str, data: bytes) -> Sequence[GlossaryPair]:
    from ingestion.readers import read_document

    pairs = read_pairs(read_document(name, data, max_bytes=_LARGEST).text)
    if not pairs:
        raise CitewiseError(
            "file",
            Message(zh=f"{name} 里没有成对的术语。", en=f"There is no pair of terms in {name}."),
            Message(
                zh="请每行写一对：一列中文，一列英文。",
                en="Write a pair on each row: a Chinese term in one column, the English one in another.",
            ),
        )
    return pairs


def _pair(one: str, other: str) -> GlossaryPair:
    if pair := pair_of(one, other):
        return pair
    raise CitewiseError(
        "settings",
        Message(zh=f"“{one[:50]}”和“{other[:50]}”不是一对术语。", en=f"“{one[:50]}” and “{other[:50]}” are no pair."),
        Message(
            zh=f"请给出一个含汉字的词和一个不含汉字的英文词，各不超过 {LONGEST} 个字符。",
            en=f"Give one term with Chinese characters and an English one without, of at most {LONGEST} characters.",
        ),
    )
