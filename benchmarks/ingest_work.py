"""What the processes of the benchmark `ingest` do: store a folder, do the same by hand, ask while files come in."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

SIZE, OVERLAP = 1000, 200  # of LangChain's chunks, in characters
_MOST_ASKED = 1_500  # fewer than there are: who asks again is answered from memory


def settings_for(data: str) -> Any:
    """Of a library in this folder, without any model."""
    from settings import Settings

    return Settings.from_mapping({"CITEWISE_DATA_DIR": data, "CITEWISE_OLLAMA": "false"})


def ours(folder: str, data: str) -> dict[str, float]:
    """As `cli.py ingest`, with the processor time of vectors counted apart."""
    import library  # noqa: F401  # imported before the clock starts
    from ingestion import folders, worker  # noqa: F401

    spent = {"vectors": 0.0}
    call = worker.WorkerProcess.call

    def counted(self: worker.WorkerProcess, job: str, *arguments: Any, report: Any) -> Any:
        if job not in ("fit", "embed_indexed"):
            return call(self, job, *arguments, report=report)
        pid = self._running().pid
        before = _cpu_of(pid)
        result = call(self, job, *arguments, report=report)
        spent["vectors"] += _cpu_of(pid) - before
        return result

    worker.WorkerProcess.call = counted  # type: ignore[method-assign]
    begun = time.perf_counter()
    found, refused = asyncio.run(_store(folder, data))
    return {
        "seconds": time.perf_counter() - begun, "files": found, "refused": refused, **spent,
    }  # fmt: skip


async def _store(folder: str, data: str) -> tuple[int, int]:
    """How many files there were, and how many could not be stored."""
    from errors import CitewiseError
    from ingestion.folders import incoming_of, split_unchanged
    from library import Library

    files = [file for file in incoming_of([folder]).files if file.path.endswith(".md")]
    async with await Library.open(settings_for(data), warm=False) as library:
        fresh, _ = split_unchanged(files, library.documents())
        tasks = await library.submit(fresh)
        outcomes = await library.finished([task.id for task in tasks])
        await library.settle()
    return len(files), sum(isinstance(outcome, CitewiseError) for outcome in outcomes.values())


def files_in(folder: Path) -> list[Path]:
    """The Markdown files that are not hidden."""
    found = (path for path in folder.rglob("*.md") if path.is_file())
    return sorted(path for path in found if not any(part[0] == "." for part in path.relative_to(folder).parts))


def by_hand(folder: str) -> dict[str, float]:
    """The same files read, split, tokenised, and put into rank_bm25 and FAISS, all in memory."""
    import faiss
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from rank_bm25 import BM25Okapi

    from providers.tfidf import fit
    from text import search_tokens

    begun = time.perf_counter()
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files_in(Path(folder))]
    splitter = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=OVERLAP)
    chunks = [chunk for text in texts for chunk in splitter.split_text(text)]
    keywords = BM25Okapi([search_tokens(chunk) for chunk in chunks])
    before = time.process_time()
    vectors = fit(chunks, 512).embed(chunks)
    spent = time.process_time() - before
    nearest = faiss.IndexFlatIP(vectors.shape[1])
    nearest.add(vectors)
    assert nearest.ntotal == keywords.corpus_size == len(chunks)
    return {"chunks": len(chunks), "seconds": time.perf_counter() - begun, "vectors": spent}


def asking(folder: str, data: str, manual_count: str, asked: str) -> dict[str, float]:
    """The seconds of whole turns, while nothing else goes on and while the folder is stored by the same process."""
    return asyncio.run(_asking(folder, data, int(manual_count), int(asked)))


async def _asking(folder: str, data: str, manual_count: int, asked: int) -> dict[str, float]:
    from benchmarks.manuals import manuals
    from benchmarks.whole_turn import turn_seconds
    from graph.turns import Assistant
    from ingestion.folders import incoming_of
    from schema import IncomingFile

    shelf = manuals(manual_count)
    facts = [fact for turn in range(len(shelf[0].facts)) for fact in (manual.facts[turn] for manual in shelf)]
    questions = cycle([fact.question.to(fact.language) for fact in facts])
    assistant = await Assistant.open(settings_for(data))
    library = assistant.library
    try:
        tasks = await library.submit([IncomingFile(one.name, one.text.encode()) for one in shelf])
        await library.finished([task.id for task in tasks])
        await library.settle()
        for _ in range(5):
            await turn_seconds(assistant, next(questions))
        idle = [await turn_seconds(assistant, next(questions)) for _ in range(asked)]
        files = incoming_of([folder]).files
        tasks = await library.submit(files)
        work = asyncio.create_task(_to_the_end(library, [task.id for task in tasks]))
        busy: list[float] = []
        while not work.done() and len(busy) < _MOST_ASKED:
            busy.append(await turn_seconds(assistant, next(questions)))
        await work
    finally:
        await assistant.close()
    shares = (("idle", idle, 50), ("idle", idle, 95), ("busy", busy, 50), ("busy", busy, 95))
    figures = {f"{name} p{share}": float(np.percentile(times, share)) for name, times, share in shares}
    return {**figures, "questions": len(busy)}


async def _to_the_end(library: Any, tasks: list[int]) -> None:
    await library.finished(tasks)
    await library.settle()


def _cpu_of(pid: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    jobs: dict[str, Callable[..., dict[str, float]]] = {"ours": ours, "by_hand": by_hand, "asking": asking}
    print(json.dumps(jobs[sys.argv[1]](*sys.argv[2:])))
