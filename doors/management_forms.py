"""What the management of a library is asked for (doors/management.py)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from doors import forms
from doors.forms import Form, Name, Names
from schema import Chunking

Some = Annotated[Names, Field(min_length=1)]


class ChunkingForm(Form):
    chunker: forms.Chunker = None
    chunk_size: forms.Size = None
    chunk_overlap: forms.Overlap = None
    chunk_unit: forms.Unit = None

    @property
    def chunking(self) -> Chunking:
        size, overlap = self.chunk_size, self.chunk_overlap
        return Chunking(strategy=self.chunker, size=size, overlap=overlap, unit=self.chunk_unit)


class NoParameters(Form):
    """Nothing to be said."""


class InSet(Form):
    doc_set: Name | None = None  # None: wherever it is, all of them


class NamedFiles(InSet):
    names: Names = Field([])  # none: all


class MakeSet(Form):
    name: Name


class RenameSet(MakeSet):
    to: Name


class DeleteDocuments(InSet):
    names: Some


class MoveDocuments(DeleteDocuments):
    to: Name


class Rechunk(DeleteDocuments, ChunkingForm):
    pass


class Preview(InSet, ChunkingForm):
    name: Name
    limit: forms.Limit = 50


class ListChunks(InSet):
    name: Name
    first: forms.Offset = 0
    limit: forms.Limit = 50
