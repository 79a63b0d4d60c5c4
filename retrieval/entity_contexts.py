"""What stands above and beneath the names of a question, for whoever reads the passages that were found.

Each place of a name is a sentence with the headings above it, up to its document and set, and with what stands beneath
it. Sentences are ranked by the vectors of their passages, in the one space that the library has, and kept within a
budget. They say how things hang together and are no source: nothing cites them.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from entities import ChunkNames, NamePlace, possible_names
from retrieval.passages import vectors_beside
from retrieval.two_views import cosine, rank_contexts
from schema import HIERARCHY_DEPTH, ContextFate, EntityContext, Hit, Language, Message, PairAbstract, Vectors
from stores.base import Store
from stores.forest import Sections
from stores.pairs import pair_key, pair_of
from text import count_tokens

log = logging.getLogger(__name__)

MOST_PLACES = 6  # of one name that are looked up: homes come first
_HOMES = 5  # of one name: what more are called is no name ("Overview")
_PLACES = 3  # of one name
_BENEATH = 8  # names
_REACH = 6  # chunks behind a place that are looked at for what stands beneath it
_MARKS = 4  # tokens between two sentences

Lookup = Callable[[Iterable[str]], dict[str, list[NamePlace]]]


class EntityInfo(NamedTuple):
    """A place of names that a question says."""

    names: tuple[str, ...]
    chunk_id: int
    above: tuple[str, ...]  # headings, document, set: the nearest first
    beneath: tuple[str, ...]

    def sentence(self, language: Language) -> str:
        comma = "、" if language == "zh" else ", "
        names, above, beneath = comma.join(self.names), " < ".join(self.above), comma.join(self.beneath)
        place = Message(zh=f"“{names}”见于：{above}。", en=f"“{names}” stands under: {above}.").to(language)
        below = Message(zh=f"其下有：{beneath}。", en=f" Beneath it: {beneath}.").to(language)
        return place + below if beneath else place


def search_entity_info(
    question: str, store: Store, lookup: Lookup, max_hierarchy_depth: int = HIERARCHY_DEPTH
) -> list[EntityInfo]:
    """The places of the names in a question, some of each, those that are about it before others. So many levels are
    looked at above each place and beneath it; the document and its set always stand above."""
    places = {
        name: found[:_PLACES]
        for name, found in lookup(possible_names(question)).items()
        if sum(place.home for place in found) <= _HOMES
    }
    names_at: defaultdict[int, dict[str, bool]] = defaultdict(dict)
    for name, found in places.items():
        for chunk_id, home in found:
            names_at[chunk_id][name] = home
    held, infos = store.names(list(names_at)), list[EntityInfo]()
    for chunk_id, around in store.around(list(names_at), _REACH).items():
        infos += _infos(chunk_id, names_at[chunk_id], around, held[chunk_id], max_hierarchy_depth)
    return infos


def _infos(
    chunk_id: int, names: Mapping[str, bool], around: Sequence[Hit], held: ChunkNames, depth: int
) -> Iterator[EntityInfo]:
    """For each section of a chunk in which names of the question stand; `names` tells of which it is about."""
    at = next(place for place, hit in enumerate(around) if hit.chunk_id == chunk_id)
    own, sections = around[at], [Sections(hit) for hit in around[at:]]
    by_section: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        if not any(name in other != name for other in names):  # no part of a longer one
            by_section[tuple(sections[0].path_of(name))].append(name)
    for path, here in by_section.items():
        above = [name for name in reversed(path) if name not in here][:depth]
        beneath = dict.fromkeys(_beneath(path, sections, held, depth) if any(map(names.get, here)) else ())
        shown = [name for name in beneath if name not in here and name not in path][:_BENEATH]
        document = filter(None, [own.document, own.doc_set])
        yield EntityInfo(tuple(here), chunk_id, (*above, *document), tuple(shown))


def _beneath(path: Sequence[str], sections: Sequence[Sections], held: ChunkNames, depth: int) -> Iterator[str]:
    """The headings of so many levels beneath a section, then what its first chunk is about and says in it."""
    for one in (one for within in sections for one in within.paths if tuple(one[: len(path)]) == path):
        yield from one[len(path) : len(path) + depth]
    for name in (*held.about, *held.says) if depth else ():
        if tuple(sections[0].path_of(name)[: len(path)]) == path:
            yield name


def abstract_sentences(
    chunk_ids: Sequence[int], store: Store, language: Language, *, or_text: bool = False
) -> dict[int, str]:
    """What a model has written about the pairs of these chunks, each once; of a pair without an abstract its text where
    that is wanted."""
    found = {chunk: pair_of(chunk, hits) for chunk, hits in store.around(chunk_ids, 1).items()}
    keys = {chunk: pair_key(pair) for chunk, pair in found.items()}
    written, texts = store.abstracts([*keys.values()]), dict[str, str]()
    first = {key: chunk for chunk, key in reversed(keys.items())}
    for key, chunk in first.items():
        if key in written:
            texts[key] = _abstract(written[key]).to(language)
        elif or_text:
            texts[key] = "\n".join(hit.text for hit in found[chunk])
    return {first[key]: text for key, text in texts.items()}


def _abstract(written: PairAbstract) -> Message:
    parts = [f"{one.child} < {one.parent}" for one in written.relations]
    return Message(
        zh=f"模型写的摘要：{written.text}" + (f"（上下级：{'；'.join(parts)}）" if parts else ""),
        en=f"Abstract by a model: {written.text}" + (f" ({'; '.join(parts)})" if parts else ""),
    )


def entity_contexts(
    infos: Sequence[EntityInfo],
    vector: Vectors | None,
    store: Store,
    language: Language,
    budget: int,
    *,
    with_passages: bool = False,
) -> tuple[EntityContext, ...]:
    """Sentences for a prompt, those of the nearest passages first; of two passages that are nearly the same only the
    first one's are kept, and as many as fit the budget, in model tokens. Without a vector of the question they stay in
    their order. `with_passages`: also the pairs of passages where the names stand, or their abstracts."""
    chunks = list(dict.fromkeys(info.chunk_id for info in infos))
    near, ranked = [0.0] * len(chunks), list(range(len(chunks)))
    if vector is not None and chunks:
        vectors = vectors_beside(vector, store, chunks)
        near, ranked = cosine(vector, vectors).tolist(), rank_contexts(vector, vectors, len(chunks))
    abstracts = abstract_sentences(chunks, store, language, or_text=with_passages)
    contexts: list[EntityContext] = []
    for place in [*ranked, *(place for place in range(len(chunks)) if place not in ranked)]:
        sentences = [info.sentence(language) for info in infos if info.chunk_id == chunks[place]]
        for text in filter(None, [*sentences, abstracts.get(chunks[place])]):
            cost = count_tokens(text) + _MARKS
            fate: ContextFate = "duplicate" if place not in ranked else "limit" if cost > budget else "kept"
            budget -= cost if fate == "kept" else 0
            log.debug("context %.4f, %s: %s", near[place], fate, text)
            contexts.append(EntityContext(text, round(near[place], 4), fate))
    return tuple(contexts)
