"""The benchmarks of workers over PostgreSQL: what they are there to see, they see."""

from __future__ import annotations

from pathlib import Path

from benchmarks.instances import ingestion
from benchmarks.instances.workers import environment
from library import Library
from schema import IncomingFile
from settings import Settings


async def test_what_is_lost_or_not_whole_is_seen(tmp_path: Path) -> None:
    texts = [f"# File {number}\n\nIts own word.\n\n{ingestion._mark(number)}\n" for number in range(3)]
    files = [IncomingFile(f"{number}.md", text.encode(), doc_set="s") for number, text in enumerate(texts)]
    values = environment("", tmp_path, CITEWISE_INGEST_WORKERS="0")
    async with await Library.open(Settings.from_mapping(values)) as library:
        tasks = await library.submit(files)
        assert await ingestion._problems(library, files, tasks) == {}
        await library.delete("0.md", "s")
        await library.add("1.md", b"# Another\n\nOther words.\n", doc_set="s")
        await library.add("3.md", texts[2].encode(), doc_set="s")
        assert await ingestion._problems(library, files, tasks) == {"lost": 1, "not whole": 2}
