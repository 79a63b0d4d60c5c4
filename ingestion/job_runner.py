"""The processor's part of ingestion, run in a worker process: reading, cutting, search terms, fitting, embedding."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from entities import names_of
from errors import CitewiseError, FileError
from ingestion.chunked_document import ChunkedDocument
from ingestion.file_bytes import bytes_at, defect
from providers import embeddings
from providers.base import Embedder
from providers.calibration import CalibrationTrial, learn, prepare
from providers.model_files import Download, fetch, plan_download
from providers.neural import NeuralEmbedder, ReadableShare
from schema import UNTOLD, Chunking, Document, Message, Origin, OriginalFile, Space, Stage, Vectors
from settings import Settings
from tables import text_tables
from text import count_tokens, search_tokens

if TYPE_CHECKING:
    from ingestion.page_pictures import PageBoxes
    from ingestion.readers.embedded_pictures import EmbeddedPicture
    from ingestion.readers.vision import VisionModel
    from ingestion.spool import ArchiveMember

log = logging.getLogger(__name__)

_LONGEST_TITLE = 300  # characters
Report = Callable[[Stage, float], None]  # the stage that begins, and how far the file is, in [0, 1]


class FileJob(NamedTuple):
    """A file to read, or a stored document; and how to cut it."""

    name: str
    chunking: Chunking
    doc_set: str = ""
    origin: Origin = UNTOLD
    path: str = ""
    document: Document | None = None
    metadata: Mapping[str, Any] = {}  # over what the file says itself
    recognise: bool = False  # pages that are pictures, by OCR; else OcrNeeded is raised for them
    pictures_later: bool = False  # the text now, what is written in pictures beside it another time


class UnknownSpaceError(Exception):
    """This workshop has not been given the space: call `learn` first."""


class JobRunner:
    """Does one job at a time. It holds the embedders of the last two spaces: the serving one, and a coming one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._vision: VisionModel | None = None
        self._embedders: dict[str, Embedder] = {}

    def warm(self, serving: Space | None, report: Report) -> None:
        """Load what the next file will need; the first one of a library needs more."""
        warmed = self.cut(Document("warm.md", "# 预热\n\nWarm up.", kind="markdown"), Chunking(), report)
        if serving is not None and serving.provider not in embeddings.REMOTE:
            self.learn(serving, report)
        elif serving is None and embeddings.chosen(self._settings).provider in embeddings.MODELLESS:
            self.embed(self.fit(warmed.texts, warmed.joined_terms, report).key, warmed.texts, report)

    def read_many(
        self, jobs: Sequence[FileJob], report: Callable[[int, Stage, float], None]
    ) -> list[ChunkedDocument | CitewiseError]:
        """Each of them in chunks, or why it cannot be: a bad file fails alone. `report` is told which one it is."""
        done: list[ChunkedDocument | CitewiseError] = []
        for place, job in enumerate(jobs):
            try:
                done.append(self.read(job, partial(report, place)))
            except CitewiseError as error:
                done.append(error)
            except Exception:  # a defect that this file brings to light: the others go on
                log.exception("%s could not be processed", job.name)
                done.append(defect(job.name))
        return done

    def read(self, job: FileJob, report: Report) -> ChunkedDocument:
        """Raises CitewiseError."""
        from ingestion.readers import read_document
        from ingestion.readers.ocr import OcrSession, ocr_session
        from ingestion.readers.versions import LATER, reader_stamp
        from ingestion.spool import load_document
        from stores.tasks import DOCUMENT

        report("read", 0.0)
        if job.document is not None:
            return self.cut(job.document, job.chunking, report)
        limit = int(self._settings.max_file_mb * 1_000_000)
        data = bytes_at(job.path, job.name, limit)
        if job.path.endswith(DOCUMENT):  # text that was read already
            stored = replace(load_document(data), name=job.name, doc_set=job.doc_set)
            return self.cut(replace(stored, tables=text_tables(stored)), job.chunking, report)
        ocr, model, progress = self._settings.ocr, self._vision_model(), partial(_reading, report)
        with ocr_session(OcrSession(not job.recognise, job.pictures_later, ocr, model, progress)):
            document = read_document(job.name, data, doc_set=job.doc_set, max_bytes=limit)
        reader = LATER if job.pictures_later else reader_stamp(document.origin.doc_type, ocr)
        origin = replace(_origin(document, job.origin), reader=reader)
        metadata = {**document.metadata, **job.metadata}
        cut = self.cut(replace(document, origin=origin, metadata=metadata), job.chunking, report)
        if len(data) > self._settings.max_original_mb * 1_000_000:
            return cut
        return replace(cut, original=OriginalFile(hashlib.sha256(data).hexdigest(), len(data), job.path))

    def _vision_model(self) -> VisionModel | None:
        """Kept, since it remembers that it has failed."""
        if self._settings.ocr == "model" and self._vision is None:
            from ingestion.readers.vision import VisionModel, vision_provider

            if provider := vision_provider(self._settings):
                self._vision = VisionModel(provider)
        return self._vision

    def unpack(self, name: str, path: str, folder: str, report: Report) -> list[ArchiveMember]:
        """The files of an archive, written into the spool. Raises FileError."""
        from ingestion.spool import Spool, unpack_into

        report("read", 0.0)
        return list(unpack_into(Spool(Path(folder)), name, path, int(self._settings.max_file_mb * 1_000_000)))

    def page_picture(self, data: bytes, number: int, report: Report) -> bytes:
        """Raises FileError."""
        from ingestion.page_pictures import page_picture

        return page_picture(data, number)

    def page_boxes(
        self, data: bytes, number: int, text: str, spans: Sequence[tuple[int, int]], report: Report
    ) -> PageBoxes:
        """Raises FileError."""
        from ingestion.page_pictures import page_boxes

        return page_boxes(data, number, text, spans)

    def embedded_pictures(self, name: str, data: bytes, report: Report) -> list[EmbeddedPicture]:
        """Raises FileError."""
        from ingestion.readers.embedded_pictures import embedded_pictures

        return embedded_pictures(name, data)

    def embedded_picture(self, name: str, data: bytes, part: str, report: Report) -> bytes:
        """Raises FileError."""
        from ingestion.readers.embedded_pictures import embedded_picture

        return embedded_picture(name, data, part)

    def equal_formulas(self, answer: str, reference: str, report: Report) -> bool:
        from providers.formulas import equal_formulas

        return equal_formulas(answer, reference)

    def cut(self, document: Document, chunking: Chunking, report: Report) -> ChunkedDocument:
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
        terms = [" ".join(search_tokens(chunk.indexed_text)) for chunk in chunks]
        names = names_of(document, chunks)
        return ChunkedDocument(document, done, chunks, terms, count_tokens(document.text), names)

    def _embed_for_cutting(self, texts: Sequence[str]) -> Vectors:
        """For the semantic chunker: every sentence of a file, so never by a trained model, which takes minutes for it
        or a network. The newest fitted space at hand; hashing needs none."""
        for embedder in reversed(self._embedders.values()):
            if embedder.space.provider in embeddings.MODELLESS:
                return embedder.embed(texts)
        from providers.hashing import HashingEmbedder

        return HashingEmbedder(self._settings.hashing_dimensions).embed(texts)

    # --- spaces --------------------------------------------------------------------------------------------------

    def fit(self, texts: Sequence[str], terms: Sequence[str] | None, report: Report) -> Space:
        """A space that needs no model and suits these texts; their search terms joined by spaces, where known."""
        embedder: Embedder
        if embeddings.offline(self._settings) == "tfidf":
            from providers.tfidf import fit

            embedder = fit(texts, self._settings.tfidf_dimensions, terms)
        else:
            from providers.hashing import HashingEmbedder

            embedder = HashingEmbedder(self._settings.hashing_dimensions)
        self._keep(embedder)
        return embedder.space

    def open(self, known: Sequence[Space], report: Report) -> Space:
        """That of the model on this machine that the settings ask for. Raises CitewiseError."""
        embedder = embeddings.open_chosen(self._settings, known)
        self._keep(embedder)
        return embedder.space

    def learn(self, space: Space, report: Report) -> None:
        """Raises CitewiseError when the space's model is not here."""
        self._keep(embeddings.restore(space, self._settings))

    def embed(self, space_key: str, texts: Sequence[str], report: Report) -> Vectors:
        """Raises UnknownSpaceError, EmbeddingError."""
        return self._embedder(space_key).embed(texts)

    def embed_indexed(self, space_key: str, texts: Sequence[str], terms: Sequence[str], report: Report) -> Vectors:
        """Texts whose search terms are known, joined by spaces; in a space that needs no model."""
        embedder = self._embedder(space_key)
        assert not isinstance(embedder, NeuralEmbedder)
        return embedder.embed(texts, terms)  # type: ignore[call-arg]  # of the modelless ones

    def embed_questions(self, space_key: str, questions: Sequence[str], report: Report) -> Vectors:
        return self._embedder(space_key).embed_questions(questions)

    def reading(self, space_key: str, texts: Sequence[str], report: Report) -> ReadableShare:
        """How much of the texts the model of the space reads."""
        embedder = self._embedder(space_key)
        assert isinstance(embedder, NeuralEmbedder)
        return embedder.reading(texts)

    def prepare_trial(self, texts: Sequence[str], report: Report) -> CalibrationTrial:
        return prepare(texts)

    def learn_from_trial(
        self, trial: CalibrationTrial, texts: Vectors, questions: Vectors, report: Report
    ) -> dict[str, dict[str, float]]:
        return learn(trial, texts, questions)

    def plan_download(self, model: str, report: Report) -> Download:
        return plan_download(model, self._settings)

    def fetch(self, download: Download, report: Report) -> None:
        fetch(download, self._settings)

    def _embedder(self, space_key: str) -> Embedder:
        if space_key not in self._embedders:
            raise UnknownSpaceError(space_key)
        return self._embedders[space_key]

    def _keep(self, embedder: Embedder) -> None:
        self._embedders = dict([*self._embedders.items(), (embedder.space.key, embedder)][-2:])


def _reading(report: Report, share: float) -> None:
    report("read", 0.1 * share)


def _origin(document: Document, given: Origin) -> Origin:
    """What is known where it comes from, and what the file says itself: not when it was fetched or committed."""
    read, is_page = document.origin, given.source_type == "website"
    times = [read.timestamp, given.timestamp] if given.source_type == "file" else [given.timestamp, read.timestamp]
    return replace(
        given,
        doc_type=read.doc_type,
        code_language=read.code_language or given.code_language,
        url=given.url or read.url,
        timestamp=next(filter(None, times), ""),
        title=str(document.metadata.get("title", ""))[:_LONGEST_TITLE] if is_page else "",
    )
