"""The processor's part of ingestion, run in a worker process: reading, cutting, search terms, fitting, embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from errors import FileError
from providers import embeddings
from providers.base import Embedder
from providers.calibration import Trial, learn, prepare
from providers.model_files import Download, fetch, plan_download
from providers.neural import NeuralEmbedder, Reading
from schema import Chunk, Chunking, Document, Message, Space, Stage, Vectors
from settings import Settings
from text import search_tokens

Report = Callable[[Stage, float], None]  # the stage that begins, and how far the file is, in [0, 1]


@dataclass(frozen=True, slots=True)
class Cut:
    """A document in chunks, with their search terms."""

    document: Document
    chunking: Chunking  # as it was done, nothing left open
    chunks: list[Chunk]
    terms: list[list[str]]

    @property
    def texts(self) -> list[str]:
        return [chunk.indexed_text for chunk in self.chunks]


class UnknownSpace(Exception):
    """This workshop has not been given the space: call `learn` first."""


class Workshop:
    """Does one job at a time. It holds the embedders of the last two spaces: the serving one, and a coming one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._embedders: dict[str, Embedder] = {}

    def warm(self, serving: Space | None, report: Report) -> None:
        """Load what the next file will need; the first one of a library needs more."""
        warmed = self.cut(Document("warm.md", "# 预热\n\nWarm up.", kind="markdown"), Chunking(), report)
        if serving is not None and serving.provider not in embeddings.REMOTE:
            self.learn(serving, report)
        elif serving is None and embeddings.chosen(self._settings).provider in embeddings.MODELLESS:
            self.fit(warmed.texts, report)

    def read(self, name: str, data: bytes, doc_set: str, chunking: Chunking, report: Report) -> Cut:
        """Raises FileError."""
        from ingestion.readers import read_document

        report("read", 0.0)
        limit = int(self._settings.max_file_mb * 1_000_000)
        return self.cut(read_document(name, data, doc_set=doc_set, max_bytes=limit), chunking, report)

    def cut(self, document: Document, chunking: Chunking, report: Report) -> Cut:
        from ingestion.chunking import chunk_document

        report("chunk", 0.1)
        done, chunks = chunk_document(document, chunking, self._settings, self._embed_for_cutting)
        if not chunks:
            raise FileError(
                Message(
                    zh=f"{document.name} 里没有可以保存的文字。", en=f"There is no text to save in {document.name}."
                ),
                Message(zh="请检查文件内容。", en="Please check what the file contains."),
            )
        return Cut(document, done, chunks, [search_tokens(chunk.indexed_text) for chunk in chunks])

    def _embed_for_cutting(self, texts: Sequence[str]) -> Vectors:
        """For the semantic chunker: every sentence of a file, so never by a trained model, which takes minutes for it
        or a network. The newest fitted space at hand; hashing needs none."""
        for embedder in reversed(self._embedders.values()):
            if embedder.space.provider in embeddings.MODELLESS:
                return embedder.embed(texts)
        from providers.hashing import HashingEmbedder

        return HashingEmbedder(self._settings.hashing_dimensions).embed(texts)

    # --- spaces --------------------------------------------------------------------------------------------------

    def fit(self, texts: Sequence[str], report: Report) -> tuple[Space, Vectors]:
        """A space that needs no model and suits these texts, and their vectors in it."""
        embedder: Embedder
        if embeddings.offline(self._settings) == "tfidf":
            from providers.tfidf import fit

            embedder = fit(texts, self._settings.tfidf_dimensions)
        else:
            from providers.hashing import HashingEmbedder

            embedder = HashingEmbedder(self._settings.hashing_dimensions)
        self._keep(embedder)
        return embedder.space, embedder.embed(texts)

    def open(self, known: Sequence[Space], report: Report) -> Space:
        """That of the model on this machine that the settings ask for. Raises CitewiseError."""
        embedder = embeddings.open_chosen(self._settings, known)
        self._keep(embedder)
        return embedder.space

    def learn(self, space: Space, report: Report) -> None:
        """Raises CitewiseError when the space's model is not here."""
        self._keep(embeddings.restore(space, self._settings))

    def embed(self, space_key: str, texts: Sequence[str], report: Report) -> Vectors:
        """Raises UnknownSpace, EmbeddingError."""
        return self._embedder(space_key).embed(texts)

    def embed_questions(self, space_key: str, questions: Sequence[str], report: Report) -> Vectors:
        return self._embedder(space_key).embed_questions(questions)

    def reading(self, space_key: str, texts: Sequence[str], report: Report) -> Reading:
        """How much of the texts the model of the space reads."""
        embedder = self._embedder(space_key)
        assert isinstance(embedder, NeuralEmbedder)
        return embedder.reading(texts)

    def prepare_trial(self, texts: Sequence[str], report: Report) -> Trial:
        return prepare(texts)

    def learn_from_trial(
        self, trial: Trial, texts: Vectors, questions: Vectors, report: Report
    ) -> dict[str, dict[str, float]]:
        return learn(trial, texts, questions)

    def plan_download(self, model: str, report: Report) -> Download:
        return plan_download(model, self._settings)

    def fetch(self, download: Download, report: Report) -> None:
        fetch(download, self._settings)

    def _embedder(self, space_key: str) -> Embedder:
        if space_key not in self._embedders:
            raise UnknownSpace(space_key)
        return self._embedders[space_key]

    def _keep(self, embedder: Embedder) -> None:
        self._embedders = dict([*self._embedders.items(), (embedder.space.key, embedder)][-2:])
