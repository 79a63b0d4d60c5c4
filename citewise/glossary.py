"""The glossary of a library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from citewise.lifecycle import LibraryLifecycle
from schema import GlossaryPair


class GlossaryCalls(LibraryLifecycle):
    """Chinese and English terms that stand for each other, before the dictionary: names, products, jargon."""

    async def glossary(self) -> Sequence[GlossaryPair]:
        """Those that were given by hand, then those of documents in a set that is named Glossary or 术语表, each with
        its `document`.

        for pair in library.glossary():
            print(pair.chinese, pair.english)
        """
        return await self.library.glossary()

    async def add_to_glossary(self, *pairs: tuple[str, str]) -> int:
        """Pairs of a Chinese and an English term, in whichever order; how many are new. Raises CitewiseError.

        library.add_to_glossary(("北极星", "Project Polaris"))
        """
        return await self.library.change_glossary(pairs)

    async def remove_from_glossary(self, *pairs: tuple[str, str]) -> int:
        """How many there were of these; documents are left as they are. Raises CitewiseError."""
        return await self.library.change_glossary((), pairs)

    async def import_glossary(self, path: str | Path) -> int:
        """The pairs of a table (CSV, Excel, Markdown ...); how many are new. Raises CitewiseError where it has none."""
        data = await asyncio.to_thread(Path(path).read_bytes)
        return (await self.library.import_glossary(Path(path).name, data))[1]
