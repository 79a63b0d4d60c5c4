"""A small library of two languages for the tests of retrieval."""

from __future__ import annotations

from dataclasses import dataclass

from providers.base import Embedder
from providers.tfidf import fit
from schema import Chunk, Chunking, Document
from settings import Settings
from stores.base import DocumentBatch, Store
from text import search_tokens

SETTINGS = Settings.from_mapping({})

TEXTS = {
    "lighthouse.md": [
        "The lighthouse on the northern cliff was built in 1874. Its lamp burned oil until 1931.",
        "Ships in the bay steer by the lighthouse and by two buoys painted red.",
    ],
    "bread.md": [
        "Bread needs flour, water, salt and time. The dough rises overnight in a cool place.",
        "An oven of stone keeps its heat; the crust of the bread becomes dark.",
    ],
    "灯塔.md": ["北面悬崖上的灯塔建于1874年，灯里烧的是鲸油。", "港湾里的船只靠灯塔和两个红色浮标辨认方向。"],
    "手册.md": ["新生儿的体温应当每四小时测量一次。", "员工请假三天以上须由部门经理批准。"],
}


@dataclass(frozen=True)
class Filled:
    store: Store
    embedder: Embedder


def fill(store: Store, texts: dict[str, list[str]] | None = None) -> Filled:
    """Every text one chunk; a space fitted on all of them serves."""
    texts = TEXTS if texts is None else texts
    embedder = fit([text for chunks in texts.values() for text in chunks], 64)
    store.swap_space(embedder.space, [], embedder.embed([]))
    for name, chunks in texts.items():
        joined, pieces, start = "\n".join(chunks), [], 0
        for line, text in enumerate(chunks, 1):
            pieces.append(Chunk(text, start, start + len(text), line, line))
            start += len(text) + 1
        terms = [" ".join(search_tokens(text)) for text in chunks]
        doc_set, language = "even" if len(name) % 2 == 0 else "odd", "en" if name.isascii() else "zh"
        document = Document(name, joined, doc_set=doc_set, language=language)
        store.put(DocumentBatch(document, Chunking(), pieces, terms, embedder.embed(chunks), embedder.space.key))
    return Filled(store, embedder)
