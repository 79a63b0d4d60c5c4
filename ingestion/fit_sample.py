"""What a space without a model is fitted to: texts of stored chunks, with the search terms that were found in them."""

from __future__ import annotations

from collections.abc import Sequence

from providers import embeddings
from settings import Settings
from stores.base import Store


def texts_and_terms(store: Store, texts: dict[int, str]) -> tuple[list[str], list[str]]:
    """Texts of chunks and their search terms, joined by spaces, which need not be found again."""
    terms = store.terms(list(texts))
    return list(texts.values()), [terms.get(chunk_id, "") for chunk_id in texts]


def fit_sample(store: Store, settings: Settings, chunk_ids: Sequence[int]) -> tuple[Sequence[str], Sequence[str]]:
    """Of the texts those that a fit looks at, and their search terms."""
    if embeddings.offline(settings) != "tfidf":
        return [], []
    from providers.tfidf import TextSample, looked_at

    places = looked_at(len(chunk_ids))
    texts = dict(store.indexed_texts([chunk_ids[place] for place in places]))
    known = dict(zip(texts, zip(*texts_and_terms(store, texts), strict=True), strict=True))
    # A chunk that was deleted just now leaves its place to another.
    spare = next(iter(known.values()), ("", ""))
    found = {place: known.get(chunk_ids[place], spare) for place in places}
    return (
        TextSample(len(chunk_ids), {place: text for place, (text, _) in found.items()}),
        TextSample(len(chunk_ids), {place: terms for place, (_, terms) in found.items()}),
    )
